"""SIGKILL at any request of a round, obeyed by the server but not answered: nothing is lost, nothing counts twice."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

import pytest

from player.library import Library
from player.net.credentials import Credentials, Tokens
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.round import Round
from player.sync.ways import target_of, way_of
from tests.audiobookshelf import USER, AudiobookshelfServer
from tests.player.library.helpers import URL, OtherProcess, apply_feed, episode, other_process

LISTENS = """
from datetime import UTC, datetime, timedelta
from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.net.credentials import Credentials
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.round import Round
from player.sync.ways import target_of

paths, one = Paths.of(), EpisodeId({one})
library = Library(paths)
library.open()
target = target_of(library.syncing.account(), paths, Credentials(paths.logins), NetworkLoop(5.0, 5.0))
while True:
    minute = len(library.history.spans(one))
    began = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=minute)
    now = began + timedelta(minutes=1)
    heard = ListeningSpan(one, minute * 60_000, (minute + 1) * 60_000, began)
    library.progress.start(one)
    library.progress.save(one, (minute + 1) * 60_000, None, now, heard=[heard])
    Round(library, target, now=lambda: now).run()
"""


def _kill_once(process: OtherProcess, requests: Iterator[int]) -> None:
    """Kills it after so many requests."""
    if next(requests, None) is None:
        process.process.kill()


@pytest.mark.parametrize("kills", [5, pytest.param(40, marks=pytest.mark.long)])
def test_listening_counts_once_whenever_earmark_is_killed(
    kills: int, library: Library, paths: Paths, network: NetworkLoop
) -> None:
    (one,) = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, duration_ms=36_000_000)).new
    with AudiobookshelfServer() as server:
        podcast = server.add_podcast("A show")
        podcast.feed = URL
        there = podcast.add_episode("0", b"", guid="guid-0", duration=36_000.0)
        account = way_of("audiobookshelf").account(server.address, USER, "laptop", "laptop")
        Credentials(paths.logins).remember_tokens(server.address, Tokens(USER, server.api_key()))
        library.syncing.set_account(account)
        library.close()
        chance = random.Random(1)
        for _run in range(kills):
            with other_process(LISTENS.format(one=one)) as listening:
                server.obeyed = partial(_kill_once, listening, iter(range(chance.randint(0, 12))))
                assert listening.process.wait(60) == -9, listening.rest()
        server.obeyed = lambda: None
        library.open()
        target = target_of(account, paths, Credentials(paths.logins), network)
        Round(library, target, now=lambda: datetime(2026, 3, 2, tzinfo=UTC)).run()
        heard = library.history.spans(one)
        assert heard
        assert server.listened_s() == {there.id: 60 * len(heard)}
        row = server.progress_of(there)
        assert row is not None
        assert row["currentTime"] == 60 * len(heard)
        assert library.syncing.counts().outgoing == 0
