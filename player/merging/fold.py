"""The state of an episode: a pure function of the set of all actions about it. Neither their order nor how often each
of them came changes the result, so devices that know the same actions agree.

1. Actions are applied in the order of their times. Values that can't be true are left out (`statements.py`).
2. A played mark ends a listening: everything earlier than the latest mark is ignored. A PLAY that ends within 10 s of
   the end is a mark, too.
3. After a mark no action counts until a device begins the episode again. An action does so if its device knew of the
   mark (it says so, or made the mark), if it plays from the very start or marks as not played without saying what the
   device knew, or if it is more than 24 h later. From then on all actions count, on whichever device they were made.
4. Within a listening the furthest position counts, unless a listener went back on purpose: to a lower position from one
   that the device knew of (it says so, or reported that very position), or by marking the episode as not played.
"""

from collections.abc import Iterable

from player.merging.clock import usable
from player.merging.statements import Statement, statements
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeState


def fold(actions: Iterable[Action]) -> EpisodeState:
    """The state that all `actions`, which are about one episode, lead to."""
    ordered = statements(actions)
    mark, listening = since_mark(ordered)
    if mark is None:
        return _furthest(listening, after_mark=False)
    anew = next((number for number, one in enumerate(listening) if one.knows(mark)), None)
    if anew is None:
        return EpisodeState(played=True, at=mark.at, device=mark.device)
    return _furthest(listening[anew:], after_mark=True)


def marked_at(actions: Iterable[Action]) -> int:
    """When the latest of the played marks among `actions`, which are about one episode, was made; 0 without any. A mark
    that was taken back counts, too."""
    mark, _later = since_mark(statements(actions))
    return mark.at if mark else 0


def since_mark(ordered: list[Statement]) -> tuple[Statement | None, list[Statement]]:
    """The latest played mark, and the later statements; without a mark all statements."""
    for number in range(len(ordered) - 1, -1, -1):
        if ordered[number].is_mark:
            return ordered[number], ordered[number + 1 :]
    return None, ordered


def _furthest(listening: list[Statement], *, after_mark: bool) -> EpisodeState:
    position_ms, at, device = 0, 0, ""
    # The devices that have reported this very position: from there to below it they can only have gone back.
    reached: set[str] = set()
    for one in listening:
        if one.kind is ActionKind.UNPLAYED:
            position_ms, reached = 0, set()
        elif one.position_ms == position_ms:
            reached.add(one.device)
        elif one.position_ms > position_ms or _went_back(one, position_ms, reached, after_mark=after_mark):
            position_ms, reached = one.position_ms, {one.device}
        else:
            continue
        at, device = one.at, one.device
    return EpisodeState(position_ms=position_ms, at=at, device=device)


def _went_back(one: Statement, position_ms: int, reached: set[str], *, after_mark: bool) -> bool:
    """A device that knew the episode as played knew more than any position, except the positions since a mark that is
    known here."""
    is_same = one.device in reached and one.device != ""
    return one.knew_ms >= position_ms or is_same or (one.knew_played and not after_mark)


def seen_ms(state: EpisodeState) -> int:
    """`Action.seen_ms` of an action made by a device on which the episode has this state."""
    return SEEN_PLAYED if state.played else state.position_ms


def newest_at(actions: Iterable[Action]) -> int:
    """The time of the newest action, for `clock.next_at`; 0 without actions."""
    return max((usable(one.at) for one in actions), default=0)
