"""The names of kinds and fields are a contract: each is here as other programs see it."""

import json

import pytest

from player import events
from player.events import Cause, Event, Mark
from player.integrations.followers import _MADE, KINDS, MOST_IDS, happening, line
from player.model import downloads as downloads
from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus, Severity
from player.model.podcast import PodcastId
from player.text.sentences import _, for_screen

SEVEN, TWO, PERSON = EpisodeId(7), PodcastId(2), Cause.PERSON
EXPECTED: list[tuple[Event, str, dict[str, object]]] = [
    (events.EpisodeStarted(SEVEN, 5, PERSON), "started", {"episode_id": 7, "position_ms": 5, "cause": "person"}),
    (events.EpisodeFinished(SEVEN, Cause.ENGINE), "finished", {"episode_id": 7, "cause": "engine"}),
    (events.EpisodeLeft(SEVEN, 5, PERSON), "left", {"episode_id": 7, "position_ms": 5, "cause": "person"}),
    (events.Paused(SEVEN, 5, Cause.RULE), "paused", {"episode_id": 7, "position_ms": 5, "cause": "rule"}),
    (events.Resumed(SEVEN, 5, PERSON), "resumed", {"episode_id": 7, "position_ms": 5, "cause": "person"}),
    (
        events.PlaybackFailed(SEVEN, 5, "No.", Cause.ENGINE),
        "failed",
        {"episode_id": 7, "position_ms": 5, "error": "No.", "cause": "engine"},
    ),
    (events.Seeked(SEVEN, 1, 2, PERSON), "seeked", {"episode_id": 7, "from_ms": 1, "to_ms": 2, "cause": "person"}),
    (events.SpeedChanged(1.5, PERSON), "speed", {"speed": 1.5, "cause": "person"}),
    (events.PodcastAdded(TWO, PERSON), "podcast_added", {"podcast_id": 2, "cause": "person"}),
    (
        events.PodcastsImported((TWO,), PERSON),
        "podcasts_imported",
        {"podcast_ids": [2], "count": 1, "cause": "person"},
    ),
    (events.PodcastRemoved(TWO, PERSON), "podcast_removed", {"podcast_id": 2, "cause": "person"}),
    (
        events.PodcastRefreshed(TWO, (SEVEN,)),
        "new_episodes",
        {"podcast_id": 2, "episode_ids": [7], "count": 1, "cause": "feed"},
    ),
    (
        events.PodcastRefreshed(TWO, error="Gone."),
        "refresh_failed",
        {"podcast_id": 2, "error": "Gone.", "cause": "feed"},
    ),
    (
        events.EpisodesMarked((SEVEN,), Mark.STARRED, True, PERSON),
        "marked",
        {"mark": "starred", "on": True, "episode_ids": [7], "count": 1, "cause": "person"},
    ),
    (events.QueueChanged(PERSON), "queue", {"cause": "person"}),
    (events.InboxChanged(Cause.RULE), "inbox", {"cause": "rule"}),
    (events.BookmarksChanged(PERSON), "bookmarks", {"cause": "person"}),
    (events.SegmentsChanged((SEVEN,), PERSON), "segments", {"cause": "person"}),
    (downloads.DownloadFinished(SEVEN, PERSON), "downloaded", {"episode_id": 7, "cause": "person"}),
    (
        downloads.DownloadFailed(SEVEN, "No.", PERSON),
        "download_failed",
        {"episode_id": 7, "error": "No.", "cause": "person"},
    ),
    (downloads.DownloadCancelled(SEVEN, PERSON), "download_cancelled", {"episode_id": 7, "cause": "person"}),
    (downloads.DownloadDeleted(SEVEN, PERSON), "download_deleted", {"episode_id": 7, "cause": "person"}),
    (events.NetworkChanged(True, by_hand=True), "network", {"offline": True, "by_hand": True}),
    (events.Notice("Hello", Severity.WARNING), "notice", {"text": "Hello", "severity": "warning"}),
]


@pytest.mark.parametrize(("event", "kind", "fields"), EXPECTED)
def test_an_event_is_told_by_its_kind_and_fields(event: Event, kind: str, fields: dict[str, object]) -> None:
    told = happening(event)
    assert told is not None
    assert (told[0], json.loads(json.dumps(told[1]))) == (kind, fields)
    assert kind in KINDS


def test_every_kind_is_tried_here() -> None:
    assert {type(event) for event, _, _ in EXPECTED} == set(_MADE)
    derived = {"status", "volume", "sleep", "chapter"}
    assert {kind for _, kind, _ in EXPECTED} | derived == set(KINDS)


def test_a_feed_without_news_is_no_event() -> None:
    assert happening(events.PodcastRefreshed(TWO)) is None
    assert happening(events.PlaybackChanged(PlaybackStatus())) is None


def test_of_many_episodes_the_first_are_named_and_all_are_counted() -> None:
    many = tuple(EpisodeId(number) for number in range(1, 100_001))
    told = happening(events.EpisodesMarked(many, Mark.PLAYED, True, PERSON))
    assert told is not None
    assert (len(told[1]["episode_ids"]), told[1]["count"]) == (MOST_IDS, 100_000)


def test_a_sentence_that_was_written_for_the_screen_is_sent_without_its_marks() -> None:
    back = for_screen()
    try:
        sent = line("notice", text=_("Downloaded “{title}”", title="עברית"))
    finally:
        back()
    assert json.loads(sent)["text"] == "Downloaded “עברית”"
