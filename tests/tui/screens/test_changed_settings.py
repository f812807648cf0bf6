"""config.toml is saved while the app runs: the screen follows at once, whatever is on it."""

from msgspec.structs import replace

from player.events import SettingsChanged
from player.model.filters import ViewName
from player.settings import Appearance, Inbox, Settings
from tests.tui.stage import QUIET, Stage, stocked


async def change(stage: Stage, settings: Settings, *names: str) -> None:
    """As `LiveSettings` does it, from a thread of its own."""
    stage.player.settings = settings
    stage.player.bus.publish(SettingsChanged(names))
    await stage.settle()


async def test_the_look_follows_at_once() -> None:
    async with stocked(drawn=True) as stage:
        app = stage.app
        await stage.until(lambda: app.theme, "a theme")
        app._dressing._moves = "basic"  # tests begin without
        looks = Appearance(theme="nord", motion=False, rows="one", title=False, waveform=False)
        await change(
            stage,
            replace(QUIET, appearance=looks),
            "appearance.theme",
            "appearance.motion",
            "appearance.rows",
            "appearance.title",
            "appearance.waveform",
        )
        assert app._dressing.themes.wish == "nord"
        assert (app.animation_level, app.rows, stage.screen.bar.waves) == ("none", "one", False)
        assert app._window_title.restored() == ""
        await change(stage, QUIET, "appearance.theme", "appearance.motion", "appearance.rows", "appearance.waveform")
        themes = app._dressing.themes
        assert themes.wish == "auto"
        assert (app.animation_level, app.rows, stage.screen.bar.waves) == ("basic", "auto", True)
        await change(stage, replace(QUIET, appearance=Appearance(theme="nrod")), "appearance.theme")
        assert (themes.wish, themes.problem) == ("auto", "There is no theme “nrod”. Did you mean “nord”?")


async def test_the_inbox_and_keys_change_while_a_list_is_open_and_change_back() -> None:
    async with stocked() as stage:

        def views() -> list[ViewName]:
            return [entry.view.name for entry in stage.sidebar._entries if entry.view is not None]

        for place in (ViewName.NEW, ViewName.ALL):
            await stage.press(*stage.way_to(place))
            assert ViewName.NEW in views()
            await change(stage, replace(QUIET, inbox=Inbox(enabled=False)), "inbox.enabled")
            assert ViewName.NEW not in views()
            await stage.press("j", "k")
            assert stage.screen.view.name is not ViewName.NEW
            await change(stage, QUIET, "inbox.enabled")
            assert ViewName.NEW in views()

        await stage.press(*stage.way_to(ViewName.STARRED), "l")
        episodes, footer = stage.episodes, stage.screen.footer

        def marked(action_id: str) -> str:
            return stage.screen.key_of(action_id)

        keys = {"down": "x", "first": "z z", "star": "9x", "strr": "f"}
        await change(stage, replace(QUIET, keys=keys), "keys")
        before = episodes.cursor
        await stage.press("j")
        assert episodes.cursor == before
        await stage.press("x")
        assert episodes.cursor == before + 1
        await stage.press("x", "z", "z")
        assert episodes.cursor == 0
        assert (marked("down"), marked("first")) == ("x", "zz")
        assert any("strr" in notice.message for notice in stage.app._notifications)
        assert footer._actions == stage.screen.actions == stage.app.actions
        await change(stage, QUIET, "keys")
        await stage.press("x")
        assert episodes.cursor == 0
        await stage.press("j")
        assert episodes.cursor == 1
