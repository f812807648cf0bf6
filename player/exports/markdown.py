"""Documents for people to read, as Markdown: podcasts, stars, bookmarks and the listening history; or the transcript of
an episode.

Titles, notes and what is said come from strangers, so characters with a meaning in Markdown are escaped.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path

from player.attachments.episode_transcripts import source_words
from player.bookmarks import escaped
from player.exports.archive import write_whole
from player.library import Library
from player.library.history.sessions import Session
from player.links.urls import link_at, openable, without_secrets
from player.model.episode import Episode, Transcript
from player.model.filters import View, ViewName
from player.model.listening import Bookmark
from player.model.podcast import Podcast
from player.text.cleaning import fold
from player.text.durations import brief, clock
from player.text.sentences import _
from player.transcripts.write import paragraphs

_MARK = "<!-- earmark export -->"
_AT_ONCE = 500


def is_document(start: bytes) -> bool:
    """Whether a file with this beginning is such a document."""
    return start.startswith(_MARK.encode())


def save_document(path: Path, library: Library, now: datetime) -> None:
    """Writes the document, whole or not at all. Raises ExportError or LibraryError."""
    pieces = (f"{line}\n".encode() for line in document(library, now))
    write_whole(path, pieces, replaces=is_document)


def document(library: Library, now: datetime) -> Iterator[str]:
    """The lines of the document."""
    podcasts = [one for one in library.podcasts.all() if one.url.lower().startswith(("http://", "https://"))]
    yield _MARK
    yield f"# {_('Podcasts in Earmark')}"
    yield ""
    yield _("Exported on {day}.", day=now.astimezone().date().isoformat())
    yield from _section(_("Podcasts"), _podcasts(podcasts))
    yield from _section(_("Starred episodes"), _starred(library))
    yield from _section(_("Bookmarks"), _bookmarks(library.bookmarks.all()))
    yield from _section(_("Heard"), _heard(library))


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    """A section with its heading; nothing if there are no lines."""
    begun = False
    for line in lines:
        if not begun:
            begun = True
            yield from ("", f"## {heading}", "")
        yield line


def _podcasts(podcasts: Iterable[Podcast]) -> Iterator[str]:
    """The podcasts without a tag, then the podcasts of each tag; a podcast with several tags is listed under the
    first."""
    groups: dict[str, list[Podcast]] = {}
    for podcast in podcasts:
        groups.setdefault(podcast.tags[0] if podcast.tags else "", []).append(podcast)
    first = True
    for tag in sorted(groups, key=lambda one: (one != "", fold(one), one)):
        if tag:
            yield from ((f"### {escaped(tag)}", "") if first else ("", f"### {escaped(tag)}", ""))
        for podcast in groups[tag]:
            title = _link(podcast.title, podcast.link)
            author = f", {escaped(podcast.author)}" if podcast.author else ""
            yield f"- {title}{author} ({_link(_('feed'), podcast.url)})"
        first = False


def _starred(library: Library) -> Iterator[str]:
    ids = library.listing(View.of(ViewName.STARRED))
    for start in range(0, len(ids), _AT_ONCE):
        for row in library.episodes.rows(ids.page(start, _AT_ONCE)):
            day = f"{row.published.date().isoformat()} " if row.published else ""
            yield f"- {day}{_episode(row)}, {escaped(row.podcast)}"


def _bookmarks(bookmarks: Iterable[Bookmark]) -> Iterator[str]:
    """The bookmarks of an episode together, in the order of its positions; the episode with the latest bookmark
    first."""
    groups: dict[tuple[str, str, str], list[Bookmark]] = {}
    for one in bookmarks:
        groups.setdefault((one.podcast, one.episode, one.link), []).append(one)
    first = True
    for (podcast, episode, link), group in groups.items():
        heading = f"### {_link(episode, link)}, {escaped(podcast)}" if podcast else f"### {_link(episode, link)}"
        yield from ((heading, "") if first else ("", heading, ""))
        first = False
        for one in sorted(group, key=lambda kept: kept.position_ms):
            at, moment = link_at(without_secrets(one.link), one.position_ms), clock(one.position_ms)
            texts = [escaped(text) for text in (one.note, one.chapter) if text]
            length = f" ({clock(one.length_ms)})" if one.length_ms else ""
            yield f"- {f'[{moment}](<{at}>)' if at else moment}{length} {' · '.join(texts)}".rstrip()
            if one.line:
                yield f"  > {escaped(one.line)}"


def _heard(library: Library) -> Iterator[str]:
    """The history month by month, the latest first; an episode that was heard in several sessions is listed once a
    day."""
    last: date | None = None
    day: dict[int, tuple[Session, int]] = {}
    for one in _sessions(library):
        if one.day != last:
            yield from _day(day)
            if last is None or (one.day.year, one.day.month) != (last.year, last.month):
                heading = f"### {one.day.isoformat()[:7]}"
                yield from ((heading, "") if last is None else ("", heading, ""))
            last, day = one.day, {}
        latest, ms = day.get(one.episode_id, (one, 0))
        day[one.episode_id] = (latest, ms + one.real_ms)
    yield from _day(day)


def transcript_document(episode: Episode, transcript: Transcript) -> Iterator[str]:
    """The lines of a document with everything that is said, each paragraph with its speaker and a link to its time."""
    day = episode.published.date().isoformat() if episode.published else ""
    facts = (escaped(episode.podcast), day, escaped(source_words(transcript.url, transcript.made_by)))
    yield f"# {escaped(episode.title)}"
    yield ""
    yield " · ".join(filter(None, facts))
    link = openable(without_secrets(episode.link))
    for start, speaker, said in paragraphs(transcript):
        at = link_at(link, start) if link and start is not None else ""
        moment = "" if start is None else clock(start)
        name = f"**{escaped(speaker)}:**" if speaker else ""
        yield ""
        yield " ".join(filter(None, (f"[{moment}](<{at}>)" if at else moment, name, *map(escaped, said))))


def _day(heard: dict[int, tuple[Session, int]]) -> Iterator[str]:
    for one, real_ms in heard.values():
        title = _episode(one.episode) if one.episode else escaped(one.title) or _("Unknown")
        podcast = f", {escaped(one.podcast)}" if one.podcast else ""
        yield f"- {one.day.isoformat()} {title}{podcast} ({brief(real_ms)})"


def _sessions(library: Library) -> Iterator[Session]:
    found, before = library.history.sessions()
    yield from found
    while before is not None:
        found, before = library.history.sessions(before)
        yield from found


def _episode(row: Episode) -> str:
    return _link(row.title, row.link, row.url)


def _link(text: str, *addresses: str) -> str:
    """A link to the first of the addresses that can be opened; else the text alone."""
    shown = escaped(text) or _("Unknown")
    opened = next(filter(None, (openable(without_secrets(one)) for one in addresses)), "")
    return f"[{shown}](<{opened}>)" if opened else shown
