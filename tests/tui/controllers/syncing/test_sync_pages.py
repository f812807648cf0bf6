"""Syncing in the app: each way set up, seen, merged and taken back; what goes wrong on the way; and forgotten."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.widgets import Input

from player.model.episode import Episode
from player.sync.ways import ways
from tests.quick import mostly_long
from tests.sync_servers.gpodder import GpodderServer
from tests.sync_servers.nextcloud import APP_PASSWORD, NextcloudServer
from tests.sync_servers.server import PASSWORD, USER
from tests.tui.shelf import episodes_of
from tests.tui.stage import Stage, stocked
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.syncing import (
    BrowserLoginScreen,
    FirstMergeScreen,
    RenameDeviceScreen,
    SyncScreen,
    TypedScreen,
    WaysScreen,
)

SHOW = "CoRecursive"
HEARD_S, HEARD_HERE_MS = 321, 123_000


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is opened on the machine that runs the tests."""
    monkeypatch.setenv("BROWSER", "true")


@pytest.fixture
def gpodder() -> Iterator[GpodderServer]:
    with GpodderServer() as server:
        yield server


@pytest.fixture
def nextcloud() -> Iterator[NextcloudServer]:
    with NextcloudServer() as server:
        yield server


@asynccontextmanager
async def app(size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    async with stocked(size) as stage:
        await stage.until(lambda: stage.player.status.measured_at, "the session")
        stage.library.progress.save(rows(stage)[0].id, HEARD_HERE_MS, 3_600_000, datetime.now(UTC))
        yield stage


def rows(stage: Stage) -> list[Episode]:
    return list(episodes_of(stage.library, stage.library.podcasts.find(SHOW).id))


def position(stage: Stage, episode: Episode) -> int:
    return stage.library.episodes.get(episode.id).position_ms


async def opened(stage: Stage, kind: type[object]) -> None:
    await stage.until(lambda: isinstance(stage.app.screen, kind), kind.__name__)


async def sync(stage: Stage, kind: type[object]) -> None:
    stage.screen.act("sync")
    await opened(stage, kind)


async def choose(stage: Stage, way: str) -> None:
    await sync(stage, WaysScreen)
    await stage.press(*["down"] * [one.name for one in ways()].index(way), "enter")
    await opened(stage, TypedScreen)


async def give(stage: Stage, **fields: str) -> None:
    """Types that and confirms it."""
    for name, text in fields.items():
        stage.app.screen.query_one(f"#{name}", Input).focus()
        await stage.press("ctrl+u")
        await stage.write(text)
    await stage.pilot.press("enter")


async def sign_in(stage: Stage, server: GpodderServer, **other: str) -> None:
    await choose(stage, "gpodder")
    await give(stage, **{"address": server.address, "user": USER, "password": PASSWORD, "name": "desk", **other})


async def merge(stage: Stage) -> None:
    await opened(stage, FirstMergeScreen)
    await stage.pilot.press("enter")
    await stage.until(lambda: stage.shows("Everything is sent."), "the end of the first round")


def heard_elsewhere(stage: Stage, server: GpodderServer | NextcloudServer, episode: Episode | None = None) -> Episode:
    """A phone has played an episode of the library, and said so to the server."""
    episode = episode or rows(stage)[1]
    at = datetime.now(UTC)
    names = {"podcast": stage.library.podcasts.get(episode.podcast_id).url, "episode": episode.url}
    played = {**names, "guid": episode.guid, "started": 0, "position": HEARD_S, "total": 4000}
    if isinstance(server, NextcloudServer):
        server.actions.append({**played, "action": "PLAY", "at": int(at.timestamp())})
    else:
        server.devices["phone"] = {"caption": "Ada's phone", "type": "mobile"}
        played |= {"device": "phone", "action": "play", "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S")}
        server.actions.append((server.timestamp(), played))
    return episode


# -- setting up ---------------------------------------------------------------------------------------------------


async def test_a_server_is_set_up_seen_left_merged_and_taken_back(gpodder: GpodderServer) -> None:
    async with app() as stage:
        episode = heard_elsewhere(stage, gpodder)
        await sign_in(stage, gpodder)
        await opened(stage, FirstMergeScreen)
        await stage.until(lambda: stage.shows(f"{episode.title}: 0:00 → 5:21"), "what changes here")
        assert stage.shows("1 position changes:")
        assert stage.shows("1 position"), "what is sent"
        await stage.press("escape")
        await stage.until(lambda: stage.ready, "the main screen")
        assert (position(stage, episode), stage.library.syncing.account()) == (0, None)
        assert stage.player.credentials.find(gpodder.address) is None
        assert not gpodder.subscriptions

        await sign_in(stage, gpodder)
        await merge(stage)
        assert position(stage, episode) == HEARD_S * 1000
        assert [entry["position"] for _at, entry in gpodder.actions if entry["device"] != "phone"] == [123]
        assert stage.shows("U undoes what changed here.")
        await stage.press("escape", "U")
        await stage.until(lambda: position(stage, episode) == 0, "undone")


@pytest.mark.parametrize("size", mostly_long([((80, 24),), ((120, 40),)]), ids=str)
async def test_nextcloud_is_signed_in_to_in_the_browser_with_the_address_and_a_code_beside(
    nextcloud: NextcloudServer, size: tuple[int, int]
) -> None:
    async with app(size) as stage:
        episode = heard_elsewhere(stage, nextcloud)
        await choose(stage, "nextcloud")
        await give(stage, address=nextcloud.address, name="desk")
        await opened(stage, BrowserLoginScreen)
        await stage.until(lambda: stage.shows(nextcloud.address), "the address")
        assert stage.shows("██ █   █ █"), "the code"
        await stage.pilot.resize_terminal(50, 15)
        await stage.until(lambda: not stage.shows("██ █   █ █") and stage.shows(nextcloud.address), "the address alone")
        await stage.pilot.press("escape")
        await stage.until(lambda: stage.ready, "the main screen")
        assert stage.library.syncing.account() is None

        await stage.resize(*size)
        nextcloud.believes_in = lambda address: _logged_in_at_once(nextcloud, address)
        await choose(stage, "nextcloud")
        await give(stage, address=nextcloud.address, name="desk")
        await merge(stage)
        assert position(stage, episode) == HEARD_S * 1000
        assert {*nextcloud.agents} == {"Earmark (desk)"}
        assert stage.player.credentials.find(nextcloud.address) == (USER, APP_PASSWORD)


def _logged_in_at_once(server: NextcloudServer, address: str) -> str:
    server.log_in()
    return address


async def test_a_folder_is_set_up_and_holds_nothing_before_the_merge(tmp_path: Path) -> None:
    async with app() as stage:
        folder = tmp_path / "shared"
        await choose(stage, "folder")
        await give(stage, address=str(folder), name="desk")
        await stage.until(lambda: stage.shows("There is no folder"), "what is wrong")
        folder.mkdir()
        await stage.pilot.press("enter")
        await opened(stage, FirstMergeScreen)
        assert list(folder.iterdir()) == []
        await merge(stage)
        assert not stage.shows("takes back"), "nothing has changed here"
        assert len(list((folder / "earmark-sync").glob("*.jsonl"))) == 1


# -- what goes wrong ----------------------------------------------------------------------------------------------


async def test_what_goes_wrong_is_said_in_the_dialog_and_what_was_typed_stays(gpodder: GpodderServer) -> None:
    async with app() as stage:
        await sign_in(stage, gpodder, password="")
        assert (stage.focus, gpodder.asked) == ("password", []), "the field that is empty"
        await give(stage, password="wrong")
        await stage.until(lambda: stage.shows("refused the login"), "a wrong password")
        gpodder.is_html = True
        await give(stage, password=PASSWORD)
        await stage.until(lambda: stage.shows("sent a web page instead of data"), "a hotel's page")
        await give(stage, address="http://127.0.0.1:9")
        await stage.until(lambda: stage.shows("127.0.0.1 refused the connection"), "nobody there")
        stage.player.network.choose(True)
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.shows("offline"), "no network")
        assert stage.app.screen.query_one("#user", Input).value == USER
        assert stage.app.screen.query_one("#address", Input).value == "http://127.0.0.1:9"
        stage.player.network.choose(False)
        gpodder.is_html = False
        await give(stage, address=gpodder.address)
        await opened(stage, FirstMergeScreen)


# -- with an account ----------------------------------------------------------------------------------------------


async def test_how_it_stands_and_what_can_be_done_about_it(gpodder: GpodderServer) -> None:
    async with app() as stage:
        heard_elsewhere(stage, gpodder)
        await sign_in(stage, gpodder)
        await merge(stage)
        await stage.press("escape")
        await sync(stage, SyncScreen)
        await stage.until(lambda: stage.shows("Ada's phone, last seen just now"), "the others")
        assert stage.shows(f"gpodder server {gpodder.address} as {USER}")
        await stage.press("n")
        await opened(stage, RenameDeviceScreen)
        await stage.press("ctrl+u")
        await stage.write("writing desk")
        await stage.pilot.press("enter")
        await opened(stage, SyncScreen)
        await stage.until(lambda: stage.shows("This device   writing desk"), "its name")

        gpodder.password = "another"
        gpodder.end_sessions()
        await stage.press("enter")
        await stage.until(lambda: stage.shows("refused the login"), "what is wrong")
        await stage.until(lambda: stage.shows("Earmark tries again at"), "when it is tried again")
        await stage.press("p")
        await opened(stage, TypedScreen)
        await give(stage, password="another")
        await opened(stage, SyncScreen)
        await stage.until(lambda: stage.shows("Last synced   just now") and not stage.shows("Problem"), "it is well")

        await stage.press("x")
        await opened(stage, ConfirmScreen)
        await stage.press("enter")
        await opened(stage, SyncScreen)
        assert stage.library.syncing.account() is not None, "enter keeps it"
        await stage.press("x", "y")
        await stage.until(lambda: stage.ready and stage.library.syncing.account() is None, "it is forgotten")
        assert stage.player.credentials.find(gpodder.address) is None
        await sync(stage, WaysScreen)


async def test_sync_now_says_what_came_of_it_and_moves_what_is_paused(gpodder: GpodderServer) -> None:
    async with app() as stage:
        stage.screen.act("sync_now")
        await stage.until(lambda: isinstance(stage.app.screen, WaysScreen), "the ways to sync")
        await stage.press("escape")
        await sign_in(stage, gpodder)
        await merge(stage)
        await stage.press("escape")
        stage.screen.act("sync_now")
        await stage.until(lambda: stage.news == "Synced", "the end of the round")

        paused = stage.player.status.episode
        assert paused is not None
        stage.library.progress.save(paused.id, 60_000, None, datetime(2026, 1, 1, tzinfo=UTC))
        heard_elsewhere(stage, gpodder, paused)
        stage.screen.act("sync_now")
        await stage.until(lambda: "Moved to 5:21, where " in stage.news, "the move of what is paused")
        await stage.until(lambda: stage.player.status.position_ms == HEARD_S * 1000, "the position")

        gpodder.password = "another"
        gpodder.end_sessions()
        stage.screen.act("sync_now")
        await stage.until(lambda: "refused the login" in stage.news, "what is wrong")
        await stage.until(lambda: what_stays(stage) == "sync: sign in again", "what stays in the footer")


def what_stays(stage: Stage) -> str:
    """Without what the footer says for a moment."""
    stage.screen.footer.clear_flash()
    return stage.news
