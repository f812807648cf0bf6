"""Shown against heard, for one kind of file through the whole of Earmark: start, jumps, double speed, a power cut."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from typing import Any

from player.errors import ControlError
from player.feeds.check import decide
from player.integrations.client import request
from player.library import Library
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.sound.files import file
from tests.sound.pitch import Heard, heard, steady
from tests.sound.sound_server import Recording, SoundServer

EFFECTS = """
[audio]
level = "-16"
boost = "strong"
trim = "strong"
mono = true
"""
NEAR_S = 0.3
BLUR_S = 0.15
"""Where sound begins or ends, a tone can't be read any closer."""
LOST_S = 1.0
FORWARD_S, BACK_S = 45, 15
_DEADLINE_S = 20.0
_SAME_SOUND_S = 0.2
_READ_LATE_S = 0.13
"""The last tone that can be read lies so far before the end of the sound."""
_OTHER_PLACE_S = 3.0


def near_s(speed: float) -> float:
    """The most by which what is shown may differ from what is heard, in seconds of the episode. At high speeds it is
    0.2 s of the listener's time, as the sound takes the same time to reach the sound server at any speed."""
    return max(NEAR_S, 0.2 * speed)


@dataclass(frozen=True)
class Errors:
    """In seconds, by which what is heard is later than it should be.

    Where the start and the seeks landed; the resume against the position that was saved before the process was killed;
    the rest against the place shown at that moment, at double speed and (the worst of all) at the usual one. `lost` is
    what was saved less the last sound: a position is saved every second.
    """

    start: float
    seek_forward: float
    seek_back: float
    resume: float
    double_speed: float
    shown: float
    lost: float

    @property
    def good(self) -> bool:
        landed = max(map(abs, (self.start, self.seek_forward, self.seek_back, self.resume))) <= NEAR_S
        shown = abs(self.shown) <= NEAR_S and abs(self.double_speed) <= near_s(2)
        return landed and shown and -LOST_S <= self.lost <= BLUR_S


COLUMNS = tuple(field.name.replace("_", " ") for field in fields(Errors))


def row(kind: str, errors: Errors) -> list[str]:
    return [kind, *(f"{error:+.2f}" for error in astuple(errors))]


def measure(kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths, settings: str = "") -> Errors:
    """Plays a file of that kind over loopback in a process of its own, with these settings in config.toml; `paths` must
    be an empty home."""
    if settings:
        paths.config.mkdir(parents=True)
        (paths.config / "config.toml").write_text(settings)
    episode = _subscribed(kind, server, paths)
    environment = {**sound.environment(), "EARMARK_HOME": str(paths.data.parent)}
    with sound.recording() as recording:
        with _playing(episode, environment, paths) as process:
            ear = _Ear(recording, paths)
            start, shown_at_start = ear.errors_after(lambda: None, 0, since=0.0)
            forward, shown_forward = ear.errors_after(lambda: ear.ask("seek", to_ms=FORWARD_S * 1000), FORWARD_S)
            back, shown_back = ear.errors_after(lambda: ear.ask("seek", to_ms=BACK_S * 1000), BACK_S)
            ear.ask("speed", speed=2.0)
            ear.listen(0.5)
            double = ear.shown_error()
            ear.ask("speed", speed=1.0)
            ear.listen(1.2)
            process.kill()
            process.wait()
            killed = time.monotonic()
        saved = _saved(episode, paths)
        with _playing(episode, environment, paths):
            ear.listen(0.8)
        last = steady([one for one in heard(recording, killed - 1.5) if one.at < killed])[-1]
        readings = heard(recording, killed + 0.3)
        resumed = _first_of(readings, steady(readings)[0]) - saved
        lost = saved - _position_s(last) - _READ_LATE_S
    shown = max(shown_at_start, shown_forward, shown_back, key=abs)
    return Errors(start, forward, back, resumed, double, shown, lost)


def resumed_from_download(kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths) -> float:
    """Leaves an episode in its middle, downloads it, with tags, and plays it again: by how many seconds it is heard
    later than it was left. `paths` must be an empty home."""
    episode = _subscribed(kind, server, paths)
    environment = {**sound.environment(), "EARMARK_HOME": str(paths.data.parent)}
    with sound.recording() as recording:
        with _playing(episode, environment, paths) as process:
            ear = _Ear(recording, paths)
            ear.ask("seek", to_ms=FORWARD_S * 1000)
            ear.listen(1.5)
            process.kill()
            process.wait()
        saved = _saved(episode, paths)
        command = [sys.executable, "-m", "tui", "download", str(episode)]
        subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
        server.answers.clear()
        downloaded = time.monotonic()
        with _playing(episode, environment, paths):
            ear.listen(1.2)
        readings = heard(recording, downloaded)
        return _first_of(readings, steady(readings)[0]) - saved


@dataclass
class _Ear:
    recording: Recording
    paths: Paths

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        status: dict[str, Any] = request(self.paths.socket, command, **arguments)["status"]
        return status

    def listen(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.02)

    def errors_after(
        self, jump: Callable[[], object], wanted: float, since: float | None = None
    ) -> tuple[float, float]:
        """How far from `wanted` it sounds after `jump`, and from what is shown then.

        `since`: when it was started, if `jump` does nothing.
        """
        moment = time.monotonic() if since is None else since
        before = self.ask("status")["position_ms"] / 1000
        jump()
        self.listen(0.5)
        shown = self.shown_error()
        readings = heard(self.recording, moment)
        sounds = steady(readings)
        if since is None:
            sounds = [one for one in sounds if abs(_position_s(one) - before - (one.at - moment)) > _OTHER_PLACE_S]
        return _first_of(readings, sounds[0]) - wanted, shown

    def shown_error(self) -> float:
        """The worst in half a second."""
        start = time.monotonic()
        shown = []
        for _ in range(6):
            self.listen(0.1)
            before = time.monotonic()
            position_s = float(self.ask("status")["position_ms"]) / 1000
            shown.append(((before + time.monotonic()) / 2, position_s))
        self.listen(0.25)
        sounds = steady(heard(self.recording, start - 0.2))
        return max((_at(sounds, moment) - position_s for moment, position_s in shown), key=abs)


def _first_of(readings: list[Heard], steady_one: Heard) -> float:
    """The place where the sound began that `steady_one` is from."""
    first = _position_s(steady_one)
    for one in reversed([one for one in readings if one.at < steady_one.at]):
        expected = _position_s(steady_one) - (steady_one.at - one.at)
        quiet = one.loudness < steady_one.loudness / 2
        if one.position_s is None or quiet or abs(one.position_s - expected) > _SAME_SOUND_S:
            break
        first = one.position_s
    return first


def _at(sounds: list[Heard], moment: float) -> float:
    """The place heard at the moment, from the tones read just before and after."""
    near = sorted(sounds, key=lambda one: abs(one.at - moment))[:5]
    return _position_s(sorted(near, key=_position_s)[2])


def _position_s(one: Heard) -> float:
    assert one.position_s is not None
    return one.position_s


def _subscribed(kind: str, server: LoopbackServer, paths: Paths) -> EpisodeId:
    audio = server.audio("/episode", file(kind), "application/octet-stream")
    library = Library(paths)
    library.open()
    try:
        podcast = library.podcasts.add(server.url("/feed.xml"), "Tones")
        feed = Feed(title="Tones", episodes=(FeedEpisode(guid=kind, title=kind, url=audio),))
        library.podcasts.apply(podcast.id, feed, FeedState(), decide)
        return EpisodeId(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))[0])
    finally:
        library.close()


def _saved(episode: EpisodeId, paths: Paths) -> float:
    """The position in the library, in seconds."""
    library = Library(paths)
    library.open()
    try:
        return library.episodes.get(episode).position_ms / 1000
    finally:
        library.close()


@contextmanager
def _playing(episode: EpisodeId, environment: dict[str, str], paths: Paths) -> "Iterator[subprocess.Popen[bytes]]":
    """`earmark play`, from when it sounds."""
    command = [sys.executable, "-m", "tui", "play", str(episode)]
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            deadline = time.monotonic() + _DEADLINE_S
            while _state(paths) != "playing":
                assert process.poll() is None, "earmark play has ended"
                assert time.monotonic() < deadline, f"no sound: {_state(paths)}"
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def _state(paths: Paths) -> str:
    try:
        return str(request(paths.socket, "status")["status"]["state"])
    except ControlError:
        return ""
