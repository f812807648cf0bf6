"""A live stream in an engine: what libvlc refuses is told once."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.errors import MediaError
from player.media.fetching.broadcast import LiveMedia
from player.playback.engine import EngineFailed, EngineReport
from player.playback.vlc.live import LiveTrack


class Refusing:
    """libvlc, where it won't make a media of a stream's bytes."""

    instance = None
    vlc = SimpleNamespace(
        MediaOpenCb=None, MediaReadCb=None, MediaSeekCb=None, MediaCloseCb=None,
        libvlc_media_new_callbacks=lambda *_: None,
    )  # fmt: skip

    def new_player(self) -> Any:
        raise AssertionError("nothing to play was made")


class Sent(SimpleNamespace):
    """A stream of which `format`, `over`, `ended` and `error` are known."""

    size = None
    seekable = False

    def reaches(self, _offset: int) -> bool:
        return True

    def read(self, *_: object) -> bytes:
        return b""

    def wake(self) -> None: ...

    def close(self) -> None: ...


def tuned(broadcast: Sent) -> tuple[LiveTrack, list[EngineReport]]:
    reports: list[EngineReport] = []
    media = cast(LiveMedia, SimpleNamespace(listen=lambda _ready: broadcast))
    track = LiveTrack(Refusing(), reports.append, 1, media, 100)
    track.open(0)
    return track, reports


def polled(track: LiveTrack, reports: list[EngineReport]) -> list[str]:
    for _ in range(3):
        track.poll()
    return [str(report.error) for report in reports if isinstance(report, EngineFailed)]


@pytest.fixture(autouse=True)
def casts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.playback.vlc.byte_source.ctypes.cast", lambda callback, _kind: callback)


def test_a_stream_that_libvlc_refuses_fails_once() -> None:
    track, reports = tuned(Sent(format="mp3", over=False, ended=False, error=None))
    assert polled(track, reports) == ["libvlc can't play this live stream. See the log."]


def test_why_a_stream_cannot_be_played_is_told() -> None:
    error = MediaError("This live stream is encrypted")
    track, reports = tuned(Sent(format="", over=True, ended=False, error=error))
    assert polled(track, reports) == ["This live stream is encrypted."]


def test_a_stream_of_which_nothing_comes_may_be_off_the_air() -> None:
    track, reports = tuned(Sent(format="", over=True, ended=False, error=None))
    assert polled(track, reports) == ["The live stream isn't available. It may be off the air."]


def test_before_anything_was_sent_it_can_be_paused_and_turned_down() -> None:
    track, reports = tuned(Sent(format="", over=False, ended=False, error=None))
    track.pause()
    track.set_volume(50)
    track.resume()
    assert polled(track, reports) == []
    track.close()
