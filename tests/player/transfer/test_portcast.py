"""PortCast documents."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.foreign import ForeignEpisode, HeardSpan, Kept, Queued, SavedAt
from player.transfer.load import load

GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810"
DOCUMENT: dict[str, Any] = {
    "portcast": "0.2.0",
    "generatedAt": "2026-05-29T14:00:00Z",
    "generator": {"name": "Trimplayer", "version": "3.4.1"},
    "owner": {"displayName": "Jonathan"},
    "subscriptions": [
        {
            "subscriptionId": "1",
            "feedUrl": "https://example.org/rain.xml",
            "podcastGuid": GUID,
            "title": "Rain",
            "unsubscribedAt": None,
            "tags": ["weather", "weekly"],
            "updatedAt": "2026-05-29T14:00:00Z",
        },
        {
            "subscriptionId": "2",
            "feedUrl": "https://example.org/wind.xml",
            "title": "Wind",
            "unsubscribedAt": "2026-01-01T00:00:00Z",
            "updatedAt": "2026-05-20T10:00:00Z",
        },
        {
            "subscriptionId": "3",
            "platformRefs": ["spotify:show:7makk4oTQel546B0PZlDM5"],
            "title": "An Exclusive",
            "updatedAt": "2026-05-29T14:00:00Z",
        },
    ],
    "episodes": [
        {
            "episodeStateId": "1",
            "subscriptionRef": {"podcastGuid": GUID},
            "guid": "rain-42",
            "enclosureUrl": "https://cdn.example.org/42.mp3",
            "title": "Rain 42",
            "publishedAt": "2026-05-20T07:00:00Z",
            "durationSeconds": 3287,
            "status": "in_progress",
            "positionSeconds": 1245.2,
            "lastPlayedAt": "2026-05-25T08:11:00Z",
            "starred": True,
            "events": [
                {"type": "play", "at": "2026-05-22T18:30:00Z", "positionSeconds": 0},
                {"type": "pause", "at": "2026-05-22T19:05:12Z", "positionSeconds": 2112},
                {"type": "play", "at": "2026-05-25T08:00:00Z", "positionSeconds": 2112},
                {"type": "seek", "at": "2026-05-25T08:02:00Z", "positionSeconds": 1200, "fromPositionSeconds": 2232},
                {"type": "pause", "at": "2026-05-25T08:03:00Z", "positionSeconds": 1290},
                {"type": "bookmark", "at": "2026-05-25T08:03:00Z"},
            ],
            "updatedAt": "2026-05-25T08:11:00Z",
        },
        {
            "episodeStateId": "2",
            "subscriptionRef": {"feedUrl": "http://EXAMPLE.org/rain.xml/"},
            "guid": "rain-41",
            "status": "completed",
            "positionSeconds": 2940,
            "updatedAt": "2026-05-15T20:14:00Z",
        },
        {
            "episodeStateId": "3",
            "subscriptionRef": {"feedUrl": "https://example.org/wind.xml"},
            "enclosureUrl": "https://cdn.example.org/w7.mp3",
            "status": "unplayed",
            "updatedAt": "2026-05-18T06:00:00Z",
        },
        {
            "episodeStateId": "4",
            "subscriptionRef": {"podcastGuid": GUID.upper()},
            "guid": "rain-40",
            "status": "archived",
            "updatedAt": "2026-05-18T06:00:00Z",
        },
        {
            "episodeStateId": "5",
            "subscriptionRef": {"podcastGuid": GUID},
            "guid": "rain-39",
            "status": "unplayed",
            "updatedAt": "2026-05-18T06:00:00Z",
        },
    ],
    "queue": [
        {"position": 2, "episodeRef": {"enclosureUrl": "https://cdn.example.org/w7.mp3"}},
        {"position": 1, "episodeRef": {"guid": "rain-42"}},
    ],
    "bookmarks": [
        {
            "bookmarkId": "1",
            "episodeRef": {"guid": "rain-42"},
            "atSeconds": 1384.0,
            "endSeconds": 1421.5,
            "label": "Great quote",
            "note": "About feeds",
            "createdAt": "2026-05-25T08:23:00Z",
        },
        {
            "bookmarkId": "2",
            "episodeRef": {"guid": "nobody-knows"},
            "atSeconds": 1,
            "createdAt": "2026-05-25T08:23:00Z",
        },
    ],
    "preferences": {
        "global": {"playbackRate": 1.2},
        "perFeed": {GUID: {"playbackRate": 1.5, "skipIntroSeconds": 90, "skipOutroSeconds": 60}},
    },
    "extensions": {"com.example": {"anything": [1]}},
}


def at(day: int, hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 5, day, hour, minute, second, tzinfo=UTC)


def test_what_a_document_says_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_text(json.dumps(DOCUMENT, indent=1))
    found = load(path)
    assert (found.app, found.version) == ("PortCast (Trimplayer)", "0.2.0")
    rain, wind = found.podcasts
    assert (rain.url, rain.title, rain.tags, rain.subscribed) == (
        "https://example.org/rain.xml",
        "Rain",
        ("weather", "weekly"),
        True,
    )
    assert (rain.settings.speed, rain.settings.skip_intro_ms, rain.settings.skip_outro_ms) == (1.5, 90_000, 60_000)
    assert not wind.subscribed
    assert wind.episodes == (
        ForeignEpisode(url="https://cdn.example.org/w7.mp3", changed_at=at(18, 6, 0), queued=Queued(2)),
    )
    begun, finished, archived = sorted(rain.episodes, key=lambda one: one.guid, reverse=True)
    assert begun == ForeignEpisode(
        "rain-42",
        "https://cdn.example.org/42.mp3",
        "Rain 42",
        at(20, 7, 0),
        3_287_000,
        position=SavedAt(1_245_200),
        changed_at=at(25, 8, 11),
        starred=True,
        queued=Queued(1),
        heard=(
            HeardSpan(0, 2_112_000, at(22, 18, 30)),
            HeardSpan(2_112_000, 2_232_000, at(25, 8, 0)),
            HeardSpan(1_200_000, 1_290_000, at(25, 8, 2), 1.5),
        ),
    )
    assert (finished.guid, finished.played, finished.position) == ("rain-41", True, None)
    assert (archived.guid, archived.played) == ("rain-40", True)
    assert rain.bookmarks == (
        Kept(
            1_384_000,
            at(25, 8, 23),
            "Great quote: About feeds",
            episode="Rain 42",
            link="https://cdn.example.org/42.mp3",
            guid="rain-42",
            length_ms=37_500,
        ),
    )
    assert found.left_out == (
        "1 podcast has no feed and can't be imported: “An Exclusive”.",
        "1 bookmark can't be imported.",
    )


def test_the_order_of_its_members_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(json.dumps(DOCUMENT))
    (tmp_path / "other").write_text(json.dumps({"portcast": "0.2.0"} | dict(reversed(DOCUMENT.items()))))
    assert load(tmp_path / "other").podcasts == load(tmp_path / "one").podcasts


def test_later_versions_and_half_files_are_read_as_far_as_possible(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(json.dumps(DOCUMENT | {"portcast": "1.0.0"}))
    assert load(tmp_path / "x").left_out[-1].startswith("This PortCast is newer")
    text = json.dumps(DOCUMENT)
    (tmp_path / "x").write_text(text[: text.index('"rain-41"')])
    found = load(tmp_path / "x")
    assert [len(one.episodes) for one in found.podcasts] == [1, 0]
    assert found.left_out[-1].startswith("The file isn't whole")


ODD: tuple[Any, ...] = (None, True, -1, 1e300, "x", "\x1b[31m", [], {}, [None, 3, {}], {"a": 1})


@given(data=st.data())
def test_wrong_types_and_missing_fields_cost_only_themselves(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "odd.json"
    document = deepcopy(DOCUMENT)
    for _change in range(data.draw(st.integers(1, 4))):
        section = data.draw(st.sampled_from(["subscriptions", "episodes", "queue", "bookmarks"]))
        where = data.draw(st.sampled_from(document[section][1:]))
        if not isinstance(where, dict) or not where:
            continue
        name = data.draw(st.sampled_from(sorted(where)))
        if data.draw(st.booleans()):
            del where[name]
        else:
            where[name] = data.draw(st.sampled_from(ODD))
    path.write_text(json.dumps(document))
    rain = load(path).podcasts[0]
    assert "rain-42" in {one.guid for one in rain.episodes}
    assert all("\x1b" not in one.title for one in rain.episodes)
