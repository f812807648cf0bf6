"""The bar says what plays and where in it, in any size, and takes the mouse."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from textual import events
from textual.geometry import Region

from player.measuring.kinds.waveform import Waveform
from player.model.episode import Chapter, Chapters, Episode, EpisodeId
from player.model.playback import NextFrom, NextUp, PlaybackState, PlaybackStatus, SleepChoice, SleepStatus, SleepUntil
from player.model.podcast import PodcastId
from player.paths import Paths
from player.text.durations import clock
from tests.tui.alone import Alone, real_app, text_of, until
from tui.actions.table import ACTIONS, remapped
from tui.drawing.player_bar import Around, BarLayout, lay_out, next_look_s
from tui.drawing.runs import Run, width_of
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets import player_bar
from tui.widgets.player_bar import PlayerBar

MINUTE = 60_000
EPISODE = Episode(EpisodeId(1), PodcastId(1), "PyTorch Developer Podcast", "Inductor - Post-grad FX passes", "g", "u")
KEYS = {"play": "enter", "pause": "space"}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_status(state: PlaybackState = PlaybackState.PAUSED, **changes: Any) -> PlaybackStatus:
    values: dict[str, Any] = {
        "episode": EPISODE,
        "position_ms": 492_000,
        "duration_ms": 24 * MINUTE,
        "measured_at": monotonic(),
    }
    return PlaybackStatus(state=state, **(values | changes))


def lines(layout: BarLayout) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in layout.lines]


def bar_of(status: PlaybackStatus, columns: int = 100, rows: int = 3, glyphs: Glyphs = UNICODE) -> list[str]:
    return lines(lay_out(status, columns, rows, glyphs, KEYS))


def roles(layout: BarLayout) -> dict[str, str]:
    return {piece.role: piece.text for line in layout.lines for piece in line}


# -- what it says ---------------------------------------------------------------------------------------------


def test_where_there_is_no_room_for_a_seek_bar_the_position_stands_beside_the_title() -> None:
    assert bar_of(a_status(), 30, 1)[0].endswith(" 8:12")
    assert "8:12" not in bar_of(a_status(), 14, 1)[0]


def test_it_names_the_episode_and_its_podcast_and_tells_what_was_heard_and_what_is_left() -> None:
    head, seek, hint = bar_of(a_status())
    assert head == "  ⏸ Inductor - Post-grad FX passes  ▎PyTorch Developer Podcast".ljust(84) + "1×   ▁▃▅▇ 100%"
    assert seek.startswith("  8:12")
    assert seek.endswith("−15:48")
    assert hint == "    Paused · space resumes"


def test_the_time_left_of_the_sleep_timer_goes_before_speed_and_volume() -> None:
    sleep = SleepStatus(SleepChoice(SleepUntil.MINUTES, 30), 754_000, stops_after=True)
    status = a_status(PlaybackState.PLAYING, sleep=sleep, speed=1.5, volume=80)
    assert bar_of(status, 120)[0].endswith("☾ 12:34   ■ after this   1.5×   ▁▃▅▇  80%")
    assert bar_of(status, 44)[0].endswith("☾ 12:34   ■ after this")
    assert bar_of(status, 34)[0].endswith("☾ 12:34")
    (line,) = bar_of(a_status(PlaybackState.PLAYING, sleep=replace(sleep, stops_after=False)), 50, 1)
    assert line.endswith("−15:48 ☾ 12:34")
    assert bar_of(status, 120, glyphs=ASCII)[0].endswith("z 12:34   ] after this   1.5x   vol 80%")


def test_after_the_sleep_timer_the_bar_offers_the_way_back() -> None:
    slept = SleepStatus(slept=True)
    keys = {**KEYS, "undo_jump": "u"}
    for state, words in (
        (PlaybackState.PAUSED, "    Sleep timer · u returns to where it started · space resumes"),
        (PlaybackState.ENDED, "    Sleep timer · u returns to where it started"),
    ):
        assert lines(lay_out(a_status(state, sleep=slept), 100, 3, UNICODE, keys))[2] == words


def test_speed_and_volume_are_always_shown_and_the_usual_ones_faintly() -> None:
    usual = lay_out(a_status(), 100, 3, UNICODE, KEYS)
    assert lines(usual)[0].endswith("1×   ▁▃▅▇ 100%")
    assert Run("1×", "speed faint") in usual.lines[0]
    other = lay_out(a_status(speed=1.2000000000000002, volume=50), 100, 3, UNICODE, KEYS)
    assert lines(other)[0].endswith("1.2×   ▁▃▅▇  50%")
    assert {Run("1.2×", "speed text"), Run("▁▃", "volume muted"), Run("▅▇", "volume faint")} <= set(other.lines[0])
    assert bar_of(a_status(volume=0))[0].endswith("muted")
    assert bar_of(a_status(volume=1))[0].endswith("▁▃▅▇   1%")
    assert bar_of(a_status(volume=65), glyphs=ASCII)[0].endswith("1x   vol 65%")
    assert not bar_of(a_status(), 24)[0].endswith("%")


def test_a_remainder_that_is_a_guess_is_told_as_one() -> None:
    assert bar_of(a_status(approximate=True))[1].endswith("≈−15:48")
    assert "≈8:12" in bar_of(a_status(unsure=True))[1]


def test_the_remainder_is_what_it_takes_at_this_speed_and_the_length_stands_beside_the_place() -> None:
    assert bar_of(a_status(speed=1.5))[1].endswith("−10:32")
    assert bar_of(a_status())[1].startswith("  8:12 / 24:00   ━")
    assert "24:00" not in bar_of(a_status(), 50)[1]


def test_the_last_moment_is_not_less_than_nothing() -> None:
    assert bar_of(a_status(position_ms=24 * MINUTE - 400))[1].endswith("−0:01")
    assert bar_of(a_status(PlaybackState.ENDED, position_ms=24 * MINUTE))[1].endswith("  0:00")


CHAPTERS = Chapters(tuple(Chapter(number * 300_000, f"Part {number + 1}") for number in range(4)))


def with_chapters(status: PlaybackStatus, columns: int = 100, pointed_ms: int | None = None) -> list[str]:
    return lines(lay_out(status, columns, 3, UNICODE, KEYS, Around(CHAPTERS, pointed_ms)))


def test_in_two_rows_the_chapter_stands_beside_the_title_in_place_of_the_podcast() -> None:
    def head(status: PlaybackStatus, columns: int = 100, pointed_ms: int | None = None) -> str:
        return lines(lay_out(status, columns, 2, UNICODE, KEYS, Around(CHAPTERS, pointed_ms)))[0][: columns - 18]

    named = "  ⏸ Inductor - Post-grad FX passes  "
    assert head(a_status()) == f"{named}Part 2  2 of 4 · 1:48 left   › Part 3".ljust(82)
    assert head(a_status(), 80) == f"{named}Part 2  2 of 4 · 1:48 left".ljust(62)
    assert head(a_status(), 76) == f"{named}Part 2 · 1:48 left".ljust(58)
    assert head(a_status(), pointed_ms=700_000) == f"{named}11:40 · Part 3  3 of 4".ljust(82)
    assert bar_of(a_status(), rows=2)[0] == bar_of(a_status())[0], "without chapters it is the podcast"
    assert "Clip · " in head(a_status(PlaybackState.PLAYING, clip=True))


def test_below_a_page_that_says_what_is_next_the_bar_does_not() -> None:
    status = a_status(PlaybackState.PLAYING, next_up=NEXT)
    for rows in (2, 3):
        shown = lines(lay_out(status, 100, rows, UNICODE, KEYS, Around(says_next=False)))
        assert "Next: " not in "".join(shown)


def test_in_two_rows_an_error_has_the_place_of_the_seek_bar_and_what_comes_next_that_of_the_chapter() -> None:
    head, error = bar_of(a_status(PlaybackState.ERROR, error="No sound device is responding"), rows=2)
    assert "Inductor" in head
    assert error == "    No sound device is responding. enter tries again."
    over = lay_out(a_status(PlaybackState.ERROR, error="Too long " * 12), 100, 2, UNICODE, KEYS)
    assert "Inductor" not in "".join(lines(over)), "a long one needs both rows"
    for at_ms, news in ((24 * MINUTE - 9_000, False), (MINUTE, True)):
        status = a_status(PlaybackState.PLAYING, position_ms=at_ms, next_up=NEXT)
        head, seek = lines(lay_out(status, 100, 2, UNICODE, KEYS, Around(CHAPTERS, news=news)))
        assert head.startswith("  ▶ Inductor - Post-grad FX passes  Next: ")
        assert "━" in seek, "the seek bar stays"
    head, _seek = lines(lay_out(replace(status, position_ms=MINUTE), 100, 2, UNICODE, KEYS, Around(CHAPTERS)))
    assert "Part 1" in head


def test_a_pause_keeps_the_chapter_in_sight_with_what_is_left_of_it_and_the_next_one() -> None:
    assert with_chapters(a_status())[2] == "    Part 2  2 of 4 · 1:48 left   › Part 3"
    assert with_chapters(a_status(), 36)[2] == "    Part 2  2 of 4 · 1:48 left"
    assert with_chapters(a_status(), 26)[2] == "    Part 2 · 1:48 left"


def test_what_is_left_of_a_chapter_is_what_it_takes_at_this_speed() -> None:
    assert "· 0:54 left" in with_chapters(a_status(PlaybackState.PLAYING, speed=2.0))[2]
    last = with_chapters(a_status(PlaybackState.PLAYING, position_ms=24 * MINUTE - 90_000))[2]
    assert last == "    Part 4  4 of 4 · 1:30 left"


def test_the_time_and_chapter_under_the_mouse_are_told() -> None:
    assert with_chapters(a_status(PlaybackState.PLAYING), 100, 660_000)[2] == "    11:00 · Part 3  3 of 4"
    assert "┃" in with_chapters(a_status(PlaybackState.PLAYING), 100, 660_000)[1]


def test_without_an_episode_to_play_no_key_is_offered() -> None:
    bar_lines = lines(lay_out(PlaybackStatus(), 100, 3, UNICODE, KEYS, Around(playable=False)))
    assert [line.strip() for line in bar_lines] == ["", "Nothing playing"]


def test_without_a_known_length_it_promises_nothing() -> None:
    layout = lay_out(a_status(duration_ms=None), 100, 3, UNICODE, KEYS)
    assert layout.seek is None
    assert lines(layout)[1].replace("─", "").split() == ["8:12"]
    assert roles(layout).keys() & {"position", "played", "cached"} == set()


@pytest.mark.parametrize(("columns", "rows"), [(48, 1), (60, 1), (60, 3), (120, 3)])
def test_a_live_stream_says_so_where_others_have_a_seek_bar(columns: int, rows: int) -> None:
    layout = lay_out(a_status(duration_ms=None, live=True), columns, rows, UNICODE, KEYS)
    assert layout.seek is None
    bar_lines = " ".join(lines(layout))
    assert "live" in bar_lines
    assert "─" not in bar_lines


def test_nothing_playing_names_the_first_key_a_newcomer_needs() -> None:
    assert "Nothing playing · press enter to play the selected episode" in "\n".join(bar_of(PlaybackStatus()))


@pytest.mark.parametrize(
    ("state", "bar_lines"),
    [
        (PlaybackState.PLAYING, ""),
        (PlaybackState.OPENING, "Opening…"),
        (PlaybackState.BUFFERING, "Buffering… Playback resumes automatically."),
        (PlaybackState.ENDED, "Finished"),
    ],
)
def test_each_state_has_its_sentence(state: PlaybackState, bar_lines: str) -> None:
    assert bar_of(a_status(state))[2].strip() == bar_lines


@pytest.mark.parametrize(
    ("columns", "bar_lines"),
    [
        (100, "Can't find example.org. Check the network. Playback resumes automatically."),
        (64, "Can't find example.org. Playback resumes automatically."),
        (40, "Can't find example.org."),
        (26, "Buffering…"),
    ],
)
def test_what_is_waited_for_is_said_as_fully_as_there_is_room(columns: int, bar_lines: str) -> None:
    status = a_status(PlaybackState.BUFFERING, waiting="Can't find example.org. Check the network.")
    assert bar_of(status, columns)[2].strip() == bar_lines


@pytest.mark.parametrize("columns", [30, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_an_error_is_cut_rather_than_what_to_do_about_it(columns: int, rows: int) -> None:
    error = "traffic.example.org answered 404 for this episode. It may have moved; r looks for a new address"
    bar_lines = " ".join(" ".join(bar_of(a_status(PlaybackState.ERROR, error=error), columns, rows)).split())
    assert bar_lines.endswith("enter tries again.")
    assert "! " in bar_lines


@pytest.mark.parametrize(("columns", "rows"), [(40, 1), (80, 3), (120, 3)])
def test_a_pause_that_nobody_asked_for_says_why_and_how_to_go_on(columns: int, rows: int) -> None:
    status = a_status(PlaybackState.PAUSED, error="The sound device was disconnected.")
    bar_lines = " ".join(" ".join(bar_of(status, columns, rows)).split())
    assert "The sound device" in bar_lines
    assert bar_lines.endswith("space resumes.")


def test_a_short_error_leaves_the_place_in_sight() -> None:
    layout = lay_out(a_status(PlaybackState.ERROR, error="No sound device"), 80, 3, UNICODE, KEYS)
    assert "8:12" in lines(layout)[1]
    assert lines(layout)[2].strip() == "No sound device. enter tries again."


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_no_two_states_that_differ_look_alike_without_colour(glyphs: Glyphs) -> None:
    states = [state for state in PlaybackState if state is not PlaybackState.OPENING]
    signs = {bar_of(a_status(state, error="x"), glyphs=glyphs)[0].split()[0] for state in states}
    assert len(signs) == len(states)


def test_ascii_is_ascii() -> None:
    for state in PlaybackState:
        for rows in (1, 3):
            one_line = "".join(bar_of(a_status(state, cached=((0.0, 0.5),), speed=1.5), 80, rows, ASCII))
            assert one_line.isascii(), one_line


def test_hints_name_the_keys_as_they_were_remapped() -> None:
    keys = {action.id: action.keys[0] for action in remapped({"pause": "p"})[0] if action.keys}
    assert "Paused · p resumes" in lines(lay_out(a_status(), 80, 3, UNICODE, keys))[2]


def test_on_a_low_terminal_one_line_holds_state_title_and_times() -> None:
    (line,) = bar_of(a_status(PlaybackState.PLAYING), 80, 1)
    assert line.split()[0] == "▶"
    assert "Inductor - Post-grad FX passes" in line
    assert "8:12" in line
    assert line.endswith("−15:48")


@given(
    title=st.text(min_size=1, max_size=120),
    podcast=st.text(max_size=60),
    state=st.sampled_from(PlaybackState),
    position=st.integers(0, 10**9),
    duration=st.none() | st.integers(1, 10**9),
    speed=st.floats(0.5, 3),
    volume=st.integers(0, 150),
    cached=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=3),
    columns=st.integers(12, 300),
    rows=st.integers(1, 5),
)
@example("0", "", PlaybackState.STOPPED, 360_000_000, None, 1.0, 0, [], 12, 2)
@settings(deadline=None)
def test_whatever_plays_the_bar_keeps_to_its_cells(
    title: str,
    podcast: str,
    state: PlaybackState,
    position: int,
    duration: int | None,
    speed: float,
    volume: int,
    cached: Sequence[tuple[float, float]],
    columns: int,
    rows: int,
) -> None:
    episode = Episode(EpisodeId(1), PodcastId(1), podcast, title.replace("\n", " "), "g", "u")
    status = PlaybackStatus(
        state, episode, position, duration, False, speed, volume, tuple(cached), "Something failed. " * 9
    )
    around = Around(CHAPTERS, wave=Waveform(1000, bytes(range(100))), now=NOON)
    layout = lay_out(status, columns, rows, UNICODE, KEYS, around)
    assert len(layout.lines) <= rows
    assert all(width_of(line) <= columns for line in layout.lines)
    if layout.seek:
        assert layout.seek.start + layout.seek.cells <= columns


# -- on the screen --------------------------------------------------------------------------------------------


async def test_while_it_plays_the_bar_moves_by_itself_and_a_paused_one_does_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laid_out: list[PlaybackState] = []

    def counting(status: PlaybackStatus, *others: Any) -> BarLayout:
        laid_out.append(status.state)
        return lay_out(status, *others)

    monkeypatch.setattr(player_bar, "lay_out", counting)
    playing, paused = PlayerBar(id="playing"), PlayerBar(id="paused")
    async with Alone(playing, paused).run_test(size=(80, 30)) as pilot:
        playing.show(a_status(PlaybackState.PLAYING, speed=3.0))
        paused.show(a_status())
        await pilot.pause()
        laid_out.clear()
        await until(pilot, lambda: "8:14" in text_of(playing)[1])
        assert PlaybackState.PAUSED not in laid_out
        playing.show(a_status(position_ms=500_000))
        laid_out.clear()
        await pilot.pause()
        assert "8:20" in text_of(playing)[1]


async def test_a_tick_draws_the_cells_that_changed_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = PlayerBar()
    async with Alone(bar).run_test(size=(80, 30)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        drawn: list[Region] = []
        monkeypatch.setattr(bar, "refresh", lambda region: drawn.append(region))
        bar.show(a_status(position_ms=493_000))
        assert {region.y for region in drawn} == {1}
        assert sum(region.width for region in drawn) < 30, "the two times, not the bar between them"
        drawn.clear()
        bar.show(a_status(position_ms=493_000))
        assert drawn == []


async def test_a_click_in_the_seek_bar_seeks_there() -> None:
    bar = PlayerBar()
    app = Alone(bar)
    async with app.run_test(size=(100, 30)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        line = text_of(bar)[1]
        first, last = line.index("━"), line.rindex("─")
        for column in (first, (first + last) // 2, last):
            await pilot.click(bar, offset=(column, 1))
        start, middle, end = app.heard
        assert start == 0
        assert middle == pytest.approx(12 * MINUTE, abs=MINUTE / 2)
        assert end == 24 * MINUTE


async def test_a_drag_shows_where_it_would_go_and_seeks_once_when_let_go() -> None:
    bar = PlayerBar()
    app = Alone(bar)
    async with app.run_test(size=(100, 30)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        line = text_of(bar)[1]
        first, last = line.index("━"), line.rindex("─")
        await pilot.mouse_down(bar, offset=(first + 20, 1))
        await pilot.hover(bar, offset=(last, 1))
        assert app.heard == []
        assert text_of(bar)[1].lstrip().startswith(clock(24 * MINUTE))
        bar.show(a_status(PlaybackState.PLAYING))
        assert text_of(bar)[1].lstrip().startswith(clock(24 * MINUTE))
        await pilot.mouse_up(bar, offset=(first + 10, 1))
        await pilot.pause()
        assert len(app.heard) == 1
        assert app.mouse_captured is None


async def test_the_mouse_over_the_seek_bar_is_told_its_time_until_it_leaves() -> None:
    bar = PlayerBar()
    async with Alone(bar).run_test(size=(100, 36)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        line = text_of(bar)[1]
        await pilot.hover(bar, offset=((line.index("━") + line.rindex("─")) // 2, 1))
        assert text_of(bar)[2].strip().startswith(("11:4", "11:5", "12:0", "12:1"))
        await pilot.hover(bar, offset=(3, 0))
        assert text_of(bar)[2].strip() == "Paused · space resumes"


ERRORS = [
    (PlaybackState.ERROR, "No sound device is responding", "enter tries again."),
    (PlaybackState.PAUSED, "The sound device was disconnected", "space resumes."),
    (PlaybackState.ERROR, "h.example refused the connection. Try again later.", "enter tries again."),
]


@pytest.mark.parametrize(("state", "error", "hint"), ERRORS)
async def test_on_a_low_terminal_an_error_takes_a_second_line_and_gives_it_back(
    state: PlaybackState, error: str, hint: str
) -> None:
    bar = PlayerBar()
    async with Alone(bar).run_test(size=(50, 15)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        assert bar.size.height == 1
        bar.show(a_status(state, error=error))
        await pilot.pause()
        assert bar.size.height == 2
        bar_lines = " ".join(" ".join(text_of(bar)).split())
        assert error.removesuffix(".") in bar_lines
        assert bar_lines.endswith(hint)
        bar.show(a_status(PlaybackState.PLAYING))
        await pilot.pause()
        assert bar.size.height == 1


async def test_on_a_tiny_terminal_an_error_stays_in_one_line() -> None:
    bar = PlayerBar()
    async with Alone(bar).run_test(size=(50, 8)) as pilot:
        bar.show(a_status(PlaybackState.ERROR, error="No sound device is responding"))
        await pilot.pause()
        assert bar.size.height == 1


async def test_with_an_unknown_length_there_is_nothing_to_click_in() -> None:
    bar = PlayerBar()
    app = Alone(bar)
    async with app.run_test(size=(100, 30)) as pilot:
        bar.show(a_status(duration_ms=None))
        await pilot.pause()
        await pilot.click(bar, offset=(50, 1))
        assert app.heard == []


async def test_what_is_clicked_in_the_head_of_the_bar_does_what_it_says() -> None:
    bar = PlayerBar()
    app = Alone(bar)
    async with app.run_test(size=(100, 30)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        head = text_of(bar)[0]
        for clicked in ("⏸", "Inductor", "PyTorch", "1×", "▁", "100%"):
            await pilot.click(bar, offset=(head.index(clicked), 0))
        await pilot.click(bar, offset=(70, 0))
        toggled = ["toggle sound", "toggle sound"]
        assert app.heard == ["toggle", "go to playing", "go to podcast", "toggle speed", *toggled]


async def test_the_wheel_changes_the_speed_over_the_speed_and_the_volume_elsewhere() -> None:
    bar = PlayerBar()
    app = Alone(bar)
    async with app.run_test(size=(100, 30)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        for column in (5, text_of(bar)[0].index("1×")):
            for kind in (events.MouseScrollUp, events.MouseScrollDown):
                bar.post_message(kind(bar, column, 0, 0, 0, 0, False, False, False))
        await pilot.pause()
        assert app.heard == [("volume", 5), ("volume", -5), ("speed", 0.1), ("speed", -0.1)]


async def test_it_shrinks_to_a_line_on_a_low_terminal_and_grows_again() -> None:
    bar = PlayerBar(actions=ACTIONS)
    async with Alone(bar).run_test(size=(80, 24)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        assert bar.size.height == 2
        await pilot.resize_terminal(80, 19)
        await pilot.pause()
        assert bar.size.height == 1
        assert "−15:48" in text_of(bar)[0]
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert bar.size.height == 3
        assert text_of(bar)[2].strip() == "Paused · space resumes"


async def test_on_a_large_terminal_the_waveform_stands_above_the_seek_bar_and_takes_clicks_too() -> None:
    bar = PlayerBar(waves=True)
    app = Alone(bar)
    async with app.run_test(size=(120, 40)) as pilot:
        bar.show(a_status())
        bar.show_wave(Waveform(1_000, bytes([0, 200]) * 720))
        await pilot.pause()
        assert bar.size.height == 5
        line = text_of(bar)[3]
        assert len(text_of(bar)[2]) - len(text_of(bar)[2].lstrip()) == line.index("━")
        await pilot.click(bar, offset=(line.rindex("─"), 1))
        assert app.heard == [24 * MINUTE]
        bar.show(a_status(live=True, duration_ms=None))
        await pilot.pause()
        assert bar.size.height == 3
        await pilot.resize_terminal(99, 40)
        bar.show(a_status())
        await pilot.pause()
        assert bar.size.height == 3


async def test_a_large_waveform_takes_its_rows_when_it_is_known_and_no_earlier() -> None:
    bar = PlayerBar(waves=True)
    bar.large = True
    app = Alone(bar)
    async with app.run_test(size=(100, 36)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        assert bar.size.height == 3
        bar.show_wave(Waveform(1_000, bytes([0, 200]) * 720))
        await pilot.pause()
        assert bar.size.height == 8
        column = text_of(bar)[6].rindex("─")
        await pilot.click(bar, offset=(column, 1))
        assert app.heard == [24 * MINUTE]
        await pilot.hover(bar, offset=(column - 20, 2))
        assert [line[column - 20] for line in text_of(bar)[1:7]] == ["┃"] * 6
        await pilot.resize_terminal(100, 27)
        await pilot.pause()
        assert bar.size.height == 2


async def test_in_earmark_the_bar_steers_the_sound(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        bar = app.screen.query_one(PlayerBar)

        def status() -> PlaybackStatus:
            return app.player.session.status

        await pilot.press("enter")
        await until(pilot, lambda: text_of(bar)[0].startswith("  ▶ 1. Press play"))
        line = text_of(bar)[1]
        await pilot.click(bar, offset=(len(line) // 2, 1))
        await until(pilot, lambda: status().position_ms > 20_000)
        await until(pilot, lambda: int(text_of(bar)[1].split()[0].removeprefix("0:")) > 20)
        await pilot.click(bar, offset=(2, 0))
        await until(pilot, lambda: status().state is PlaybackState.PAUSED)
        await until(pilot, lambda: "resumes" in text_of(bar)[2] or "left" in text_of(bar)[2])
        bar.post_message(events.MouseScrollDown(bar, 5, 1, 0, 0, 0, False, False, False))
        await until(pilot, lambda: text_of(bar)[0].endswith("95%"))


# -- what is next ---------------------------------------------------------------------------------------------

NEXT = NextUp(Episode(EpisodeId(2), PodcastId(1), "Loop", "Compiler collectives", "h", "v"), NextFrom.QUEUE)


@pytest.mark.parametrize(
    ("columns", "third"),
    [
        (100, "Next: Compiler collectives · from queue"),
        (60, "Next: Compiler collectives"),
        (48, ""),
    ],
)
def test_what_is_next_stands_at_the_right_where_there_is_room(columns: int, third: str) -> None:
    paused = "    Paused · space resumes"
    shown = paused.ljust(columns - 2 - len(third)) + third if third else paused
    assert bar_of(a_status(next_up=NEXT), columns)[2] == shown


def test_a_list_that_continues_is_named_as_the_reason() -> None:
    following = NextUp(NEXT.episode, NextFrom.LIST)
    assert bar_of(a_status(next_up=following))[2].endswith("Next: Compiler collectives · this list continues")


@pytest.mark.parametrize(
    ("sleep", "follows"),
    [
        (SleepStatus(stops_after=True), False),
        (SleepStatus(SleepChoice(SleepUntil.CHAPTER), 60_000), False),
        (SleepStatus(SleepChoice(SleepUntil.EPISODE, 3), None, 1), False),
        (SleepStatus(SleepChoice(SleepUntil.EPISODE, 3), None, 2), True),
        (SleepStatus(SleepChoice(SleepUntil.MINUTES, 30), 60_000), True),
    ],
)
def test_nothing_is_called_next_that_will_not_play(sleep: SleepStatus, follows: bool) -> None:
    line = "".join(bar_of(a_status(PlaybackState.PLAYING, next_up=NEXT, sleep=sleep))[2:])
    assert ("Next" in line) == follows


def test_a_long_title_of_what_is_next_is_cut() -> None:
    following = NextUp(replace(NEXT.episode, title="A title " * 20), NextFrom.QUEUE)
    (third,) = bar_of(a_status(PlaybackState.PLAYING, next_up=following))[2:]
    assert len(third) <= 98
    assert third.endswith("… · from queue")


def test_a_clip_names_the_way_back() -> None:
    keys = {**KEYS, "undo_jump": "u"}
    playing = a_status(PlaybackState.PLAYING, clip=True)
    assert lines(lay_out(playing, 100, 3, UNICODE, keys))[2] == "    Clip · u returns"


AT_THE_END = 24 * MINUTE - 20_000


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (40, "  ▶ Next: Compiler collectives    −0:20"),
        (50, "  ▶ Next: Compiler collectiv… · from queue  −0:20"),
        (60, "  ▶ Next: Compiler collectives · from queue          −0:20"),
        (90, "  ▶ Inductor - Post-grad FX passes  Next: Compiler collectives · from queue        −0:20"),
    ],
)
def test_a_bar_of_one_line_says_what_is_next_near_the_end(columns: int, line: str) -> None:
    playing = a_status(PlaybackState.PLAYING, next_up=NEXT, position_ms=AT_THE_END)
    assert bar_of(playing, columns, 1) == [line]
    for other in (
        replace(playing, speed=1.5, position_ms=AT_THE_END - 11_000),
        replace(playing, state=PlaybackState.PAUSED),
        replace(playing, sleep=SleepStatus(stops_after=True)),
    ):
        assert "Next" not in bar_of(other, columns, 1)[0]


async def test_a_bar_of_one_line_says_what_is_next_for_a_moment_when_that_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_bar, "_NEWS_S", 0.2)
    bar = PlayerBar()
    async with Alone(bar).run_test(size=(50, 15)) as pilot:
        bar.show(a_status())
        await pilot.pause()
        assert "━" in text_of(bar)[0]
        bar.show(a_status(next_up=NEXT))
        assert text_of(bar) == ["  ⏸ Next: Compiler collecti… · from queue  −15:48"]
        await until(pilot, lambda: "━" in text_of(bar)[0])
        bar.show(a_status(episode=NEXT.episode, next_up=replace(NEXT, episode=EPISODE)))
        assert text_of(bar)[0].startswith("  ⏸ Compiler coll"), "the title is news enough"


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.25, 1.5, 3.0])
def test_the_bar_looks_again_when_a_second_begins_and_never_later_than_after_half_a_second(speed: float) -> None:
    status = replace(a_status(PlaybackState.PLAYING, speed=speed), position_ms=12_340, measured_at=0.0)
    now, looks, end = 0.0, [0.0], 10.0
    while now < end:
        now += next_look_s(status.at(now))
        looks.append(now)
    assert max(later - before for before, later in itertools.pairwise(looks)) < 0.51
    for second in range(13, 15):
        began = (second * 1000 - 12_340) / 1000 / speed
        assert any(0 <= look - began < 0.02 for look in looks), second
    assert len(looks) <= end * (2 + speed) + 2
