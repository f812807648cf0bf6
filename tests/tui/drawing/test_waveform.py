"""The waveform stands above the seek bar, aligned with it, in any width."""

from hypothesis import given
from hypothesis import strategies as st

from player.measuring.kinds.waveform import Waveform
from tui.drawing.runs import Line, width_of
from tui.drawing.seek_bar import Track, seek_bar, waveform, waveform_rows
from tui.look.glyphs import ASCII, UNICODE, Glyphs

MINUTE = 60_000
LOUD_IN_THE_MIDDLE = Waveform(1_000, bytes(20) + bytes([200]) * 20 + bytes(20))


def drawn(wave: Waveform | None, width: int = 12, rows: int = 2, position_ms: int = 0) -> list[str]:
    return [text(line) for line in waveform(width, rows, wave, Track(position_ms, MINUTE), UNICODE)]


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def test_what_is_loud_is_high_and_silence_is_a_line() -> None:
    assert drawn(LOUD_IN_THE_MIDDLE) == ["    ⣿⣿⣿⣿    ", "⣀⣀⣀⣀⣿⣿⣿⣿⣀⣀⣀⣀"]
    assert drawn(LOUD_IN_THE_MIDDLE, rows=1) == ["⣀⣀⣀⣀⣿⣿⣿⣿⣀⣀⣀⣀"]


def test_what_is_not_known_is_a_dotted_line() -> None:
    assert drawn(Waveform(1_000, bytes(30)))[1] == "⣀⣀⣀⣀⣀⣀⡀⡀⡀⡀⡀⡀"
    assert drawn(None) == [" " * 12, "⡀" * 12]


def test_a_quiet_recording_is_drawn_as_high_as_a_loud_one() -> None:
    quiet = Waveform(1_000, bytes(level // 5 for level in LOUD_IN_THE_MIDDLE.levels))
    assert drawn(quiet) == drawn(LOUD_IN_THE_MIDDLE)


def test_the_played_part_has_a_colour_of_its_own() -> None:
    (line,) = waveform(12, 1, LOUD_IN_THE_MIDDLE, Track(MINUTE // 4, MINUTE), UNICODE)
    assert [(len(piece.text), piece.role) for piece in line] == [(3, "wave-played"), (9, "wave")]


def test_a_low_one_in_ascii_and_any_without_a_duration_is_none() -> None:
    assert waveform(12, 2, LOUD_IN_THE_MIDDLE, Track(0, MINUTE), ASCII) == ()
    assert waveform(12, 4, LOUD_IN_THE_MIDDLE, Track(0, None), ASCII) == ()
    assert waveform(12, 2, LOUD_IN_THE_MIDDLE, Track(0, None), UNICODE) == ()


LOUD = Waveform(1_000, bytes([200]) * 60)
CHAPTERS, BOOKMARKS = (0, 30_000, 45_000), (10_000,)


def large(glyphs: Glyphs = UNICODE, *, knob: bool = False, pointed_ms: int | None = None) -> list[Line]:
    track = Track(20_000, MINUTE, ((0, 1),), CHAPTERS, BOOKMARKS, pointed_ms, knob)
    return [*waveform(24, 3, LOUD, track, glyphs), seek_bar(24, track, glyphs)]


def test_a_large_one_shows_chapters_bookmarks_and_the_position_where_the_seek_bar_does() -> None:
    assert [text(line) for line in large()] == [
        "⣿⣿⣿⣿◆⣿⣿│⣿⣿⣿⡇⣿⣿⣿⣿⣿⡇⣿⣿⣿⣿⣿⣿",
        "⣿⣿⣿⣿⣿⣿⣿│⣿⣿⣿⡇⣿⣿⣿⣿⣿⡇⣿⣿⣿⣿⣿⣿",
        "⣿⣿⣿⣿⣿⣿⣿│⣿⣿⣿⡇⣿⣿⣿⣿⣿⡇⣿⣿⣿⣿⣿⣿",
        "━━━━◆━━━╺━━╸━━━━━╸━━━━━━",
    ]
    assert [(piece.text, piece.role) for piece in large()[0]][1:4] == [
        ("◆", "bookmark"), ("⣿⣿", "wave-played"), ("│", "position"),
    ]  # fmt: skip


def test_the_mouse_is_shown_over_all_of_a_large_one() -> None:
    assert [text(line).index("┃") for line in large(pointed_ms=40_000)] == [15, 15, 15, 15]


def test_without_colour_what_was_played_looks_other_than_what_was_not() -> None:
    assert [text(line) for line in large(knob=True)][1] == "⣿⣿⣿⣿⣿⣿⣿⣿│⡇⡇⡇ ⡇⡇⡇⡇⡇ ⡇⡇⡇⡇⡇"
    assert [text(line) for line in large(ASCII)] == [
        "####^###I::: ::::: :::::",
        "########I::: ::::: :::::",
        "########I::: ::::: :::::",
        "====^===O=== ===== =====",
    ]


def test_a_large_one_leaves_room_for_what_else_there_is() -> None:
    sizes = ((120, 27), (59, 40), (80, 28), (120, 40), (300, 90))
    assert [waveform_rows(*size, UNICODE, known=True) for size in sizes] == [0, 0, 3, 6, 8]
    assert [waveform_rows(*size, ASCII, known=True) for size in sizes] == [0, 0, 3, 6, 8]
    assert [waveform_rows(*size, UNICODE, known=False) for size in sizes] == [0, 0, 0, 2, 2]
    assert [waveform_rows(*size, ASCII, known=False) for size in sizes] == [0] * 5


@given(
    st.integers(1, 300),
    st.integers(1, 5),
    st.builds(Waveform, st.integers(1, 10**6), st.binary(max_size=300)),
    st.integers(-10, 10**8),
    st.integers(1, 10**8),
)
def test_whatever_is_known_it_keeps_to_its_cells(
    width: int, rows: int, wave: Waveform, position_ms: int, duration_ms: int
) -> None:
    lines = waveform(width, rows, wave, Track(position_ms, duration_ms), UNICODE)
    assert [width_of(line) for line in lines] == [width] * rows
