"""Turns audio files and their tags into a feed, in listening order; the library stores it like any other feed."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from player.links.addresses import file_address
from player.model.episode import TranscriptRef
from player.model.feed import Feed, FeedEpisode
from player.model.podcast import MOST_EPISODES
from player.sources.local.file_tags import FileTags
from player.sources.local.walk import TYPES, AudioFile, Found
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

_NUMBER = re.compile(r"([0-9]+)")


class Place(NamedTuple):
    """The data that an audio file is sorted by: the names on its path below the podcast's folder, and the album, disc
    and track in its tags."""

    parts: tuple[str, ...]
    album: str = ""
    disc: int | None = None
    track: int | None = None


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key for natural order (1, 2, 10), regardless of case and accents."""
    pieces = _NUMBER.split(fold(name))
    return tuple((0, int(one[:300]), one) if one[:1].isdecimal() else (1, 0, one) for one in pieces if one)


def in_order(places: Sequence[Place]) -> list[int]:
    """The indexes of the places in listening order: the files of a folder first, then its subfolders.

    Within a folder the tagged tracks decide if every file has one, no track is repeated, and the files agree on the
    album and on whether they have discs; otherwise the names decide.
    """
    folders: dict[tuple[str, ...], list[int]] = {}
    for index, place in enumerate(places):
        folders.setdefault(place.parts[:-1], []).append(index)
    ordered: list[int] = []
    for folder in sorted(folders, key=lambda parts: ([natural_key(part) for part in parts], parts)):
        ordered += _files_in_order(places, folders[folder])
    return ordered


def _files_in_order(places: Sequence[Place], indexes: list[int]) -> list[int]:
    by_name = sorted(indexes, key=lambda index: (natural_key(places[index].parts[-1]), places[index].parts))
    tracks = [(places[index].disc or 1, places[index].track or 0) for index in by_name]
    discs = {places[index].disc is None for index in by_name}
    albums = {places[index].album for index in by_name}
    is_complete = all(track for _disc, track in tracks) and len(discs) == len(albums) == 1
    if not is_complete or len(set(tracks)) < len(tracks):
        return by_name
    return [index for _place, index in sorted(zip(tracks, by_name, strict=True))]


_MOSTLY = 0.5
"""An album or author applies to the podcast if more than this share of the files name it."""


def feed_of(root: str, found: Found, tags: Sequence[FileTags]) -> Feed:
    """`tags` are the tags of `found.files`. The episodes are in listening order."""
    places = [Place(file.parts, one.album, one.disc, one.track) for file, one in zip(found.files, tags, strict=True)]
    order = in_order(places)[:MOST_EPISODES]
    titles = _titles([found.files[index] for index in order], [tags[index] for index in order])
    seen: Counter[str] = Counter()
    episodes = []
    for index, title in zip(order, titles, strict=True):
        seen[tags[index].audio] += 1
        episodes.append(_episode(found.files[index], tags[index], title, seen[tags[index].audio]))
    chosen = [tags[index] for index in order]
    is_file = found.files[0].path == root
    return Feed(
        title=_common([one.album for one in chosen]) or (titles[0] if is_file else _name(root)),
        author=_common([one.author for one in chosen]),
        description=_("Audio files in {folder}", folder=clean_line(str(PurePath(root)), 300)),
        image_url=file_address(found.cover) if found.cover else "",
        episodes=tuple(episodes),
        is_whole=found.whole and len(order) == len(found.files),
        is_ordered=True,
    )


def _episode(file: AudioFile, tags: FileTags, title: str, copy: int) -> FeedEpisode:
    """`copy` numbers the files with the same audio, from 1."""
    guid = tags.audio if not tags.audio or copy == 1 else f"{tags.audio} {copy}"
    return FeedEpisode(
        guid=guid,
        title=title,
        url=file_address(file.path),
        media_type=file.media_type,
        size=file.size,
        duration_ms=tags.duration_ms,
        notes=tags.notes,
        season=tags.disc,
        number=str(tags.track) if tags.track else "",
        transcripts=tuple(
            TranscriptRef(file_address(one.path, one.version), one.media_type, one.language) for one in file.transcripts
        ),
    ).signed()


def _titles(files: Sequence[AudioFile], tags: Sequence[FileTags]) -> list[str]:
    """Titles from the tags. Files without a title, or with a title that several files share (such as the title of the
    book), are named after their file names, and after their folders too if the file names are the same."""
    tagged = Counter(one.title for one in tags)
    named = Counter(file.stem for file in files)
    titles = []
    for file, one in zip(files, tags, strict=True):
        if one.title and tagged[one.title] == 1:
            titles.append(one.title)
        elif named[file.stem] == 1 or len(file.parts) < 2:
            titles.append(_shown(file.stem))
        else:
            titles.append(_shown(" / ".join((*file.parts[:-1], file.stem))))
    return titles


def _shown(name: str) -> str:
    """A file's name as a title; bytes that aren't UTF-8 become U+FFFD, the replacement character."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return clean_line(text.replace("_", " ")) or _("Untitled")


def _name(root: str) -> str:
    path = PurePath(root)
    return _shown(path.stem if path.suffix[1:].lower() in TYPES else path.name or root)


def _common(values: Sequence[str]) -> str:
    """The value that more than half of the files have; "" if there is none."""
    name, count = Counter(values).most_common(1)[0] if values else ("", 0)
    return name if count > _MOSTLY * len(values) else ""
