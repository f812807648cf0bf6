"""A whole player whose output is a Chromecast that is made up."""

import multiprocessing
import time
from collections.abc import Iterator

import pytest

from player.events import Notice
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState, SleepChoice, SleepUntil
from player.paths import Paths
from player.playback.outcomes import Refused
from player.playback.outputs import SoundOutput
from player.player import Player
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.casting.fake_cast import OUTPUT, FakeCast, advertised
from tests.player.playback.casting.house import LEVELLED, SETTINGS, chosen, listen_until_killed, listening_ports, opened
from tests.player.playback.support import silence, wait_until

LENGTH_S = 120


@pytest.fixture
def ids(paths: Paths, server: LoopbackServer) -> tuple[EpisodeId, ...]:
    player = Player(paths, SETTINGS)
    player.open()
    url = [server.audio(f"/{number}.wav", silence(LENGTH_S), "audio/wav") for number in range(3)]
    episodes = [episode(number, url=one, duration_ms=LENGTH_S * 1000) for number, one in enumerate(url)]
    new = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), *episodes).new
    player.close()
    return new


@pytest.fixture
def player(paths: Paths, ids: tuple[EpisodeId, ...]) -> Iterator[Player]:
    made = opened(paths)
    yield made
    made.close()


def is_in(player: Player, state: PlaybackState, device: str | None = None) -> bool:
    status = player.session.status
    return status.state is state and device in (None, status.plays_on)


def wait_for(player: Player, state: PlaybackState, device: str | None = None) -> None:
    wait_until(lambda: is_in(player, state, device), f"{state.value} on {device!r}, not {player.session.status}")


def shown_s(player: Player) -> float:
    return player.session.status.at(time.monotonic()).position_ms / 1000


def saved_s(player: Player, episode_id: EpisodeId) -> float:
    assert player.session.save_now()
    saved = player.library.progress.position(episode_id)
    return saved.position_ms / 1000 if saved else 0.0


PLAYING, PAUSED = PlaybackState.PLAYING, PlaybackState.PAUSED


def test_what_plays_goes_on_there_and_comes_back_at_the_same_second(
    player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]
) -> None:
    player.session.play(ids[0], 50_000)
    wait_for(player, PLAYING, "")
    left_s = shown_s(player)
    player.choose_output(OUTPUT, "Kitchen (Chromecast)").result()
    wait_for(player, PLAYING, "Kitchen")
    assert cast.heard[-1] == pytest.approx(left_s, abs=0.5)
    wait_until(lambda: cast.position > left_s + 2)
    assert shown_s(player) == pytest.approx(cast.position, abs=0.5)
    left_s = cast.position
    player.choose_output(SoundOutput()).result()
    wait_for(player, PLAYING, "")
    assert shown_s(player) == pytest.approx(left_s, abs=0.7)
    assert cast.state == "IDLE"


def test_the_position_that_is_saved_is_the_device_s(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]) -> None:
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    wait_until(lambda: cast.position > 52)
    assert saved_s(player, ids[0]) == pytest.approx(cast.position, abs=1)


def test_while_it_is_paused_nothing_is_played_elsewhere(
    player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]
) -> None:
    player.session.play(ids[0], 50_000)
    wait_for(player, PLAYING)
    player.session.pause().result()
    player.choose_output(OUTPUT, "Kitchen (Chromecast)").result()
    wait_for(player, PAUSED)
    assert "LOAD" not in cast.log
    player.session.resume()
    wait_for(player, PLAYING, "Kitchen")
    assert cast.heard[-1] == pytest.approx(50, abs=1)


def test_pause_jump_chapter_and_speed_reach_the_device(
    player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]
) -> None:
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    player.session.set_chapters(ids[0], Chapters((Chapter(0, "One"), Chapter(80_000, "Two"))))
    player.session.next_chapter().result()
    wait_until(lambda: cast.position > 80)
    player.session.seek_by(10_000).result()
    wait_until(lambda: cast.position > 90)
    player.session.set_speed(1.5).result()
    wait_until(lambda: cast.rate == 1.5)
    player.session.pause().result()
    wait_until(lambda: cast.state == "PAUSED")
    assert saved_s(player, ids[0]) == pytest.approx(cast.position, abs=1)
    player.session.undo_jump().result()
    wait_until(lambda: cast.position < 80)
    assert cast.state == "PAUSED"


def test_what_somebody_does_at_the_device_counts(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]) -> None:
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    cast.pause()
    wait_for(player, PAUSED, "Kitchen")
    cast.play()
    wait_for(player, PLAYING, "Kitchen")
    cast.at(20.0)
    wait_until(lambda: shown_s(player) < 40, "the jump")
    assert shown_s(player) == pytest.approx(cast.position, abs=1)
    player.session.undo_jump().result()
    wait_until(lambda: cast.position > 45)


def test_what_is_next_plays_there_too(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]) -> None:
    player.acts.queue_last([ids[1]])
    player.choose_output(OUTPUT, "Kitchen (Chromecast)").result()
    player.session.play(ids[0], (LENGTH_S - 2) * 1000)
    wait_for(player, PLAYING, "Kitchen")
    first = cast.url
    cast.fetch_end()
    wait_until(lambda: cast.position >= LENGTH_S)
    cast.end()
    wait_until(lambda: is_in(player, PLAYING, "Kitchen") and cast.url != first, "the next episode")
    assert player.session.status.episode is not None
    assert player.session.status.episode.id == ids[1]
    assert player.library.episodes.get(ids[0]).played


def test_the_sleep_timer_ends_the_sound_there(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]) -> None:
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    player.session.set_chapters(ids[0], Chapters((Chapter(0, "One"), Chapter(54_000, "Two"))))
    player.session.sleep(SleepChoice(SleepUntil.CHAPTER)).result()
    wait_for(player, PAUSED)
    wait_until(lambda: cast.state == "PAUSED")
    assert shown_s(player) == pytest.approx(54, abs=1.5)
    wait_until(lambda: cast.level == pytest.approx(0.4, abs=0.05), "the volume from before the fade")


def test_a_device_that_goes_away_pauses_and_says_so(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]) -> None:
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    wait_until(lambda: cast.position > 52)
    cast.close()
    gone_s = cast.position
    wait_for(player, PAUSED)
    assert player.session.status.error is not None
    assert player.session.status.error.startswith("“Kitchen” is gone.")
    assert saved_s(player, ids[0]) == pytest.approx(gone_s, abs=2.5)
    left_s = shown_s(player)
    player.choose_output(SoundOutput()).result()
    player.session.resume()
    wait_for(player, PLAYING, "")
    assert shown_s(player) == pytest.approx(left_s, abs=0.7)


@pytest.mark.parametrize(
    "lie", [0.0, 7_000.0, *(pytest.param(one, marks=pytest.mark.long) for one in (-5.0, 1e12, "x", None))]
)
def test_no_lie_of_a_device_is_saved(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...], lie: object) -> None:
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    wait_until(lambda: cast.position > 51.5)
    cast.says = lambda _seconds: lie
    asked = len(cast.log)
    wait_until(lambda: len(cast.log) > asked + 4)
    assert 49 < saved_s(player, ids[0]) < 56
    assert 49 < shown_s(player) < 56


def test_a_port_is_open_only_while_a_device_plays(player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]) -> None:
    player.session.play(ids[0], 50_000)
    wait_for(player, PLAYING, "")
    before = listening_ports()
    player.choose_output(OUTPUT, "Kitchen (Chromecast)").result()
    wait_for(player, PLAYING, "Kitchen")
    (port,) = listening_ports() - before
    assert player.session.status.served_at == f"127.0.0.1:{port}"
    player.session.stop().result()
    assert listening_ports() == before
    assert player.session.status.served_at == ""


def test_effects_are_said_to_be_missing_once(cast: FakeCast, paths: Paths, ids: tuple[EpisodeId, ...]) -> None:
    player = opened(paths, LEVELLED)
    said: list[str] = []
    player.bus.subscribe(Notice, lambda notice: said.append(notice.text))
    try:
        chosen(player, ids, cast.found)
        wait_for(player, PLAYING, "Kitchen")
        player.session.seek_to(60_000).result()
        player.session.stop().result()
        player.session.play(ids[1])
        wait_for(player, PLAYING, "Kitchen")
        assert said == ["“Kitchen” plays the episode as it is, without levelling, trimmed pauses"]
        assert player.session.status.gain_db is None
        assert player.session.status.left_out == ()
        player.choose_output(SoundOutput()).result()
        wait_for(player, PLAYING, "")
        assert player.session.status.gain_db is not None
    finally:
        player.close()


def test_what_is_turned_on_while_a_device_plays_is_said_to_be_missing(
    player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...]
) -> None:
    said: list[str] = []
    player.bus.subscribe(Notice, lambda notice: said.append(notice.text))
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    for _time in range(2):
        player.session.set_speed(3.0).result()
        wait_until(lambda: cast.rate == 2.0)
    assert player.session.status.speed == 2.0
    assert said == ["“Kitchen” plays at speeds from 0.5 to 2"]


def test_a_live_stream_is_refused_in_a_sentence(
    player: Player, cast: FakeCast, server: LoopbackServer, paths: Paths
) -> None:
    stream = server.audio("/live.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:6\n", "application/vnd.apple.mpegurl")
    podcast = player.library.podcasts.add("https://example.org/radio", "Radio")
    new = apply_feed(
        player.library, podcast, episode(9, url=stream, media_type="application/vnd.apple.mpegurl", duration_ms=None)
    ).new
    player.choose_output(OUTPUT, "Kitchen (Chromecast)").result()
    player.session.play(new[0])
    wait_for(player, PlaybackState.ERROR)
    assert "LOAD" not in cast.log


def test_the_choice_outlasts_a_restart_and_the_device_is_found_again(
    device: FakeCast, paths: Paths, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.playback.casting.finding.addresses", lambda: ("127.0.0.1",))
    before = opened(paths)
    before.choose_output(OUTPUT, "Kitchen (Chromecast Audio)").result()
    before.close()
    player = opened(paths)
    try:
        assert player.output.title == "Kitchen (Chromecast Audio)"
        with advertised(device):
            player.session.play(ids[0], 50_000)
            wait_for(player, PLAYING, "Kitchen")
    finally:
        player.close()


def test_a_device_that_is_not_on_the_network_is_named(
    paths: Paths, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.playback.casting.finding.SEARCH_S", 0.2)
    player = opened(paths)
    try:
        player.choose_output(OUTPUT, "Kitchen (Chromecast)").result()
        player.session.play(ids[0], 50_000)
        wait_for(player, PlaybackState.ERROR)
        assert player.session.status.error == (
            "“Kitchen (Chromecast)” isn't on the network. Switch it on, or choose another sound output."
        )
        assert saved_s(player, ids[0]) == 50
    finally:
        player.close()


def test_a_speed_that_a_device_lacks_is_refused(
    player: Player, cast: FakeCast, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.playback.casting.kinds.chromecast._Chromecast.slowest", 1.0)
    monkeypatch.setattr("player.playback.casting.kinds.chromecast._Chromecast.fastest", 1.0)
    player.session.set_speed(1.5).result()
    chosen(player, ids, cast.found)
    wait_for(player, PLAYING, "Kitchen")
    assert cast.rate == 1.0
    assert player.session.status.speed == 1.0
    refused = player.session.change_speed(0.1).result()
    assert isinstance(refused, Refused)
    assert refused.sentence == "“Kitchen” plays at normal speed only"
    player.choose_output(SoundOutput()).result()
    wait_for(player, PLAYING, "")
    assert player.session.status.speed == 1.5


def test_killed_while_a_device_plays_it_resumes_at_the_second(
    cast: FakeCast, paths: Paths, ids: tuple[EpisodeId, ...]
) -> None:
    processes = multiprocessing.get_context("spawn")
    receiver, sender = processes.Pipe(duplex=False)
    listener = processes.Process(target=listen_until_killed, args=(paths, cast.found, ids[0], sender), daemon=True)
    listener.start()
    sender.close()
    shown_ms = 0
    while shown_ms < 53_000:
        assert receiver.poll(30)
        shown_ms = receiver.recv()
    listener.kill()
    listener.join()
    heard_s = cast.position
    player = opened(paths)
    try:
        assert is_in(player, PAUSED)
        assert player.session.status.position_ms / 1000 == pytest.approx(heard_s, abs=1.5)
        player.session.resume()
        wait_for(player, PLAYING, "Kitchen")
        assert cast.heard[-1] == pytest.approx(heard_s, abs=1.5)
    finally:
        player.close()
