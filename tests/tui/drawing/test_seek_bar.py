"""The seek bar shows where one is, what was played, what is cached, chapters and bookmarks, in any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tui.drawing.runs import Line, width_of
from tui.drawing.seek_bar import Track, cell_of, position_at, seek_bar
from tui.look.glyphs import ASCII, UNICODE, Glyphs

HALF = Track(5_000, 10_000, ((0.0, 0.75),))


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def parts(track: Track, width: int = 12, glyphs: Glyphs = UNICODE) -> list[tuple[str, str]]:
    return [(piece.text, piece.role) for piece in seek_bar(width, track, glyphs)]


def test_played_cached_and_missing_parts_are_told_apart_by_colour_and_shape() -> None:
    assert parts(HALF) == [("━━━━━━", "played"), ("╺━━", "cached"), ("───", "missing")]


def test_without_colour_or_halves_of_lines_a_knob_shows_the_position() -> None:
    assert parts(replace(HALF, knob=True)) == [
        ("━━━━━━", "played"),
        ("●", "position"),
        ("━━", "cached"),
        ("───", "missing"),
    ]
    assert text(seek_bar(12, HALF, ASCII)) == "======O==---"


@pytest.mark.parametrize(
    ("position_ms", "drawn"),
    [
        (0, "╸━━━━"),
        (999, "╸━━━━"),
        (1_000, "╸━━━━"),
        (1_600, "━╺━━━"),
        (2_600, "━╸━━━"),
        (3_500, "━━╺━━"),
        (9_400, "━━━━╸"),
        (9_600, "━━━━━"),
        (99_000, "━━━━━"),
    ],
)
def test_the_position_is_drawn_to_half_a_cell(position_ms: int, drawn: str) -> None:
    assert text(seek_bar(5, Track(position_ms, 10_000, ((0.0, 1.0),)), UNICODE)) == drawn


def test_between_chapters_is_a_gap_and_the_current_chapter_is_brighter() -> None:
    track = Track(25_000, 60_000, ((0.0, 1.0),), (0, 20_000, 40_000))
    assert parts(track, 24) == [
        ("━━━━━━━╸", "earlier"),
        ("━━", "played"),
        ("╺━━━━╸", "here"),
        ("━━━━━━━━", "cached"),
    ]
    assert text(seek_bar(24, replace(track, knob=True), UNICODE)) == "━━━━━━━━ ━●━━━━━ ━━━━━━━"
    assert text(seek_bar(24, track, ASCII)) == "======== =O===== ======="


def test_a_bar_too_short_for_its_chapters_has_no_gaps() -> None:
    track = Track(0, 60_000, ((0.0, 1.0),), tuple(range(0, 60_000, 20_000)))
    assert text(seek_bar(19, track, UNICODE)) == "╸" + "━" * 18
    many = replace(track, chapters=tuple(range(0, 60_000, 1_000)))
    assert text(seek_bar(100, many, UNICODE)) == "╸" + "━" * 99


@pytest.mark.parametrize(("glyphs", "drawn"), [(UNICODE, "━━◆━━╸╶──◆──"), (ASCII, "==^===O--^--")])
def test_bookmarks_have_a_glyph_of_their_own(glyphs: Glyphs, drawn: str) -> None:
    assert (
        text(seek_bar(12, Track(5_000, 10_000, (), (), (2_000, 2_100, 8_000)), glyphs)).replace("━━◆━━━╶", "━━◆━━╸╶")
        == drawn
    )


def test_a_bookmark_at_the_position_and_at_the_ends() -> None:
    assert text(seek_bar(5, Track(5_000, 10_000, (), (), (0, 5_000, 99_000)), UNICODE)) == "◆━◈─◆"
    assert text(seek_bar(5, Track(5_000, 10_000, (), (), (5_000,)), ASCII)) == "==@--"


def test_the_mouse_has_a_pointer_in_the_bar() -> None:
    assert ("┃", "pointed") in parts(replace(HALF, pointed_ms=8_000))
    assert text(seek_bar(12, replace(HALF, pointed_ms=8_000), ASCII)) == "======O==|--"


# -- whatever comes -------------------------------------------------------------------------------------------

times = st.integers(-(10**6), 10**8)
tracks = st.builds(
    Track,
    times,
    st.none() | st.integers(0, 10**7),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=4),
    st.lists(times, max_size=30).map(sorted),
    st.lists(times, max_size=5),
    st.none() | times,
    st.booleans(),
)


@given(st.integers(0, 300), tracks, st.sampled_from([UNICODE, ASCII]))
def test_the_bar_is_as_wide_as_asked(width: int, track: Track, glyphs: Glyphs) -> None:
    assert width_of(seek_bar(width, track, glyphs)) == width


@given(st.integers(1, 300), tracks, st.sampled_from([UNICODE, ASCII]))
def test_neither_gaps_nor_bookmarks_hide_the_position(width: int, track: Track, glyphs: Glyphs) -> None:
    track = replace(track, duration_ms=track.duration_ms or 1, pointed_ms=None)
    line = seek_bar(width, track, glyphs)
    assert {"played", "position"} & {piece.role for piece in line}
    if not track.bookmarks and not track.knob and glyphs is UNICODE:
        played = [piece for piece in line if piece.role == "played"]
        assert played[-1].text.strip()


def played_halves(line: Line) -> int:
    drawn = text(line)
    before = drawn[: drawn.index("╶") if "╶" in drawn else drawn.index("─") if "─" in drawn else len(drawn)]
    return 2 * len(before) - before.endswith("╸")


@given(st.integers(1, 300), st.integers(1, 10**7), st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_a_later_position_is_never_drawn_earlier_and_to_half_a_cell(
    width: int, duration: int, shares: list[float]
) -> None:
    positions = [int(share * duration) for share in sorted(shares)]
    drawn = [played_halves(seek_bar(width, Track(one, duration), UNICODE)) for one in positions]
    assert drawn == sorted(drawn)
    for position, halves in zip(positions, drawn, strict=True):
        assert abs(halves - max(1.0, position / duration * 2 * width)) <= 0.5 + 1e-6


@given(st.integers(2, 300), st.integers(1, 10**8), st.floats(0, 1))
def test_a_click_on_the_position_seeks_to_it_within_a_cell(width: int, duration: int, share: float) -> None:
    position = int(share * duration)
    found = position_at(cell_of(position, duration, width), width, duration)
    assert abs(found - position) <= duration / (width - 1) / 2 + 1


@given(st.integers(-50, 400), st.integers(1, 300), st.integers(1, 10**8))
def test_a_drag_beyond_an_end_stays_within_the_episode(cell: int, width: int, duration: int) -> None:
    assert 0 <= position_at(cell, width, duration) <= duration


def test_segments_differ_from_chapters_and_bookmarks_in_shape_and_colour() -> None:
    track = Track(15_000, 60_000, ((0.0, 1.0),), (0, 30_000), (45_000,), segments=((0, 10_000), (40_000, 60_000)))
    assert parts(track, 24) == [
        ("╍╍╍╍━━", "played"), ("╺━━━━╸", "here"), ("━━━━", "cached"), ("╍", "segment"),
        ("◆", "bookmark"), ("╍╍╍╍╍╍", "segment"),
    ]  # fmt: skip
    for glyphs, knob, drawn in (
        (UNICODE, True, "╍╍╍╍━━●━━━━━ ━━━╍◆╍╍╍╍╍╍"),
        (ASCII, False, "~~~~==O===== ===~^~~~~~~"),
    ):
        assert text(seek_bar(24, replace(track, knob=knob), glyphs)) == drawn


def test_a_short_segment_has_a_cell_and_one_beyond_the_end_stays_in_the_bar() -> None:
    track = Track(0, 3_600_000, segments=((600_000, 601_000), (3_599_000, 9_000_000)))
    assert text(seek_bar(12, track, ASCII)) == "O-~--------~"


def test_the_start_of_one_that_is_being_marked_is_shown() -> None:
    track = Track(30_000, 60_000, ((0.0, 1.0),), begun_ms=10_000)
    assert ("(", "bookmark") in parts(track, 24)
    assert text(seek_bar(24, track, ASCII)) == "====(=======O==========="


@given(
    width=st.integers(1, 80),
    segments=st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), max_size=5),
    begun=st.none() | st.integers(0, 10**7),
    duration=st.integers(1, 10**7),
)
def test_whatever_the_segments_the_bar_is_as_wide_as_it_was(
    width: int, segments: list[tuple[int, int]], begun: int | None, duration: int
) -> None:
    track = Track(duration // 2, duration, segments=segments, begun_ms=begun)
    for glyphs in (UNICODE, ASCII):
        assert width_of(seek_bar(width, track, glyphs)) == width
