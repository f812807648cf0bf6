"""Syncing in the app: each way set up, seen, merged and taken back; what goes wrong on the way; and forgotten."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from player.model.episode import Episode
from tests.sync_servers.gpodder import GpodderServer
from tests.sync_servers.server import PASSWORD, USER
from tests.tui.shelf import episodes_of
from tests.tui.stage import Stage, stocked
from tui.dialogs.syncing.first_merge import FirstMergeScreen
from tui.dialogs.syncing.typed import TypedScreen
from tui.dialogs.syncing.ways import WaysScreen

HEARD_S = 321


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is opened on the machine that runs the tests."""
    monkeypatch.setenv("BROWSER", "true")


@pytest.fixture
def gpodder() -> Iterator[GpodderServer]:
    with GpodderServer() as server:
        yield server


@asynccontextmanager
async def app(size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    async with stocked(size) as stage:
        await stage.until(lambda: stage.player.status.measured_at, "the session")
        yield stage


async def opened(stage: Stage, kind: type[object]) -> None:
    await stage.until(lambda: isinstance(stage.app.screen, kind), kind.__name__)


async def choose(stage: Stage, downs: int) -> None:
    """The way that stands so far down."""
    stage.screen.act("sync")
    await opened(stage, WaysScreen)
    await stage.press(*["down"] * downs, "enter")
    await opened(stage, TypedScreen)


async def fill(stage: Stage, **fields: str) -> None:
    for name, text in fields.items():
        stage.app.screen.query_one(f"#{name}").focus()
        await stage.press("ctrl+u")
        await stage.write(text)


async def give(stage: Stage, **fields: str) -> None:
    """Types that and confirms it."""
    await fill(stage, **fields)
    await stage.pilot.press("enter")


def an_episode(stage: Stage) -> Episode:
    """One that hasn't been played."""
    podcast = stage.library.podcasts.find("PyTorch Developer Podcast")
    return next(row for row in episodes_of(stage.library, podcast.id) if not row.played and not row.position_ms)


def heard_elsewhere(stage: Stage, server: GpodderServer) -> Episode:
    """A phone has played an episode of the library, and said so to the server."""
    episode = an_episode(stage)
    feed = stage.library.podcasts.get(episode.podcast_id).url
    names = {"podcast": feed, "episode": episode.url, "guid": episode.guid}
    played = {"device": "phone", "action": "play", "started": 0, "position": HEARD_S, "total": 4000}
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    server.devices["phone"] = {"caption": "Ann's phone", "type": "mobile"}
    server.actions.append((1, {**names, **played, "timestamp": at}))
    return episode


async def test_a_server_is_set_up_seen_merged_and_taken_back(gpodder: GpodderServer) -> None:
    async with app() as stage:
        episode = heard_elsewhere(stage, gpodder)
        await choose(stage, 0)
        assert stage.shows("Sync through a gpodder server")
        await give(stage, address=gpodder.address, user=USER, password=PASSWORD, name="desk")
        await opened(stage, FirstMergeScreen)
        await stage.until(lambda: stage.shows("1 position changes:"), "the plan")
        assert stage.shows(f"{episode.title}: 0:00 → 5:21")
        assert stage.library.episodes.get(episode.id).position_ms == 0
        assert stage.library.syncing.account() is None
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.shows("All is sent."), "the end of the first round")
        assert stage.library.episodes.get(episode.id).position_ms == HEARD_S * 1000
        assert stage.shows("U takes back what changed here")
        assert any(sent for sent in gpodder.sent), "what was heard here is there"
        await stage.press("escape", "U")
        await stage.until(lambda: stage.library.episodes.get(episode.id).position_ms == 0, "undone")
