"""Podcast Addict's backup (`.backup`, a zip file with `podcastAddict.db` and the app's preferences), or that database.

Its schema isn't documented; this is the schema found in databases of 2024 and 2025: `podcasts` (subscribed_status,
feed_url, custom_name), `episodes` (guid, download_url, seen_status, position_to_resume and playbackDate in ms, -1 for
never, favorite), `tags` and `tag_relation`. Speeds are in the preferences. Two things can't be imported: bookmarks
(they are among the `chapters`, in a unit that isn't known for certain) and the playlist (`ordered_list` has several, by
numbers).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from player import regular_file
from player.library.foreign.database import (
    ForeignDatabase,
    database_in,
    names_in,
    opened,
    recognised,
    required,
    text_in,
)
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, position_of
from player.model.playback import FASTEST, SLOWEST
from player.model.podcast_settings import PodcastSettings
from player.text.sentences import _, plural
from player.text.untrusted_json import line_of, moment_of_ms, whole_of

_DATABASE = "podcastAddict.db"
_PREFERENCES = "com.bambuna.podcastaddict_preferences.xml"
_SPEED = re.compile(r'name="pref_speedAdjustment_(\d{1,18})" value="([0-9.]{1,10})"')
_SPEED_ON = re.compile(r'name="pref_speedPlaybackOn_(\d{1,18})" value="(true|false)"')


class PodcastAddictReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        if names := names_in(path, start):
            return _DATABASE in names
        return recognised(path, start, "episodes", "seen_status", "position_to_resume", "podcast_id")

    def read(self, path: Path) -> ForeignLibrary:
        with regular_file.opened(path) as file:
            if not names_in(path, file.read(4)):
                return _read(path, {})
        speeds = dict(_speeds(text_in(path, _PREFERENCES)))
        with database_in(path, lambda name: name == _DATABASE) as database:
            return _read(database, speeds)


def _read(path: Path, speeds: dict[int, float]) -> ForeignLibrary:
    with opened(path) as database:
        required(database, "Podcast Addict", "podcasts", "episodes")
        episodes = _episodes(database)
        tags = _tags(database)
        podcasts = tuple(_podcasts(database, episodes, tags, speeds))
        bookmarks = sum(bool(whole_of(row[0])) for row in database.rows("chapters", "customBookmark"))
        queued = any(True for _row in database.rows("ordered_list", "id"))
        left_out = [*database.problems]
        version = database.version()
    if queued:
        left_out.append(_("Podcast Addict's playlist can't be imported."))
    if bookmarks:
        left_out.append(plural(bookmarks, "{n:,} bookmark can't be imported.", "{n:,} bookmarks can't be imported."))
    return ForeignLibrary("Podcast Addict", str(version or ""), podcasts, tuple(left_out))


def _podcasts(
    database: ForeignDatabase,
    episodes: dict[int, list[ForeignEpisode]],
    tags: dict[int, list[str]],
    speeds: dict[int, float],
) -> Iterator[ForeignPodcast]:
    for row in database.rows(
        "podcasts", "_id", "feed_url", "name", "custom_name", "subscribed_status", "login", "password"
    ):
        number, url, name, own_title, subscribed, login, password = row
        key = whole_of(number) or 0
        address = line_of(url, 8_000)
        if not address.lower().startswith(("http://", "https://")):
            continue
        yield ForeignPodcast(
            address,
            line_of(name),
            line_of(own_title),
            tuple(tags.get(key, ())),
            PodcastSettings(speed=speeds.get(key)),
            (line_of(login), str(password or "")) if line_of(login) else None,
            bool(whole_of(subscribed)),
            tuple(episodes.get(key, ())),
        )


def _episodes(database: ForeignDatabase) -> dict[int, list[ForeignEpisode]]:
    """The episodes that the listener has done something with, by their podcast's number."""
    found: dict[int, list[ForeignEpisode]] = {}
    for row in database.rows(
        "episodes", "podcast_id", "guid", "download_url", "name", "publication_date", "duration_ms", "seen_status",
        "position_to_resume", "favorite", "playbackDate",
    ):  # fmt: skip
        podcast, guid, url, title, published, length_ms, seen, position_ms, favorite, heard_at = row
        played, starred, position = bool(whole_of(seen)), bool(whole_of(favorite)), whole_of(position_ms) or 0
        if (key := whole_of(podcast)) is None or not (played or position or starred):
            continue
        episode = ForeignEpisode(
            line_of(guid, 2_000),
            line_of(url, 8_000),
            line_of(title),
            moment_of_ms(published),
            whole_of(length_ms) or None,
            played,
            None if played else position_of(position),
            moment_of_ms(heard_at),
            starred,
        )
        found.setdefault(key, []).append(episode)
    return found


def _tags(database: ForeignDatabase) -> dict[int, list[str]]:
    names = {row[0]: line_of(row[1]) for row in database.rows("tags", "_id", "name")}
    found: dict[int, list[str]] = {}
    for tag, podcast in database.rows("tag_relation", "tag_id", "podcast_id"):
        if (name := names.get(tag)) and (key := whole_of(podcast)) is not None:
            found.setdefault(key, []).append(name)
    return found


def _speeds(preferences: str) -> Iterator[tuple[int, float]]:
    """The speed of each podcast that has its own."""
    off = {number for number, on in _SPEED_ON.findall(preferences) if on == "false"}
    for number, text in _SPEED.findall(preferences):
        try:
            speed = float(text)
        except ValueError:
            continue
        if number not in off and SLOWEST <= speed <= FASTEST:
            yield int(number), speed
