"""What a server keeps of an action leads to the same state."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.merging.fold import fold
from player.merging.seconds import as_servers_keep_it
from player.merging.statements import DAY_MS, statement
from player.model.syncing import SEEN_PLAYED, Action, ActionKind
from tests.player.merging.stories import DEVICES, NAME, NOON, TOTAL_MS, actions
from tests.quick import examples

EARLIER = NOON - DAY_MS // 2


def act(kind: ActionKind, at: int = NOON, device: str = "laptop", **more: int | None) -> Action:
    return Action(NAME, device, at, kind, **more)  # type: ignore[arg-type]


@given(actions())
def test_it_comes_back_just_as_it_was_sent(action: Action) -> None:
    kept = as_servers_keep_it(action)
    assert as_servers_keep_it(kept) == kept
    assert kept.kind is ActionKind.PLAY
    assert kept.seen_ms == 0
    for ms in (kept.at, kept.started_ms, kept.position_ms, kept.total_ms):
        assert ms is None or ms % 1000 == 0
    assert (kept.started_ms is None) == (kept.total_ms is None)
    assert kept.position_ms >= 0


@settings(max_examples=examples(400))
@given(st.lists(actions(), max_size=6), st.sampled_from(DEVICES), actions())
def test_it_says_the_same(log: list[Action], device: str, action: Action) -> None:
    """Of an action whose length is known, after a log that a server keeps."""
    said = statement(action)
    assume(said is not None and 0 < action.at < 10**15)
    assume(action.kind is not ActionKind.PLAY or action.position_ms >= 1_000)  # the beginning is said as UNPLAYED
    action = replace(action, device=device, at=action.at // 1000 * 1000, total_ms=TOTAL_MS)
    kept = [one for one in map(as_servers_keep_it, log) if one.at != action.at]
    if action.kind is ActionKind.UNPLAYED:  # who marks it so has seen the mark
        assume(fold(one for one in kept if one.at < action.at).played)
        action = replace(action, seen_ms=SEEN_PLAYED)
    first, second = fold([*kept, action]), fold([*kept, as_servers_keep_it(action)])
    assert (first.played, first.position_ms) == (second.played, second.position_ms)


@pytest.mark.parametrize("total_ms", [None, TOTAL_MS])
def test_marks_are_kept_even_without_a_length(total_ms: int | None) -> None:
    mark = act(ActionKind.PLAYED, EARLIER, "phone", total_ms=total_ms)
    assert fold([as_servers_keep_it(mark)]).played
    unplayed = act(ActionKind.UNPLAYED, total_ms=total_ms, seen_ms=SEEN_PLAYED)
    state = fold([as_servers_keep_it(mark), as_servers_keep_it(unplayed)])
    assert (state.played, state.position_ms) == (False, 0)


def test_that_the_listener_went_back_is_kept() -> None:
    there = act(ActionKind.PLAY, EARLIER, "phone", position_ms=1_800_000, total_ms=TOTAL_MS)
    back = act(ActionKind.PLAY, position_ms=60_000, total_ms=TOTAL_MS, seen_ms=1_800_000, started_ms=50_000)
    kept = as_servers_keep_it(back)
    assert (kept.started_ms, kept.position_ms, kept.total_ms) == (1_800_000, 60_000, TOTAL_MS)
    assert fold([there, kept]).position_ms == 60_000


def test_that_the_listener_began_anew_is_kept() -> None:
    mark = act(ActionKind.PLAYED, EARLIER, "phone")
    anew = as_servers_keep_it(act(ActionKind.PLAY, position_ms=60_000, total_ms=TOTAL_MS, seen_ms=SEEN_PLAYED))
    assert anew.started_ms == anew.total_ms == TOTAL_MS
    assert fold([mark, anew]).position_ms == 60_000


@pytest.mark.parametrize("missed", range(3))
def test_that_the_listener_began_anew_and_then_went_back_is_kept(missed: int) -> None:
    """For whoever missed that it was begun anew, or the mark."""
    mark = act(ActionKind.PLAYED, EARLIER, "phone")
    anew = act(ActionKind.PLAY, EARLIER + 1, position_ms=1_800_000, total_ms=TOTAL_MS, seen_ms=SEEN_PLAYED)
    back = act(ActionKind.PLAY, position_ms=60_000, total_ms=TOTAL_MS, seen_ms=SEEN_PLAYED + 1_800_000)
    kept = as_servers_keep_it(replace(back, device=""))
    assert fold([*((mark, anew), (mark,), (anew,))[missed], kept]).position_ms == 60_000


def test_who_just_listened_started_before_the_position() -> None:
    kept = as_servers_keep_it(act(ActionKind.PLAY, NOON + 1, position_ms=61_999, total_ms=TOTAL_MS, started_ms=1_500))
    assert (kept.at, kept.started_ms, kept.position_ms, kept.total_ms) == (NOON + 1000, 1000, 61_000, TOTAL_MS)
    unknown = as_servers_keep_it(act(ActionKind.PLAY, position_ms=61_999, started_ms=1_500))
    assert (unknown.started_ms, unknown.position_ms, unknown.total_ms) == (None, 61_000, None)


def test_who_knew_a_position_at_the_very_end_did_not_know_a_mark() -> None:
    mark = act(ActionKind.PLAYED, EARLIER, "phone")
    for known_ms in (TOTAL_MS, TOTAL_MS + 60_000):  # with more advertising the episode is longer
        there = act(ActionKind.PLAY, EARLIER, "tablet", position_ms=known_ms)
        back = as_servers_keep_it(act(ActionKind.PLAY, position_ms=60_000, total_ms=TOTAL_MS, seen_ms=known_ms))
        assert fold([mark, back]).played
        assert fold([there, back]).position_ms == 60_000


def test_the_position_that_a_listener_went_back_from_is_rounded_up() -> None:
    back = as_servers_keep_it(act(ActionKind.PLAY, position_ms=60_000, total_ms=TOTAL_MS, seen_ms=1_800_500))
    assert back.started_ms == 1_801_000


def test_a_device_that_played_from_the_start_without_knowing_of_a_mark_leaves_it() -> None:
    mark = Action(NAME, "other", NOON, ActionKind.PLAYED)
    for started_ms in (0, None):
        heard = act(ActionKind.PLAY, NOON + 60_000, position_ms=300_000, total_ms=TOTAL_MS, started_ms=started_ms)
        assert fold([mark, as_servers_keep_it(heard)]).played
