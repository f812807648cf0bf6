"""A way to sync that stands in a folder of its own, in the app; and one that this Earmark doesn't know."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.audiobookshelf import PASSWORD as ANNS_PASSWORD
from tests.audiobookshelf import USER as ANN
from tests.audiobookshelf import AudiobookshelfServer, Episode
from tests.sync_servers.harbour import HarbourServer, known
from tests.sync_servers.server import PASSWORD, USER
from tests.tui.controllers.syncing.test_sync_pages import (
    HEARD_HERE_MS,
    app,
    choose,
    give,
    merge,
    opened,
    rows,
    sync,
)
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.syncing import SyncScreen, TypedScreen, WaysScreen


@pytest.fixture
def server() -> Iterator[HarbourServer]:
    with HarbourServer() as running:
        yield running


async def test_it_is_listed_set_up_and_signed_in_to_again_and_named_where_it_isnt_known(
    server: HarbourServer, tmp_path: Path
) -> None:
    async with app() as stage:
        with known(tmp_path):
            await choose(stage, "harbour")
            assert stage.shows("Sync through a harbour")
            assert stage.shows("The harbour master knows your name.")
            assert stage.shows("Watchword")
            await give(stage, address=server.address, user=USER, password=PASSWORD, name="dinghy")
            await merge(stage)
            assert [one["position_ms"] for one in server.log] == [HEARD_HERE_MS]
            await stage.press("escape")
            await sync(stage, SyncScreen)
            await stage.until(lambda: stage.shows(f"harbour {server.address} as {USER}"), "where it syncs")
            assert stage.shows("Syncs         positions, played")
            server.password = "another"
            await stage.press("p")
            await opened(stage, TypedScreen)
            await give(stage, password="another")
            await opened(stage, SyncScreen)
            assert stage.player.credentials.find(server.address) == (USER, "another")
            await stage.until(lambda: not stage.player.services.sync.status.busy, "the end of the round")
        await stage.press("enter")
        await stage.until(
            lambda: stage.shows("Problem       This version of Earmark can't sync through"), "the problem"
        )
        assert stage.shows(f"harbour {server.address} as {USER}")
        assert not stage.shows("Syncs         ")
        await stage.press("p")
        await stage.until(lambda: "can't sync through “harbour”" in stage.news, "why nobody can sign in")
        await sync(stage, SyncScreen)
        await stage.until(lambda: stage.shows("x forget"), "what can be done")
        await stage.press("x")
        await opened(stage, ConfirmScreen)
        await stage.press("y")
        await stage.until(lambda: stage.ready and stage.library.syncing.account() is None, "it is forgotten")
        await sync(stage, WaysScreen)
        assert not stage.shows("harbour")


async def test_an_audiobookshelf_takes_an_api_key_without_a_name_and_is_signed_in_to_again_with_a_password() -> None:
    with AudiobookshelfServer() as server:
        async with app() as stage:
            episode = rows(stage)[0]
            podcast = server.add_podcast("CoRecursive")
            podcast.feed = stage.library.podcasts.get(episode.podcast_id).url
            there = podcast.add_episode("One", b"", guid=episode.guid, enclosure=episode.url, duration=3600.0)
            await choose(stage, "audiobookshelf")
            assert stage.shows("Sync through an Audiobookshelf server")
            assert stage.shows("Password or API key")
            await give(stage, address=server.address, name="desk", password=server.api_key())
            await merge(stage)
            assert shown(server, there) == HEARD_HERE_MS / 1000
            await stage.press("escape")
            await sync(stage, SyncScreen)
            await stage.until(lambda: stage.shows(f"Audiobookshelf {server.address} as {ANN}"), "where it syncs")

            server.withdraw_keys()
            await stage.press("enter")
            await stage.until(lambda: stage.shows("no longer accepts your login"), "what is wrong")
            await stage.press("p")
            await opened(stage, TypedScreen)
            await give(stage, password=ANNS_PASSWORD)
            await opened(stage, SyncScreen)
            await stage.until(
                lambda: stage.shows("Last synced   just now") and not stage.shows("Problem"), "it is well"
            )


def shown(server: AudiobookshelfServer, episode: Episode) -> float:
    row = server.progress_of(episode)
    return row["currentTime"] if row else 0.0
