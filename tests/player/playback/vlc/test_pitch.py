"""What libvlc's log tells, and the audio delay that follows."""

import pytest

from player.media.formats.mpeg import FrameRun
from player.media.formats.timeline import Timeline
from player.playback.vlc.sound import Tuning
from tests.player.media import sounds

EARLY = "playback too early (-58373): down-sampling"
LATE = "playback too late (74226): up-sampling"


def cut(form: str, data: bytes) -> Timeline:
    run = FrameRun(form, 0)
    run.advance(lambda offset, count: data[offset : offset + count], len(data))
    return Timeline(run, lambda offset, count: data[offset : offset + count], len(data))


@pytest.mark.parametrize(("form", "data", "ms"), [("mp3", sounds.mp3(9), 52), ("aac", sounds.adts(9), 23)])
def test_the_first_sound_of_a_cut_is_due_when_the_decoder_has_it(form: str, data: bytes, ms: int) -> None:
    assert Tuning(cut(form, data)).option == f":audio-desync=-{ms}"


def test_a_file_with_an_index_begins_without_a_delay() -> None:
    assert Tuning(None).option == ":audio-desync=0"


def test_sound_that_is_early_is_called_due_earlier_in_the_files_own_time() -> None:
    tuning = Tuning(None)
    assert tuning.bends(EARLY)
    assert tuning.delay_us(1.2) == -70048
    assert tuning.delay_us(1.2) is None, "told once"
    assert tuning.late_ms == 0


def test_sound_that_is_late_is_called_due_later_and_the_position_waits_for_it() -> None:
    tuning = Tuning(cut("aac", sounds.adts(9)))
    assert tuning.bends(LATE)
    assert tuning.delay_us(1.0) == -23_000 + 74_226
    assert tuning.late_ms == 74


def test_the_delay_stays_above_the_least_that_libvlc_was_told_of() -> None:
    tuning = Tuning(None)
    for _ in range(3):
        assert tuning.bends(EARLY)
        delay = tuning.delay_us(1.0)
    assert delay == tuning.least_us


@pytest.mark.parametrize(
    "line",
    [
        "playback way too late (187603): flushing buffers",
        "playback way too early (-180844): playing silence",
        "playback too late (61): flushing buffers",
        "resampling stopped (drift: 635 us)",
    ],
)
def test_what_libvlc_mends_by_itself_changes_nothing(line: str) -> None:
    tuning = Tuning(None)
    assert not tuning.bends(line)
    assert tuning.delay_us(1.0) is None


@pytest.mark.parametrize(
    "right_again",
    [
        "resampling stopped (drift: 61635 us)",
        "timing screwed (drift: 150000 us): stopping resampling",
        "playback way too late (187603): flushing buffers",
        "playback too late (61): flushing buffers",
        "inserting 4800 zeroes",
    ],
)
def test_sound_that_is_late_while_the_pitch_is_bent_for_having_been_early_waits_until_it_is_right(
    right_again: str,
) -> None:
    tuning = Tuning(None)
    assert tuning.bends(EARLY)
    assert tuning.delay_us(1.0) == -58_373
    assert not tuning.bends(LATE), "libvlc bends it back by itself"
    assert tuning.delay_us(1.0) is None
    assert not tuning.bends(right_again)
    assert tuning.bends(LATE)
    assert tuning.delay_us(1.0) == -58_373 + 74_226


def test_sound_that_is_early_again_while_the_pitch_is_bent_for_that_is_helped_at_once() -> None:
    tuning = Tuning(None)
    assert [tuning.bends(line) for line in (EARLY, LATE, EARLY)] == [True, False, True]
