"""The commands of the control socket that change the library, and their arguments, checked: they come from any
program.
"""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any, Protocol, TypeVar

from player.errors import ControlError, EarmarkError
from player.integrations.json_api import moment
from player.library.listening.acts import reverted_words
from player.library.listening.queue import QueueOrder
from player.model.downloads import DownloadEntry, DownloadSnapshot, Progress
from player.model.episode import EpisodeId
from player.model.listening import Reverted
from player.model.playback import Cause
from player.model.podcast import PodcastId
from player.text.sentences import _

Arguments = Mapping[str, Any]


def only(arguments: Arguments, *known: str) -> None:
    for name in arguments:
        if name not in known:
            raise ControlError(_("Unknown argument {argument}", argument=json.dumps(name[:40])))


def truth(arguments: Arguments, name: str) -> bool:
    value = arguments.get(name)
    if not isinstance(value, bool):
        raise ControlError(_("{argument} must be true or false", argument=name))
    return value


def number(arguments: Arguments, name: str, least: float, most: float) -> float:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ControlError(
            _("{argument} must be a number between {least:g} and {most:g}", argument=name, least=least, most=most)
        )
    return float(value)


def whole(arguments: Arguments, name: str, least: int, most: int) -> int:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ControlError(
            _("{argument} must be a whole number between {least} and {most}", argument=name, least=least, most=most)
        )
    return value


def numbers(arguments: Arguments, name: str) -> list[int]:
    """A list of numbers, such as ids."""
    values = arguments.get(name)
    if not isinstance(values, list) or not values or not all(map(_is_id, values)):
        raise ControlError(_("{argument} must be a list of IDs", argument=name))
    return values


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 63


def one_of(arguments: Arguments, name: str, choices: Sequence[str]) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or value not in choices:
        raise ControlError(_("{argument} must be one of {choices}", argument=name, choices=", ".join(choices)))
    return value


T = TypeVar("T")

_PATIENCE_S = 4.0
"""Less than the client has: what hasn't been written by then is written a moment later."""


def result_of(future: Future[T]) -> T:
    """Raises ControlError: it failed, or isn't done yet."""
    try:
        return future.result(_PATIENCE_S)
    except TimeoutError:
        raise ControlError(_("Earmark is still writing that"), _("It is done in a moment.")) from None
    except EarmarkError as error:
        raise ControlError(str(error)) from error


Changed = Future[list[EpisodeId]]
Tell = Callable[[str], object]
"""Tells the listener at the running Earmark, in a sentence, what another program has done."""

MOST_ROWS = 10**9
MOST_ID = (1 << 63) - 1


class Marking(Protocol):
    """What marks need of the player's acts."""

    def set_played(self, ids: Sequence[EpisodeId], played: bool, /) -> Changed: ...
    def set_starred(self, ids: Sequence[EpisodeId], starred: bool, /) -> Changed: ...
    def dismiss(self, ids: Sequence[EpisodeId], /) -> Changed: ...


class Acting(Marking, Protocol):
    """What is needed of the player's acts. Each returns at once; its future has what came of it."""

    def undo(self) -> Future[Reverted | None]: ...
    def redo(self) -> Future[Reverted | None]: ...
    def unsubscribe(
        self, podcast_id: PodcastId, /, *, cause: Cause = Cause.PERSON, at: datetime | None = None
    ) -> Future[str | None]: ...
    def queue_last(self, ids: Sequence[EpisodeId], /) -> Changed: ...
    def queue_next(self, ids: Sequence[EpisodeId], /) -> Changed: ...
    def unqueue(self, ids: Sequence[EpisodeId], /) -> Changed: ...
    def move_in_queue(self, ids: Sequence[EpisodeId], by: int, /) -> Changed: ...
    def sort_queue(self, order: QueueOrder, /) -> Changed: ...
    def shuffle_queue(self) -> Changed: ...
    def mix_queue(self) -> Changed: ...
    def clear_queue(self) -> Changed: ...


Answer = dict[str, Any]
"""What the answer has beside the status."""


def _undo(acts: Acting, arguments: Arguments, tell: Tell) -> Answer:
    only(arguments)
    return _reverted(acts.undo(), tell)


def _redo(acts: Acting, arguments: Arguments, tell: Tell) -> Answer:
    only(arguments)
    return _reverted(acts.redo(), tell)


def _reverted(reverting: Future[Reverted | None], tell: Tell) -> Answer:
    reverted = result_of(reverting)
    if reverted is None:
        return {"act": None}
    tell(reverted_words(reverted))
    return {"act": {"kind": reverted.act.kind.value, "title": reverted.act.title, "count": reverted.act.count}}


def _remove(acts: Acting, arguments: Arguments, tell: Tell) -> Answer:
    only(arguments, "podcast")
    title = result_of(acts.unsubscribe(PodcastId(whole(arguments, "podcast", 1, MOST_ID))))
    if title is not None:
        tell(_("Unsubscribed from “{title}”", title=title))
    return {"removed": title}


def _queue(acts: Acting, arguments: Arguments, _tell: Tell) -> Answer:
    change = one_of(arguments, "change", tuple(_CHANGES))
    changed = result_of(_CHANGES[change](acts, arguments))
    return {"changed": changed}


def _of_episodes(name: str) -> Callable[[Acting, Arguments], Changed]:
    def change(acts: Acting, arguments: Arguments) -> Changed:
        only(arguments, "change", "episodes")
        changed: Changed = getattr(acts, name)(_episodes(arguments))
        return changed

    return change


def _of_all(name: str) -> Callable[[Acting, Arguments], Changed]:
    def change(acts: Acting, arguments: Arguments) -> Changed:
        only(arguments, "change")
        changed: Changed = getattr(acts, name)()
        return changed

    return change


def _move(acts: Acting, arguments: Arguments) -> Changed:
    only(arguments, "change", "episodes", "by")
    return acts.move_in_queue(_episodes(arguments), whole(arguments, "by", -MOST_ROWS, MOST_ROWS))


def _sort(acts: Acting, arguments: Arguments) -> Changed:
    only(arguments, "change", "order")
    return acts.sort_queue(QueueOrder(one_of(arguments, "order", tuple(QueueOrder))))


def _episodes(arguments: Arguments) -> list[EpisodeId]:
    return [EpisodeId(one) for one in numbers(arguments, "episodes")]


_CHANGES: Mapping[str, Callable[[Acting, Arguments], Changed]] = {
    "add": _of_episodes("queue_last"),
    "next": _of_episodes("queue_next"),
    "remove": _of_episodes("unqueue"),
    "move": _move,
    "sort": _sort,
    "shuffle": _of_all("shuffle_queue"),
    "mix": _of_all("mix_queue"),
    "clear": _of_all("clear_queue"),
}

MARKS: Mapping[str, Callable[[Marking, Sequence[EpisodeId]], Changed]] = {
    "starred": lambda acts, ids: acts.set_starred(ids, True),
    "unstarred": lambda acts, ids: acts.set_starred(ids, False),
    "played": lambda acts, ids: acts.set_played(ids, True),
    "unplayed": lambda acts, ids: acts.set_played(ids, False),
    "dismissed": lambda acts, ids: acts.dismiss(ids),
}


def _mark(acts: Acting, arguments: Arguments, _tell: Tell) -> Answer:
    only(arguments, "mark", "episodes")
    mark = one_of(arguments, "mark", tuple(MARKS))
    return {"changed": result_of(MARKS[mark](acts, _episodes(arguments)))}


ACT_ORDERS: Mapping[str, Callable[[Acting, Arguments, Tell], Answer]] = {
    "undo": _undo,
    "redo": _redo,
    "remove": _remove,
    "queue": _queue,
    "mark": _mark,
}


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
        result_of(_DOWNLOAD_CHANGES[one_of(arguments, "change", tuple(_DOWNLOAD_CHANGES))](downloads, arguments))
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


def _move_download(downloads: Downloading, arguments: Arguments) -> Future[Any]:
    only(arguments, "change", "episodes", "by")
    return downloads.move(_episodes(arguments), whole(arguments, "by", -MOST_ROWS, MOST_ROWS))


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


_DOWNLOAD_CHANGES: Mapping[str, Callable[[Downloading, Arguments], Future[Any]]] = {
    "pause": _of_some_or_all("pause"),
    "resume": _of_some_or_all("resume"),
    "retry": _of_some_or_all("retry"),
    "cancel": _cancel,
    "move": _move_download,
}

DOWNLOAD_ORDERS: Mapping[str, Callable[[Downloading, Arguments], Answer]] = {
    "download": _download,
    "downloads": _downloads,
}
