"""Two devices whose downloads of an episode have other advertisements: a position goes to the same sound, not to the
same second."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.events import Bus, SoundMeasured, SyncChanged
from player.library import Library
from player.measuring.around import SoundsAround
from player.measuring.kept_sounds import KeptSounds
from player.measuring.sound import Sound
from player.model.syncing import Action, SyncAccount, SyncStatus
from player.paths import Paths
from player.playback.navigation import Moved
from player.sounds.moving import MarkMover
from player.sync.folder.records import content, numbered, parse
from player.sync.round import Round
from player.sync.ways import way_of
from tests.player.library.helpers import apply_feed, episode
from tests.player.library.syncing.devices import FOLDER
from tests.player.media.conftest import eventually
from tests.player.sounds.made import made_up, with_inserted
from tests.player.sync.meeting import Meeting, MeetingTarget

THEIRS = made_up(1, 9_000)
OURS = with_inserted(THEIRS, 60_000, made_up(2, 300), "ours")
BY_MS = OURS.duration_ms - THEIRS.duration_ms
NOW = datetime(2026, 4, 1, 10, tzinfo=UTC)


class Device:
    """A library with an account, and the parts that move positions with the sound of its episode."""

    def __init__(self, folder: Path, meeting: Meeting, device: str, account: SyncAccount = FOLDER) -> None:
        paths = Paths.of({"EARMARK_HOME": str(folder)})
        self.now = NOW
        self.library = Library(paths, now=lambda: self.now, backs_up=False)
        self.library.open()
        podcast = self.library.podcasts.add("https://a.example/feed", "A")
        (self.episode_id,) = apply_feed(self.library, podcast, episode(1)).new
        self.library.syncing.set_account(
            SyncAccount(account.target, account.address, "", device, device, account.step_ms, account.has_facts)
        )
        carries = way_of(account.target).carries
        self.target = MeetingTarget(meeting, carries=carries)
        self.kept = KeptSounds(paths.sounds)
        self.bus = Bus()
        self.told: list[Moved] = []
        self.sound: Sound | None = None
        self.mover = MarkMover(self.library, self.bus, lambda _one: self.sound, self.kept, lambda _id: "", self._tell)
        self.mover.start()

    def _tell(self, moved: Moved) -> None:
        self.told.append(moved)

    def measure(self, sound: Sound) -> None:
        self.sound = sound
        self.kept.keep_if_first(self.episode_id, sound)
        self.bus.publish(SoundMeasured(self.episode_id, sound.version))

    def hear(self, position_ms: int, sound: Sound) -> None:
        self.now += timedelta(minutes=5)
        self.library.progress.save(self.episode_id, position_ms, None, self.now, version=sound.version)

    def meet(self) -> None:
        self.now += timedelta(minutes=5)
        around = SoundsAround(self.library, self.kept)
        Round(self.library, self.target, now=lambda: self.now, around=around).run()
        self.bus.publish(SyncChanged(SyncStatus(rounds=1)))

    @property
    def position_ms(self) -> int:
        found = self.library.progress.position(self.episode_id)
        return found.position_ms if found else -1

    def close(self) -> None:
        self.mover.close()
        self.library.close()


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[tuple[Device, Device, Meeting]]:
    meeting = Meeting()
    both = Device(tmp_path / "laptop", meeting, "laptop"), Device(tmp_path / "phone", meeting, "phone")
    yield *both, meeting
    for one in both:
        one.close()


def test_a_position_arrives_at_its_sound_and_goes_back_to_its_sound(devices: tuple[Device, Device, Meeting]) -> None:
    laptop, phone, meeting = devices
    laptop.measure(THEIRS)
    phone.measure(OURS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    phone.meet()
    eventually(lambda: abs(phone.position_ms - 400_000 - BY_MS) < 250)
    eventually(lambda: phone.told)
    (told,) = phone.told
    assert told.audio is not None
    assert told.audio.elsewhere
    said = list(meeting.actions)
    phone.meet()
    laptop.meet()
    assert meeting.actions == said, "nobody has listened since"
    assert laptop.position_ms == 400_000

    phone.now += timedelta(hours=1)
    phone.hear(700_000, OURS)
    phone.meet()
    laptop.now = phone.now
    laptop.meet()
    eventually(lambda: abs(laptop.position_ms - 700_000 + BY_MS) < 250)
    assert phone.position_ms == 700_000


def test_a_late_action_that_changes_nothing_leaves_a_moved_position_alone(
    devices: tuple[Device, Device, Meeting],
) -> None:
    laptop, phone, meeting = devices
    phone.measure(OURS)
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    phone.meet()
    eventually(lambda: abs(phone.position_ms - 400_000 - BY_MS) < 250)
    moved_ms = phone.position_ms
    (play,) = meeting.actions
    meeting.said.append(Action(play.episode, "old", play.at - 1_000, play.kind, None, 50_000, play.total_ms))
    phone.meet()
    assert phone.position_ms == moved_ms


def test_it_is_moved_when_the_bytes_here_are_measured_later_and_after_a_restart(
    devices: tuple[Device, Device, Meeting],
) -> None:
    laptop, phone, _meeting = devices
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    phone.meet()
    assert phone.position_ms == 400_000
    phone.mover.close()
    phone.sound = OURS
    again = MarkMover(phone.library, phone.bus, lambda _one: phone.sound, phone.kept, lambda _id: "", phone._tell)
    again.start()
    eventually(lambda: abs(phone.position_ms - 400_000 - BY_MS) < 250)
    again.close()


def test_a_position_whose_sound_cannot_be_found_stays_at_its_second_and_is_unsure(
    devices: tuple[Device, Device, Meeting],
) -> None:
    laptop, phone, _meeting = devices
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    phone.meet()
    phone.measure(made_up(9, 9_000))
    eventually(lambda: phone.told)
    position = phone.library.progress.position(phone.episode_id)
    assert position is not None
    assert (position.position_ms, position.unsure) == (400_000, True)
    assert phone.library.audio.elsewhere(phone.episode_id) is None


def test_a_listener_who_has_gone_on_stays_there(devices: tuple[Device, Device, Meeting]) -> None:
    laptop, phone, _meeting = devices
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    phone.meet()
    phone.hear(410_000, OURS)
    phone.measure(OURS)
    eventually(lambda: phone.told)
    assert phone.position_ms == 410_000, "the session decides about what plays"
    assert phone.library.audio.uncompared() == []


def test_only_the_latest_position_with_known_sound_carries_it(
    devices: tuple[Device, Device, Meeting],
) -> None:
    laptop, phone, meeting = devices
    laptop.hear(100_000, THEIRS)
    laptop.meet()
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    laptop.hear(450_000, OURS)
    laptop.meet()
    laptop.hear(500_000, THEIRS)
    laptop.meet()
    assert [bool(one.sound) for one in meeting.actions] == [False, True, False, True], "the third was in other bytes"
    phone.meet()
    laptop.library.syncing.forgot()
    meeting.said.clear()
    laptop.meet()
    assert [bool(one.sound) for one in meeting.actions] == [False, False, False, True]


@pytest.mark.parametrize("name", ["gpodder", "nextcloud", "audiobookshelf"])
def test_sounds_are_not_sent_to_servers(tmp_path: Path, name: str) -> None:
    meeting = Meeting()
    server = way_of(name).account("https://sync.example", "", "laptop", "Laptop")
    laptop = Device(tmp_path, meeting, "laptop", server)
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    (action,) = meeting.actions
    assert action.sound == ""
    laptop.close()


def test_journals_carry_the_sound_and_refuse_anything_else_in_its_place(
    devices: tuple[Device, Device, Meeting],
) -> None:
    laptop, _phone, meeting = devices
    laptop.measure(THEIRS)
    laptop.hear(400_000, THEIRS)
    laptop.meet()
    (action,) = meeting.actions
    line = numbered(content(action), 1)
    found = parse(line)
    assert found is not None
    assert found.record == action
    for wrong in ("a b", "é", "x" * 3_000):
        rest = content(action).replace(action.sound.encode(), wrong.encode())
        other = parse(numbered(rest, 1))
        assert other is not None
        assert isinstance(other.record, Action)
        assert other.record.sound == ""
