"""The mouse: a click selects, two play, the wheel scrolls, the bar and the footer take clicks."""

from textual.events import MouseScrollDown

from tests.tui.stage import stocked


async def test_a_click_selects_a_double_click_plays_and_the_wheel_leaves_the_cursor_where_it_is() -> None:
    async with stocked((120, 24)) as stage:
        await stage.press("g")
        await stage.pilot._post_mouse_events([MouseScrollDown], "#episodes", (10, 3))
        await stage.settle()
        assert stage.episodes.scroll_offset.y > 0
        assert stage.episodes.cursor == 0
        await stage.press("j")
        assert stage.episodes.scroll_offset.y == 0

        await stage.press("h")
        await stage.pilot.click("#episodes", offset=(10, 3))
        await stage.settle()
        assert stage.episodes.cursor == 3
        assert stage.focus == "episodes"
        stage.app._click_chain_last_time = 0  # long ago
        playing = stage.screen.status.episode
        await stage.pilot.click("#episodes", offset=(10, 3))
        await stage.settle()
        assert stage.screen.status.episode == playing
        await stage.pilot.double_click("#episodes", offset=(10, 2))
        episode = stage.screen.episode
        assert episode is not None
        await stage.until(lambda: stage.screen.status.episode == episode, "playing")


async def test_the_bar_the_footer_and_the_sidebar_take_clicks() -> None:
    async with stocked() as stage:
        await stage.pilot.click("#bar", offset=(85, 3))
        await stage.until(lambda: stage.screen.status.position_ms > 18 * 60_000, "the jump")
        await stage.until(lambda: stage.news.startswith("Jumped to 2"), "the words")

        await stage.press("g")
        column = stage.lines()[-1].index("s star")
        await stage.pilot.click("#footer", offset=(column + 3, 0))
        await stage.until(lambda: stage.news == "Star added", "the star")

        view = stage.screen.view
        await stage.pilot.click("#sidebar-pane", offset=(5, 1))
        await stage.settle()
        assert stage.screen.view == view, "a heading does nothing"
        await stage.pilot.click("#sidebar-pane", offset=(5, 4))
        await stage.until(lambda: stage.shows("In progress  6 episodes"), "the view")
        assert stage.focus == "sidebar"
        await stage.pilot.double_click("#sidebar-pane", offset=(5, 5))
        await stage.settle()
        assert stage.focus == "episodes"
