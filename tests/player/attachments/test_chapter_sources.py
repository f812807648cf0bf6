"""Chapters come from the best source that has any, and better ones as they come in."""

import json
import threading
from pathlib import Path

import pytest

from player.attachments.attachments import SOONEST_S
from player.events import PlaybackChanged
from player.model.episode import Chapter, Chapters, ChapterSource, Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import WELCOME_URL
from player.paths import Paths
from tests.loopback import LoopbackServer, Request
from tests.player.attachments.conftest import House
from tests.player.chapters.audio import encoded
from tests.player.library.helpers import apply_feed, episode
from tests.player.media.conftest import Listening, whole

NOTES = "0:00 Noted\n0:03 Noted too\n0:06 Noted last"
PODLOVE = json.dumps({"chapters": [{"start_ms": 0, "title": "Podlove", "href": "https://example.org/"}]})
IN_FILE = ("Filed", "Filed too", "Filed last")


def first(house: House, one: Episode) -> tuple[ChapterSource | None, str]:
    found = house.attachments.chapters(house.library.episodes.get(one.id))
    return found.source, found.items[0].title if found.items else ""


@pytest.fixture
def downloaded(house: House, tmp_path: Path) -> Episode:
    """An episode with chapters in its file, and a list of times in its notes."""
    one = house.add(notes=NOTES, duration_ms=10_000)
    path = tmp_path / "one.mp3"
    path.write_bytes(encoded("mp3", *IN_FILE))
    house.library.downloads.put(one.id, path)
    return one


def test_the_file_is_better_than_the_notes_and_worse_than_the_feed(
    house: House, downloaded: Episode, server: LoopbackServer
) -> None:
    assert first(house, downloaded) == (ChapterSource.FILE, "Filed")
    house.library.downloads.path(downloaded.id).unlink()  # type: ignore[union-attr]
    assert first(house, downloaded) == (ChapterSource.NOTES, "Noted")
    apply_feed(house.library, house.podcast, episode(0, notes=NOTES, extra=PODLOVE))
    assert first(house, downloaded) == (ChapterSource.PODLOVE, "Podlove")
    url = server.page("/chapters.json", b'{"chapters": [{"startTime": 0, "title": "JSON"}]}', "application/json")
    apply_feed(house.library, house.podcast, episode(0, notes=NOTES, extra=PODLOVE, chapters_url=url))
    assert first(house, downloaded) == (ChapterSource.PODLOVE, "Podlove")
    house.wanted(downloaded)
    assert first(house, downloaded) == (ChapterSource.JSON, "JSON")


def test_podlove_chapters_have_links_and_pictures(house: House) -> None:
    stored = {"start_ms": 5, "title": "", "href": "https://example.org/", "image": "https://example.org/i.png"}
    one = house.add(extra=json.dumps({"chapters": [stored]}))
    assert house.attachments.chapters(one) == Chapters(
        (Chapter(5, "Chapter 1", url="https://example.org/", image_url="https://example.org/i.png"),),
        ChapterSource.PODLOVE,
    )


def test_a_list_of_hidden_chapters_alone_is_none(house: House, server: LoopbackServer) -> None:
    body = b'{"chapters": [{"startTime": 0, "title": "Picture", "toc": false}]}'
    one = house.add(chapters_url=server.page("/chapters.json", body, "application/json"), notes=NOTES)
    house.wanted(one)
    assert first(house, one) == (ChapterSource.NOTES, "Noted")


def test_the_built_in_show_has_its_chapters_at_once(house: House) -> None:
    url = f"{WELCOME_URL}/1-press-play"
    one = house.add(url=f"{url}.opus", chapters_url=f"{url}.chapters.json")
    assert [chapter.title for chapter in house.attachments.chapters(one).items] == [
        "Hello",
        "Pause and jump",
        "Come back",
    ]
    assert first(house, house.add(1, chapters_url=f"{url}.none")) == (None, "")


def test_what_is_kept_of_a_file_is_looked_at_while_it_plays_and_later(
    house: House, paths: Paths, server: LoopbackServer
) -> None:
    one = house.add(url=server.audio("/one.mp3", encoded("mp3", *IN_FILE)))
    assert first(house, one) == (None, "")
    media = house.store.open(one, lambda: None)
    whole(media)
    assert first(house, one) == (ChapterSource.FILE, "Filed")
    media.close()
    listening = Listening(paths)
    listening.close()  # waits for the fetchers
    assert first(house, one) == (ChapterSource.FILE, "Filed")
    assert len(server.seen) <= 3, "looking asks no server"


def test_who_plays_is_told_of_chapters_as_they_come_in(house: House, server: LoopbackServer) -> None:
    go_on = threading.Event()
    data = encoded("m4a", *IN_FILE)  # its index stands at the end

    def slowly(request: Request) -> None:
        go_on.wait(10)
        request.reply_ranges(data, "audio/mp4")

    one = house.add(url=server.answer("/one.m4a", slowly), notes=NOTES, duration_ms=10_000)
    status = PlaybackStatus(PlaybackState.PLAYING, one, measured_at=100.0)
    house.bus.publish(PlaybackChanged(status))
    house.until(lambda: house.found_chapters)
    media = house.store.open(one, lambda: None)
    go_on.set()
    whole(media)
    house.bus.publish(
        PlaybackChanged(PlaybackStatus(PlaybackState.PLAYING, one, cached=media.cached, measured_at=100.1))
    )
    later = 100.0 + SOONEST_S
    house.bus.publish(
        PlaybackChanged(PlaybackStatus(PlaybackState.PLAYING, one, cached=media.cached, measured_at=later))
    )
    house.until(lambda: house.changed)
    media.close()
    assert house.changed == [one.id]
    assert [(one[0], one[1].source) for one in house.found_chapters] == [
        (one.id, ChapterSource.NOTES),
        (one.id, ChapterSource.FILE),
    ]


def test_who_plays_is_told_when_a_file_of_chapters_came(house: House, server: LoopbackServer) -> None:
    url = server.page("/chapters.json", b'{"chapters": [{"startTime": 0, "title": "JSON"}]}', "application/json")
    one = house.add(chapters_url=url)
    house.bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.PLAYING, one)))
    house.until(lambda: house.found_chapters and house.found_chapters[-1][1].source is ChapterSource.JSON)
    assert {episode_id for episode_id, _ in house.found_chapters} == {one.id}


def test_what_is_told_is_of_what_plays(house: House) -> None:
    one, other = house.add(0, extra=PODLOVE), house.add(1)
    for episode_ in (one, other):
        house.bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.PAUSED, episode_)))
    house.until(lambda: any(one[0] == other.id for one in house.found_chapters))
    assert house.found_chapters[-1] == (EpisodeId(other.id), Chapters())
    house.attachments.close()  # waits for the look that is under way
    assert house.changed == [], "a page that has shown none yet needn't read them again"
