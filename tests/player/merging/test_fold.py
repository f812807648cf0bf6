"""Devices that know the same agree, and nothing that was heard is lost."""

import random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from player.merging.fold import fold, newest_at, seen_ms
from player.merging.seconds import as_servers_keep_it
from player.merging.statements import DAY_MS, statement
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeState
from tests.player.merging.stories import DEVICES, HOUR_MS, NOON, POSITIONS, TOTAL_MS, WHEN, Device, actions, position
from tests.quick import examples

LOGS = st.lists(actions(), max_size=10)
MARKS = st.builds(
    lambda device, at: Action(position(0, device, at).episode, device, at, ActionKind.PLAYED),
    st.sampled_from(DEVICES),
    WHEN,
)


@settings(max_examples=examples(400))
@given(LOGS, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(log: list[Action], order: random.Random) -> None:
    state = fold(log)
    shuffled = log + order.choices(log, k=3) if log else []
    order.shuffle(shuffled)
    assert fold(shuffled) == state


@settings(max_examples=examples(400))
@given(LOGS)
def test_the_state_is_one_that_somebody_has_reported(log: list[Action]) -> None:
    state = fold(log)
    if state == EpisodeState():
        return
    assert (state.at, state.device) in {(one.at, one.device) for one in map(statement, log) if one}
    assert state.position_ms in {0, *(one.position_ms for one in log)}
    assert not (state.played and state.position_ms)


@settings(max_examples=examples(300))
@given(st.lists(st.builds(position, POSITIONS, st.sampled_from(DEVICES), WHEN), min_size=1))
def test_without_going_back_the_furthest_position_counts(log: list[Action]) -> None:
    """Each device's own positions grow with its own time."""
    grown = []
    for device in DEVICES:
        own = [one for one in log if one.device == device]
        times, positions = sorted({one.at for one in own}), sorted(one.position_ms for one in own)
        grown += [position(to_ms, device, at) for at, to_ms in zip(times, positions, strict=False)]
    assert fold(grown).position_ms == max(one.position_ms for one in grown)


@settings(max_examples=examples(400))
@given(LOGS, st.builds(position, POSITIONS, st.just("new"), WHEN))
def test_a_device_that_only_says_a_position_takes_nobody_back(log: list[Action], heard: Action) -> None:
    log = [one for one in log if (said := statement(one)) and not said.is_mark]
    assert fold([*log, heard]).position_ms >= fold(log).position_ms


@settings(max_examples=examples(400))
@given(LOGS, MARKS, actions())
def test_a_played_mark_is_not_undone_by_what_is_older(log: list[Action], mark: Action, older: Action) -> None:
    log = [one for one in log if one.at < mark.at]
    assume(older.at < mark.at)
    assert fold([*log, mark, older]) == fold([mark])


@settings(max_examples=examples(400))
@given(LOGS, MARKS, actions("new"))
def test_a_played_mark_is_not_undone_by_who_did_not_know_of_it(log: list[Action], mark: Action, other: Action) -> None:
    """However wrong its clock is, up to a day."""
    log = [one for one in log if one.at < mark.at]
    said = statement(other)
    if said and not (said.knew_played or said.begins) and said.at <= mark.at + DAY_MS:
        assert fold([*log, mark, other]).played


@settings(max_examples=examples(300))
@given(LOGS, st.integers(-3 * DAY_MS, 3 * DAY_MS), st.integers(0, 3), POSITIONS)
def test_what_a_listener_does_counts_on_that_device_whatever_was_known(
    log: list[Action], wrong_ms: int, what: int, to_ms: int
) -> None:
    for keeps in (None, as_servers_keep_it):
        device = Device("new", wrong_ms, 1000, keeps) if keeps else Device("new", wrong_ms)
        device.log = {keeps(one) for one in log} if keeps else set(log)
        if what == 0:
            device.mark(NOON, played=True)
        elif what == 1:
            device.mark(NOON, played=False)
        else:
            device.listen(NOON, to_ms)
        assert device.state.played == (what == 0)
        assert device.state.position_ms == (to_ms if what > 1 else 0)


WRONG = st.sampled_from([0, 1, -5 * HOUR_MS, 11 * HOUR_MS, -3 * DAY_MS, 2 * DAY_MS])


@settings(max_examples=examples(300))
@given(st.data(), st.booleans())
def test_devices_that_meet_in_any_order_agree(data: st.DataObject, through_server: bool) -> None:
    """And who did something last, knowing everything, had the last word."""
    devices = [
        Device(name, data.draw(WRONG), 1000, as_servers_keep_it) if through_server else Device(name, data.draw(WRONG))
        for name in DEVICES[: data.draw(st.integers(2, 3))]
    ]
    now = NOON
    for _act in range(data.draw(st.integers(1, 8))):
        now += data.draw(st.sampled_from([1, 60_000, 20 * HOUR_MS, 30 * HOUR_MS]))
        device = data.draw(st.sampled_from(devices))
        match data.draw(st.sampled_from(["listen", "listen", "listen", "played", "unplayed", "meet", "meet"])):
            case "listen":
                device.listen(now, data.draw(POSITIONS))
            case "meet":
                device.meet(data.draw(st.sampled_from(devices)))
            case mark:
                device.mark(now, played=mark == "played")
    for first in devices:
        for second in devices:
            first.meet(second)
    for device in devices:
        device.meet(devices[0])
    assert len({device.state for device in devices}) == 1
    last = data.draw(st.sampled_from(devices))
    last.listen(NOON, 120_000)
    for device in devices:
        device.meet(last)
        assert (device.state.played, device.state.position_ms) == (False, 120_000)


def test_the_state_says_what_its_device_has_seen() -> None:
    assert seen_ms(EpisodeState()) == 0
    assert seen_ms(EpisodeState(position_ms=5)) == 5
    assert seen_ms(EpisodeState(played=True)) == SEEN_PLAYED


def test_a_time_that_is_nonsense_is_not_the_newest() -> None:
    assert newest_at([]) == 0
    assert newest_at([position(5, "phone", 10**16), position(5, "phone", NOON), position(5, "phone", -3)]) == NOON


def test_an_action_with_a_time_that_is_nonsense_is_the_oldest_and_still_counts() -> None:
    assert fold([position(TOTAL_MS, "phone", 10**16)]) == EpisodeState(False, TOTAL_MS, 0, "phone")
    assert fold([position(5, "phone", 10**16), position(3, "phone", NOON)]).position_ms == 3
