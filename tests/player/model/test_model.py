from datetime import UTC, datetime, timedelta, timezone
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import Episode, EpisodeId, TranscriptRef
from player.model.feed import FeedEpisode
from player.model.filters import ListId, View, ViewName
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId

EPISODE = Episode(EpisodeId(1), PodcastId(1), "Show", "One", "g", "http://127.0.0.1/1.mp3")


def playing(**more: object) -> PlaybackStatus:
    return PlaybackStatus(PlaybackState.PLAYING, EPISODE, 10_000, 60_000, measured_at=100.0, **more)  # type: ignore[arg-type]


def test_the_place_runs_on_at_the_speed_of_playing() -> None:
    assert playing(speed=2.0).at(101.5).position_ms == 13_000


def test_a_paused_place_stands_still() -> None:
    status = PlaybackStatus(PlaybackState.PAUSED, EPISODE, 10_000, 60_000, measured_at=100.0)
    assert status.at(200.0) == status


def test_the_place_never_runs_past_the_end() -> None:
    assert playing().at(1000.0).position_ms == 60_000


def test_an_older_moment_moves_nothing_back() -> None:
    assert playing().at(99.0).position_ms == 10_000


def test_buffered_is_what_is_kept_without_a_gap_from_the_place() -> None:
    assert playing(cached=((0.0, 0.5), (0.8, 1.0))).buffered_ms == 30_000


def test_kept_bytes_behind_a_gap_are_not_buffered() -> None:
    assert playing(cached=((0.5, 1.0),)).buffered_ms == 10_000


_ITEMS = st.builds(
    FeedEpisode,
    guid=st.text(max_size=8),
    title=st.text(max_size=8),
    url=st.text(max_size=8),
    size=st.none() | st.integers(),
    published=st.none() | st.datetimes(timezones=st.sampled_from((UTC, timezone(timedelta(hours=-3, minutes=-30))))),
    duration_ms=st.none() | st.integers(),
    season=st.none() | st.integers(),
    explicit=st.booleans(),
    transcripts=st.lists(st.builds(TranscriptRef, st.text(max_size=8)), max_size=2).map(tuple),
    extra=st.text(max_size=8),
)


@given(_ITEMS)
def test_a_fingerprint_is_what_it_always_was(item: FeedEpisode) -> None:
    content = "\0".join(map(str, item[:-1])).encode("utf-8", "surrogatepass")
    assert item.signed() == item._replace(fingerprint=blake2b(content, digest_size=8).hexdigest())


def test_the_fingerprint_of_an_episode_in_the_libraries_of_today() -> None:
    item = FeedEpisode(
        "guid", "Pilot", "https://a.example/1.mp3", "audio/mpeg", 1_000, published=datetime(2024, 1, 15, 10, tzinfo=UTC)
    )
    assert item.signed().fingerprint == "9997a52c3f3762b0"


@pytest.mark.parametrize(
    "view",
    [
        View(), View.of(ViewName.QUEUE), View.of(ViewName.STARRED), View.of(ViewName.PODCAST, PodcastId(3)),
        View.of_tag("work"), View.of_list(ListId(7)),
    ],
)  # fmt: skip
def test_a_view_narrowed_by_words_is_the_same_list_and_whole_again_without_them(view: View) -> None:
    narrowed = view.narrowed("rust")
    assert (narrowed.title, narrowed.key) == ("rust", view.key)
    assert narrowed.whole == narrowed.narrowed("") == view.whole == view
    assert View.of_key(narrowed.key) == view
