"""The latest value wins, and queues become one."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from player.merging.facts import latest, queue_order, queue_ranks, rank_of
from player.model.syncing import Fact, FactKind
from tests.player.merging.stories import NOON

FACTS = st.lists(
    st.builds(
        Fact,
        st.sampled_from(FactKind),
        st.sampled_from("ab"),
        st.sampled_from(["", "1", "2", "nonsense"]),
        st.sampled_from([NOON, NOON + 1, 0, -1, 10**17]),
        st.sampled_from(["laptop", "phone"]),
    ),
    max_size=8,
)
KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def said(ranks: dict[str, int], at: int, device: str) -> list[Fact]:
    return [Fact(FactKind.QUEUE, key, json.dumps(rank), at, device) for key, rank in ranks.items()]


@example([Fact(FactKind.STAR, "a", "", at, "laptop") for at in (0, -1)])
@given(FACTS)
def test_the_latest_value_wins_whatever_order_they_come_in(facts: list[Fact]) -> None:
    assert latest(facts) == latest(facts[::-1]) == latest(facts * 2)
    assert queue_order(facts) == queue_order(facts[::-1])


def test_of_two_at_the_same_time_the_device_decides() -> None:
    laptop, phone = (
        Fact(FactKind.STAR, "1", value, NOON, device) for value, device in (("2", "laptop"), ("1", "phone"))
    )
    assert latest([phone, laptop]) == {(FactKind.STAR, "1"): phone}


def test_that_there_is_nothing_any_more_is_a_value() -> None:
    star, gone = (Fact(FactKind.STAR, "1", value, at, "phone") for value, at in (("true", NOON), ("", NOON + 1)))
    assert latest([gone, star])[FactKind.STAR, "1"] == gone


@pytest.mark.parametrize("value", ["", "x", "true", "1.5", "[1]", "9" * 30, "[" * 100_000, "null", "1e400"])
def test_a_rank_that_is_none_is_last(value: str) -> None:
    assert rank_of(value) is None
    facts = [Fact(FactKind.QUEUE, "a", value, NOON, "phone"), Fact(FactKind.QUEUE, "b", "7", NOON, "phone")]
    assert queue_order(facts) == (("b", "a") if value else ("b",))


@given(KEYS, KEYS, KEYS)
def test_any_order_of_the_queue_can_be_said(first: list[str], second: list[str], third: list[str]) -> None:
    ranks: dict[str, int] = {}
    for order in (first, second, third):
        changed = queue_ranks(order, ranks)
        ranks = {key: rank for key, rank in (ranks | changed).items() if key in order}
        assert queue_order(said(ranks, NOON, "laptop")) == tuple(order)
        assert queue_ranks(order, ranks) == {}


def test_only_what_was_moved_gets_another_rank() -> None:
    ranks = queue_ranks("abcdef", {})
    assert queue_ranks("fabcde", ranks).keys() == {"f"}
    assert queue_ranks("acdebf", ranks).keys() == {"b"}
    assert queue_ranks("abcxdef", ranks).keys() == {"x"}


def test_where_there_is_no_room_all_get_another_rank() -> None:
    assert queue_ranks("axb", {"a": 1, "b": 2}).keys() == {"a", "x", "b"}
    assert queue_order(said(queue_ranks("ax", {"a": (1 << 52) - 1}), NOON, "phone")) == ("a", "x")


def test_two_devices_move_other_episodes_and_both_moves_count() -> None:
    ranks = queue_ranks("abcdef", {})
    facts = said(ranks, NOON, "laptop")
    laptop = said(queue_ranks("fabcde", ranks), NOON + 1, "laptop")
    phone = said(queue_ranks("acdefb", ranks), NOON + 2, "phone")
    assert queue_order([*facts, *laptop, *phone]) == queue_order([*phone, *facts, *laptop]) == tuple("facdeb")
