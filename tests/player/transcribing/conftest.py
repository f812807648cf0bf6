"""A player whose engine understands numbers."""

from collections.abc import Iterator

import pytest

from player.events import Notice
from player.library import AttachmentKind
from player.library.attachments import MADE
from player.media.fetching import range_fetcher
from player.model.downloads import DownloadEntry
from player.model.episode import EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from player.transcribing.made import Made, read_made
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually
from tests.player.transcribing.spoken import Listener


class Stage:
    def __init__(self, paths: Paths, server: LoopbackServer, engine: Listener) -> None:
        self.server, self.engine = server, engine
        self.player = Player(paths, Settings(playback=Playback(engine="silent")))
        self.events: list[object] = []
        self.player.open()
        self.player.bus.subscribe(object, self.events.append)

    def add(self, url: str, number: int = 1, seconds: int = 130) -> EpisodeId:
        library = self.player.library
        podcast = library.podcasts.by_url(URL) or library.podcasts.add(URL, "A show")
        (added,) = apply_feed(library, podcast, episode(number, url=url, duration_ms=seconds * 1000)).new
        return added

    def made(self, episode_id: EpisodeId) -> Made:
        library = self.player.library
        return read_made(library.attachments.get(episode_id, AttachmentKind.TRANSCRIPT, MADE)) or Made()

    def numbers(self, episode_id: EpisodeId) -> list[int]:
        """The numbers in its transcript; each must be at its second."""
        found = []
        for segment in self.made(episode_id).segments:
            number = int(segment.body.removeprefix("Number ").removesuffix("."))
            assert abs(segment.start_time - number) < 0.06
            found.append(number)
        return found

    def entry(self, episode_id: EpisodeId) -> DownloadEntry | None:
        return next((one for one in self.player.downloads.snapshot().entries if one.episode_id == episode_id), None)

    def notices(self) -> list[str]:
        return [one.text for one in self.events if isinstance(one, Notice)]

    def is_empty(self) -> bool:
        return not self.player.library.downloads.queue.all()

    def transcribe(self, *ids: EpisodeId) -> None:
        """Returns when all are transcribed."""
        self.player.downloads.transcribe(ids).result(5)
        eventually(self.is_empty)


@pytest.fixture
def engine() -> Listener:
    return Listener()


@pytest.fixture
def stage(paths: Paths, server: LoopbackServer, engine: Listener, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01,))
    monkeypatch.setattr("player.services.engine_for", lambda *_settings: engine)
    monkeypatch.setattr("player.processes.power.is_battery", lambda: False)
    made = Stage(paths, server, engine)
    yield made
    made.player.close()
