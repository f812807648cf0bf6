"""What a player bar has beside its seek bar, by its width."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.model.segments import Segment, SegmentId, SegmentKind
from tui.drawing.cells import width
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


def shown(columns: int, rows: int, status: PlaybackStatus, around: Around = AROUND) -> list[str]:
    keys = {"segment_skip": "*", "segment_leave": "!", "segment_end": ")"}
    return ["".join(run.text for run in line) for line in lay_out(status, columns, rows, UNICODE, keys, around).lines]


SPONSOR = Segment(
    SegmentId(3), PodcastId(1), EpisodeId(1), 502_000, 536_000, SegmentKind.SPONSOR,
    datetime(2026, 3, 1, tzinfo=UTC), found=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "rows", "words"),
    [
        (100, 3, "A sponsor you marked, 0:34, begins in 10 s: * skips it, always · ! never"),
        (80, 3, "A sponsor you marked, 0:34, begins in 10 s: * skips it, always · ! never"),
        (70, 3, "Sponsor in 10 s: * skips it, always · ! never"),
        (40, 3, "Sponsor in 10 s: * skip · ! never"),
        (80, 2, "Sponsor in 10 s: * skip · ! never"),
        (40, 2, "Sponsor in 10 s: * skip · ! never"),
        (80, 1, "A sponsor you marked, 0:34, begins in 10 s: * skips it, always · ! never"),
        (40, 1, "Sponsor in 10 s: * skip · ! never"),
    ],
)
def test_a_segment_is_asked_about_in_a_bar_of_any_size(columns: int, rows: int, words: str) -> None:
    lines = shown(columns, rows, replace(STATUS, asked=SPONSOR))
    assert any(words in line for line in lines), lines
    assert all(width(line) <= columns for line in lines)


def test_the_question_counts_down_at_the_speed_of_playback_and_stays_until_the_end_of_the_segment() -> None:
    assert "begins in 5 s:" in shown(100, 3, replace(STATUS, asked=SPONSOR, speed=2.0))[-1]
    assert "you marked, 0:31 left: *" in shown(100, 3, replace(STATUS, asked=SPONSOR, position_ms=505_000))[-1]


def test_while_a_segment_is_being_marked_the_bar_says_so() -> None:
    around = replace(AROUND, begun_ms=480_000)
    for rows in (3, 2, 1):
        assert any("A segment begins at 8:00 · ) marks its end" in line for line in shown(100, rows, STATUS, around))
    assert any(") ends the segment" in line for line in shown(40, 2, STATUS, around))


def test_where_the_keys_have_long_names_the_segment_is_named_at_least() -> None:
    keys = dict.fromkeys(("segment_skip", "segment_leave"), "? “Skip this kind of segment, always”")
    lines = lay_out(replace(STATUS, asked=SPONSOR), 40, 1, UNICODE, keys, AROUND).lines
    assert "Sponsor in 10 s" in "".join(run.text for run in lines[0])


@pytest.mark.parametrize(("columns", "is_named"), [(100, True), (40, False)])
def test_the_device_that_plays_is_named_where_there_is_room(columns: int, is_named: bool) -> None:
    lines = shown(columns, 3, replace(STATUS, plays_on="Living room"))
    assert any("Living room" in line for line in lines) is is_named, lines
    assert all(width(line) <= columns for line in lines)
    long = shown(columns, 3, replace(STATUS, plays_on="The loudspeaker in the kitchen behind the door"))
    assert all(width(line) <= columns for line in long)
