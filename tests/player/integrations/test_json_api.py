"""The JSON that other programs rely on."""

import json
import time
from datetime import UTC, datetime, timedelta, timezone

from player.integrations.json_api import episode_json, moment, podcast_json, status_json
from player.model.playback import PlaybackState, PlaybackStatus, SleepChoice, SleepStatus, SleepUntil
from player.model.podcast import Podcast, PodcastId
from tests.player.integrations.fake_session import EPISODE


def test_a_podcast_has_the_fields_of_the_contract_in_their_order() -> None:
    podcast = Podcast(
        PodcastId(3),
        "https://example.com/feed",
        "A podcast",
        author="Ann",
        description="About.",
        episode_count=12,
        unplayed_count=5,
        last_refreshed=datetime(2026, 11, 20, 9, 30, 15, 999, tzinfo=UTC),
        error="The server is down.",
    )
    assert list(podcast_json(podcast).items()) == [
        ("id", 3),
        ("url", "https://example.com/feed"),
        ("title", "A podcast"),
        ("author", "Ann"),
        ("description", "About."),
        ("episode_count", 12),
        ("unplayed_count", 5),
        ("last_refreshed", "2026-11-20T09:30:15Z"),
        ("error", "The server is down."),
        ("note", None),
        ("feed_title", "A podcast"),
        ("pinned", False),
        ("tags", []),
    ]


def test_an_episode_has_the_fields_of_the_contract_in_their_order() -> None:
    assert list(episode_json(EPISODE, {EPISODE.id: 2}).items()) == [
        ("id", 7),
        ("podcast_id", 2),
        ("podcast", "A podcast"),
        ("title", "An episode"),
        ("guid", "g-7"),
        ("published", "2026-04-12T06:30:00Z"),
        ("duration_ms", 600_000),
        ("position_ms", 60_000),
        ("played", False),
        ("starred", True),
        ("downloaded", False),
        ("url", "https://example.com/7.mp3"),
        ("link", "https://example.com/7"),
        ("queued", 2),
        ("live", None),
    ]


def test_a_status_has_the_fields_of_the_contract() -> None:
    status = PlaybackStatus(
        state=PlaybackState.PAUSED,
        episode=EPISODE,
        position_ms=60_000,
        duration_ms=600_000,
        speed=1.5,
        volume=80,
        cached=((0.0, 0.25),),
    )
    shown = json.loads(json.dumps(status_json(status, {})))
    assert shown == {
        "state": "paused",
        "episode": episode_json(EPISODE, {}),
        "position_ms": 60_000,
        "duration_ms": 600_000,
        "speed": 1.5,
        "volume": 80,
        "buffered_ms": 150_000,
        "error": None,
        "waiting": None,
        "live": False,
        "sleep": None,
        "gain_db": None,
        "boost": "off",
        "trim": "off",
        "plays_on": None,
        "served_at": None,
        "stops_after_episode": False,
        "offline": False,
        "chapter": None,
        "queue_count": 0,
        "runs_in": None,
        "pid": None,
        "since": None,
    }


def test_the_sleep_timer_is_a_field_of_the_status() -> None:
    minutes = SleepStatus(SleepChoice(SleepUntil.MINUTES, 30), 90_000, fading=False, stops_after=True)
    shown = status_json(PlaybackStatus(PlaybackState.PAUSED, EPISODE, sleep=minutes), {})
    assert shown["sleep"] == {"until": "minutes", "minutes": 30, "episodes": None, "left_ms": 90_000, "fading": False}
    assert shown["stops_after_episode"] is True
    episodes = SleepStatus(SleepChoice(SleepUntil.EPISODE, 3), None, 2)
    assert status_json(PlaybackStatus(PlaybackState.PAUSED, EPISODE, sleep=episodes), {})["sleep"] == {
        "until": "episode", "minutes": None, "episodes": 2, "left_ms": None, "fading": False,
    }  # fmt: skip


def test_a_position_that_moves_is_reported_as_it_is_now() -> None:
    status = PlaybackStatus(
        PlaybackState.PLAYING, EPISODE, 60_000, 600_000, speed=2.0, measured_at=time.monotonic() - 10
    )
    assert 80_000 <= status_json(status, {})["position_ms"] < 82_000


def test_nothing_loaded_is_null() -> None:
    shown = status_json(PlaybackStatus(), {})
    assert (shown["state"], shown["episode"], shown["duration_ms"]) == ("stopped", None, None)


def test_moments_are_in_utc() -> None:
    assert moment(datetime(2026, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))) == "2025-12-31T23:00:00Z"
    assert moment(None) is None
