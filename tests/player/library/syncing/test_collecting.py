"""What changes in a library with an account becomes actions, once, and with its own time."""

import sqlite3
from collections import Counter
from datetime import timedelta

import pytest
from msgspec.structs import replace

from player.feeds.check import decide
from player.library import Library
from player.library.syncing import syncing
from player.model.episode import EpisodeId, LiveState
from player.model.feed import FeedState, LiveShow
from player.model.listening import ListeningSpan
from player.model.podcast import WELCOME_URL, Podcast
from player.model.syncing import SEEN_PLAYED, ActionKind, EpisodeName, FactKind
from player.paths import Paths
from tests.player.library.helpers import NEWEST, apply_feed, episode, feed
from tests.player.library.syncing.devices import (
    ALL,
    FOLDER,
    MIN_MS,
    MINUTE,
    NOW,
    SERVER,
    mark,
    ms,
    name,
    play,
    said,
    take,
)

Ids = tuple[EpisodeId, ...]


def rows(paths: Paths, table: str) -> int:
    connection = sqlite3.connect(paths.library)
    try:
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    finally:
        connection.close()
    return int(count)


def test_without_an_account_nothing_is_noted(library: Library, podcast: Podcast, ids: Ids, paths: Paths) -> None:
    library.progress.save(ids[0], MIN_MS, None, NOW)
    library.progress.finish(ids[1])
    library.podcasts.move(podcast.id, "https://example.org/moved.xml")
    library.podcasts.remove(podcast.id)
    assert rows(paths, "sync_changed") == rows(paths, "sync_moves") == 0
    assert library.syncing.collect(NOW) == 0
    assert not library.syncing.outgoing(30, ALL)


def test_a_position_is_one_action_however_often_it_was_saved(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    for second in range(30):
        library.progress.save(ids[0], MIN_MS + 1000 * second, None, NOW + timedelta(seconds=second))
    (action,) = said(library.syncing, NOW + 5 * MINUTE)
    assert action.episode == name(0)
    assert (action.kind, action.position_ms, action.total_ms) == (ActionKind.PLAY, MIN_MS + 29_000, 1_800_000)
    assert action.at == ms(NOW) + 29_000, "when it was listened to, not when it is sent"
    assert said(library.syncing, NOW + 6 * MINUTE) == []


def test_where_listening_began_is_known_from_the_history(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    first = ListeningSpan(ids[0], 0, 5 * MIN_MS, NOW, 1.0)
    again = ListeningSpan(ids[0], 2 * MIN_MS, 3 * MIN_MS, NOW + 6 * MINUTE, 1.0)
    library.progress.save(ids[0], 3 * MIN_MS, None, NOW + 7 * MINUTE, heard=[first, again])
    library.progress.save(ids[1], 9 * MIN_MS, None, NOW, heard=[ListeningSpan(ids[1], 0, MIN_MS, NOW, 1.0)])
    by_name = {action.episode: action for action in said(library.syncing, NOW + 8 * MINUTE)}
    assert by_name[name(0)].started_ms == 2 * MIN_MS
    assert by_name[name(1)].started_ms is None, "it was jumped to"


def test_what_was_heard_to_its_end_and_what_was_marked_are_played(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    library.progress.save(ids[0], MIN_MS, None, NOW)
    library.progress.finish(ids[0])
    library.episodes.set_played([ids[1]], True)
    library.episodes.set_played([ids[2]], True)
    library.episodes.set_played([ids[2]], False)
    actions = said(library.syncing)
    assert {action.episode: action.kind for action in actions} == {
        name(0): ActionKind.PLAYED,
        name(1): ActionKind.PLAYED,
    }


def test_a_mark_that_is_taken_away_says_so_and_brings_its_position_back(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    library.progress.save(ids[0], MIN_MS, None, NOW)
    library.episodes.set_played(ids[:2], True)
    said(library.syncing)
    library.episodes.set_played(ids[:2], False)
    by_name = {action.episode: action for action in said(library.syncing, NOW + MINUTE)}
    assert (by_name[name(0)].kind, by_name[name(0)].position_ms) == (ActionKind.PLAY, MIN_MS)
    assert by_name[name(1)].kind is ActionKind.UNPLAYED
    assert {action.seen_ms for action in by_name.values()} == {SEEN_PLAYED}


def test_whoever_goes_back_says_what_was_known(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    take(library.syncing, play(0, 20 * MIN_MS))
    library.progress.save(ids[0], 5 * MIN_MS, None, NOW - 60 * MINUTE)
    (action,) = said(library.syncing)
    assert (action.position_ms, action.seen_ms) == (5 * MIN_MS, 20 * MIN_MS)
    assert action.at == ms(NOW) + 1, "after all that was known, whatever this clock says"


def test_a_server_keeps_whole_seconds(library: Library, ids: Ids) -> None:
    library.syncing.set_account(SERVER)
    said(library.syncing)
    library.progress.save(ids[0], MIN_MS + 789, 1_800_456, NOW + timedelta(milliseconds=1))
    (action,) = said(library.syncing, NOW + MINUTE)
    assert (action.position_ms, action.total_ms, action.at) == (MIN_MS, 1_800_000, ms(NOW) + 1000)


def test_a_target_that_carries_more_than_before_gets_all_of_it_when_it_is_set_up_again(
    library: Library, ids: Ids
) -> None:
    library.syncing.set_account(SERVER)
    library.episodes.set_starred([ids[0]], True)
    said(library.syncing)
    library.syncing.set_account(replace(SERVER, has_facts=True))
    library.syncing.collect(NOW)
    assert FactKind.STAR in {fact.kind for _number, fact in library.syncing.outgoing(100, ALL).facts}


def test_what_is_marked_in_one_go_is_spread_over_seconds_for_a_server(library: Library, podcast: Podcast) -> None:
    """gpodder.net answers with 1,000 at a time, and goes by seconds."""
    library.syncing.set_account(SERVER)
    said(library.syncing)
    many = apply_feed(library, podcast, *(episode(number) for number in range(1_100))).new
    library.episodes.set_played(many, True)
    seconds = Counter(action.at for action in said(library.syncing))
    assert seconds.total() == 1_100
    assert max(seconds.values()) == 500
    assert max(seconds) - min(seconds) == 2_000


def test_all_of_a_library_of_before_becomes_actions(library: Library, ids: Ids) -> None:
    heard = ListeningSpan(ids[1], 0, MIN_MS, NOW - 60 * MINUTE, 1.0)
    library.progress.save(ids[0], MIN_MS, None, NOW - 2 * MINUTE)
    library.progress.finish(ids[1], [heard])
    library.episodes.set_played([ids[2]], True)
    library.syncing.set_account(FOLDER)
    by_name = {action.episode: (action.kind, action.at) for action in said(library.syncing)}
    assert by_name == {
        name(0): (ActionKind.PLAY, ms(NOW - 2 * MINUTE)),
        name(1): (ActionKind.PLAYED, ms(NOW - 59 * MINUTE)),
        name(2): (ActionKind.PLAYED, ms(NEWEST) - 2 * 86_400_000),
    }


@pytest.mark.parametrize(
    "url",
    [
        WELCOME_URL,
        "file:///home/ann/talks",
        "https://www.youtube.com/feeds/videos.xml?channel_id=UC1",
        "radio:https://example.org/live",
    ],
)
def test_what_only_this_computer_or_earmark_can_play_is_never_said(library: Library, url: str) -> None:
    library.syncing.set_account(FOLDER)
    podcast = library.podcasts.by_url(url) or library.podcasts.add(url, "Mine")
    new = apply_feed(library, podcast, episode(77)).new
    library.progress.save(new[0], MIN_MS, None, NOW)
    library.syncing.collect(NOW)
    found = library.syncing.outgoing(100, ALL)
    assert not found.actions
    assert url not in [change.podcast for _number, change in found.subscriptions]


def test_an_episode_with_another_address_is_never_said(library: Library, podcast: Podcast) -> None:
    library.syncing.set_account(FOLDER)
    new = apply_feed(library, podcast, episode(1, url="ftp://example.org/1.mp3"), episode(2)).new
    for one in new:
        library.progress.save(one, MIN_MS, None, NOW)
    assert [action.episode for action in said(library.syncing)] == [name(2)]


def test_a_preview_is_said_when_it_is_subscribed_to(library: Library) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    preview = library.previews.add("https://example.org/other.xml", "Other")
    (new,) = apply_feed(library, preview, episode(1)).new
    library.progress.save(new, MIN_MS, None, NOW)
    assert said(library.syncing) == []
    library.previews.subscribe(preview.id)
    (action,) = said(library.syncing)
    assert action.episode == name(1, "https://example.org/other.xml")


def test_clocks_that_were_wrong_do_not_make_actions_of_the_future(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    library.progress.save(ids[0], MIN_MS, None, NOW + timedelta(days=400))
    library.episodes.set_played([ids[1]], True)
    assert {action.at for action in said(library.syncing)} == {ms(NOW)}


def test_an_episode_that_was_stopped_just_before_its_end_is_not_said_to_be_played(library: Library, ids: Ids) -> None:
    library.syncing.set_account(FOLDER)
    library.progress.save(ids[0], 1_795_000, None, NOW)
    (action,) = said(library.syncing)
    assert action.position_ms == 1_800_000 - 11_000
    assert not take(library.syncing, mark(1)).changed[0].was_played
    assert library.progress.position(ids[0]).position_ms == 1_795_000  # type: ignore[union-attr]


@pytest.mark.parametrize("at_once", [5_000, 7])
def test_what_is_marked_in_a_podcast_that_is_new_is_said_once_and_of_its_time(
    library: Library, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(syncing, "_AT_ONCE", at_once)
    library.syncing.set_account(SERVER)
    said(library.syncing)
    new = apply_feed(library, library.podcasts.add("https://example.org/new.xml"), *map(episode, range(40))).new
    library.episodes.set_played(new[:30], True)
    library.progress.save(new[30], 9 * MIN_MS, None, NOW)
    actions = said(library.syncing)
    assert len(actions) == len({action.episode for action in actions}) == 31
    assert min(action.at for action in actions) > ms(NEWEST), "none is of the day when its episode came out"


def test_nothing_is_said_of_a_live_show_and_nothing_that_is_heard_reaches_it(
    library: Library, podcast: Podcast, ids: Ids
) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    stream = episode(0, guid="live-1", url="https://stream.example/live", title="Tonight")
    show = LiveShow(stream, LiveState.LIVE, NEWEST)
    library.podcasts.apply(podcast.id, feed(*map(episode, range(5)), live=(show,)), FeedState(), decide)
    live = library.episodes.find("Tonight").id
    library.progress.save(live, MIN_MS, None, NOW)
    library.episodes.set_played([live], True)
    library.episodes.set_starred([live], True)
    library.queue.add_last([live])
    library.syncing.collect(NOW)
    out = library.syncing.outgoing(30, ALL)
    assert (out.actions, [fact for _number, fact in out.facts]) == ((), [])
    library.episodes.set_played([live], False)
    other = replace(mark(0), episode=EpisodeName(podcast.url, "https://stream.example/live", "live-1"))
    take(library.syncing, other, at=NOW + MINUTE)
    assert not library.episodes.get(live).played
