"""`earmark undo` and `earmark redo`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from player.events import Cause, Notice, PodcastAdded, PodcastRemoved, QueueChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.player.playback.support import wait_until
from tests.tui.cli.conftest import Earmark


def test_what_was_removed_comes_back_and_goes_again(earmark: Earmark, library: Library) -> None:
    earmark("podcasts")
    before = [podcast.title for podcast in library.podcasts.all()]
    earmark("remove", "welcome", "--yes")
    assert earmark("undo").out == "Undone: unsubscribed from “Welcome to Earmark”\n"
    assert [podcast.title for podcast in library.podcasts.all()] == before
    assert json.loads(earmark("redo", "--json").out)["kind"] == "unsubscribed"
    assert len(library.podcasts.all()) == len(before) - 1


@pytest.mark.parametrize("is_running", [True, False])
def test_podcasts_that_another_device_unsubscribed_from_together_are_counted(
    earmark: Earmark, library: Library, request: pytest.FixtureRequest, is_running: bool
) -> None:
    added = [library.podcasts.add(f"https://{number}.example/feed", f"Show {number}") for number in range(4)]
    before = len(library.podcasts.all())
    for one in added:
        library.acts.unsubscribe(one.id, datetime(2026, 1, 2, tzinfo=UTC))
    if is_running:
        request.getfixturevalue("running")
    assert earmark("undo").out == "Undone: unsubscribed from 4 podcasts\n"
    assert len(library.podcasts.all()) == before
    assert json.loads(earmark("redo", "--json").out)["count"] == 4
    assert len(library.podcasts.all()) == before - 4


def test_without_anything_to_do_it_says_so_and_succeeds(earmark: Earmark, library: Library) -> None:
    for command, words in (("undo", "Nothing to undo\n"), ("redo", "Nothing to redo\n")):
        ended = earmark(command)
        assert (ended.code, ended.out) == (0, words)
    assert json.loads(earmark("undo", "--json").out) is None


# -- beside a running Earmark -------------------------------------------------------------------------------------


@pytest.fixture
def running(paths: Paths) -> Iterator[Player]:
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    player.start()
    wait_until(paths.socket.exists, "the control socket")
    yield player
    player.close()


@pytest.fixture
def told(running: Player) -> list[object]:
    events: list[object] = []
    for kind in (Notice, PodcastAdded, PodcastRemoved, QueueChanged):
        running.bus.subscribe(kind, events.append)
    return events


def test_a_running_earmark_does_it_shows_it_and_says_so(earmark: Earmark, running: Player, told: list[object]) -> None:
    welcome = next(one for one in running.library.podcasts.all() if one.title.startswith("Welcome"))
    running.acts.unsubscribe(welcome.id).result(10)
    told.clear()
    assert earmark("undo").out == "Undone: unsubscribed from “Welcome to Earmark”\n"
    assert PodcastAdded(welcome.id) in told
    assert told[-1] == Notice("Undone: unsubscribed from “Welcome to Earmark”")
    assert earmark("undo").out == "Nothing to undo\n"


def test_redoing_an_unsubscription_stops_that_podcast(earmark: Earmark, running: Player, told: list[object]) -> None:
    welcome = next(one for one in running.library.podcasts.all() if one.title.startswith("Welcome"))
    running.acts.unsubscribe(welcome.id).result(10)
    earmark("undo")
    first = EpisodeId(running.library.listing(View.of(ViewName.PODCAST, welcome.id)).page(0, 1)[0])
    running.session.play(first).result(10)
    wait_until(lambda: running.status.state is PlaybackState.PLAYING, "sound")
    assert earmark("redo", "--json").json == {"kind": "unsubscribed", "title": "Welcome to Earmark", "count": 1}
    wait_until(lambda: running.status.episode is None, "silence")
    assert PodcastRemoved(welcome.id) in told


def test_a_running_earmark_unsubscribes_and_shows_it(earmark: Earmark, running: Player, told: list[object]) -> None:
    welcome = next(one for one in running.library.podcasts.all() if one.title.startswith("Welcome"))
    first = EpisodeId(running.library.listing(View.of(ViewName.PODCAST, welcome.id)).page(0, 1)[0])
    running.session.play(first).result(10)
    wait_until(lambda: running.status.state is PlaybackState.PLAYING, "sound")
    assert earmark("remove", "welcome", "--yes").out == "Removed Welcome to Earmark. To bring it back: earmark undo\n"
    wait_until(lambda: running.status.episode is None, "silence")
    assert PodcastRemoved(welcome.id) in told
    assert Notice("Unsubscribed from “Welcome to Earmark”") in told
    assert earmark("undo").out == "Undone: unsubscribed from “Welcome to Earmark”\n"


def test_the_queue_is_changed_by_a_running_earmark(earmark: Earmark, running: Player, told: list[object]) -> None:
    first, second = (EpisodeId(one) for one in running.library.listing(View()).page(0, 2))
    assert earmark("queue", "add", str(first), str(second)).out == "2 episodes queued.\n"
    assert QueueChanged(Cause.PERSON) in told
    assert earmark("queue", "move", str(second), "1").out == "It is now number 1 of 2.\n"
    assert list(running.library.queue.ids()) == [second, first]
    assert earmark("queue", "clear").out == "2 episodes taken out of the queue.\n"
    assert earmark("undo").out == "Undone: cleared the queue (2 episodes)\n"


def test_what_a_running_earmark_plays_is_not_to_come(earmark: Earmark, running: Player) -> None:
    first, second = (EpisodeId(one) for one in running.library.listing(View()).page(0, 2))
    running.library.queue.add_last([first, second])

    def counts() -> tuple[int, int]:
        (queue,) = [one for one in earmark("lists", "--json").json if one["name"] == "queue"]
        return queue["episode_count"], queue["unplayed_count"]

    assert counts() == (2, 2)
    assert earmark("queue").out.splitlines()[-1].startswith("2 episodes · ")
    running.session.play(first).result(10)
    wait_until(lambda: running.status.state is PlaybackState.PLAYING, "sound")
    running.session.pause().result(10)
    assert counts() == (2, 1)
    assert earmark("queue").out.splitlines()[-1].startswith("1 to come · ")
    assert [one["queued"] for one in earmark("queue", "--json").json] == [1, 2]
    running.session.stop().result(10)
    assert counts() == (2, 2)
