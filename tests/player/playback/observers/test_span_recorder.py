"""What was played on is a span; what was jumped over is in none."""

from datetime import UTC, datetime, timedelta

import pytest

from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.playback.observers import SpanRecorder

ONE, TWO = EpisodeId(1), EpisodeId(2)
NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)


class Recorded:
    """A recorder, and a clock that the test moves."""

    def __init__(self) -> None:
        self.recorder = SpanRecorder()
        self.clock = 100.0
        self.now = NOON
        self.all: dict[tuple[EpisodeId, datetime], ListeningSpan] = {}

    def at(self, position_ms: int, *, after_s: float = 0.0, episode: EpisodeId = ONE, speed: float = 1.0) -> None:
        self.clock += after_s
        self.now += timedelta(seconds=after_s)
        self.recorder.record(episode, position_ms, speed, self.clock, self.now)
        self.all |= {(span.episode_id, span.began_at): span for span in self.recorder.take()}

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [(span.from_ms, span.to_ms) for span in self.all.values()]


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


def test_a_span_grows_while_the_sound_goes_on(recorded: Recorded) -> None:
    recorded.at(5_000)
    for second in range(1, 60):
        recorded.at(5_000 + second * 1_000, after_s=1)
    assert list(recorded.all.values()) == [ListeningSpan(ONE, 5_000, 64_000, NOON)]


def test_less_than_a_second_is_no_listening(recorded: Recorded) -> None:
    recorded.at(5_000)
    recorded.at(5_900, after_s=0.9)
    assert recorded.spans == []


def test_after_silence_a_new_span_begins_even_where_the_last_one_ended(recorded: Recorded) -> None:
    recorded.at(0)
    recorded.at(2_000, after_s=2)
    recorded.recorder.end_span()
    recorded.at(2_000, after_s=3_600)
    recorded.at(4_000, after_s=2)
    assert list(recorded.all.values()) == [
        ListeningSpan(ONE, 0, 2_000, NOON),
        ListeningSpan(ONE, 2_000, 4_000, NOON + timedelta(seconds=3_602)),
    ]


@pytest.mark.parametrize("jump", [600_000, -600_000, 5_000, -5_000])
def test_a_jump_that_nobody_told_of_is_not_heard(recorded: Recorded, jump: int) -> None:
    recorded.at(700_000)
    recorded.at(702_000, after_s=2)
    recorded.at(702_000 + jump, after_s=1)
    recorded.at(705_000 + jump, after_s=3)
    assert recorded.spans == [(700_000, 702_000), (702_000 + jump, 705_000 + jump)]


def test_a_small_correction_of_the_engines_breaks_no_span(recorded: Recorded) -> None:
    for position in (0, 1_000, 2_300, 3_100, 3_050, 5_000):
        recorded.at(position, after_s=1)
    assert recorded.spans == [(0, 5_000)]


def test_at_another_speed_it_is_another_span(recorded: Recorded) -> None:
    recorded.at(0)
    recorded.at(10_000, after_s=10)
    recorded.at(10_000, speed=2.0)
    recorded.at(20_000, after_s=5, speed=2.0)
    assert [(span.content_ms, span.real_ms) for span in recorded.all.values()] == [(10_000, 10_000), (10_000, 5_000)]


def test_another_episode_is_another_span(recorded: Recorded) -> None:
    recorded.at(0)
    recorded.at(3_000, after_s=3)
    recorded.at(3_500, after_s=0.5, episode=TWO)
    recorded.at(5_500, after_s=2, episode=TWO)
    assert [(span.episode_id, span.from_ms, span.to_ms) for span in recorded.all.values()] == [
        (ONE, 0, 3_000),
        (TWO, 3_500, 5_500),
    ]


def test_sound_that_waited_long_for_bytes_goes_on_in_a_span_with_its_own_time(recorded: Recorded) -> None:
    recorded.at(0)
    recorded.at(3_000, after_s=3)
    for _ in range(60):
        recorded.at(3_000, after_s=1)
    recorded.at(4_000, after_s=1)
    recorded.at(6_000, after_s=2)
    first, *_, last = recorded.all.values()
    assert (first.from_ms, first.to_ms, first.began_at) == (0, 3_000, NOON)
    assert (last.from_ms, last.to_ms) == (3_000, 6_000)
    assert abs(last.began_at - (NOON + timedelta(seconds=63))) <= timedelta(seconds=10)
    assert len(recorded.all) == 2


def test_after_a_night_asleep_the_rest_is_heard_in_the_morning(recorded: Recorded) -> None:
    """A computer that sleeps stops its monotonic clock, and the sound with it."""
    recorded.at(0)
    recorded.at(3_000, after_s=3)
    recorded.now += timedelta(hours=8)
    recorded.at(4_000, after_s=1)
    recorded.at(5_000, after_s=1)
    assert [(span.from_ms, span.to_ms, span.began_at) for span in recorded.all.values()] == [
        (0, 3_000, NOON),
        (3_000, 5_000, NOON + timedelta(hours=8, seconds=3)),
    ]


def test_what_had_not_sounded_yet_when_the_output_went_away_is_taken_back(recorded: Recorded) -> None:
    recorded.at(0)
    recorded.at(1_200, after_s=1.2)
    recorded.at(700)
    assert recorded.spans == [(0, 700)]


def test_trimmed_pauses_break_no_span_and_what_they_save_is_told(recorded: Recorded) -> None:
    """Ten minutes in which one second of every three isn't heard."""
    left_out = tuple((second * 1_000 + 2_000, second * 1_000 + 3_000) for second in range(0, 900, 3))
    recorder = recorded.recorder
    saved = position = 0.0
    for heard_s in range(600):  # after each two heard seconds one is left out
        position = heard_s * 1_000 + heard_s // 2 * 1_000
        saved += recorder.record(ONE, int(position), 1.0, 100.0 + heard_s, NOON + timedelta(seconds=heard_s), left_out)
    (span,) = {(one.episode_id, one.began_at): one for one in recorder.take()}.values()
    assert (span.from_ms, span.to_ms) == (0, int(position))
    assert saved == pytest.approx(position - 599_000, abs=1_000)
    assert recorder.record(ONE, int(position) + 500_000, 1.0, 700.0, NOON + timedelta(seconds=600), left_out) == 0
