"""Besides the current episode those are measured that are whole on this disk, if there is a reason: one at a time,
after the current one. What was heard keeps its sound."""

import os
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.events import Bus, CachedChanged, Cause, EpisodeMeasured, EpisodesChanged, PlaybackChanged, SoundMeasured
from player.library import Library
from player.measuring.decoding import Answer
from player.measuring.kept_sounds import KeptSounds
from player.measuring.kinds import folders, measurements
from player.measuring.kinds.fingerprint import MEASUREMENT as FINGERPRINT
from player.measuring.kinds.waveform import MEASUREMENT as WAVEFORM
from player.measuring.measurement import NOTHING, Audio, Record, StoredMeasurements
from player.measuring.measuring import Measuring
from player.measuring.others import Others
from player.measuring.sound import Sound
from player.media.available import AvailableBytes, key_of
from player.media.cache import RECORD
from player.model.downloads import DownloadDeleted, DownloadFinished
from player.model.episode import Episode, EpisodeId
from player.model.listening import Moment
from player.model.playback import PlaybackState, PlaybackStatus
from player.paths import Paths
from player.processes.sandbox import SandboxError, Trouble
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.measuring.audio import packed
from tests.player.playback.support import wait_until

SIZE = 1_000
NAMES = [one.name for one in measurements(folders())]
NOW = datetime(2026, 5, 1, tzinfo=UTC)
VALUES, LEVELS = b"\1\0\0\0" * 40, bytes(range(100))


@pytest.fixture(autouse=True)
def _plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.processes.power.is_battery", lambda: False)


@pytest.fixture
def ids(library: Library) -> list[EpisodeId]:
    """Ten episodes of a podcast, the newest first."""
    podcast = library.podcasts.add(URL)
    return list(apply_feed(library, podcast, *(episode(number) for number in range(10))).new)


class Stage:
    """Downloads are files in a folder, and the process that decodes is a function of this one."""

    def __init__(self, library: Library, paths: Paths, folder: Path) -> None:
        self.library, self.folder = library, folder
        self.cached: set[str] = set()
        self.clock = NOW
        self.bus = Bus()
        self.kept = KeptSounds(paths.sounds)
        self.stored = StoredMeasurements(paths.waveforms)
        self.order: list[str] = []
        self.version: dict[EpisodeId, str] = {}
        self.answer: Callable[[], Answer] = self.good
        self.impossible: tuple[str, ...] = ()
        self.at_once = self.most_at_once = 0
        self.heard: list[object] = []
        others = Others(library, lambda: self.cached, paths.media)
        self.maker = Measuring(
            self.available, paths.waveforms, self.bus, lambda: True, self.kept, others,
            first_s=0.0, again_s=0.0, others_s=0.0,
        )  # fmt: skip
        self.maker._sandbox.call = self.run  # type: ignore[method-assign, assignment]
        for kind in (EpisodeMeasured, SoundMeasured):
            self.bus.subscribe(kind, self.heard.append)

    def start(self) -> "Stage":
        self.maker.start()
        return self

    def settled(self) -> list[str]:
        """What has been measured, in order, once nothing is left to do."""
        tasks = (self.maker._later, self.maker._task) * 2
        wait_until(lambda: not any(task.is_waited_for for task in tasks), "the end of the work", 60)
        return self.order

    def good(self) -> Answer:
        piece = dict.fromkeys(NAMES, NOTHING) | packed(**{FINGERPRINT.name: VALUES, WAVEFORM.name: LEVELS})
        return Answer([{name: piece[name] for name in NAMES if name not in self.impossible}], True, self.impossible)

    def run(self, audio: Audio, _folders: list[str], _first: int, _count: int) -> Answer:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.order.append(Path(os.fsdecode(audio.path)).stem)
        try:
            return self.answer()
        finally:
            self.at_once -= 1

    @contextmanager
    def available(self, one: Episode) -> Iterator[AvailableBytes | None]:
        if one.downloaded or key_of(one) in self.cached:
            version = self.version.get(one.id, "one")
            yield AvailableBytes(lambda _at, _count: b"", SIZE, Path(f"{one.id}.mp3"), ((0, SIZE),), version)
        else:
            yield None

    def download(self, one: EpisodeId) -> None:
        """A minute after the one before."""
        self.clock += timedelta(minutes=1)
        self.library.downloads._now = lambda: self.clock
        self.library.downloads.put(one, self.folder / f"{one}.mp3", size=SIZE)

    def cache(self, one: EpisodeId) -> None:
        self.cached.add(key_of(self.library.episodes.get(one)))

    def play(self, one: EpisodeId | None, position_ms: int = 0) -> None:
        found = self.library.episodes.get(one) if one else None
        self.bus.publish(
            PlaybackChanged(PlaybackStatus(PlaybackState.PAUSED, found, position_ms, 60_000, cached=((0, 1.0),)))
        )

    def sounds(self) -> list[EpisodeId]:
        return [event.episode_id for event in self.heard if isinstance(event, SoundMeasured)]


@pytest.fixture
def stage(library: Library, paths: Paths, tmp_path: Path) -> Iterator[Callable[[], Stage]]:
    made: list[Stage] = []

    def make() -> Stage:
        made.append(Stage(library, paths, tmp_path))
        return made[-1]

    yield make
    for one in made:
        one.maker.close()
        one.bus.close(1.0)


def names(*ids: EpisodeId) -> list[str]:
    return [str(one) for one in ids]


def test_first_the_queue_then_downloads_that_marks_depend_on_and_the_newest_of_each_podcast(
    library: Library, ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()
    for each in ids[8:0:-1]:  # the latest download is the second episode
        one.download(each)
    library.queue.add_last([ids[7], ids[0]])
    library.progress.save(ids[5], 60_000, None, NOW)
    library.bookmarks.put(ids[6], Moment(5_000))
    library.progress.save(ids[8], 60_000, None, NOW)
    library.progress.finish(ids[8])
    assert one.start().settled() == names(ids[7], ids[1], ids[2], ids[3], ids[5], ids[6])
    assert one.most_at_once == 1
    assert one.sounds() == [ids[7], ids[1], ids[2], ids[3], ids[5], ids[6]]
    assert sorted(one.kept.ids()) == sorted([ids[5], ids[6]])
    again = stage()
    assert again.start().settled() == []


def test_what_is_cached_whole_is_measured_once_it_is(
    library: Library, ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()
    library.queue.add_last([ids[0], ids[1]])
    assert one.start().settled() == []
    one.cache(ids[1])
    one.bus.publish(CachedChanged())
    assert one.settled() == names(ids[1])


def test_a_new_download_is_measured_and_again_when_it_is_made_anew(
    ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()
    for each in [*ids[:4], ids[9]]:
        one.download(each)
    one.start().settled()
    one.order.clear()
    one.bus.publish(DownloadFinished(ids[9], Cause.PERSON))
    assert one.settled() == names(ids[9])
    one.order.clear()
    one.version[ids[9]] = "two"
    one.bus.publish(DownloadFinished(ids[9], Cause.PERSON))
    assert one.settled() == names(ids[9])
    assert one.maker.known(ids[9], WAVEFORM)


def test_the_current_episode_comes_first_and_interrupts_the_others(
    ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()
    begun, stopped = threading.Event(), threading.Event()

    def until_stopped() -> Answer:
        one.answer = one.good
        begun.set()
        assert stopped.wait(20)
        raise SandboxError(Trouble.STOPPED, "it was stopped")

    one.answer = until_stopped
    one.maker._sandbox.cancel = stopped.set  # type: ignore[method-assign]
    one.download(ids[0])
    one.start()
    assert begun.wait(20)
    one.cache(ids[5])
    one.play(ids[5])
    assert one.settled() == names(ids[0], ids[5], ids[0])


def test_while_one_plays_the_others_are_not_kept_waiting_by_its_position(
    ids: list[EpisodeId], stage: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage().start()
    (current,) = made.library.episodes.rows([ids[0]])
    status = PlaybackStatus(state=PlaybackState.PLAYING, episode=current, duration_ms=60_000)
    made.bus.publish(PlaybackChanged(status))
    looks: list[None] = []
    monkeypatch.setattr(made.maker, "_look_for_others", lambda: looks.append(None))
    made.bus.publish(EpisodesChanged((ids[0],)))
    assert looks == []
    made.bus.publish(EpisodesChanged((ids[0], ids[1])))
    assert looks == [None]


def test_what_cannot_be_decoded_is_not_tried_again(ids: list[EpisodeId], stage: Callable[[], Stage]) -> None:
    one = stage()

    def crash() -> Answer:
        raise SandboxError(Trouble.DIED, "its process ended: signal 11")

    one.answer = crash
    one.download(ids[0])
    assert one.start().settled() == names(ids[0])
    one.bus.publish(CachedChanged())
    assert one.settled() == names(ids[0])
    assert stage().start().settled() == []
    assert one.kept.ids() == []


def test_on_a_full_disk_nothing_is_measured_without_end(
    ids: list[EpisodeId], stage: Callable[[], Stage], paths: Paths
) -> None:
    """And what has been measured is known in this run."""
    one = stage()
    paths.waveforms.parent.mkdir(parents=True)
    paths.waveforms.write_bytes(b"no folder can be made here")
    one.download(ids[0])
    assert one.start().settled() == names(ids[0])
    assert one.maker.known(ids[0], WAVEFORM)
    one.cache(ids[5])
    one.play(ids[5])
    assert one.settled() == names(ids[0], ids[5])
    assert one.maker.known(ids[5], WAVEFORM)
    assert one.sounds() == [ids[0], ids[5]]


def test_a_pass_that_takes_too_long_is_made_once_more_in_a_new_process(
    ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    """Another episode may have taken the processor time of its process."""
    one = stage()

    def late() -> Answer:
        one.answer = one.good
        raise SandboxError(Trouble.LATE, "it took too much processor time")

    one.answer = late
    one.download(ids[0])
    assert one.start().settled() == names(ids[0], ids[0])
    assert one.sounds() == [ids[0]]


def test_a_process_that_cannot_be_started_says_nothing_of_the_file(
    ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()

    def unstarted() -> Answer:
        raise SandboxError(Trouble.UNSTARTED, "there are too many processes")

    one.answer = unstarted
    one.download(ids[0])
    assert one.start().settled() == names(ids[0])
    assert stage().start().settled() == names(ids[0])


def test_on_a_battery_the_others_wait(
    ids: list[EpisodeId], stage: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Semaphore(0)

    def discharging() -> bool:
        asked.release()
        return True

    monkeypatch.setattr("player.processes.power.is_battery", discharging)
    one = stage()
    one.download(ids[0])
    one.start()
    assert asked.acquire(timeout=20)
    wait_until(lambda: one.maker._others_due > time.monotonic() + 60, "the next look")
    one.cache(ids[5])
    one.play(ids[5])
    wait_until(lambda: one.sounds() == [ids[5]], "the current episode")
    assert one.order == names(ids[5])


def test_what_comes_later_for_the_others_does_not_keep_the_current_episode_waiting(
    ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()
    one.maker._first_s, one.maker._others_s = 0.1, 1e6
    one.start()
    one.cache(ids[0])
    one.play(ids[0])
    wait_until(lambda: one.maker._shown == ids[0], "the episode")
    one.bus.publish(EpisodesChanged((ids[0],)))
    wait_until(lambda: one.sounds() == [ids[0]], "the current episode")


def test_after_an_hour_of_audio_comes_a_rest(
    ids: list[EpisodeId], stage: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.measuring.measuring._LONG_S", 0.0)
    monkeypatch.setattr("player.measuring.measuring._RESTED", 1e6)
    one = stage()
    one.download(ids[0])
    one.download(ids[1])
    one.start()
    wait_until(lambda: len(one.sounds()) == 1, "the first")
    wait_until(lambda: one.maker._others_due > time.monotonic() + 1, "the rest")
    assert one.order == names(ids[1])


def test_without_fingerprints_only_the_first_is_measured_and_nothing_is_kept(
    library: Library, ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage()
    one.impossible = (FINGERPRINT.name,)
    for each in ids[:3]:
        one.download(each)
        library.progress.save(each, 60_000, None, NOW)
    assert len(one.start().settled()) == 1
    assert one.sounds() == []
    assert one.kept.ids() == []
    # Once Chromaprint has been installed, what was measured without it is measured again.
    assert len(stage().start().settled()) == 3


def test_what_plays_keeps_its_sound_and_other_bytes_do_not_take_its_place(
    ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    one = stage().start()
    one.cache(ids[0])
    one.play(ids[0])
    one.settled()
    kept = Sound("one", len(LEVELS) * 40, array("I", VALUES), one.kept.read(ids[0]).levels)  # type: ignore[union-attr]
    assert one.kept.read(ids[0]) == one.maker.sound(one.library.episodes.get(ids[0])) == kept
    one.play(None)
    one.settled()
    one.version[ids[0]] = "two"
    one.play(ids[0])
    one.settled()
    assert one.kept.read(ids[0]) == kept
    assert [(event.episode_id, event.version) for event in one.heard if isinstance(event, SoundMeasured)] == [
        (ids[0], "one"),
        (ids[0], "two"),
    ]
    now = one.maker.sound(one.library.episodes.get(ids[0]))
    assert now
    assert now.version == "two"


def test_the_first_mark_keeps_what_was_measured_before(
    library: Library, ids: list[EpisodeId], stage: Callable[[], Stage]
) -> None:
    """A position of another device, for example, or a bookmark from a script."""
    one = stage()
    one.download(ids[0])
    one.start().settled()
    assert one.kept.ids() == []
    library.progress.save(ids[0], 60_000, None, NOW)
    one.bus.publish(EpisodesChanged((ids[0],)))
    assert one.settled() == names(ids[0])
    assert one.kept.ids() == [ids[0]]


def test_results_go_with_their_bytes_and_sounds_a_month_after_their_episode(
    library: Library, ids: list[EpisodeId], paths: Paths, stage: Callable[[], Stage]
) -> None:
    one = stage()
    for each in ids[:3]:
        one.download(each)
        one.play(each)
    one.start()
    for each in ids[:3]:
        one.play(each)
        one.settled()
    one.play(None)
    paths.media.mkdir(parents=True)
    keys = [key_of(library.episodes.get(each)) for each in ids[:3]]
    (paths.media / f"{keys[1]}{RECORD}").touch()
    before = time.time() - timedelta(days=40).total_seconds()
    for path in (*paths.waveforms.iterdir(), *paths.sounds.iterdir()):
        os.utime(path, (before, before))
    for each in ids[1:3]:
        library.downloads.remove(each)
    library.podcasts.add("https://example.org/other.xml")
    one.bus.publish(DownloadDeleted(ids[2], Cause.RULE))
    one.settled()
    assert one.stored.keys() == set(keys[:2])
    assert sorted(one.kept.ids()) == sorted(ids[:3])
    for path in paths.sounds.iterdir():
        os.utime(path, (before, before))
    library.podcasts.remove(library.episodes.get(ids[0]).podcast_id)
    one.bus.publish(DownloadDeleted(ids[0], Cause.RULE))
    one.settled()
    assert one.kept.ids() == []
    assert one.stored.keys() == {keys[1]}


def test_where_nothing_is_to_be_done_nothing_is_looked_for_again(
    ids: list[EpisodeId], stage: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = stage()
    one.download(ids[0])
    one.start().settled()
    opened: list[Episode] = []
    monkeypatch.setattr(one.maker, "_available", opened.append)
    one.bus.publish(CachedChanged())
    one.settled()
    assert opened == []


def test_a_damaged_library_ends_nothing(
    ids: list[EpisodeId], stage: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    from player.errors import LibraryError

    one = stage()
    one.download(ids[0])
    with monkeypatch.context() as broken:

        def fail(*_: object) -> None:
            raise LibraryError("The library can't be read")

        broken.setattr(one.maker._others, "wanted", fail)
        assert one.start().settled() == []
    one.bus.publish(CachedChanged())
    assert one.settled() == names(ids[0])


def test_a_record_of_a_part_has_no_sound(ids: list[EpisodeId], stage: Callable[[], Stage]) -> None:
    one = stage()
    one.download(ids[0])
    found = one.library.episodes.get(ids[0])
    one.stored.write(key_of(found), Record("one", {0: one.good().pieces[0]}))
    assert one.maker.sound(found) is None
