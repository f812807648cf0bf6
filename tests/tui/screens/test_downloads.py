"""The Downloads view with a real server: how far each is, pausing, failing, and a network that goes away."""

import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from textual.pilot import Pilot

from player.events import NetworkChanged, PodcastAdded
from player.model.downloads import DownloadState
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.net import connectivity
from player.paths import Paths
from player.player import Player
from player.text.sizes import size_label
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import apply_feed, episode
from tests.player.media.sounds import mp3
from tests.tui.alone import screen_text
from tests.tui.stage import QUIET, Stage, opened
from tui.app import EarmarkApp
from tui.screens.main import MainScreen

BODY = mp3(1500)
PART = 200_000


@dataclass
class Gate:
    """Serves the first part of a file, and the rest once it is opened. While it is `broken`, nothing."""

    opened: threading.Event = field(default_factory=threading.Event)
    status: int = 206
    broken: bool = False

    def __call__(self, request: Request) -> None:
        if self.broken:
            request.close_connection = True
            request.connection.shutdown(socket.SHUT_RDWR)
            return
        if self.status != 206:
            request.reply(b"", "text/plain", status=self.status)
            return
        start = int(request.headers.get("Range", "bytes=0-")[6:].partition("-")[0])
        request.send_response(206)
        for name, value in (
            ("Content-Type", "audio/mpeg"),
            ("ETag", '"1"'),
            ("Content-Range", f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"),
            ("Content-Length", str(len(BODY) - start)),
        ):
            request.send_header(name, value)
        request.end_headers()
        first = max(start, PART)
        request.wfile.write(BODY[start:first])
        request.wfile.flush()
        self.opened.wait(20)
        if not self.broken:
            request.wfile.write(BODY[first:])


@dataclass
class Downloads:
    stage: Stage
    gate: Gate
    ids: list[EpisodeId]

    @property
    def app(self) -> EarmarkApp:
        return self.stage.app

    @property
    def pilot(self) -> Pilot[int]:
        return self.stage.pilot

    @property
    def screen(self) -> MainScreen:
        return self.stage.screen

    @property
    def text(self) -> str:
        return screen_text(self.app)

    def states(self) -> list[DownloadState]:
        return [one.state for one in self.app.player.downloads.snapshot().entries]

    async def until(self, condition: Callable[[], object]) -> None:
        await self.stage.until(condition)

    async def shows(self, *words: str) -> None:
        await self.until(lambda: all(word in self.text for word in words))

    async def view(self) -> None:
        self.screen.parts.sidebar.select(View.of(ViewName.DOWNLOADS))
        await self.until(lambda: self.screen.view.name is ViewName.DOWNLOADS)
        await self.pilot.press("g")


@asynccontextmanager
async def three(paths: Paths, server: LoopbackServer, size: tuple[int, int] = (120, 36)) -> AsyncIterator[Downloads]:
    """Three episodes at a server that stops after a part of each file, all of them to be downloaded."""
    gate, player = Gate(), Player(paths, QUIET)
    player.open()
    async with opened(player, size) as stage:
        library = player.library
        items = [episode(n, title=f"Part {n}", url=server.answer(f"/{n}.mp3", gate)) for n in (1, 2, 3)]
        podcast = library.podcasts.add(server.page("/feed.xml", b""), "A show")
        ids = list(apply_feed(library, podcast, *items).new)
        player.bus.publish(PodcastAdded(podcast.id))
        await stage.until(lambda: stage.shows("Part 1"), "the podcast")
        player.downloads.download(ids).result(10)
        try:
            yield Downloads(stage, gate, ids)
        finally:
            gate.opened.set()


@pytest.fixture
def other() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


async def test_how_far_each_is_stands_in_every_list_and_in_its_view(paths: Paths, server: LoopbackServer) -> None:
    async with three(paths, server) as downloads:
        percent = f"⇣{100 * PART // len(BODY)}%"
        await downloads.until(lambda: downloads.text.count(percent) == 2)
        assert any("Part 3" in line and "◌" in line for line in downloads.text.splitlines())
        await downloads.view()
        await downloads.shows("0 of 3", f"{100 * PART // len(BODY)}%", "waiting")
        downloads.gate.opened.set()
        await downloads.shows("3 episodes · ", "free")
        await downloads.until(lambda: "On this computer" not in downloads.text)
        sizes = [one.size or 0 for one in downloads.app.player.library.downloads.all()]
        assert size_label(sum(sizes)) in downloads.text
        assert all(size_label(size) in downloads.text for size in sizes)


async def test_one_is_paused_all_are_paused_and_both_resume(paths: Paths, server: LoopbackServer) -> None:
    async with three(paths, server) as downloads:
        await downloads.view()
        await downloads.shows("waiting")
        await downloads.pilot.press("D")
        await downloads.until(lambda: downloads.states()[0] is DownloadState.PAUSED)
        await downloads.shows("paused")
        await downloads.stage.run("pause_downloads")
        await downloads.shows("All downloads are paused. ? “Pause or resume")
        await downloads.until(lambda: DownloadState.RUNNING not in downloads.states())
        downloads.gate.opened.set()
        await downloads.stage.run("pause_downloads")
        await downloads.until(lambda: downloads.states() == [DownloadState.DONE] * 3)


async def test_rows_move_and_are_cancelled_without_a_question(paths: Paths, server: LoopbackServer) -> None:
    async with three(paths, server) as downloads:
        await downloads.view()
        await downloads.shows("waiting")
        await downloads.pilot.press("J")
        await downloads.until(
            lambda: (
                [one.episode_id for one in downloads.app.player.downloads.snapshot().entries]
                == [downloads.ids[1], downloads.ids[0], downloads.ids[2]]
            ),
        )
        await downloads.until(lambda: downloads.screen.episode_id == downloads.ids[0])
        await downloads.pilot.press("ctrl+a", "delete")
        await downloads.shows("3 downloads cancelled", "Nothing downloaded yet")
        assert downloads.states() == []


@pytest.mark.long
async def test_what_is_here_is_deleted_without_a_question_and_comes_back_with_undo(
    paths: Paths, server: LoopbackServer
) -> None:
    async with three(paths, server) as downloads:
        downloads.gate.opened.set()
        await downloads.until(lambda: downloads.states() == [DownloadState.DONE] * 3)
        await downloads.view()
        await downloads.shows("3 episodes")
        files = [one.path for one in downloads.app.player.library.downloads.all()]
        await downloads.pilot.press("ctrl+a", "delete")
        await downloads.shows("3 downloads deleted · U undoes", "Nothing downloaded yet")
        assert not any(path.exists() for path in files)
        await downloads.pilot.press("U")
        await downloads.shows("3 episodes · ")
        assert all(path.exists() for path in files)


async def test_a_failed_download_says_why_and_its_key_tries_again(paths: Paths, server: LoopbackServer) -> None:
    async with three(paths, server, (60, 16)) as downloads:
        app = downloads.app
        app.player.downloads.cancel(downloads.ids).result(10)
        late = apply_feed(
            app.player.library,
            app.player.library.podcasts.find("A show"),
            episode(9, title="Late", url=server.answer("/9.mp3", Gate(status=404))),
        ).new
        app.player.downloads.download(late).result(10)
        await downloads.until(lambda: DownloadState.FAILED in downloads.states())
        await downloads.view()
        await downloads.shows("! Late", "A download failed: D on it retries")
        server.audio("/9.mp3", BODY)
        await downloads.until(lambda: downloads.screen.episode is not None)
        await downloads.pilot.press("g", "D")
        await downloads.until(lambda: app.player.library.episodes.get(late[0]).downloaded)


@pytest.mark.long
@pytest.mark.usefixtures("notices_network")
async def test_a_network_that_goes_away_is_noticed_asked_for_rarely_and_downloads_resume(
    paths: Paths, server: LoopbackServer, other: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connectivity, "_PAUSES_S", (0.3,))
    monkeypatch.setattr("player.net.connectivity._ANSWERED_S", 0.0)
    async with three(paths, server) as downloads:
        app, gate, library = downloads.app, downloads.gate, downloads.app.player.library
        library.podcasts.add(other.page("/feed.xml", b""), "Elsewhere")
        changes: list[bool] = []
        app.player.bus.subscribe(NetworkChanged, lambda event: changes.append(event.offline))
        await downloads.until(lambda: downloads.states().count(DownloadState.RUNNING) == 2)
        for broken in (server, other):
            broken.answers["/"] = gate  # no HEAD is answered either
        gate.broken = True
        gate.opened.set()
        for broken in (server, other):
            broken.hang_up()
        await downloads.shows("no network")
        await downloads.until(lambda: DownloadState.RUNNING not in downloads.states())
        app.player.refresh(by_person=False).result(10)
        app.player.attachments.want(downloads.ids[0])
        asked = [len(one.seen) for one in (server, other)]
        await downloads.until(lambda: len(server.seen) + len(other.seen) >= sum(asked) + 4)
        later = [*server.seen[asked[0] :], *other.seen[asked[1] :]]
        assert {(request.command, request.path) for request in later} == {("HEAD", "/")}
        assert len(server.seen) < 30
        await downloads.view()
        await downloads.shows("Offline: downloads wait.", "waits for the network")
        assert changes == [True]
        gate.broken = False
        await downloads.until(lambda: downloads.states() == [DownloadState.DONE] * 3)
        assert changes == [True, False]
        assert "no network" not in downloads.text


@pytest.mark.long
async def test_the_footer_names_the_key_for_what_is_on_its_way(paths: Paths, server: LoopbackServer) -> None:
    async with three(paths, server) as downloads:
        assert "pause or resume" not in downloads.text
        await downloads.view()
        await downloads.until(lambda: "D pause or resume" in downloads.text.splitlines()[-1])
        downloads.gate.opened.set()
        await downloads.until(lambda: downloads.states() == [DownloadState.DONE] * 3)
        await downloads.until(lambda: "pause or resume" not in downloads.text.splitlines()[-1])
