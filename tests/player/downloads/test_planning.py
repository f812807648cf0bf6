"""What the rules begin and delete, one case at a time."""

from typing import Any

from msgspec.structs import replace

from player.downloads.planning import DAY_MS, Cause, Cleaning, Limits, Obstacle, State, estimated, plan
from player.model.downloads import Candidate, Coming, Offer, Protection, Refusal, Rule, Source, Stored, Trashed
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import EpisodeTest, PodcastDownloads

MB = 1_000_000
NOW = 20_000 * DAY_MS
PODCAST = PodcastId(1)
TALK = Rule(Source.PODCAST, 3, 1, "Talk Python")


def candidate(number: int, title: str = "", mb: int | None = 10, **more: Any) -> Candidate:
    """The lower its number, the newer it is."""
    size = None if mb is None else mb * MB
    return Candidate(EpisodeId(number), PODCAST, title or f"Part {number}", NOW - number * DAY_MS, size, **more)


def offer(*candidates: Candidate, rule: Rule = TALK) -> Offer:
    return Offer(rule, candidates)


def stored(number: int, mb: int = 10, rule: str = "podcast:1", **more: Any) -> Stored:
    return Stored(EpisodeId(number), mb * MB, more.pop("at", NOW - DAY_MS), rule, **more)


def state(*offers: Offer, free: int = 10_000, **more: Any) -> State:
    return State(NOW, free * MB, offers, **more)


def begun(given: State) -> list[int]:
    return [one.episode_id for one in plan(given).begin]


def removed(given: State) -> list[int]:
    return [one.episode_id for one in plan(given).remove]


FOUR = offer(*map(candidate, (1, 2, 3, 4)))


def test_the_newest_are_downloaded_and_no_more() -> None:
    assert begun(state(FOUR)) == [1, 2, 3]


def test_a_played_episode_is_one_of_the_newest_but_is_not_downloaded() -> None:
    assert begun(state(offer(candidate(1), candidate(2, played=True), candidate(3), candidate(4)))) == [1, 3]


def test_of_a_list_the_first_unplayed_are_downloaded() -> None:
    some = offer(candidate(1, played=True), candidate(2), candidate(3), rule=Rule(Source.LIST, 1, 7, "Later"))
    assert begun(state(some)) == [2]


def test_the_queue_comes_first_then_lists_the_inbox_and_the_newest_of_all_podcasts_before_their_second() -> None:
    queue, inbox = Rule(Source.QUEUE, 5), Rule(Source.INBOX, 5)
    other = Rule(Source.PODCAST, 2, 2)
    offers = (
        offer(candidate(10), candidate(11), rule=TALK),
        offer(candidate(20), candidate(21), rule=other),
        offer(candidate(3), rule=inbox),
        offer(candidate(4), rule=Rule(Source.LIST, 1, 7)),
        offer(candidate(99), rule=queue),
    )
    assert begun(state(*offers)) == [99, 4, 3, 10, 20, 11, 21]


def test_titles_and_lengths_are_tested_before_the_newest_are_counted() -> None:
    titles = offer(candidate(1, "Rerun: one"), candidate(2, "Two"), candidate(3, "Deep Dive"), candidate(4), rule=TALK)
    chosen = PodcastDownloads(2, EpisodeTest(exclude="rerun"))
    assert begun(state(replace(titles, rule=replace(TALK, most=2)), podcasts={PODCAST: chosen})) == [2, 3]
    assert begun(state(titles, test=EpisodeTest(include='"deep dive"'))) == [3]
    hour = 3_600_000
    lengths = offer(candidate(1, duration_ms=hour), candidate(2), candidate(3, duration_ms=2 * hour))
    assert begun(state(lengths, test=EpisodeTest(at_least_ms=hour))) == [1, 3]
    assert begun(state(lengths, test=EpisodeTest(under_ms=2 * hour))) == [1], "nobody knows how long the second is"


def test_of_a_podcast_for_which_that_was_set_nothing_is_downloaded_not_even_from_the_queue() -> None:
    queue = offer(candidate(1), rule=Rule(Source.QUEUE, 5))
    assert begun(state(queue, podcasts={PODCAST: PodcastDownloads(0)})) == []


def test_what_was_deleted_by_hand_or_failed_is_never_downloaded_again() -> None:
    refused = {EpisodeId(1): Refusal.DELETED, EpisodeId(2): Refusal.FAILED, EpisodeId(3): Refusal.CLEANED}
    assert begun(state(FOUR, refused=refused)) == []
    queue = offer(*map(candidate, (1, 2, 3)), rule=Rule(Source.QUEUE, 5))
    assert begun(state(queue, refused=refused)) == [3], "what was cleaned up comes back for the queue"


def test_what_does_not_fit_is_not_begun_and_says_why() -> None:
    made = plan(state(FOUR, limits=Limits(25 * MB)))
    assert [one.episode_id for one in made.begin] == [1, 2]
    assert [(one.wanted.episode_id, one.obstacle) for one in made.held] == [(3, Obstacle.LIMIT)]
    made = plan(state(FOUR, free=25, limits=Limits(None, 10 * MB)))
    assert [one.episode_id for one in made.begin] == [1]
    assert {one.obstacle for one in made.held} == {Obstacle.DISK}


def test_what_is_under_way_takes_room_already() -> None:
    coming = (Coming(EpisodeId(1), 10 * MB, 4 * MB, "podcast:1"), Coming(EpisodeId(50), 90 * MB, 20 * MB))
    made = plan(state(FOUR, free=44, coming=coming, limits=Limits(30 * MB, 0)))
    assert [one.episode_id for one in made.begin] == [2, 3], "44 - 4 - 20 are free; what comes by hand isn't limited"
    assert plan(state(FOUR, free=43, coming=coming, limits=Limits(30 * MB, 0))).held[0].obstacle is Obstacle.DISK


def test_what_waits_for_a_rule_that_is_gone_is_dropped() -> None:
    coming = (Coming(EpisodeId(9), 10 * MB, 10 * MB, "queue"), Coming(EpisodeId(8), 10 * MB, 10 * MB))
    assert plan(state(FOUR, coming=coming)).drop == (9,)


def test_after_the_hours_what_runs_ends_and_what_waits_leaves_the_queue() -> None:
    coming = tuple(Coming(EpisodeId(n), 10 * MB, left * MB, "podcast:1") for n, left in ((1, 3), (2, 10)))
    made = plan(state(FOUR, coming=coming, open=False))
    assert made.drop == (2,)
    assert {(one.wanted.episode_id, one.obstacle) for one in made.held} == {(2, Obstacle.HOURS), (3, Obstacle.HOURS)}


def test_room_is_made_by_what_no_rule_wants_any_more_and_only_as_much_as_it_takes() -> None:
    given = state(FOUR, stored=(stored(3), stored(50), stored(51), stored(52)), limits=Limits(45 * MB))
    assert (begun(given), removed(given)) == ([1, 2], [50, 51])


def test_what_is_wanted_more_takes_the_place_of_what_is_wanted_less() -> None:
    queue = offer(candidate(99, mb=20), rule=Rule(Source.QUEUE, 5))
    given = state(queue, FOUR, stored=(stored(1), stored(2), stored(3)), limits=Limits(30 * MB))
    assert (begun(given), removed(given)) == ([99], [3, 2])


def test_what_was_taken_before_enough_was_found_stays_if_it_can() -> None:
    rule = Rule(Source.LIST, 5, 7)
    some = offer(candidate(1, mb=55), candidate(2), candidate(3), rule=rule)
    given = state(some, stored=(stored(2, 60), stored(3, 50)), limits=Limits(110 * MB))
    assert removed(given) == [2], "the second is wanted more, but the third is too small, and can stay beside it"


def test_nothing_protected_is_deleted_whatever_the_limit() -> None:
    kept = (*(stored(50 + n, protection=one) for n, one in enumerate(Protection)), stored(90, rule=""))
    given = state(FOUR, stored=kept, free=0, limits=Limits(0, 5 * MB), cleaning=Cleaning(0, 0))
    made = plan(given)
    assert (made.remove, made.begin) == ((), ())


def test_manual_downloads_do_not_count() -> None:
    given = state(FOUR, stored=(stored(90, 500, rule=""),), limits=Limits(30 * MB))
    assert begun(given) == [1, 2, 3]


def test_over_a_lowered_limit_the_least_wanted_goes() -> None:
    given = state(FOUR, stored=tuple(map(stored, (1, 2, 3, 50))), limits=Limits(25 * MB))
    assert removed(given) == [50, 3]
    assert {one.cause for one in plan(given).remove} == {Cause.ROOM}


def test_the_trash_is_emptied_first_when_the_disk_is_full() -> None:
    trash = (Trashed(EpisodeId(70), 10 * MB, NOW - 5), Trashed(EpisodeId(71), 10 * MB, NOW - 9))
    made = plan(state(FOUR, free=30, stored=(stored(50),), trash=trash, limits=Limits(None, 10 * MB)))
    assert [one.episode_id for one in made.begin] == [1, 2, 3]
    assert (made.remove, made.purge) == ((), (71,)), "the oldest, and no more than it takes"


def test_a_disk_that_others_fill_costs_the_trash_and_what_no_rule_wants_but_nothing_else() -> None:
    trash = (Trashed(EpisodeId(70), 10 * MB, NOW - 5),)
    made = plan(state(FOUR, free=0, stored=(stored(1), stored(50)), trash=trash, limits=Limits(None, 100 * MB)))
    assert [one.episode_id for one in made.remove] == [50]
    assert made.purge == (70, 50)
    assert begun(state(FOUR, free=0, stored=(stored(1),), limits=Limits(None, 100 * MB))) == []


def test_what_is_wanted_again_comes_back_from_the_trash_at_any_hour() -> None:
    trash = (Trashed(EpisodeId(2), 10 * MB, NOW - 5),)
    made = plan(state(FOUR, trash=trash, open=False))
    assert [one.episode_id for one in made.restore] == [2]
    assert {(one.wanted.episode_id, one.obstacle) for one in made.held} == {(1, Obstacle.HOURS), (3, Obstacle.HOURS)}


def test_outside_the_hours_nothing_is_deleted_to_make_room() -> None:
    given = state(FOUR, stored=(stored(50),), limits=Limits(10 * MB), open=False)
    assert plan(given).is_done


def test_only_so_many_are_begun_at_once() -> None:
    made = plan(state(FOUR, slots=2, stored=(stored(50, 20),), limits=Limits(30 * MB)))
    assert [one.episode_id for one in made.begin] == [1, 2]
    assert [(one.wanted.episode_id, one.obstacle) for one in made.held] == [(3, Obstacle.TURN)]


def test_played_episodes_go_after_their_days_and_all_others_after_theirs() -> None:
    day = DAY_MS
    some = (
        stored(50, played_at=NOW - 2 * day, at=NOW - 3 * day),
        stored(51, played_at=NOW - day, at=NOW - 3 * day),
        stored(52, at=NOW - 30 * day),
        stored(53, played_at=NOW - 9 * day, at=NOW - 40 * day, protection=Protection.STARRED),
        stored(54, played_at=NOW - 9 * day, at=NOW - 40 * day, rule=""),
    )
    made = plan(state(stored=some, cleaning=Cleaning(2, 30)))
    assert [(one.episode_id, one.cause) for one in made.remove] == [(50, Cause.PLAYED), (52, Cause.OLD)]
    assert made.next_at == NOW + day
    assert plan(state(stored=some, cleaning=Cleaning())).is_done
    assert removed(state(stored=some, cleaning=Cleaning(0))) == [50, 51]


def test_the_trash_is_emptied_after_a_day() -> None:
    trash = (Trashed(EpisodeId(70), MB, NOW - DAY_MS), Trashed(EpisodeId(71), MB, NOW - DAY_MS + 7))
    made = plan(state(trash=trash))
    assert (made.purge, made.next_at) == ((70,), NOW + 7)


def test_sizes_that_feeds_make_up_are_not_believed() -> None:
    assert estimated(candidate(1, mb=30, duration_ms=1_800_000)) == 30 * MB
    assert estimated(replace(candidate(1, duration_ms=1_800_000), size=1)) == 28_800_000
    assert estimated(replace(candidate(1, duration_ms=1_800_000), size=10**15)) == 28_800_000
    assert estimated(candidate(1, mb=None)) == estimated(replace(candidate(1), size=-5)) == 60 * MB
    assert estimated(candidate(1, mb=None, duration_ms=10**15)) == 20_000_000_000
    assert plan(state(FOUR, sizes={EpisodeId(1): 77})).begin[0].size == 77
