"""newsboat: the list of its feeds (`urls`), what it has of them (`cache.db`, SQLite), and podboat's queue (`queue`).

All files are in one folder (`~/.newsboat`), or the first is in `~/.config/newsboat` and the others in
`~/.local/share/newsboat`. It is enough to name either of the first two files.
"""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from player import regular_file
from player.library.foreign.database import MAGIC, ForeignDatabase, opened, recognised
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, queued_at
from player.text.sentences import _, plural
from player.text.untrusted_json import is_true, line_of, moment_of_s, whole_of

_NEWEST = 2
_MOST_BYTES = 16_000_000
_PODBOAT_PLAYED = frozenset({"played", "finished"})
_SOUND = ("audio/", "video/")
_SOUND_NAMES = (".mp3", ".m4a", ".ogg", ".opus", ".oga", ".aac", ".flac", ".wav", ".mp4")


class NewsboatReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        if path.name == "urls" and not start.startswith(MAGIC):
            return b"\0" not in start
        return recognised(path, start, "rss_item", "guid", "feedurl", "unread")

    def read(self, path: Path) -> ForeignLibrary:
        cache = _beside(path, "cache.db", "share") if path.name == "urls" else path
        urls = path if path.name == "urls" else _beside(path, "urls", "config")
        feeds = dict(_feeds(urls)) if urls else {}
        made = _made_by_newsboat(urls) if urls else ()
        if cache is None:
            podcasts = tuple(ForeignPodcast(url, own_title=title, tags=tags) for url, (title, tags) in feeds.items())
            without = _("newsboat's cache.db isn't beside it: only the list of feeds is read.")
            return ForeignLibrary("newsboat", podcasts=podcasts, left_out=(without, *made))
        with opened(cache) as database:
            read = _read(database, feeds, dict(_queue(cache.with_name("queue"))))
        return replace(read, left_out=(*read.left_out, *made))


def _read(
    database: ForeignDatabase, feeds: dict[str, tuple[str, tuple[str, ...]]], queue: dict[str, tuple[int, str]]
) -> ForeignLibrary:
    episodes, texts, flagged = _episodes(database, queue)
    titles = {line_of(url, 8_000): line_of(title) for url, title in database.rows("rss_feed", "rssurl", "title")}
    named = feeds or dict.fromkeys(titles, ("", ()))
    # A feed that newsboat has read, and that has nothing to listen to, isn't a podcast.
    podcasts = tuple(
        ForeignPodcast(url, titles.get(url, ""), own_title, tags, episodes=tuple(episodes.get(url, ())))
        for url, (own_title, tags) in named.items()
        if url in episodes or url not in texts
    )
    version = max((whole_of(row[0]) or 0 for row in database.rows("metadata", "db_schema_version_major")), default=0)
    left_out = [*database.problems]
    if version > _NEWEST:
        left_out.append(_("This newsboat is newer than Earmark knows: something may be missing."))
    if without := len(named) - len(podcasts):
        left_out.append(
            plural(without, "{n:,} feed without audio isn't imported.", "{n:,} feeds without audio aren't imported.")
        )
    if flagged:
        left_out.append(
            plural(
                flagged, "The flags of {n:,} episode aren't imported.", "The flags of {n:,} episodes aren't imported."
            )
        )
    return ForeignLibrary("newsboat", str(version or ""), podcasts, tuple(left_out))


def _episodes(
    database: ForeignDatabase, queue: dict[str, tuple[int, str]]
) -> tuple[dict[str, list[ForeignEpisode]], set[str], int]:
    """The episodes by their feed; the feeds that have articles; how many episodes have flags. Read articles count as
    played: newsboat stores nothing more precise."""
    found: dict[str, list[ForeignEpisode]] = {}
    texts: set[str] = set()
    flagged = 0
    for guid, title, feed, published, unread, url, kind, flags in database.rows(
        "rss_item", "guid", "title", "feedurl", "pubDate", "unread", "enclosure_url", "enclosure_type", "flags"
    ):
        feed_url, address = line_of(feed, 8_000), line_of(url, 8_000)
        if not _is_sound(address, line_of(kind)):
            texts.add(feed_url)
            continue
        of_feed = found.setdefault(feed_url, [])
        flagged += bool(line_of(flags))
        rank, state = queue.get(address, (None, ""))
        # Its page was read before it was queued, which isn't listening.
        played = state in _PODBOAT_PLAYED or (rank is None and not is_true(unread))
        if played or rank is not None:
            of_feed.append(
                ForeignEpisode(
                    line_of(guid, 8_000),
                    address,
                    line_of(title),
                    moment_of_s(published),
                    played=played,
                    queued=None if state in _PODBOAT_PLAYED else queued_at(rank),
                )
            )
    return found, texts, flagged


def _is_sound(url: str, kind: str) -> bool:
    path = url.lower().partition("?")[0]
    return bool(url) and (kind.lower().startswith(_SOUND) or path.endswith(_SOUND_NAMES))


def _beside(path: Path, name: str, kind: str) -> Path | None:
    """The other file: in the same folder, or in newsboat's folder for files of its kind."""
    folders = [path.parent]
    if path.parent.name == "newsboat":
        home = path.parent.parent.parent if kind == "share" else path.parent.parent.parent.parent
        folders.append(home / ".local" / "share" / "newsboat" if kind == "share" else home / ".config" / "newsboat")
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _lines(path: Path) -> Iterator[list[str]]:
    """The words of each line; quotation marks keep words together, # begins a comment."""
    try:
        with regular_file.opened(path) as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield shlex.split(line[:20_000])
            except ValueError:
                yield line[:20_000].split()


def _feeds(path: Path) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    """An address, the listener's own title (`~title`) and tags (a tag with ! hides the feed in newsboat). Entries that
    newsboat makes itself (queries, filters, commands) aren't feeds."""
    for url, *words in filter(None, _lines(path)):
        if url.lower().startswith(("http://", "https://")):
            title = next((word[1:] for word in words if word.startswith("~")), "")
            yield url, (title, tuple(word for word in words if word and word[0] not in "~!"))


def _made_by_newsboat(path: Path) -> tuple[str, ...]:
    """Entries of the list that can't be imported."""
    counted = Counter(first.partition(":")[0].lower() for first, *_rest in filter(None, _lines(path)))
    queries, filters, commands = counted["query"], counted["filter"], counted["exec"]
    said = (
        plural(queries, "{n:,} query feed isn't imported.", "{n:,} query feeds aren't imported.") if queries else "",
        plural(
            filters,
            "{n:,} feed that comes through a filter program (filter:) isn't imported.",
            "{n:,} feeds that come through a filter program (filter:) aren't imported.",
        )
        if filters
        else "",
        plural(
            commands,
            "{n:,} feed that a program makes (exec:) isn't imported.",
            "{n:,} feeds that programs make (exec:) aren't imported.",
        )
        if commands
        else "",
    )
    return tuple(filter(None, said))


def _queue(path: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    """For each address that podboat has: its rank, and its state."""
    for rank, (url, *words) in enumerate(filter(None, _lines(path))):
        yield url, (rank, words[1] if len(words) > 1 else "")
