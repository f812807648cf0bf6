"""Unsubscribing, undone: everything is as it was, under the same numbers."""

import sqlite3
import zlib
from datetime import UTC, datetime

import pytest

from player.errors import AlreadySubscribed
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.listening import ActKind, Part
from player.model.podcast import Podcast
from tests.player.library.helpers import URL, apply_feed, episode

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
_OTHER = ("acts", "search_changes", "sqlite_sequence", "downloads")
"""Tables that tell of what was done, and files, which are deleted."""


def everything(library: Library) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(library._path) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        found = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for (table,) in tables}
    return {table: sorted(rows, key=repr) for table, rows in found.items() if table not in _OTHER}


def use(library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]) -> None:
    """A row in every table that a podcast may have rows in."""
    library.progress.save(ids[0], 61_000, 1_800_000, AT)
    library.episodes.set_starred(ids[:2], True)
    library.episodes.set_played(ids[1:2], True)
    library.queue.add_last([ids[2], ids[0]])
    library.inbox.add(ids[1:3])
    one, show = {"episode_id": ids[0]}, {"podcast_id": podcast.id}
    texts = dict.fromkeys(("chapter", "line", "note", "episode", "podcast", "link", "guid", "feed"), "said")
    visit = dict.fromkeys(("failures", "gone", "archived"), 0) | {"digest": "", "archive": "", "due_at": 5}
    transcript = {"kind": "transcript", "url": "http://h/t", "language": "en", "media_type": "text/vtt"}
    for table, row in (
        ("podcast_tags", show | {"tag": "news"}),
        ("podcast_settings", show | {"speed": 1.5, "skip_intro_ms": 0, "skip_outro_ms": 0, "gain_db": 0.0}),
        ("visits", show | visit),
        ("lists", {"id": 1, "title": "Work", "rank": 1}),
        ("playlist_episodes", one | {"list_id": 1, "rank": 1}),
        ("companions", one | transcript | {"body": zlib.compress(b"words"), "fetched_at": 1}),
        ("bookmarks", one | texts | {"position_ms": 5, "created_at": 1}),
        ("segments", show | one | {"id": 7, "start_ms": 5, "end_ms": 1005, "kind": "intro", "created_at": 1}),
        ("found_segments", {"episode_id": ids[1], "segment_id": 7, "start_ms": 9, "end_ms": 1009, "rejected": 1}),
        ("trimmed_pauses", show | {"day": 5, "saved_ms": 9, "segments_ms": 7}),
        ("listening_spans", one | {"from_ms": 0, "to_ms": 9, "began_at": 1, "speed": 1.0}),
    ):
        with library._connected.writing() as connection:
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def test_a_podcast_comes_back_with_all_that_was_noted_on_it_also_after_a_restart(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    use(library, podcast, ids)
    before = everything(library)
    library.acts.unsubscribe(podcast.id)
    removed = everything(library)
    assert removed != before
    assert library.queue.ids().tolist() == []
    library.close()
    library.open()
    undone = library.acts.undo()
    assert undone
    assert (undone.act.kind, undone.act.title, undone.podcast_id) == (ActKind.UNSUBSCRIBED, podcast.title, podcast.id)
    assert everything(library) == before
    assert library.acts.to_remove_again() == [podcast.id]
    redone = library.acts.redo()
    assert redone
    assert not redone.is_undone
    assert everything(library) == removed
    library.acts.undo()
    assert everything(library) == before
    library.check()


def test_acts_before_it_can_be_undone_after_it_is(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    with library.acts.recorded(ActKind.STARRED, ids[:1], Part.STARRED):
        library.episodes.set_starred(ids[:1], True)
    library.acts.unsubscribe(podcast.id)
    library.acts.undo()
    assert library.episodes.get(ids[0]).starred
    library.acts.undo()
    assert not library.episodes.get(ids[0]).starred


def test_a_new_subscription_to_it_that_was_not_used_makes_room(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    use(library, podcast, ids)
    before = everything(library)
    library.acts.unsubscribe(podcast.id)
    again = library.podcasts.add(URL, "A show")
    apply_feed(library, again, *map(episode, range(4)))
    undone = library.acts.undo()
    assert undone
    assert undone.replaced == again.id
    assert everything(library) == before


def test_a_new_subscription_that_was_used_stays_and_undo_says_so_and_goes_on(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    with library.acts.recorded(ActKind.QUEUED, ids[:1], Part.QUEUE):
        library.queue.add_last(ids[:1])
    library.acts.unsubscribe(podcast.id)
    again = library.podcasts.add(URL, "A show")
    apply_feed(library, again, *map(episode, range(4)))
    new = [EpisodeId(one) for one in library.episodes.ids(View.of(podcast_id=again.id))]
    library.episodes.set_starred(new[:1], True)
    before = everything(library)
    with pytest.raises(AlreadySubscribed, match="“A show” can't be brought back"):
        library.acts.undo()
    assert everything(library)["episodes"] == before["episodes"]
    undone = library.acts.undo()
    assert undone
    assert undone.act.kind is ActKind.QUEUED
    assert library.acts.undo() is None


def test_words_of_what_came_back_are_found_however_far_the_index_was(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    def found() -> int:
        library.search.catch_up()
        return len(library.search.find("Episode", 100).ids)

    count = found()
    assert count >= len(ids)
    for index_between in (True, False):
        library.acts.unsubscribe(podcast.id)
        if index_between:
            assert found() == count - len(ids)
        library.acts.undo()
        assert found() == count
    library.acts.redo()
    assert found() == count - len(ids)


def test_unsubscribing_from_what_is_gone_is_no_act(library: Library, podcast: Podcast) -> None:
    library.podcasts.remove(podcast.id)
    library.acts.unsubscribe(podcast.id)
    assert library.acts.last() is None
