"""Another program can end the app as a key does."""

import pytest
from textual._context import active_app

from player.events import QuitAsked
from player.paths import Paths
from player.processes.threads import on_own_thread
from tests.tui.alone import real_app, until


@pytest.mark.long
async def test_the_app_ends_when_another_program_asks_on_a_thread_of_its_own(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with real_app(paths) as (app, pilot):
        kept: list[object] = []
        monkeypatch.setattr(app, "_keep_frame", lambda: kept.append(active_app.get()))
        on_own_thread(lambda: app.player.bus.publish(QuitAsked()), "asking")
        await until(pilot, lambda: app._exit)
        assert kept == [app], "the frame for the next start is drawn with the app at hand"
        assert app.return_code == 0
