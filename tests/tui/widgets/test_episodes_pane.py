"""The pane of a list: its filter opens with the focus, says each change, and closes."""

from datetime import date

from tests.tui.alone import Alone
from tui.widgets.episodes_pane import EpisodesPane


class AlonePane(Alone):
    def on_episodes_pane_filtered(self, message: EpisodesPane.Filtered) -> None:
        self.heard.append(message.text)


async def test_a_filter_opens_with_the_focus_says_what_is_typed_and_is_closed_or_dropped() -> None:
    pane = EpisodesPane(lambda _ids: (), lambda: date(2026, 3, 2))
    app = AlonePane(pane)
    async with app.run_test(size=(60, 12)) as pilot:
        pane.episodes.focus()
        await pilot.pause()
        assert (pane.filtering, pane.typing) == (False, False)
        pane.open_filter("title")
        await pilot.press("space", "f", "o")
        assert (pane.filtering, pane.typing, pane.words) == (True, True, "fo")
        await pilot.press("enter")
        assert (pane.filtering, pane.words) == (True, "fo"), "the words stay"
        pane.close_filter()
        await pilot.pause()
        assert (pane.filtering, pane.words) == (False, "")
        pane.open_filter("title")
        await pilot.press("x")
        pane.drop_filter()
        await pilot.pause()
        assert (pane.filtering, pane.words) == (False, "")
        pane.open_filter("title")
        await pilot.press("enter")
        assert (pane.filtering, pane.words) == (False, ""), "there is nothing to filter by"
    assert app.heard == ["", "f", "fo", "", "x"], "a filter that is dropped isn't said"
