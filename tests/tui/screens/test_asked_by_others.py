"""Other programs have the app do what its keys do: on the screen that is open, and never behind a dialog."""

import asyncio
import json

import pytest

from player.integrations.client import request
from player.integrations.orders import answer
from player.paths import Paths
from tests.tui.stage import Stage, stocked
from tui.actions.table import ACTIONS
from tui.screens.find import FindScreen
from tui.screens.main import MainScreen


async def ask(stage: Stage, command: str, **arguments: object) -> str:
    """What the control socket answers: "" where it was done, else the sentence."""
    line = json.dumps({"command": command, **arguments}).encode()
    services = stage.player.services
    found = await asyncio.to_thread(answer, line, services.session, machine=services)
    await stage.settle()
    return str(found.get("error", ""))


async def test_actions_are_done_as_by_their_keys_or_refused_with_a_sentence() -> None:
    async with stocked() as stage:
        before = stage.episodes.cursor
        assert await ask(stage, "run", action="down", count=2) == ""
        assert stage.episodes.cursor == before + 2
        episode = stage.screen.episode
        assert episode is not None
        assert await ask(stage, "run", action="star") == ""
        await stage.until(lambda: stage.library.episodes.get(episode.id).starred is not episode.starred, "the star")
        assert await ask(stage, "run", action="strr") == "There is no action “strr”. Did you mean “star”?"
        assert await ask(stage, "run", action="suspend") == "“Suspend (fg returns)” is only for a key."
        assert await ask(stage, "run", action="filter") == ""
        assert await ask(stage, "run", action="down") == "A text is being typed in Earmark. Finish that first."
        await stage.press("escape")
        assert await ask(stage, "run", action="sleep") == ""
        assert await ask(stage, "run", action="star") == "A dialog is open in Earmark. Close it first."
        await stage.press("escape")
        assert await ask(stage, "run", action="down") == ""
        left = {action.id for action in ACTIONS} - stage.screen.runs.keys()
        for action_id in left:
            assert "does nothing on the screen that is open" in await ask(stage, "run", action=action_id)

        feed = "http://127.0.0.1:9/feed"
        podcasts = [one.id for one in stage.library.podcasts.all()]
        assert await ask(stage, "open", address=f"earmark://subscribe?feed={feed}") == ""
        assert isinstance(stage.app.screen, FindScreen)
        assert stage.app.screen.field.value == feed
        assert [one.id for one in stage.library.podcasts.all()] == podcasts, "a feed is only offered"
        assert "A dialog is open" in await ask(stage, "open", address=f"earmark://subscribe?feed={feed}")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen))
        known = next(one for one in stage.library.podcasts.all() if one.episode_count and one.url.startswith("http"))
        assert await ask(stage, "open", address=f"earmark://show?feed={known.url}") == ""
        await stage.until(lambda: stage.screen.view.podcast_id == known.id, "its list")


@pytest.mark.long
async def test_a_storm_of_actions_over_the_socket_leaves_room_for_keys(paths: Paths) -> None:
    async with stocked() as stage:

        def storm() -> None:
            for _ in range(10):
                request(paths.socket, "run", action="down", count=1)
                request(paths.socket, "run", action="up", count=1)

        storms = [asyncio.to_thread(storm) for _ in range(3)]
        under = stage.episodes.cursor
        waiting = asyncio.gather(*storms)
        await stage.press("s")
        await waiting
        assert stage.episodes.cursor in (under, under + 1)
