"""The cover before the player bar."""

import pytest

from tests.tui.stage import stocked


@pytest.fixture(autouse=True)
def _in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")


async def test_a_wide_screen_has_the_cover_of_what_is_loaded_before_the_bar() -> None:
    async with stocked((120, 40)) as stage:
        assert stage.lines()[-4][:8] == "    PD  ", "in the middle of a bar of five rows"
        assert stage.screen.bar.region.x == 8
        await stage.press("v")
        assert stage.lines()[-4][:8] == "    PD  "
        await stage.press("escape")
        await stage.resize(119, 40)
        assert stage.screen.bar.region.x == 0
        await stage.resize(130, 19)
        assert stage.screen.bar.region.x == 0
