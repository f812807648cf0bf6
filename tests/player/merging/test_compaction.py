"""What is still needed of a log leads to the same as all of it, whatever comes later."""

from hypothesis import given, settings
from hypothesis import strategies as st

from player.merging.compaction import compacted
from player.merging.fold import fold, newest_at
from player.merging.statements import statement
from player.model.syncing import SEEN_PLAYED, Action, ActionKind
from tests.player.merging.stories import DEVICES, HOUR_MS, NAME, NOON, Device, actions, position
from tests.quick import examples

LOGS = st.lists(actions(), max_size=12)


@settings(max_examples=examples(1000))
@given(LOGS, st.tuples(*[st.integers(0, 8)] * 3), st.integers(0, 12))
def test_what_is_needed_leads_to_the_same_whatever_comes_later(
    log: list[Action], known: tuple[int, ...], first: int
) -> None:
    """The actions of each device come in the order in which it made them."""
    log = sorted((one for one in log if statement(one)), key=lambda one: statement(one) or ())
    here: list[Action] = []
    later: list[Action] = []
    for device, count in zip(DEVICES, known, strict=True):
        own = [one for one in log if one.device == device]
        here += own[:count]
        later += own[count:]
    later.sort(key=lambda one: statement(one) or ())
    needed = compacted(here)
    assert set(needed) <= set(here)
    assert fold(needed) == fold(here)
    assert newest_at(needed) == newest_at(here)
    needed = compacted([*needed, *later[:first]])
    assert fold([*needed, *later[first:]]) == fold(log)


@settings(max_examples=examples(400))
@given(LOGS, LOGS)
def test_a_mark_is_the_same_even_if_a_device_is_heard_out_of_order(here: list[Action], later: list[Action]) -> None:
    assert fold([*compacted(here), *later]).played == fold([*here, *later]).played


@given(LOGS)
def test_what_is_needed_does_not_depend_on_the_order(log: list[Action]) -> None:
    assert compacted([*log[::-1], *log]) == compacted(log)


def test_of_what_was_heard_to_its_end_the_mark_is_left() -> None:
    phone = Device("phone", 0)
    for minute in range(50):
        phone.listen(NOON + minute * 60_000, minute * 60_000)
    phone.mark(NOON + HOUR_MS, played=True)
    assert [one.kind for one in compacted(phone.log)] == [ActionKind.PLAYED]


def test_of_a_long_listening_the_last_position_of_each_device_is_left() -> None:
    phone, laptop = Device("phone", 0), Device("laptop", 5 * HOUR_MS)
    for minute in range(50):
        phone.listen(NOON + minute * 60_000, minute * 60_000)
        laptop.meet(phone)
        laptop.listen(NOON + minute * 60_000, minute * 60_000 + 30_000)
    left = {(one.device, one.position_ms) for one in compacted(laptop.log)}
    assert left == {("phone", 49 * 60_000), ("laptop", 49 * 60_000 + 30_000)}


def test_that_somebody_went_back_or_began_anew_stays_known() -> None:
    back = Action(NAME, "laptop", NOON + 1, ActionKind.PLAY, position_ms=5, seen_ms=50)
    log = [position(50, "phone", NOON), back, position(9, "laptop", NOON + 2), position(20, "laptop", NOON + 3)]
    assert compacted(log) == (log[0], log[1], log[3])
    anew = Action(NAME, "laptop", NOON + 1, ActionKind.PLAY, position_ms=5, seen_ms=SEEN_PLAYED)
    assert compacted([Action(NAME, "phone", NOON, ActionKind.PLAYED), anew, *log[2:]])[1] == anew


def test_what_can_not_be_true_is_not_needed() -> None:
    assert compacted([position(-5, "phone", NOON), position(10**15, "phone", NOON)]) == ()


def test_what_has_undone_its_own_devices_mark_stays_known() -> None:
    mark = Action(NAME, "phone", NOON, ActionKind.PLAYED)
    here = [mark, position(5_000, "phone", NOON + 1), position(20_000, "phone", NOON + 3)]
    later = position(30_000, "laptop", NOON + 2)
    assert fold([*compacted(here), later]) == fold([*here, later])
    assert fold([*here, later]).position_ms == 30_000


def test_where_a_device_went_back_from_stays_known() -> None:
    here = [position(ms, "phone", NOON + number) for number, ms in ((0, 50_000), (1, 10_000), (3, 20_000))]
    later = position(30_000, "laptop", NOON + 2)
    assert fold([*compacted(here), later]) == fold([*here, later])
    assert fold([*here, later]).position_ms == 30_000


def test_a_position_that_is_reached_again_after_going_back_does_not_replace_the_first() -> None:
    said = [("phone", 60_000), ("laptop", 60_000), ("laptop", 0), ("laptop", 60_000), ("phone", 30_000)]
    log = [position(ms, device, NOON + number) for number, (device, ms) in enumerate(said)]
    assert fold(compacted(log)) == fold(log)
    assert fold(log).position_ms == 60_000
