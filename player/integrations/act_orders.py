"""The commands of the control socket that change the library: undoing, redoing, unsubscribing, and the queue.

`{"command": "undo"}` and `{"command": "redo"}` are answered with `act` beside `status`:
`{"kind": "unsubscribed", "title": "A podcast", "count": 1}`, null where there is nothing to undo or redo.
`{"command": "remove", "podcast": 3}` unsubscribes, and is answered with `removed`, the title of the podcast; null where
it is gone already.
`{"command": "queue", "change": "add", "episodes": [3, 7]}` is answered with `changed`, the ids of those for which
something has changed. A change is `add`, `next` or `remove` (`episodes`), `move` (`episodes`, `by` rows, up if below
0), `sort` (`order`), `shuffle`, `mix` or `clear`.
`{"command": "mark", "mark": "played", "episodes": [3, 7]}` is answered with `changed` too. A mark is `starred`,
`unstarred`, `played`, `unplayed` or `dismissed`.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any, Protocol, TypeVar

from player.integrations.arguments import Arguments, numbers, one_of, only, whole
from player.integrations.results import result_of
from player.library.listening.act_words import reverted_words
from player.library.listening.queue import QueueOrder
from player.model.acts import Reverted
from player.model.episode import EpisodeId
from player.model.playback import Cause
from player.model.podcast import PodcastId
from player.text.sentences import _

T = TypeVar("T")
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
