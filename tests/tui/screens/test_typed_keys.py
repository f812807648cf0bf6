"""Counts, two keys in a row and words found in the notes, in the app."""

from msgspec.structs import replace

from tests.tui.stage import QUIET, stocked
from tui.actions.action import Focus

FULL = replace(QUIET, keys={"preset": "full"})


async def test_ten_j_moves_ten_rows_and_restarts_nothing() -> None:
    async with stocked(settings=FULL) as stage:
        await stage.press("enter", "space", "3", "right")
        await stage.until(lambda: "Forward" in stage.news, "the jump")
        assert "1m30s" in stage.news, "a count jumps as often"

        paused_ms = stage.player.status.position_ms
        await stage.press("g", "enter")
        await stage.until(lambda: stage.player.status.position_ms < paused_ms, "another episode")
        position, tab, focus = stage.player.status.position_ms, stage.screen.page.tab, stage.screen.parts.panes.focus
        await stage.press("2", "1", "0", "j")
        assert stage.screen.body.pane.episodes.cursor == min(210, stage.screen.body.pane.episodes.row_count() - 1)
        assert stage.player.status.position_ms >= position
        assert (stage.screen.page.tab, stage.screen.parts.panes.focus) == (tab, focus)
        await stage.press("g", "1", "0", "j")
        assert stage.screen.body.pane.episodes.cursor == 10
        await stage.press("3", "k", "5", "G")
        assert stage.screen.body.pane.episodes.cursor == 4


async def test_by_default_digits_open_tabs_and_dont_count_and_a_former_key_says_where_its_action_is() -> None:
    async with stocked((160, 45)) as stage:
        row = stage.episodes.cursor
        await stage.press("9", "j")
        assert stage.episodes.cursor == row + 1
        for key, said in (
            ("9", "9 does nothing here · ? shows all keys"),
            ("circumflex_accent", "^ was “Pin or unpin this podcast”; ? has it now"),
            ("P", "P was “Add to a playlist”; p has it now"),
        ):
            await stage.press(key)
            assert stage.news == said


async def test_a_digit_alone_opens_its_tab_at_once_and_the_moving_keys_move_in_it() -> None:
    async with stocked((160, 45), settings=FULL) as stage:
        row = stage.episodes.cursor
        await stage.press("4")
        assert stage.screen.page.tab == "links"
        assert stage.screen.parts.panes.focus is Focus.NOTES
        await stage.press("j")
        assert (stage.screen.page.tab, stage.screen.page.cursor, stage.episodes.cursor) == ("links", 1, row)
        await stage.press("1", "0", "k")
        assert stage.screen.page.tab == "links"

        page = stage.screen.page
        await stage.press("1", "slash", *"pass", "enter")
        await stage.until(lambda: "“pass” 1 of" in stage.news, "the first match in the notes")
        before = page.found
        await stage.press("n")
        assert before == "pass"
        assert "“pass” 2 of" in stage.news
        await stage.press("N", "escape")
        assert page.found == ""


async def test_two_keys_of_vim_are_one_and_the_first_is_shown() -> None:
    async with stocked(settings=replace(QUIET, keys={"preset": "vim"})) as stage:
        episodes = stage.screen.body.pane.episodes
        await stage.press("G", "g")
        assert stage.news == "g…"
        last = episodes.cursor
        assert last > 0
        await stage.press("g")
        assert episodes.cursor == 0
        await stage.press("5", "g", "g")
        assert episodes.cursor == 4
        await stage.press("z", "j")
        assert "does nothing here" in stage.news
        assert episodes.cursor == 4
        await stage.press("z", "escape", "j")
        assert episodes.cursor == 5
