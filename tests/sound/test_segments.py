"""Segments that the listener has marked, through the whole player and real libvlc: a skipped one isn't heard, until
u."""

import time
from collections.abc import Iterator

import pytest

from player.events import Notice
from player.model.podcast_settings import PodcastSettings
from player.model.segments import SegmentKind, SegmentRule, SegmentRules
from player.paths import Paths
from player.player import Player
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer
from tests.sound.test_chapters import QUIET

pytestmark = [pytest.mark.sound, pytest.mark.long]

START_S, END_S = 12.0, 40.0
LATE_S = NEAR_S = 0.3
"""How far into a segment the skip begins at most, and how far from its end it lands."""


@pytest.fixture
def player(sound: SoundServer, paths: Paths) -> Iterator[Player]:
    opened = Player(paths, QUIET)
    opened.open()
    opened.start()
    yield opened
    opened.close()


@pytest.mark.parametrize("kind", ["mp3", "m4a", "opus"])
def test_a_skipped_segment_is_not_heard_and_u_brings_it_back_for_good(
    sound: SoundServer, player: Player, server: LoopbackServer, kind: str
) -> None:
    notices: list[str] = []
    player.bus.subscribe(Notice, lambda notice: notices.append(notice.text))
    session, library = player.session, player.library
    url = server.audio("/episode", pitch_coded(kind))
    podcast = library.podcasts.add(URL)
    ids = apply_feed(library, podcast, episode(0, url=url), episode(1)).new
    marked = library.segments.mark(ids[1], 0, 28_000, SegmentKind.SPONSOR)
    library.segments.put_found(ids[0], [(marked.id, round(START_S * 1000), round(END_S * 1000))])
    rules = SegmentRules(sponsor=SegmentRule.SKIP)
    library.podcast_settings.set(podcast.id, PodcastSettings(segments=rules))

    def position_s() -> float:
        return session.status.at(time.monotonic()).position_ms / 1000

    with sound.recording() as recording:
        session.play(ids[0], 10_000)
        wait_until(lambda: position_s() > END_S + 1.5, "what is behind the segment")
        first = [one.position_s for one in steady(heard(recording)) if one.position_s is not None]
        undone = time.monotonic()
        session.undo_jump().result(10)
        wait_until(lambda: START_S + 1.5 < position_s() < END_S - 5, "the way back")
        after = [one.position_s for one in steady(heard(recording, undone + 0.3)) if one.position_s is not None]
    assert notices == ["Skipped a sponsor, 0:28"]
    assert START_S - NEAR_S < max(one for one in first if one < 25) < START_S + LATE_S
    assert min(one for one in first if one > 25) == pytest.approx(END_S, abs=NEAR_S)
    assert after
    assert all(START_S - LATE_S < one < START_S + 4 for one in after)
    assert session.save_now()
    assert library.segments.of_episode(ids[0]) == []
    assert library.statistics.facts(podcast.id).segments_ms == 0
