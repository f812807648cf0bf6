"""The commands of the control socket about downloads.

`{"command": "download", "episodes": [3, 7]}` puts episodes into the queue of downloads (`"first": true`: at its head),
and is answered with `added`, the ids of those that weren't there.
`{"command": "downloads"}` is answered with `downloads`: the queue with its entries (those of `episodes`, or all), and
how far all of it is. A `change` is made before: `pause`, `resume` or `retry` (of `episodes`, or of all), `cancel`
(`episodes`), or `move` (`episodes`, `by` rows, up if below 0).
"""

from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from player.errors import ControlError
from player.integrations.arguments import Arguments, numbers, one_of, only, whole
from player.integrations.json_api import moment
from player.integrations.results import result_of
from player.model.downloads.download import DownloadEntry, DownloadSnapshot, Progress
from player.model.episode import EpisodeId
from player.text.sentences import _

Answer = dict[str, Any]
MOST_ROWS = 10**9
MOST_ENTRIES = 500

Ids = Sequence[EpisodeId]


class Downloading(Protocol):
    """The queue of downloads. Each command returns at once; its future is done when it is on the disk."""

    def snapshot(self) -> DownloadSnapshot: ...
    def download(self, ids: Ids, /, *, first: bool = False) -> Future[list[EpisodeId]]: ...
    def cancel(self, ids: Ids, /) -> Future[list[EpisodeId]]: ...
    def pause(self, ids: Ids | None = None, /) -> Future[None]: ...
    def resume(self, ids: Ids | None = None, /) -> Future[None]: ...
    def retry(self, ids: Ids | None = None, /) -> Future[None]: ...
    def move(self, ids: Ids, by: int, /) -> Future[bool]: ...


def _download(downloads: Downloading, arguments: Arguments) -> Answer:
    only(arguments, "episodes", "first")
    first = arguments.get("first", False)
    if not isinstance(first, bool):
        raise ControlError(_("{argument} must be true or false", argument="first"))
    return {"added": result_of(downloads.download(_episodes(arguments), first=first))}


def _downloads(downloads: Downloading, arguments: Arguments) -> Answer:
    ids = None
    if "change" in arguments:
        result_of(_CHANGES[one_of(arguments, "change", tuple(_CHANGES))](downloads, arguments))
    else:
        only(arguments, "episodes")
        ids = frozenset(_episodes(arguments)) if "episodes" in arguments else None
    return {"downloads": snapshot_json(downloads.snapshot(), ids)}


def _of_some_or_all(name: str) -> Callable[[Downloading, Arguments], Future[Any]]:
    def change(downloads: Downloading, arguments: Arguments) -> Future[Any]:
        only(arguments, "change", "episodes")
        changed: Future[Any] = getattr(downloads, name)(_episodes(arguments) if "episodes" in arguments else None)
        return changed

    return change


def _cancel(downloads: Downloading, arguments: Arguments) -> Future[Any]:
    only(arguments, "change", "episodes")
    return downloads.cancel(_episodes(arguments))


def _move(downloads: Downloading, arguments: Arguments) -> Future[Any]:
    only(arguments, "change", "episodes", "by")
    return downloads.move(_episodes(arguments), whole(arguments, "by", -MOST_ROWS, MOST_ROWS))


def _episodes(arguments: Arguments) -> list[EpisodeId]:
    return [EpisodeId(one) for one in numbers(arguments, "episodes")]


def snapshot_json(snapshot: DownloadSnapshot, ids: Container[EpisodeId] | None = None) -> dict[str, Any]:
    """`entries` has those of `ids`, or all; the first of them, if there are very many. `count` is how many there are
    in all."""
    wanted = [entry for entry in snapshot.entries if ids is None or entry.episode_id in ids]
    return {
        "count": len(snapshot.entries),
        "paused": snapshot.paused,
        "held": snapshot.held,
        **progress_json(snapshot.progress),
        "entries": [entry_json(entry) for entry in wanted[:MOST_ENTRIES]],
    }


def entry_json(entry: DownloadEntry) -> dict[str, Any]:
    """`retry_at` is when the next attempt is made, `problem` a sentence about the last one; null for neither."""
    return {
        "id": entry.episode_id,
        "title": entry.title,
        "podcast": entry.podcast,
        "state": entry.state.value,
        "why": entry.why,
        "asked_at": moment(entry.asked_at),
        "attempts": entry.attempts,
        "retry_at": moment(entry.retry_at),
        "problem": entry.problem or None,
        **progress_json(entry.progress),
    }


def progress_json(progress: Progress) -> dict[str, Any]:
    """In bytes, bytes per second and seconds; null for what isn't known."""
    left = progress.seconds_left
    return {
        "done": progress.done,
        "total": progress.total,
        "per_second": round(progress.per_second),
        "seconds_left": None if left is None else round(left),
    }


_CHANGES: Mapping[str, Callable[[Downloading, Arguments], Future[Any]]] = {
    "pause": _of_some_or_all("pause"),
    "resume": _of_some_or_all("resume"),
    "retry": _of_some_or_all("retry"),
    "cancel": _cancel,
    "move": _move,
}

DOWNLOAD_ORDERS: Mapping[str, Callable[[Downloading, Arguments], Answer]] = {
    "download": _download,
    "downloads": _downloads,
}
