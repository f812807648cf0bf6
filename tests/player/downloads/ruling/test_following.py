"""What rules do with a real library and real files."""

import shutil
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.downloads.planning import plan
from player.downloads.ruling import free_bytes, planned, read_state
from player.library.download_rules import MOST_LOOKED_AT
from player.model.downloads import DownloadRules, DownloadState
from player.model.podcast_settings import EpisodeTest, PodcastDownloads, PodcastSettings
from tests.player.downloads.ruling.conftest import SIZE, Kept
from tests.player.library.helpers import URL, apply_feed, episode


def rules(kept: Kept, **more: object) -> None:
    kept.settings = replace(kept.settings, **more)


def test_without_a_rule_nothing_happens(kept: Kept) -> None:
    kept.podcast()
    assert kept.follow().begun == ()


def test_the_newest_of_every_podcast_come_and_those_of_one_as_it_wants(kept: Kept) -> None:
    first, one = kept.podcast()
    second, two = kept.podcast(url="https://example.org/2.xml", title="Another")
    rules(kept, newest=1)
    kept.library.podcast_settings.set(second.id, PodcastSettings(downloads=PodcastDownloads(2)))
    assert set(kept.follow().begun) == {one[0], two[0], two[1]}
    kept.library.podcast_settings.set(second.id, PodcastSettings(downloads=PodcastDownloads(0)))
    apply_feed(kept.library, second, episode(-1), *map(episode, range(5)))
    apply_feed(kept.library, first, episode(-1), *map(episode, range(5)))
    (begun,) = kept.follow().begun
    assert kept.library.episodes.get(begun).podcast_id == first.id
    assert kept.follow().begun == ()


def test_the_queue_the_inbox_and_lists_come_in_turn(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    library = kept.library
    rules(kept, queue=1, inbox=2)
    library.queue.add_last([ids[4], ids[3]])
    library.inbox.add([ids[1]])
    smart = library.lists.add("Short", "is:unplayed sort:oldest")
    library.downloads.facts.set_list(smart.id, 3)
    playlist = library.lists.add("Later")
    library.lists.add_episodes(playlist.id, [ids[0]])
    library.downloads.facts.set_list(playlist.id, 1)
    assert kept.follow().begun == (ids[4], ids[3], ids[2], ids[0], ids[1])
    assert [library.downloads.get(one).why for one in ids] == [  # type: ignore[union-attr]
        f"list:{playlist.id}", "inbox", f"list:{smart.id}", f"list:{smart.id}", "queue",
    ]  # fmt: skip
    library.lists.remove(smart.id)
    assert set(library.downloads.facts.lists()) == {playlist.id}
    library.downloads.facts.set_list(playlist.id, 0)
    assert library.downloads.facts.lists() == {}


def test_what_is_on_this_computer_anyway_is_not_downloaded(kept: Kept) -> None:
    podcast = kept.library.podcasts.add("file:///books", "Books")
    apply_feed(kept.library, podcast, episode(1, url="file:///books/1.mp3"))
    rules(kept, newest=3)
    assert kept.follow().last.wanted == ()


def test_titles_are_looked_for_among_the_newest_and_no_further(kept: Kept) -> None:
    podcast = kept.library.podcasts.add(URL, "A show")
    deep = [episode(number, title="Deep dive") for number in (7, MOST_LOOKED_AT + 5)]
    others = [episode(number) for number in range(MOST_LOOKED_AT + 5) if number != 7]
    apply_feed(kept.library, podcast, *others, *deep)
    chosen = PodcastDownloads(2, EpisodeTest('"deep dive"', "", 60_000))
    kept.library.podcast_settings.set(podcast.id, PodcastSettings(downloads=chosen))
    (begun,) = kept.follow().begun
    assert kept.library.episodes.get(begun).guid == "guid-7"


def test_what_the_listener_deletes_or_cancels_stays_away_until_they_download_it_themselves(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    rules(kept, newest=2)
    kept.fails = {ids[1]}
    kept.follow()
    kept.library.downloads.remove(ids[0])
    assert kept.follow().begun == ()
    kept.library.downloads.queue.remove([ids[1]])
    assert kept.follow().begun == (), "it had failed"
    kept.put(ids[0], "manual")
    assert kept.library.downloads.facts.refused().keys() == {ids[1]}


def test_what_waits_for_a_rule_that_is_gone_leaves_the_queue_and_may_come_back_later(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    kept.library.downloads.queue.add([ids[0]], "queue")
    kept.library.downloads.queue.add([ids[1]])
    kept.follow()
    assert [one.episode_id for one in kept.library.downloads.queue.all()] == [ids[1]]
    rules(kept, newest=1)
    assert kept.follow().begun == (ids[0],)


def test_played_downloads_of_rules_go_in_time_and_come_back_when_that_is_undone(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    rules(kept, newest=3, delete_played="2 days")
    kept.follow()
    manual = kept.put(ids[4], "manual")
    kept.library.episodes.set_played(ids, True)
    kept.library.episodes.set_starred([ids[2]], True)
    assert kept.follow().deleted == ()
    kept.wait(days=1, hours=23)
    assert kept.follow().deleted == ()
    kept.wait(hours=1)
    assert kept.follow().deleted == ids[:2]
    assert kept.files() == [
        f".trash/{ids[0]}.mp3",
        f".trash/{ids[1]}.mp3",
        f"A show/{ids[2]}.mp3",
        f"A show/{manual.name}",
    ]
    assert [one.downloaded for one in kept.library.episodes.rows(ids)] == [False, False, True, False, True]


def test_a_download_that_becomes_unplayed_in_time_stays(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    rules(kept, newest=1, delete_played="1 day")
    kept.follow()
    kept.library.episodes.set_played(ids[:1], True)
    kept.follow()
    kept.wait(hours=20)
    kept.library.episodes.set_played(ids[:1], False)
    kept.follow()
    kept.library.episodes.set_played(ids[:1], True)
    kept.wait(hours=20)
    assert kept.follow().deleted == ()
    kept.wait(hours=24)
    assert kept.follow().deleted == ids[:1]


@pytest.mark.parametrize("keeps", ["starred", "queued", "in progress", "playing"])
def test_what_is_protected_stays_whatever_its_age_and_goes_when_nothing_protects_it(kept: Kept, keeps: str) -> None:
    _podcast, ids = kept.podcast()
    library, one = kept.library, ids[0]
    rules(kept, newest=1, delete_after="3 days")
    kept.follow()
    match keeps:
        case "starred":
            library.episodes.set_starred([one], True)
        case "queued":
            library.queue.add_last([one])
        case "in progress":
            library.progress.save(one, 5_000, None, kept.at)
        case _:
            kept.playing = one
    kept.wait(days=30)
    (seen,) = read_state(library, kept.around(), kept.at, 3).stored
    assert seen.protection == keeps
    assert kept.follow().deleted == ()
    library.episodes.set_starred([one], False)
    library.queue.remove([one])
    library.episodes.set_played([one], True)
    kept.playing = None
    assert kept.follow().deleted == (one,)


def test_the_limit_holds_and_what_is_wanted_more_replaces_what_is_wanted_less(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    rules(kept, newest=3, limit="60 MB")
    state = read_state(kept.library, kept.around(), kept.at, 3)
    assert [one.episode_id for one in plan(state).begin] == list(ids[:2])
    assert kept.follow().begun == ids[:3], "they were smaller than the feed says"
    rules(kept, limit=f"{2 * SIZE}")
    done = kept.follow()
    assert (done.deleted, done.begun) == ((ids[2],), ())
    kept.library.queue.add_last([ids[4]])
    rules(kept, queue=1, limit="28801 kB")
    done = kept.follow()
    assert (done.deleted, done.begun) == ((ids[1],), (ids[4],))
    assert done.restored == ids[1:3], "it was smaller than its feed says as well"


def test_nothing_is_begun_when_the_disk_would_fill_up(kept: Kept) -> None:
    kept.podcast()
    free = free_bytes([kept.folder])
    assert free == pytest.approx(shutil.disk_usage(kept.folder.parent).free, rel=0.01)
    rules(kept, newest=3, keep_free=f"{free // 10**6 + 500_000} MB")
    done = kept.follow()
    assert (done.begun, {one.obstacle for one in done.last.held}) == ((), {"disk"})


def test_outside_the_hours_everything_waits_and_the_clock_is_the_listeners(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    rules(kept, newest=1, hours="01:00-06:00")
    assert kept.follow().begun == ()
    kept.at = datetime(2026, 3, 3, 1, 30, tzinfo=UTC)
    assert kept.follow().begun == ids[:1]


def test_what_the_rules_read_and_how_many_are_in_the_queue_at_once_is_bounded(kept: Kept) -> None:
    podcast = kept.library.podcasts.add(URL, "A show")
    apply_feed(kept.library, podcast, *map(episode, range(600)))
    kept.settings = DownloadRules(newest=2, queue=2, inbox=2)
    state = read_state(kept.library, kept.around(), kept.at, 2)
    assert max(len(one.candidates) for one in state.offers) <= 2 + MOST_LOOKED_AT
    assert len(plan(state).begin) == 2


def test_what_waits_for_a_failing_server_does_not_keep_the_others_waiting(kept: Kept) -> None:
    _podcast, ids = kept.podcast()
    rules(kept, newest=5)
    queue = kept.library.downloads.queue
    queue.add(ids[:3], "podcast:1")
    assert planned(kept.library, kept.around(), kept.at, 3).begin == ()
    for one in ids[:3]:
        queue.problem(one, "Busy", "", state=DownloadState.WAITING, attempts=1, retry_at=kept.at)
    assert [one.episode_id for one in planned(kept.library, kept.around(), kept.at, 3).begin] == list(ids[3:])
