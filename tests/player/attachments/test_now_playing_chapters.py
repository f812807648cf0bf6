"""Looking for the chapters of what plays takes time on a slow disk, which nobody else waits for."""

import threading

from msgspec.structs import replace

from player.attachments.attachments import Following
from player.chapters.best import FoundChapters
from player.events import Bus, PlaybackChanged
from player.model.episode import Chapters, Episode
from player.model.playback import PlaybackState, PlaybackStatus
from tests.player.attachments.conftest import House

SOON_S = 10.0


def test_while_a_disk_is_slow_the_looks_that_wait_are_one_and_nobody_else_waits(house: House) -> None:
    looks: list[threading.Thread] = []
    looking, released, over = threading.Event(), threading.Event(), threading.Event()

    def find(_episode: Episode) -> FoundChapters:
        looks.append(threading.current_thread())
        looking.set()
        released.wait(SOON_S)
        if len(looks) > 1:
            over.set()
        return FoundChapters(Chapters(), settled=False)

    bus = Bus()
    following = Following(find, lambda _episode_id, _chapters: None, bus)
    status = PlaybackStatus(PlaybackState.PLAYING, house.add(1), measured_at=100.0)
    bus.publish(PlaybackChanged(status))
    assert looking.wait(SOON_S)
    for tenths in range(1, 9):
        bus.publish(PlaybackChanged(replace(status, cached=((0.0, tenths / 10),), measured_at=100.0 + 60 * tenths)))
    released.set()
    assert over.wait(SOON_S)
    following.close()
    assert len(looks) == 2
    assert threading.current_thread() not in looks
