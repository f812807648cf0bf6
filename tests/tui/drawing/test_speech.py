"""What a screen reader is told of playback, and when."""

import pytest
from msgspec.structs import replace

from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from tests.tui.drawing.test_episode_rows import EPISODE, TODAY
from tui.drawing import cells
from tui.drawing.episode_rows import NOTHING, RowForm
from tui.drawing.speech import Narrator, time_left, where_words
from tui.look.glyphs import as_words
from tui.widgets.episode_row import EpisodeRow

KEYS = {one: one for one in ("play", "pause", "undo_jump", "segment_skip", "segment_leave", "segment_end")}
PLAYING = PlaybackStatus(
    state=PlaybackState.PLAYING, episode=EPISODE, position_ms=750_000, duration_ms=2_400_000, speed=1.2
)
PAUSED = replace(PLAYING, state=PlaybackState.PAUSED)


def test_a_glance_at_the_bar_in_words() -> None:
    words = as_words(where_words(PLAYING, "The borrow checker"))
    assert words == "12:30 of 40:00, playing, speed 1.2, Lifetimes, explained, Borrowed Time, The borrow checker"


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (12 * 60_000, "12 minutes left"),
        (61_000, "1 minute left"),
        (2_000, "1 minute left"),
        (65 * 60_000, "1 h 5 min left"),
    ],
)
def test_the_time_left_is_said_in_words(ms: int, words: str) -> None:
    assert time_left(ms) == words


def test_pausing_and_going_on_are_told_once_and_playback_is_silent() -> None:
    narrator = Narrator()
    told = [
        as_words(narrator.news(status, KEYS))
        for status in (
            replace(PLAYING, state=PlaybackState.OPENING),
            PLAYING,
            replace(PLAYING, position_ms=751_000),
            replace(PLAYING, position_ms=2_000_000),
            PAUSED,
            PAUSED,
            replace(PLAYING, speed=1.0),
        )
    ]
    assert told == [
        "",
        "Lifetimes, explained, Borrowed Time, 12:30 of 40:00, playing, speed 1.2",
        "",
        "",
        "12:30 of 40:00, paused, speed 1.2",
        "",
        "12:30 of 40:00, playing",
    ]


def test_the_next_episode_a_failure_and_the_end_are_told() -> None:
    narrator = Narrator()
    narrator.news(PLAYING, KEYS)
    other = replace(PLAYING, episode=replace(EPISODE, id=EpisodeId(2), title="Traits"), position_ms=0)
    assert as_words(narrator.news(other, KEYS)).startswith("Traits, Borrowed Time, 0:00 of 40:00")
    failed = replace(other, state=PlaybackState.ERROR, error="media.example refused the connection")
    assert narrator.news(failed, KEYS) == "media.example refused the connection. play tries again."
    assert narrator.news(failed, KEYS) == ""
    assert narrator.news(replace(other, state=PlaybackState.ENDED), KEYS) == "Finished"


STARTED = replace(EPISODE, position_ms=52 * 60_000, starred=True, downloaded=True)


@pytest.mark.parametrize(
    ("status", "mixed", "said"),
    [
        (
            PlaybackStatus(),
            True,
            "in progress, 12 minutes left, Lifetimes, explained, Borrowed Time, 1 h 4 min, Wed, downloaded, starred",
        ),
        (
            replace(PLAYING, episode=STARTED),
            False,
            "playing, Lifetimes, explained, 1 h 4 min, Wed, downloaded, starred",
        ),
    ],
)
def test_a_row_says_state_title_podcast_length_date_and_marks(status: PlaybackStatus, mixed: bool, said: str) -> None:
    row = EpisodeRow(status, NOTHING, TODAY, RowForm(mixed=mixed, headed=True))
    assert row.said(STARTED, 120) == said


def test_a_long_title_is_cut_so_that_the_facts_after_it_are_said() -> None:
    row = EpisodeRow(PlaybackStatus(), NOTHING, TODAY, RowForm(mixed=True))
    said = row.said(replace(STARTED, title="A very long title " * 9), 100)
    assert cells.width(said) <= 100
    assert said.endswith(", 1 h 4 min, Wed, downloaded, starred")
