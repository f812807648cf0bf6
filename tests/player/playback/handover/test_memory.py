"""Whatever a session knows beside the library is handed over, and a new part with a memory can't be forgotten."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from player.events import Bus, EpisodeLeft, EpisodeStarted, Paused, Resumed
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, SleepChoice, SleepUntil
from player.model.podcast_settings import PodcastSettings
from player.model.segments import SegmentKind, SegmentRule, SegmentRules
from player.playback.handover import SessionMemory
from player.playback.outcomes import Done
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import HeldMedia, Store, silence, wait_until

HANDED = {
    "_current": {"episode", "state", "position", "resumed"},
    "navigation": {"_jumps", "_skipped_to_ms"},
    "navigation._skipper": {"_spared", "_run_from_ms", "_has_begun", "_intro_is_over", "_last", "last_segments"},
    "sleeper": {
        "_timer", "_origin", "_return_to", "_slept_at", "_stops_after", "_heard_id", "_gain", "_aimed", "last_choice",
        "_night",
    },
    "_settings": {"_speed_for_now", "usual_speed"},
    "_volume": {"unmuted"},
    "_transport": {"volume", "_measured_ms", "_true_ms"},
    "_books": {"heard_s", "_started", "_last"},
    "_books._recorder": {"_open"},
    "following": {"_by_itself", "_tried", "_failures", "_before", "_list"},
    "events": {"_heard", "_silent"},
    "levelling": set[str](),
}  # fmt: skip
"""What is in `SessionMemory`, by the part of the session that it comes from."""

MADE_ANEW = {
    "_current": {"error", "_before_clip"},  # told again where it still holds; a clip is over by then
    "navigation": {
        "_clip_ends_ms", "_length", "_moved", "_went_back", "chapters",
    },  # clips; bytes; paused ones; of the key pressed last; found again
    "navigation._skipper": {  # of settings, chapters and the library
        "_words", "_intro_ms", "_outro_ms", "_skipped", "_segments", "_asked",
    },
    "sleeper": {"_heard_at", "_sounded_at"},  # moments
    "_settings": {"_episode_id", "_podcast_id", "_usual_before", "of_episode"},  # of the library; of this hour alone
    "_volume": set[str](),
    "_transport": {  # of settings, sleeper; of the device, which is asked again
        "_adjustment_db", "_effects", "_engine", "_gain", "_generation", "_left_out", "elsewhere", "loaded", "media",
        "speed", "wanted_effects",
    },
    "_books": {"_announced_at", "_recorded_at", "_saved_at", "_segments_ms", "_trimmed_ms"},  # moments; saved
    "_books._recorder": {"_changed"},  # saved
    "levelling": {"_apply", "_chosen", "_episode_id", "_known", "_level", "_look_up", "effects"},  # looked up again
    "following": {"_ahead", "_came", "_going_back", "_next", "_next_after", "outdated"},  # read ahead again
    "events": {"_cause", "_episode_id", "_events", "_in_clip", "_paused", "_position_ms", "_speed", "_state", "_wish"},
}  # fmt: skip
"""What isn't, with the reason."""

OF_ITS_MAKING = {
    "_books", "_choosing", "_clock", "_configured", "_current", "_events", "_hours", "_later", "_library",
    "_listener", "_make_engine", "_navigation", "_notify", "_now", "_open_media", "_queues_interrupted", "_recorder",
    "_saver", "_settings_for", "_skipper", "_transport", "_wake", "asks", "came_back", "clip_kept", "played_within_ms",
    "sleep",
}  # fmt: skip
"""Other parts, settings and functions, which each session gets when it is made."""

LOOKED_AT = {"_choosing", "_clips", "_follows", "_reports", "parts"}
"""Parts of the controller beside those above: they have no memory, or (clips) none that outlasts a hand-over."""


@pytest.fixture
def ids(library: Library) -> tuple[EpisodeId, ...]:
    podcast = library.podcasts.add(URL, "A show")
    return apply_feed(library, podcast, *(episode(number, duration_ms=60_000) for number in (1, 2, 3))).new


@pytest.fixture
def made(library: Library) -> Iterator[Callable[[], PlaybackService]]:
    sessions = []

    def make() -> PlaybackService:
        store = Store(lambda _episode: HeldMedia(silence(60)))
        sessions.append(PlaybackService(library, store, Bus(), Playback(), SilentEngine))
        return sessions[-1]

    yield make
    for one in sessions:
        one.close(5.0)


def parts_of(session: PlaybackService) -> dict[str, object]:
    controller = session._controller
    found: dict[str, object] = {"following": session._following, "events": session._events}
    for name in HANDED.keys() - found.keys():
        part: Any = controller
        for step in name.split("."):
            part = getattr(part, step)
        found[name] = part
    return found


def test_each_thing_that_a_part_remembers_is_handed_over_or_there_is_a_reason(
    made: Callable[[], PlaybackService],
) -> None:
    """Who adds an attribute to a part of the session decides here what becomes of it when the sound is handed over."""
    session = made()
    for name, part in parts_of(session).items():
        undecided = vars(part).keys() - HANDED[name] - MADE_ANEW[name] - OF_ITS_MAKING
        assert not undecided, f"{name}: is {undecided} handed over (SessionMemory), or why not?"
        assert vars(part).keys() >= HANDED[name]
    parts = {name for name, value in vars(session._controller).items() if type(value).__module__.startswith("player.")}
    assert parts - HANDED.keys() - LOOKED_AT - OF_ITS_MAKING == set(), (
        "a new part of the controller: does it remember anything?"
    )


def playing_from(session: PlaybackService, episode_id: EpisodeId, at_ms: int) -> None:
    session.start()
    session.play(episode_id, at_ms).result(10)
    wait_until(lambda: session.status.state is PlaybackState.PLAYING, "the sound")


def handed(one: PlaybackService, other: PlaybackService) -> SessionMemory:
    """As through the socket: as JSON."""
    given = one.handing.give()
    memory = msgspec.json.decode(msgspec.json.encode(given.memory), type=SessionMemory)
    assert memory == given.memory
    other.handing.comes(memory)
    other.start()
    wait_until(lambda: other.status.state is given.memory.state, "the same state there")
    assert given.written(10)
    given.leave()
    other.handing.begin_saving()
    return memory


def test_what_was_chosen_while_listening_goes_along(
    made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...]
) -> None:
    one, other = made(), made()
    playing_from(one, ids[0], 5_000)
    one.play(ids[1]).result(10)
    wait_until(lambda: one.status.state is PlaybackState.PLAYING, "the sound")
    one.seek_to(30_000)
    one.set_speed(1.5)
    one.set_volume(70)
    one.mute()
    one.stop_after()
    one.sleep(SleepChoice(SleepUntil.MINUTES, 10)).result(10)
    before = one.status
    handed(one, other)
    status = other.status
    assert status.episode is not None
    assert (status.episode.id, status.speed, status.volume) == (ids[1], 1.5, 0)
    assert 30_000 <= status.position_ms < 32_000
    assert status.sleep.choice == before.sleep.choice
    assert status.sleep.stops_after
    assert before.sleep.left_ms is not None
    assert status.sleep.left_ms is not None
    assert 0 <= before.sleep.left_ms - status.sleep.left_ms < 5_000
    other.mute().result(10)
    assert other.status.volume == 70
    other.undo_jump().result(10)
    assert other.status.position_ms < 5_000
    assert isinstance(other.previous().result(10), Done)
    wait_until(lambda: other.status.episode is not None and other.status.episode.id == ids[0], "the one before")


def test_u_leads_back_to_a_segment_that_the_other_process_skipped(
    made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...], library: Library
) -> None:
    marked = library.segments.mark(ids[1], 0, 20_000, SegmentKind.SPONSOR)
    library.segments.put_found(ids[0], [(marked.id, 6_000, 26_000)])
    rules = SegmentRules(sponsor=SegmentRule.SKIP)
    library.podcast_settings.set(marked.podcast_id, PodcastSettings(segments=rules))
    one, other = made(), made()
    playing_from(one, ids[0], 5_500)
    wait_until(lambda: one.status.position_ms >= 26_000, "the skip")
    handed(one, other)
    done = other.undo_jump().result(10)
    assert isinstance(done, Done)
    assert [segment.id for segment in done.segments] == [marked.id]
    assert 6_000 <= other.status.position_ms < 7_000
    assert other._saver.flush(10)
    assert library.segments.of_episode(ids[0]) == []


@pytest.mark.parametrize("plays", [True, False])
def test_nobody_hears_of_it(made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...], plays: bool) -> None:
    one, other = made(), made()
    events: list[object] = []
    playing_from(one, ids[0], 5_000)
    if not plays:
        one.pause().result(10)
    for session in (one, other):
        for kind in (EpisodeStarted, EpisodeLeft, Paused, Resumed):
            session._bus.subscribe(kind, events.append)
    handed(one, other)
    assert events == []
    (other.pause if plays else other.resume)().result(10)
    wait_until(lambda: events, "the next event")
    assert isinstance(events[0], Paused if plays else Resumed)
    one.close(5.0)
    assert [type(event) for event in events] in ([Paused], [Resumed])


def test_a_sound_that_is_kept_goes_on_where_it_was_and_does_what_was_asked_meanwhile(
    made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...]
) -> None:
    session = made()
    events: list[object] = []
    playing_from(session, ids[0], 5_000)
    for kind in (EpisodeStarted, EpisodeLeft, Paused, Resumed):
        session._bus.subscribe(kind, events.append)
    given = session.handing.give()
    louder = session.set_volume(60)
    given.keep()
    assert isinstance(louder.result(10), Done)
    wait_until(lambda: session.status.state is PlaybackState.PLAYING, "the sound")
    assert given.memory.position.ms <= session.status.position_ms < given.memory.position.ms + 2_000
    assert session.status.volume == 60
    assert events == []


def test_who_has_given_the_sound_away_never_writes_again(
    made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...], library: Library
) -> None:
    one, other = made(), made()
    playing_from(one, ids[0], 5_000)
    handed(one, other)
    library.progress.save(ids[0], 44_000, None, datetime.now(UTC))
    one.seek_to(1_000)
    one.pause()
    one.close(5.0)
    saved = library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 44_000


def test_what_was_heard_is_one_span_in_the_history(
    made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...], library: Library
) -> None:
    one, other = made(), made()
    playing_from(one, ids[0], 5_000)
    wait_until(lambda: one.status.at(time.monotonic()).position_ms > 6_100, "something heard")
    handed(one, other)
    wait_until(lambda: other.status.position_ms > 6_600, "more of it")
    other.pause().result(10)
    assert other._saver.flush(10)
    (span,) = library.history.spans(ids[0])
    assert (span.from_ms // 200, span.to_ms // 1000) == (25, 6)


def test_nothing_is_saved_before_the_other_one_has_written_its_last(
    made: Callable[[], PlaybackService], ids: tuple[EpisodeId, ...], library: Library
) -> None:
    one, other = made(), made()
    playing_from(one, ids[0], 5_000)
    given = one.handing.give()
    other.handing.comes(given.memory)
    other.start()
    assert given.written(10)
    library.progress.save(ids[0], 3_000, None, datetime.now(UTC))
    other.seek_to(40_000).result(10)
    assert not other._saver.flush(0.1)
    saved = library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 3_000
    given.leave()
    other.handing.begin_saving()
    assert other._saver.flush(10)
    saved = library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms >= 40_000
