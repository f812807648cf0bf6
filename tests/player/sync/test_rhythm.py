"""When rounds begin: by themselves, after changes, after failures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.sync.synchroniser import (
    EVERY_S,
    FIRST_RETRY_S,
    GATHER_MOST_S,
    GATHER_S,
    LONGEST_RETRY_S,
    MOST_PATIENCE_S,
    Rhythm,
)
from player.sync.target import SyncFailure

NOW = 1_000.0


def test_the_first_round_is_at_once_and_the_others_come_by_themselves() -> None:
    assert Rhythm(NOW).due == NOW
    assert Rhythm(NOW).begun().succeeded(NOW + 2).due == NOW + 2 + EVERY_S


def test_changes_that_follow_each_other_are_one_round_and_dont_put_it_off_for_ever() -> None:
    rhythm = Rhythm(NOW).begun().succeeded(NOW).changed(NOW + 10)
    assert rhythm.due == NOW + 10 + GATHER_S
    for second in range(11, 60):
        rhythm = rhythm.changed(NOW + second)
    assert rhythm.due == NOW + 10 + GATHER_MOST_S


def test_a_change_never_puts_off_what_is_due_anyway() -> None:
    rhythm = Rhythm(NOW).begun().succeeded(NOW)
    assert rhythm.changed(NOW + EVERY_S - 1).due == NOW + EVERY_S


def test_what_changes_or_is_wanted_during_a_round_is_for_the_next() -> None:
    during = Rhythm(NOW).begun()
    assert during.due == float("inf")
    assert during.changed(NOW + 1).succeeded(NOW + 2).due == NOW + 1 + GATHER_S
    assert during.wanted().succeeded(NOW + 2).due < NOW


def test_failures_make_the_waits_longer_and_a_success_short_again() -> None:
    rhythm, waits = Rhythm(NOW), []
    for _time in range(10):
        rhythm = rhythm.begun().failed(NOW, SyncFailure.UNREACHABLE)
        waits.append(rhythm.due - NOW)
    assert waits[:4] == [FIRST_RETRY_S, 2 * FIRST_RETRY_S, 4 * FIRST_RETRY_S, 8 * FIRST_RETRY_S]
    assert waits[-1] == LONGEST_RETRY_S
    assert rhythm.begun().succeeded(NOW).begun().failed(NOW, SyncFailure.FAULT).due == NOW + FIRST_RETRY_S


def test_a_change_doesnt_hurry_a_target_that_failed_but_a_person_does() -> None:
    failed = Rhythm(NOW).begun().failed(NOW, SyncFailure.BUSY, 600)
    assert failed.due == failed.changed(NOW + 1).due == NOW + 600
    assert failed.wanted().due < NOW


@pytest.mark.parametrize("asked", [0.0, 1e9])
def test_a_refused_login_isnt_tried_again_soon_and_no_server_asks_for_a_year(asked: float) -> None:
    assert Rhythm(NOW).begun().failed(NOW, SyncFailure.LOGIN).due == NOW + LONGEST_RETRY_S
    assert Rhythm(NOW).begun().failed(NOW, SyncFailure.BUSY, asked).due <= NOW + MOST_PATIENCE_S


@given(st.lists(st.tuples(st.sampled_from(["changed", "failed", "succeeded", "begun"]), st.floats(0, 1e5))))
def test_whatever_happens_there_is_a_next_round(steps: list[tuple[str, float]]) -> None:
    rhythm, now = Rhythm(NOW), NOW
    for step, seconds in steps:
        now += seconds
        match step:
            case "changed":
                rhythm = rhythm.changed(now)
            case "failed":
                rhythm = rhythm.failed(now, SyncFailure.FAULT, seconds)
            case "succeeded":
                rhythm = rhythm.succeeded(now)
            case "begun":
                rhythm = rhythm.begun()
    assert now <= rhythm.begun().failed(now, SyncFailure.FAULT).due <= now + LONGEST_RETRY_S
    assert rhythm.begun().succeeded(now).due == now + EVERY_S
