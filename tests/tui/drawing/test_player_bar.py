"""What a player bar has beside its seek bar, by its width."""

from datetime import datetime

import pytest

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from tui.drawing.player_bar import Around, lay_out
from tui.look.glyphs import UNICODE

EPISODE = Episode(EpisodeId(1), PodcastId(1), "Loop", "Post-grad passes", "1", "")
STATUS = PlaybackStatus(PlaybackState.PLAYING, EPISODE, position_ms=492_000, duration_ms=1_440_000)
AROUND = Around(now=datetime(2026, 3, 1, 12, 0))


@pytest.mark.parametrize(
    ("rows", "columns", "begins", "ends"),
    [
        (3, 200, "8:12 / 24:00", "−15:48 · ends 12:15"),
        (3, 74, "8:12 / 24:00", "−15:48 · ends 12:15"),
        (3, 73, "8:12 / 24:00", "−15:48"),
        (3, 59, "8:12 / 24:00", "−15:48"),
        (3, 58, "8:12  ", "−15:48"),
        (1, 200, "8:12  ", "−15:48"),
    ],
)
def test_the_duration_and_the_end_are_shown_where_there_is_room_and_never_in_a_bar_of_one_line(
    rows: int, columns: int, begins: str, ends: str
) -> None:
    lines = ["".join(run.text for run in line) for line in lay_out(STATUS, columns, rows, UNICODE, {}, AROUND).lines]
    (line,) = [one for one in lines if "8:12" in one]
    assert line[line.index("8:12") :].startswith(begins)
    assert line.rstrip().endswith(ends)
