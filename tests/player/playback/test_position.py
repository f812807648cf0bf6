"""The listener's position, and the moves that make the next one of it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.model.episode import BytePosition, SavedPosition
from player.playback.position import ListenerPosition

Move = Callable[[ListenerPosition], ListenerPosition]

MS = st.integers(0, 10**8)
MOMENTS = st.integers(0, 10**6).map(lambda s: datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=s))
BYTES = st.builds(BytePosition, MS, st.integers(0, 10**9), st.just(10**9), st.booleans())


def heard_at(ms: int, byte: BytePosition | None) -> int:
    """An engine that knows the byte says the position of that byte."""
    return byte.position_ms if byte else ms


def moved(ms: int, at: datetime, byte: BytePosition | None) -> Move:
    return lambda one: one.moved(heard_at(ms, byte), at, byte)


def left(ms: int, at: datetime, byte: BytePosition | None) -> Move:
    return lambda one: one.left(heard_at(ms, byte), at, byte)


def to(name: str) -> Callable[..., Move]:
    return lambda *arguments: lambda one: getattr(one, name)(*arguments)


LISTENING = st.one_of(
    st.builds(moved, MS, MOMENTS, st.none() | BYTES),
    st.builds(left, MS, MOMENTS, st.none() | BYTES),
    st.builds(to("sought"), MS, MOMENTS),
    st.builds(to("corrected"), BYTES),
    st.builds(to("started"), MS),
)
MOVES = LISTENING | st.sampled_from(
    [ListenerPosition.saved, ListenerPosition.given_up, ListenerPosition.restarted, lambda one: one.finished(one.ms)]
)
SAVED = st.builds(SavedPosition, MS, MOMENTS, st.none() | BYTES)


def after(moves: list[Move], saved: SavedPosition | None) -> ListenerPosition:
    position = ListenerPosition.from_saved(saved)
    for move in moves:
        position = move(position)
    return position


class Disk:
    """What the library holds when every unsaved position is saved."""

    def __init__(self, saved: SavedPosition | None) -> None:
        self.ms = saved.position_ms if saved else 0

    def save(self, position: ListenerPosition) -> ListenerPosition:
        if position.unsaved:
            self.ms = position.ms
            return position.saved()
        return position


@given(st.lists(MOVES, max_size=8), st.none() | SAVED)
def test_a_byte_is_always_that_of_the_very_position(moves: list[Move], saved: SavedPosition | None) -> None:
    position = after(moves, saved)
    assert position.byte is None or position.byte.position_ms == position.ms


@given(st.lists(LISTENING, max_size=8), SAVED)
def test_a_position_that_differs_from_the_saved_one_is_unsaved(moves: list[Move], saved: SavedPosition) -> None:
    """But one from which the sound was only begun: nothing of it was heard."""
    position = after(moves, saved)
    if position.ms not in (saved.position_ms, position.begun_ms):
        assert position.unsaved


@given(st.lists(MOVES, max_size=8), MS)
def test_an_attempt_without_sound_changes_nothing(moves: list[Move], begins_ms: int) -> None:
    position = after(moves, None)
    tried = position.started(begins_ms)
    assert (tried.ms, tried.begun_ms, tried.origin_ms) == (begins_ms, begins_ms, position.ms)
    assert tried.given_up() == replace(position, origin=None)


@given(MS, MS, MOMENTS, SAVED)
def test_given_up_after_it_was_saved_elsewhere_it_is_saved_again(
    begins_ms: int, shown_ms: int, at: datetime, saved: SavedPosition
) -> None:
    disk = Disk(saved)
    playing = disk.save(ListenerPosition.from_saved(saved).started(begins_ms).moved(shown_ms, at))
    position = disk.save(playing.given_up())
    assert disk.ms == position.ms == saved.position_ms
    assert position.left_at == saved.saved_at


@given(st.lists(MOVES, max_size=8), MS, MOMENTS)
def test_a_jump_stays_whatever_becomes_of_the_sound(moves: list[Move], to_ms: int, at: datetime) -> None:
    there = after(moves, None).sought(to_ms, at)
    assert (there.ms, there.left_at, there.unsaved) == (to_ms, at, True)
    assert there.started(max(0, to_ms - 3_000)).given_up().ms == to_ms
    assert not there.saved().given_up().unsaved


@given(SAVED, MOMENTS)
def test_standing_still_is_not_worth_saving_and_a_pause_is(saved: SavedPosition, at: datetime) -> None:
    position = ListenerPosition.from_saved(saved)
    assert not position.moved(position.ms, at).unsaved
    assert position.left(position.ms, at).unsaved


@given(SAVED, MOMENTS, MS, MOMENTS)
def test_a_guess_that_is_corrected_leaves_when_it_was_left(
    saved: SavedPosition, at: datetime, ms: int, then: datetime
) -> None:
    known = BytePosition(ms, 5, 10, exact=True)
    position = ListenerPosition.from_saved(saved).left(saved.position_ms, at).saved().corrected(known)
    assert (position.ms, position.byte, position.left_at, position.unsaved) == (ms, known, at, True)
    assert position.moved(ms + 1, then).byte is None


@given(st.lists(MOVES, max_size=8))
def test_after_the_end_there_is_nothing_to_save(moves: list[Move]) -> None:
    ended = after(moves, None).finished(60_000)
    assert (ended.ms, ended.unsaved, ended.left_at) == (60_000, False, None)
    assert (ended.restarted().ms, ended.restarted().unsaved) == (0, False)
