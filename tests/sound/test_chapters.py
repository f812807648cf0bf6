"""Chapters in a file, through the whole player and real libvlc: what nobody wants to hear isn't heard, until u."""

import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from player.events import Notice
from player.model.episode import EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Chapters, Feeds, Settings
from tests.loopback import LoopbackServer
from tests.player.chapters.audio import id3_chapter, id3_frame, id3_tag
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound

NEAR_S = 0.3
LATE_S = 0.5
"""The start is noticed within a tenth of a second; what is on its way to the sink by then is still heard."""
QUIET = Settings(feeds=Feeds(refresh_on_start=False, refresh_minutes=0))
CHAPTERS = (("a", 0, 10, "Talk"), ("b", 10, 40, "Our sponsor"), ("c", 40, 60, "More talk"))


@pytest.fixture
def player(sound: SoundServer, paths: Paths) -> Iterator[Player]:
    opened = Player(paths, replace(QUIET, chapters=Chapters(skip=("Sponsor",))))
    opened.open()
    opened.start()
    yield opened
    opened.close()


def subscribed(player: Player, server: LoopbackServer) -> EpisodeId:
    frames = (
        id3_frame(b"CHAP", id3_chapter(name, start * 1000, end * 1000, b"\x03" + title.encode()))
        for name, start, end, title in CHAPTERS
    )
    url = server.audio("/episode.mp3", id3_tag(*frames) + pitch_coded("mp3 vbr"))
    return apply_feed(player.library, player.library.podcasts.add(URL), episode(0, url=url)).new[0]


def test_an_unwanted_chapter_is_not_heard_and_u_brings_it_back(
    sound: SoundServer, player: Player, server: LoopbackServer
) -> None:
    notices: list[str] = []
    player.bus.subscribe(Notice, lambda notice: notices.append(notice.text))
    session = player.session

    def position_s() -> float:
        return session.status.at(time.monotonic()).position_ms / 1000

    with sound.recording() as recording:
        session.play(subscribed(player, server), 9_400)
        wait_until(lambda: position_s() > 40.6, "the chapter behind")
        first = steady(heard(recording))
        undone = time.monotonic()
        session.undo_jump()
        wait_until(lambda: 10.6 < position_s() < 30, "the way back")
        after = steady(heard(recording, undone + 0.2))
    assert notices == ["Skipped “Our sponsor”"]
    positions = [one.position_s for one in first if one.position_s is not None]
    assert min(positions) == pytest.approx(9.4, abs=NEAR_S)
    assert max(position_s for position_s in positions if position_s < 25) == pytest.approx(10, abs=LATE_S)
    assert min(position_s for position_s in positions if position_s > 25) == pytest.approx(40, abs=NEAR_S)
    assert [one.position_s for one in after if one.position_s is not None]
    assert all(one.position_s is None or 10 - NEAR_S < one.position_s < 13 for one in after)
