"""What comes out of the loudspeaker is as loud as was chosen, whatever the file, and after whatever is done to it."""

import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import numpy as np
import pytest

from player.events import Bus
from player.library import Library
from player.library.loudness import MeasuredLoudness
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc import engine as engine_of_libvlc
from player.playback.vlc.engine import VlcEngine
from player.settings import Audio, Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.measuring.audio import speech, wav
from tests.player.playback.effects.rendering import loudness
from tests.player.playback.effects.test_processed import scaled
from tests.player.playback.support import wait_until
from tests.quick import mostly_long
from tests.sound.pitch import heard as hear
from tests.sound.pitch import pitch_coded, steady
from tests.sound.places import NEAR_S
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.timeout(180)]
LEVEL = -16.0
SOURCE_RATE = 24_000


@contextmanager
def playing(
    library: Library, paths: Paths, server: LoopbackServer, data: bytes, name: str, audio: Audio
) -> "Iterator[tuple[PlaybackService, EpisodeId]]":
    url = server.audio(name, data)
    new = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=url)).new
    made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine, audio=audio)
    made.start()
    try:
        yield made, new[0]
    finally:
        made.close()


def heard(recording: Recording, begin: float, end: float) -> "array[float]":
    """The samples between two moments."""
    samples, first = recording.samples()
    part = samples[max(0, int((begin - first) * RATE)) : int((end - first) * RATE)]
    return array("f", part.astype(np.float32).tobytes())


def listen(seconds: float) -> tuple[float, float]:
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        time.sleep(0.05)
    return begin, time.monotonic()


def encoded(samples: "array[int]", kind: str, channels: int, path: Path) -> bytes:
    """As a file of that kind, with the same on both channels if there are two."""
    codec = {"mp3": "libmp3lame", "m4a": "aac", "opus": "libopus", "flac": "flac", "wav": "pcm_s16le"}[kind]
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=SOURCE_RATE, layout="stereo" if channels == 2 else "mono")
        assert isinstance(stream, av.AudioStream)
        for start in range(0, len(samples), SOURCE_RATE):
            piece = np.repeat(np.array(samples[start : start + SOURCE_RATE], "<i2"), channels).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(piece, format="s16", layout="stereo" if channels == 2 else "mono")
            frame.sample_rate, frame.pts = SOURCE_RATE, start
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path.read_bytes()


@pytest.mark.parametrize(
    ("lufs", "kind", "channels"),
    mostly_long(
        [
            (-31.0, "mp3", 1), (-9.0, "m4a", 2), (-7.0, "wav", 1), (-28.0, "opus", 2), (-24.0, "flac", 1),
            (-20.0, "mp3", 2), (-16.0, "m4a", 1), (-12.0, "opus", 1),
        ],
        quick=2,
    ),
)  # fmt: skip
def test_speech_is_heard_at_the_chosen_level_through_jumps_pauses_and_speeds(
    lufs: float,
    kind: str,
    channels: int,
    library: Library,
    paths: Paths,
    server: LoopbackServer,
    sound: SoundServer,
    tmp_path: Path,
) -> None:
    phrase = speech(4, SOURCE_RATE)[0][: 4 * SOURCE_RATE]  # again and again: it is as loud wherever it is listened to
    data = encoded(scaled(phrase * 15, lufs, SOURCE_RATE), kind, channels, tmp_path / f"a.{kind}")
    with (
        playing(library, paths, server, data, f"/a.{kind}", Audio(level=f"{LEVEL:g}")) as (session, episode_id),
        sound.recording() as recording,
    ):
        library.loudness.put(episode_id, MeasuredLoudness(lufs, -3.0, 60_000, is_whole=True))
        session.play(episode_id)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
        steps: tuple[Callable[[], object], ...] = (
            lambda: None,
            lambda: session.seek_to(40_000),
            lambda: (session.pause().result(5), session.resume().result(5)),
            lambda: (session.seek_to(5_000), session.set_speed(2.0)),
            lambda: session.set_speed(1.0),
            session.reopen,  # as when another output is chosen
        )
        for number, step in enumerate(steps):
            step()
            listen(0.5)
            found = loudness(heard(recording, *listen(8.0)), RATE, 1)
            # libvlc's time stretching makes these made words softer, by 0.8 LU at twice the speed; real ones by 0.2 LU.
            near = 1.5 if session.status.speed == 1.0 else 2.5
            assert found.lufs == pytest.approx(LEVEL, abs=near), number
            assert found.peak_db <= -1.0
        assert session.status.gain_db == pytest.approx(LEVEL - lufs, abs=0.1)


def test_where_ffmpeg_lacks_a_filter_episodes_play_as_they_are(
    library: Library,
    paths: Paths,
    server: LoopbackServer,
    sound: SoundServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_of_libvlc, "missing_filters", lambda: ("alimiter",))
    data = wav(tmp_path / "a.wav", scaled(speech(20, SOURCE_RATE)[0], -30.0, SOURCE_RATE), SOURCE_RATE, 1).read_bytes()
    with (
        playing(library, paths, server, data, "/a.wav", Audio(level=f"{LEVEL:g}")) as (session, episode_id),
        sound.recording() as recording,
    ):
        session.play(episode_id)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
        session.measured(episode_id, MeasuredLoudness(-30.0, -3.0, 60_000, is_whole=True), ())
        listen(0.5)
        assert loudness(heard(recording, *listen(6.0)), RATE, 1).lufs == pytest.approx(-30.0, abs=1.5)
        assert session.status.gain_db is None


def test_with_pauses_trimmed_what_is_shown_is_what_is_heard_and_the_time_is_saved(
    library: Library, paths: Paths, server: LoopbackServer, sound: SoundServer, tmp_path: Path
) -> None:
    """A tone that tells its place, with a pause of 1.5 s after every 2.5 s."""
    pauses = tuple((second * 1_000 + 2_500, second * 1_000 + 4_000) for second in range(0, 60, 4))
    tones = np.frombuffer(pitch_coded("wav")[-60 * SOURCE_RATE * 2 :], "<i2").copy()
    for begin, end in pauses:
        tones[begin * SOURCE_RATE // 1000 : end * SOURCE_RATE // 1000] = 0
    data = wav(tmp_path / "a.wav", array("h", tones.tobytes()), SOURCE_RATE, 1).read_bytes()
    with (
        playing(library, paths, server, data, "/a.wav", Audio(trim="strong")) as (session, episode_id),
        sound.recording() as recording,
    ):
        session.play(episode_id)
        session.measured(episode_id, None, pauses)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
        assert session.status.trim == "strong"
        began, shown = time.monotonic(), []
        for _ in range(40):
            _begin, moment = listen(0.3)
            shown.append((moment, session.status.at(moment).position_ms / 1000))
        passed, advanced = time.monotonic() - began, session.status.position_ms / 1000 - shown[0][1]
        sounds = [one for one in steady(hear(recording, began)) if one.position_s is not None]
    near = [(min(sounds, key=lambda one: abs(one.at - moment)), moment, at_s) for moment, at_s in shown]
    errors = [
        (one.position_s or 0.0) + moment - one.at - at_s for one, moment, at_s in near if abs(one.at - moment) < 0.06
    ]
    assert len(errors) > 10
    assert max(map(abs, errors)) <= NEAR_S
    assert advanced / passed == pytest.approx(4.0 / 2.7, rel=0.15)  # of 4 s 1.3 s are left out
    left = session.status.until_ms(60_000)
    assert left == pytest.approx((60_000 - session.status.position_ms) * 2.7 / 4, abs=1_500)
