"""What is heard is what is shown: pitch-coded audio through libvlc into a sink, read back with an FFT."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from player.playback.engine import EngineFailed, Finished, Measured, Playing, Starving
from player.playback.vlc.engine import VlcEngine
from tests.player.playback.support import HeldMedia, ReportLog, wait_until
from tests.quick import LONG, mostly_long
from tests.sound.pitch import FORMATS, Heard, chained, heard, heard_at, pitch_coded, steady
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = pytest.mark.sound

NEAR_S = 0.3
LAG_S = 0.1
"""Half a window of the FFT and what the sink holds back."""


class Player:
    def __init__(self, recording: Recording) -> None:
        self.ear = ReportLog()
        self.engine = VlcEngine(self.ear)
        self.recording = recording
        self.loads = 0

    def load(self, kind: str, start_ms: int = 0, *, speed: float = 1.0, volume: int = 100) -> None:
        self.load_media(HeldMedia(pitch_coded(kind)), start_ms, speed=speed, volume=volume)

    def load_media(self, media: HeldMedia, start_ms: int, *, speed: float = 1.0, volume: int = 100) -> None:
        self.loads += 1
        self.engine.load(self.loads, media, start_ms, speed=speed, volume=volume)
        self.until(lambda: self.ear.of(Playing, self.loads))

    def until(self, true: Callable[[], object]) -> None:
        def polled() -> object:
            self.engine.poll()
            return true()

        wait_until(polled)
        assert not self.ear.of(EngineFailed)

    def listen(self, seconds: float) -> float:
        """Goes on for so long; the moment at which it started."""
        start = time.monotonic()
        self.until(lambda: time.monotonic() - start >= seconds)
        return start

    def shown(self) -> tuple[float, float]:
        """The moment, and the place in seconds that is shown then."""
        position = self.engine.position()
        assert position is not None
        return time.monotonic(), position / 1000

    def heard(self, since: float = 0.0) -> list[Heard]:
        return [one for one in heard(self.recording) if one.at >= since]


@pytest.fixture
def player(sound: SoundServer) -> Iterator[Player]:
    with sound.recording() as recording:
        made = Player(recording)
        yield made
        made.engine.close()


def assert_heard_is_shown(player: Player, seconds: float = 0.6) -> None:
    """For `seconds` from the next sound on, the place shown and the one heard are the same."""
    start, shown = time.monotonic(), []
    player.until(lambda: steady(player.heard(start)))
    for _ in range(6):
        player.listen(seconds / 6)
        shown.append(player.shown())
    player.listen(LAG_S * 2)
    sounds = steady(player.heard())
    pairs = [(heard_at(sounds, moment), moment, position_s) for moment, position_s in shown]
    readable = [(one, position_s) for one, moment, position_s in pairs if abs(one.at - moment) < 0.05]
    assert len(readable) >= 3, "hardly a sound is heard"
    for one, position_s in readable:
        assert one.position_s == pytest.approx(position_s, abs=NEAR_S)


@pytest.mark.parametrize(
    ("kind", "start"), mostly_long([("m4a", 40), *((kind, start) for start in (40, 0) for kind in FORMATS)])
)
def test_starts_where_it_is_told_to(player: Player, kind: str, start: int) -> None:
    player.load(kind, start * 1000)
    assert_heard_is_shown(player)
    first = steady(player.heard())[0]
    assert first.position_s == pytest.approx(start, abs=NEAR_S + LAG_S)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mp3 vbr", "m4a", "opus"])
def test_seeks_forward_and_back(player: Player, kind: str) -> None:
    player.load(kind)
    player.listen(0.2)
    for target in (50, 12, 33):
        sought = time.monotonic()
        player.engine.seek(target * 1000)
        assert_heard_is_shown(player, 0.6)
        after = steady(player.heard(sought + 0.2))[0]
        assert after.position_s is not None
        # A busy machine may begin late.
        assert target - NEAR_S < after.position_s < target + after.at - sought + NEAR_S


def test_a_pause_is_silent_and_goes_on_at_the_same_place(player: Player) -> None:
    player.load("mp3 vbr", 20_000)
    player.listen(0.5)
    player.engine.pause()
    paused_at, position_s = player.shown()
    player.listen(0.6)
    resumed_at = time.monotonic()
    player.engine.resume()
    assert_heard_is_shown(player)
    silent = [one for one in player.heard(paused_at + LAG_S) if one.at < resumed_at - LAG_S]
    assert silent
    assert all(one.position_s is None for one in silent)
    before = steady([one for one in player.heard() if one.at < paused_at])[-1]
    assert before.position_s == pytest.approx(position_s, abs=NEAR_S)
    after = steady(player.heard(resumed_at))[0]
    assert after.position_s == pytest.approx(position_s, abs=NEAR_S)


def test_leaving_a_paused_episode_is_not_heard(player: Player) -> None:
    for _ in range(3 if LONG else 1):
        player.load("mp3 vbr", 20_000)
        player.listen(0.8)
        player.engine.pause()
        player.listen(0.4)
        left = time.monotonic()
        player.engine.stop()
        time.sleep(0.2)
        samples, first = player.recording.samples()
        assert np.abs(samples[int((left - first) * RATE) :]).max() < 0.01
    player.load("mp3 vbr", 20_000)
    player.listen(0.4)
    assert steady(player.heard(left))[-1].loudness > 0.1


@pytest.mark.long
@pytest.mark.parametrize("speed", [2.0, 0.5, 3.0])
def test_another_speed_keeps_the_pitch(player: Player, speed: float) -> None:
    """Were the pitch to change with the speed, the place read from it would be far off."""
    player.load("mp3 vbr", 10_000, speed=speed)
    assert_heard_is_shown(player, 0.9)
    sounds = steady(player.heard())
    first, last = sounds[2], sounds[-3]
    assert first.position_s is not None
    assert last.position_s is not None
    assert (last.position_s - first.position_s) / (last.at - first.at) == pytest.approx(speed, rel=0.2)


@pytest.mark.long
def test_the_speed_changes_while_playing(player: Player) -> None:
    player.load("mp3 vbr", 10_000)
    player.listen(0.3)
    player.engine.set_speed(1.5)
    player.listen(0.8)
    assert_heard_is_shown(player)


def test_the_volume_counts_from_the_first_sound_on(player: Player) -> None:
    player.load("wav", volume=100)
    player.listen(0.4)
    loud = steady(player.heard())[-1].loudness
    for volume, least, most in ((50, 0.05, 0.6), (150, 1.2, 4.0), (0, 0.0, 0.001)):
        start = time.monotonic()
        player.load("wav", 5_000, volume=volume)
        player.listen(0.4)
        levels = [one.loudness / loud for one in player.heard(start + 0.2)]
        assert least <= max(levels) <= most


def test_the_last_second_is_heard(player: Player) -> None:
    player.load("mp3 vbr", 58_500)
    player.until(lambda: player.ear.of(Finished))
    _, position_s = player.shown()
    player.listen(LAG_S)
    assert position_s == pytest.approx(60, abs=NEAR_S)
    last = [one.position_s for one in steady(player.heard())][-1]
    assert last == pytest.approx(60, abs=NEAR_S)


CHAINED = mostly_long(["opus", "vorbis", "ogg flac"])


@pytest.mark.parametrize("kind", CHAINED)
def test_streams_chained_in_a_file_are_one_episode(player: Player, kind: str) -> None:
    player.load_media(HeldMedia(chained(kind, 4, 3, 4)), 3_000)
    assert_heard_is_shown(player)
    player.until(lambda: player.shown()[1] > 4.5)
    assert_heard_is_shown(player)
    # In FLAC in Ogg, FFmpeg finds a position to within a page only.
    for target in (8.5, 5.0, 9.5) if kind != "ogg flac" else ():
        player.engine.seek(int(target * 1000))
        sought = time.monotonic()
        assert_heard_is_shown(player)
        first = steady(player.heard(sought + 0.2))[0]
        assert first.position_s is not None
        assert target - NEAR_S < first.position_s < target + first.at - sought + NEAR_S
    assert not player.ear.of(Finished)
    player.until(lambda: player.ear.of(Finished))
    assert player.shown()[1] == pytest.approx(11, abs=NEAR_S)
    last = [one.position_s for one in steady(player.heard())][-1]
    assert last == pytest.approx(11, abs=NEAR_S)
    # One report of sound: what joins the streams is no news.
    assert len(player.ear.of(Playing)) == 1
    assert [one for one in player.ear.of(Measured) if isinstance(one, Measured)][-1] == Measured(1, 11_000, exact=True)


@pytest.mark.parametrize("kind", CHAINED)
def test_a_chained_file_that_can_only_be_read_in_order_plays_through(player: Player, kind: str) -> None:
    player.load_media(HeldMedia(chained(kind, 3, 2), size_known=False, seekable=False), 2_000)
    player.until(lambda: player.shown()[1] > 3.3)
    assert_heard_is_shown(player)
    player.until(lambda: player.ear.of(Finished))
    assert player.shown()[1] == pytest.approx(5, abs=NEAR_S)


@pytest.mark.long
def test_starved_of_bytes_it_goes_on_at_the_same_place(player: Player) -> None:
    data = pitch_coded("mp3")
    media = HeldMedia(data, len(data) // 4)
    # The file's end, which libvlc looks at first, is at hand as it is with ranges.
    media.tail = 65_536
    player.loads += 1
    player.engine.load(player.loads, media, 11_000, speed=2.0, volume=100)
    player.until(lambda: Starving(1, True) in player.ear.reports)
    stood = player.shown()[1]
    given = time.monotonic()
    media.give()
    player.until(lambda: Starving(1, False) in player.ear.reports)
    player.listen(0.3)
    assert_heard_is_shown(player)
    after = steady(player.heard(given))[0]
    assert after.position_s is not None
    # At double speed, and it can't have begun before the bytes were there.
    assert stood - NEAR_S < after.position_s < stood + 2 * (after.at - given) + NEAR_S
