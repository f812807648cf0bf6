"""What others said is applied: once, in whatever order it came, and never where it would disturb."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from player.library import Library
from player.model.episode import BytePosition, EpisodeId
from player.model.listening import ActKind
from player.model.podcast import Podcast
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.model.syncing import SEEN_PLAYED, ActionKind, EpisodeName, Pulled, Pushed, SubscriptionChange
from player.sync.sync_sentences import plan_lines
from tests.player.library.helpers import apply_feed, episode
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
    position,
    said,
    take,
)

Ids = tuple[EpisodeId, ...]


@pytest.fixture
def synced(library: Library, podcast: Podcast, ids: Ids) -> Library:
    """A library with an account that has said what it has to say."""
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    take(library.syncing)
    return library


def played(library: Library, ids: Ids) -> list[EpisodeId]:
    return [row.id for row in library.episodes.rows(ids) if row.played]


def test_the_position_of_another_device_is_the_one_here(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], MIN_MS, None, NOW - MINUTE, BytePosition(MIN_MS, 1000, 2000, exact=True))
    synced.inbox.add([ids[0]])
    taken = take(synced.syncing, play(0, 20 * MIN_MS))
    (changed,) = taken.changed
    assert (changed.id, changed.before_ms, changed.position_ms) == (ids[0], MIN_MS, 20 * MIN_MS)
    assert (changed.title, changed.podcast, changed.device) == ("Episode 0", "A show", "phone")
    saved = synced.progress.position(ids[0])
    assert saved
    assert (saved.position_ms, saved.saved_at, saved.byte) == (20 * MIN_MS, NOW, None)
    assert taken.inbox
    assert ids[0] not in synced.inbox.ids()


def test_what_was_taken_is_not_said_again(synced: Library, ids: Ids) -> None:
    take(synced.syncing, play(0, 20 * MIN_MS), mark(1), mark(2), mark(2, ActionKind.UNPLAYED, NOW + MINUTE))
    assert said(synced.syncing) == []


def test_what_was_played_elsewhere_is_neither_queued_nor_new_here(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], MIN_MS, None, NOW - MINUTE)
    synced.queue.add_last(ids[:2])
    synced.inbox.add([ids[0]])
    taken = take(synced.syncing, mark(0, at=NOW + timedelta(days=300)))
    assert played(synced, ids) == [ids[0]]
    assert (taken.queue, taken.inbox) == (True, True)
    assert list(synced.queue.ids()) == [ids[1]]
    assert position(synced, ids[0]) is None


def test_what_was_queued_after_it_was_played_stays_queued(synced: Library, ids: Ids) -> None:
    synced.queue.add_last(ids[:1])
    take(synced.syncing, mark(0, at=NOW - timedelta(days=300)))
    assert list(synced.queue.ids()) == [ids[0]]


def test_a_mark_that_was_taken_away_elsewhere_goes_here_too(synced: Library, ids: Ids) -> None:
    take(synced.syncing, mark(0))
    assert played(synced, ids) == [ids[0]]
    take(synced.syncing, mark(0, ActionKind.UNPLAYED, NOW + MINUTE, seen_ms=SEEN_PLAYED))
    assert played(synced, ids) == []


def test_an_older_position_changes_nothing(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], 20 * MIN_MS, None, NOW)
    taken = take(synced.syncing, play(0, 5 * MIN_MS, NOW - 60 * MINUTE))
    assert not taken.changed
    assert position(synced, ids[0]) == 20 * MIN_MS


def test_what_plays_is_not_moved_until_it_does_no_more(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], 9 * MIN_MS, None, NOW)
    taken = take(synced.syncing, play(0, 20 * MIN_MS), playing=frozenset({ids[0]}))
    assert not taken.changed
    assert [one.position_ms for one in taken.held] == [20 * MIN_MS]
    synced.progress.save(ids[0], 11 * MIN_MS, None, NOW + 2 * MINUTE)
    *_before, own = said(synced.syncing, NOW + 2 * MINUTE)
    assert own.seen_ms == 9 * MIN_MS, "the listener has seen nothing of the phone's position"
    assert take(synced.syncing, playing=frozenset({ids[0]})).held
    (changed,) = take(synced.syncing, at=NOW + 3 * MINUTE).changed
    assert (changed.before_ms, changed.position_ms) == (11 * MIN_MS, 20 * MIN_MS)
    assert not take(synced.syncing).changed


def test_what_was_changed_here_meanwhile_counts_before_what_comes(synced: Library, ids: Ids) -> None:
    synced.episodes.set_played([ids[0]], True)
    taken = take(synced.syncing, play(0, 5 * MIN_MS, NOW - MINUTE))
    assert not taken.changed
    assert [action.kind for action in said(synced.syncing)] == [ActionKind.PLAYED]


def test_actions_wait_for_their_episodes(synced: Library, podcast: Podcast, ids: Ids) -> None:
    assert take(synced.syncing, play(7, 20 * MIN_MS), mark(8)).unmatched == 2
    assert synced.syncing.counts().unmatched == 2
    synced.podcast_settings.set(podcast.id, PodcastSettings(new_episodes=NewEpisodeRules(NewEpisodes.QUEUE)))
    apply_feed(synced, podcast, *(episode(number) for number in range(9)))
    new = synced.episodes.at_guid(podcast.id, "guid-7"), synced.episodes.at_guid(podcast.id, "guid-8")
    assert new[0]
    assert new[1]
    assert position(synced, new[0]) == 20 * MIN_MS
    assert played(synced, (new[1],)) == [new[1]]
    assert not set(new) & set(synced.queue.ids()), "neither is new to the listener"
    assert said(synced.syncing) == []
    assert synced.syncing.counts().unmatched == 0


def test_actions_wait_for_podcasts_that_are_subscribed_to_later(synced: Library) -> None:
    url = "https://example.org/later.xml"
    take(synced.syncing, play(3, 20 * MIN_MS, episode=name(3, url)))
    later = synced.podcasts.add(url)
    (new,) = apply_feed(synced, later, episode(3)).new
    assert position(synced, new) == 20 * MIN_MS


def test_a_podcast_that_comes_back_knows_what_was_said_of_it(synced: Library, podcast: Podcast, ids: Ids) -> None:
    synced.progress.save(ids[0], 9 * MIN_MS, None, NOW)
    said(synced.syncing)
    synced.acts.unsubscribe(podcast.id)
    assert synced.syncing.counts().unmatched == 0, "what this device said itself waits for nobody"
    take(synced.syncing, play(0, 20 * MIN_MS, NOW + MINUTE), mark(1))
    synced.acts.undo()
    taken = take(synced.syncing)
    assert {one.id for one in taken.changed} == {ids[0], ids[1]}
    assert position(synced, ids[0]) == 20 * MIN_MS


def test_what_was_heard_of_a_preview_is_not_moved_by_what_waited(synced: Library) -> None:
    preview = synced.previews.add("https://example.org/other.xml", "Other")
    (new,) = apply_feed(synced, preview, episode(1)).new
    synced.progress.save(new, 30 * MIN_MS - 60_000, None, NOW)
    take(synced.syncing, play(1, 5 * MIN_MS, NOW - MINUTE, episode=name(1, preview.url)))
    synced.previews.subscribe(preview.id)
    take(synced.syncing)
    assert position(synced, new) == 29 * MIN_MS


@pytest.mark.parametrize(
    "other",
    [
        EpisodeName("http://EXAMPLE.org/feed.xml/", "http://example.org/0.mp3"),
        EpisodeName("https://example.org/feed.xml", "https://cdn.example.org/other.mp3", "guid-0"),
        EpisodeName("https://example.org/feed.xml", "https://example.org/0.mp3", "another"),
        EpisodeName("https://example.org/feed.xml", "", "guid-0"),
    ],
)
def test_an_episode_is_found_by_guid_or_address(synced: Library, ids: Ids, other: EpisodeName) -> None:
    taken = take(synced.syncing, play(0, MIN_MS), play(0, 2 * MIN_MS, NOW + MINUTE, episode=other))
    assert [(one.id, one.position_ms) for one in taken.changed] == [(ids[0], 2 * MIN_MS)]


def test_a_guid_counts_before_an_address(synced: Library, ids: Ids) -> None:
    other = EpisodeName("https://example.org/feed.xml", "https://example.org/1.mp3", "guid-0")
    taken = take(synced.syncing, play(0, MIN_MS, episode=other))
    assert [one.id for one in taken.changed] == [ids[0]]


def test_episodes_of_a_podcast_that_has_moved_are_found_by_both_addresses(
    synced: Library, podcast: Podcast, ids: Ids
) -> None:
    synced.podcasts.move(podcast.id, "https://new.example.org/feed.xml")
    new = name(1, "https://new.example.org/feed.xml")
    taken = take(synced.syncing, play(0, MIN_MS), play(1, MIN_MS, episode=new))
    assert {one.id for one in taken.changed} == {ids[0], ids[1]}
    synced.progress.save(ids[2], MIN_MS, None, NOW)
    assert [action.episode for action in said(synced.syncing)] == [name(2)], "others may not know that it moved"


def test_a_move_that_a_target_tells_brings_what_waited(synced: Library, ids: Ids) -> None:
    elsewhere = "https://elsewhere.example.org/feed.xml"
    assert take(synced.syncing, play(0, MIN_MS, episode=name(0, elsewhere))).unmatched == 1
    moved = Pulled(moved=(("https://example.org/feed.xml", elsewhere),))
    assert [one.id for one in synced.syncing.take(moved, NOW).changed] == [ids[0]]
    synced.syncing.sent(Pushed(moved=((elsewhere, "https://third.example.org/feed.xml"),)))
    third = name(1, "https://third.example.org/feed.xml")
    assert [one.id for one in take(synced.syncing, play(1, MIN_MS, episode=third)).changed] == [ids[1]]


def test_two_podcasts_are_never_made_one_by_a_target(synced: Library, ids: Ids) -> None:
    other = synced.podcasts.add("https://example.org/other.xml")
    (new,) = apply_feed(synced, other, episode(0)).new
    synced.syncing.take(Pulled(moved=(("https://example.org/other.xml", "https://example.org/feed.xml"),)), NOW)
    taken = take(synced.syncing, play(0, MIN_MS), mark(0, episode=name(0, other.url)))
    assert {(one.id, one.played) for one in taken.changed} == {(ids[0], False), (new, True)}


def test_what_a_server_sends_back_is_not_taken_for_something_new(synced: Library, ids: Ids) -> None:
    synced.syncing.set_account(SERVER)
    synced.progress.save(ids[0], 20 * MIN_MS + 345, None, NOW)
    (own,) = said(synced.syncing)
    echo = play(0, own.position_ms, device="", at=NOW, episode=EpisodeName(own.episode.podcast, own.episode.url))
    for device in ("", "laptop"):
        assert not take(synced.syncing, play(0, own.position_ms, NOW, device=device, episode=echo.episode)).changed
    assert position(synced, ids[0]) == 20 * MIN_MS + 345
    assert said(synced.syncing) == []


def test_the_first_merge_is_planned_without_a_change(library: Library, ids: Ids) -> None:
    library.progress.save(ids[0], 5 * MIN_MS, None, NOW - MINUTE)
    library.progress.save(ids[3], 5 * MIN_MS, None, NOW - MINUTE)
    library.episodes.set_played([ids[4]], True)
    library.syncing.set_account(FOLDER)
    pulled = Pulled((play(0, 20 * MIN_MS), mark(1)), cursor="7")
    before = position(library, ids[0])
    plan = library.syncing.plan(pulled, NOW)
    assert {one.id for one in plan.here.changed} == {ids[0], ids[1]}
    assert (plan.positions, plan.played, plan.unplayed) == (2, 1, 0)
    assert plan.subscribed == 1, "the podcasts that came with the library are nobody else's"
    assert position(library, ids[0]) == before
    assert library.syncing.state().cursor == ""
    assert not library.acts.last()
    assert not library.syncing.outgoing(30, ALL)
    assert library.syncing.take(pulled, NOW).changed == plan.here.changed


def test_a_merge_is_planned_before_there_is_an_account(library: Library, ids: Ids) -> None:
    library.progress.save(ids[3], 5 * MIN_MS, None, NOW - MINUTE)
    plan = library.syncing.plan(Pulled((play(0, 20 * MIN_MS),)), NOW, FOLDER)
    assert ([one.id for one in plan.here.changed], plan.positions) == ([ids[0]], 1)
    assert library.syncing.account() is None
    assert position(library, ids[0]) is None


def test_the_first_merge_can_be_undone_and_redone(library: Library, ids: Ids) -> None:
    library.progress.save(ids[0], 5 * MIN_MS, None, NOW - MINUTE)
    library.progress.save(ids[1], 6 * MIN_MS, None, NOW - MINUTE)
    library.queue.add_last([ids[1]])
    library.syncing.set_account(FOLDER)
    taken = take(library.syncing, play(0, 20 * MIN_MS), mark(1, at=NOW + timedelta(days=300)), play(2, MIN_MS))
    assert taken.act_id
    last = library.acts.last()
    assert last
    assert (last.kind, last.count) == (ActKind.SYNCED, 3)
    after = [(position(library, one), one in library.queue.ids()) for one in ids[:3]]
    assert after == [(20 * MIN_MS, False), (None, False), (MIN_MS, False)]
    library.acts.undo()
    assert [position(library, one) for one in ids[:3]] == [5 * MIN_MS, 6 * MIN_MS, None]
    assert played(library, ids) == []
    assert list(library.queue.ids()) == [ids[1]]
    library.acts.redo()
    assert [(position(library, one), one in library.queue.ids()) for one in ids[:3]] == after
    assert played(library, ids) == [ids[1]]


def test_only_the_first_merge_is_an_act(synced: Library, ids: Ids) -> None:
    assert not take(synced.syncing, play(0, MIN_MS)).act_id
    assert not synced.acts.last()


def test_nonsense_is_left_out(synced: Library, ids: Ids) -> None:
    bad = (
        play(0, -MIN_MS),
        play(0, MIN_MS, at=NOW, started_ms=1 << 70),
        play(0, MIN_MS, episode=EpisodeName("file:///etc", "https://example.org/0.mp3", "guid-0")),
        play(0, MIN_MS, episode=EpisodeName("https://example.org/feed.xml", "javascript:x")),
    )
    taken = take(synced.syncing, *bad)
    assert (taken.changed, taken.unmatched) == ((), 0)
    assert take(synced.syncing, play(0, MIN_MS, device="a\x1b]0;b\x07\n" * 900)).changed


def test_what_is_refused_is_counted_and_not_tried_again(synced: Library, ids: Ids) -> None:
    for episode_id in ids:
        synced.progress.save(episode_id, MIN_MS, None, NOW)
    synced.syncing.collect(NOW)
    first = synced.syncing.outgoing(2, ALL)
    assert len(first.actions) == 2
    (one, _action), (other, _other) = first.actions
    for _again in range(2):
        synced.syncing.sent(Pushed((one,), ((other, "The server\x1b refused it"),)))
        counts = synced.syncing.counts()
        assert (counts.outgoing, counts.refused) == (3, 1)
    assert synced.syncing.refusals() == ["The server refused it"]
    assert len(synced.syncing.outgoing(30, ALL).actions) == 3


def test_what_a_target_does_not_carry_does_not_wait_for_ever(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], MIN_MS, None, NOW)
    synced.syncing.collect(NOW)
    assert not synced.syncing.outgoing(30, frozenset())
    assert synced.syncing.counts().outgoing == 0


def test_a_server_that_forgot_gets_all_of_this_device_again(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], MIN_MS, None, NOW)
    said(synced.syncing)
    synced.syncing.take(Pulled((mark(1),), cursor="7", is_whole=False), NOW)
    synced.syncing.forgot()
    assert synced.syncing.state().cursor == ""
    found = synced.syncing.outgoing(30, ALL)
    assert [action.episode for _number, action in found.actions] == [name(0)]
    assert {change.podcast for _number, change in found.subscriptions} >= {"https://example.org/feed.xml"}


def test_another_target_begins_anew_and_another_name_does_not(synced: Library, ids: Ids) -> None:
    synced.progress.save(ids[0], MIN_MS, None, NOW)
    said(synced.syncing)
    synced.syncing.set_account(FOLDER)
    assert said(synced.syncing) == []
    synced.syncing.set_account(SERVER)
    assert not synced.syncing.state().is_merged
    assert [action.episode for action in said(synced.syncing)] == [name(0)]


def test_forgetting_the_account_forgets_all_but_what_is_heard(synced: Library, ids: Ids) -> None:
    take(synced.syncing, play(0, MIN_MS), play(9, MIN_MS))
    synced.syncing.forget_account()
    assert synced.syncing.account() is None
    assert synced.syncing.counts().unmatched == 0
    assert synced.syncing.devices() == []
    assert position(synced, ids[0]) == MIN_MS
    assert not take(synced.syncing, play(1, MIN_MS)).changed


def test_devices_and_state_are_known(synced: Library) -> None:
    take(synced.syncing, play(0, MIN_MS))
    synced.syncing.name_devices({"phone": "My phone\x07"})
    assert [(one.id, one.name, one.last_at) for one in synced.syncing.devices()] == [
        ("phone", "My phone", NOW),
        ("laptop", "Laptop", None),
    ]
    synced.syncing.failed(NOW, "busy", "The server is busy", "Later.")
    synced.syncing.failed(NOW + MINUTE, "busy", "The server is busy", "Later.")
    state = synced.syncing.state()
    assert (state.failures, state.failed_at, state.what) == (2, NOW + MINUTE, "The server is busy")
    synced.syncing.succeeded(NOW + 2 * MINUTE)
    state = synced.syncing.state()
    assert (state.failures, state.failed_at, state.succeeded_at) == (0, None, NOW + 2 * MINUTE)


def test_of_devices_without_end_a_thousand_are_kept_and_news_of_those_still_comes(synced: Library) -> None:
    synced.syncing.name_devices({f"device {number}": "x" for number in range(1_500)})
    assert len(synced.syncing.devices()) == 1_000
    synced.syncing.name_devices({"device 7": "My phone"})
    for device in ("one more", "device 7"):
        take(synced.syncing, replace(play(0, MIN_MS), device=device))
    assert len(synced.syncing.devices()) == 1_000
    heard = [(one.id, one.name) for one in synced.syncing.devices() if one.last_at is not None]
    assert heard == [("device 7", "My phone")]


def test_episodes_that_wait_are_counted_once_and_those_of_podcasts_to_add_apart(synced: Library) -> None:
    url = "https://example.org/later.xml"
    later = [play(number, MIN_MS, at=NOW + number * MINUTE, episode=name(3, url)) for number in range(4)]
    nameless = replace(later[0], at=ms(NOW) - 1, episode=replace(name(3, url), guid=""))
    elsewhere = mark(4, episode=name(4, "https://example.org/nobodys.xml"))
    pulled = Pulled(
        (*later, nameless, mark(8), play(8, MIN_MS), elsewhere), (SubscriptionChange(url, True, ms(NOW), "phone"),)
    )
    plan = synced.syncing.plan(pulled, NOW)
    assert (plan.here.unmatched, plan.here.coming) == (3, 1)
    assert plan_lines(plan, "the server")[1:5] == [
        "  1 podcast is added:",
        "    https://example.org/later.xml",
        "  1 episode of the added podcasts is updated once its feed is read.",
        "  2 synced episodes aren't in any feed here yet.",
    ]
    synced.syncing.take(pulled, NOW)
    assert synced.syncing.counts().unmatched == 3
