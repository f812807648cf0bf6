"""Which actions are still needed: of a year of listening a few for each episode."""

from collections.abc import Iterable

from player.merging.fold import since_mark
from player.merging.statements import Statement, statement
from player.model.syncing import Action, ActionKind


def compacted(actions: Iterable[Action]) -> tuple[Action, ...]:
    """The subset of `actions`, all about one episode, that leads to the same state as all of them, whatever comes
    later. In order.

    1. Actions earlier than the latest played mark aren't needed. This always holds.
    2. Once a device has come further, its earlier PLAYs aren't needed, except PLAYs that began the episode again after
       a mark. This holds as long as the actions of one device arrive in the order in which it made them; if one arrives
       late, a position may differ between devices until the episode is played on, but a played mark never does.
    """
    by_statement: dict[Statement, Action] = {}
    for action in actions:
        said = statement(action)
        if said is not None and (said not in by_statement or repr(action) < repr(by_statement[said])):
            by_statement[said] = action
    mark, listening = since_mark(sorted(by_statement))
    needed = [] if mark is None else [mark]
    return tuple(by_statement[one] for one in (*needed, *_needed(mark, listening)))


def _needed(mark: Statement | None, listening: list[Statement]) -> list[Statement]:
    furthest: dict[str, int] = {}
    following: dict[str, int] = {}
    needed: list[Statement] = []
    for one, limit_ms in zip(reversed(listening), reversed(_limits(mark, listening)), strict=True):
        repeated = limit_ms == one.position_ms == following.get(one.device)
        if limit_ms is None or not (repeated or furthest.get(one.device, 0) > limit_ms):
            needed.append(one)
        if one.kind is ActionKind.PLAY:
            following[one.device] = one.position_ms
            furthest[one.device] = max(furthest.get(one.device, 0), one.position_ms)
    return needed[::-1]


def _limits(mark: Statement | None, listening: list[Statement]) -> list[int | None]:
    """What has to be exceeded for a PLAY to be superfluous: everything that it could have replaced, which is what its
    device knew of, and the position that it went back from. None for actions that are needed anyway."""
    previous: dict[str, int] = {}
    limits: list[int | None] = []
    for one in listening:
        is_first_after_own_mark = mark is not None and one.device == mark.device and one.device not in previous
        if one.kind is not ActionKind.PLAY or one.knew_played or one.begins or is_first_after_own_mark:
            limits.append(None)
        else:
            limits.append(max(one.position_ms, one.knew_ms, previous.get(one.device, 0)))
        if one.kind is ActionKind.PLAY:
            previous[one.device] = one.position_ms
    return limits
