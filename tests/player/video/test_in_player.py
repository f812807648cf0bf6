"""Videos of a running Earmark: the sound pauses, and its position follows the video."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.events import Notice, Seeked
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings, Video
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.player.video import fake_mpv

WAIT_S = 20.0


def program(what: str, record: Path) -> str:
    return f"{sys.executable} {fake_mpv.__file__} '{what}' {record} --start={{start}} --input-ipc-server={{socket}}"


@pytest.fixture
def film(paths: Paths) -> EpisodeId:
    """The last episode, left at two minutes."""
    library = Library(paths)
    library.open()
    podcast = library.podcasts.add(URL, "A show")
    item = episode(0, title="Passes", url="https://example.com/1.mp4", media_type="video/mp4", duration_ms=1_200_000)
    (added,) = apply_feed(library, podcast, item).new
    library.progress.save(added, 120_000, None, datetime.now(UTC))
    library.progress.make_last(added)
    library.close()
    return added


@pytest.fixture
def player(paths: Paths, film: EpisodeId, tmp_path: Path) -> Iterator[Player]:
    video = Video(program("left", tmp_path / "record"))
    made = Player(paths, Settings(playback=Playback(engine="silent"), video=video))
    made.open()
    made.start()
    yield made
    made.close()


def test_the_position_in_the_bar_follows_the_video_and_moves_once(player: Player, film: EpisodeId) -> None:
    moves: list[Seeked] = []
    notices: list[str] = []
    player.bus.subscribe(Seeked, moves.append)
    player.bus.subscribe(Notice, lambda notice: notices.append(notice.text))
    assert player.status.position_ms == 120_000
    assert player.services.viewer.ask(film).result(WAIT_S) == Path(sys.executable).name
    wait_until(lambda: player.status.position_ms == 220_000, "the position in the bar")
    wait_until(lambda: notices == ["Watched “Passes” up to 3:40"], "what became of it")
    assert player.status.state is PlaybackState.PAUSED
    assert player.library.episodes.get(film).position_ms == 220_000
    assert [(one.from_ms, one.to_ms) for one in moves] == [(120_000, 220_000)]


def test_playback_pauses(player: Player, film: EpisodeId) -> None:
    assert player.welcome is not None
    first = EpisodeId(player.library.episodes.ids(View.of(ViewName.PODCAST, player.welcome.id), 1)[0])
    player.session.play(first)
    wait_until(lambda: player.status.state is PlaybackState.PLAYING, "the sound")
    player.services.viewer.ask(film).result(WAIT_S)
    wait_until(lambda: player.library.episodes.get(film).position_ms == 220_000, "the position in the library")
    assert player.status.state is PlaybackState.PAUSED
    assert player.status.episode is not None
    assert player.status.episode.id == first
