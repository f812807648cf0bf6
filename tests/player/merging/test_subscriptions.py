"""What to subscribe to and to unsubscribe from, whatever a server or a folder answers."""

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from player.links.addresses import url_key
from player.merging.same_podcast import Move
from player.merging.subscriptions import Standing, SubscriptionPlan, plan_subscriptions
from player.model.syncing import SubscriptionChange

FEED, OTHER, NEW, NEWER = (f"https://example.org/{name}" for name in ("feed", "other", "new", "newer"))
NOON = 1_700_000_000_000


def subscribed(podcast: str = FEED, at: int = NOON, *, acknowledged: bool = True, guid: str = "") -> Standing:
    return Standing(podcast, True, at, "laptop", acknowledged, guid)


def unsubscribed(podcast: str = FEED, at: int = NOON, *, acknowledged: bool = True, guid: str = "") -> Standing:
    return Standing(podcast, False, at, "laptop", acknowledged, guid)


def add(podcast: str = FEED, at: int = 0, *, guid: str = "", title: str = "") -> SubscriptionChange:
    return SubscriptionChange(podcast, True, at, "phone" if at else "", title, guid)


def remove(podcast: str = FEED, at: int = 0) -> SubscriptionChange:
    return SubscriptionChange(podcast, False, at, "phone" if at else "")


def addresses(plan: SubscriptionPlan) -> list[str]:
    return [one.podcast for one in plan.subscribe]


def test_what_is_subscribed_to_elsewhere_is_subscribed_to_here() -> None:
    plan = plan_subscriptions([], [add(FEED, guid="g", title="Talks")])
    assert plan.subscribe == (SubscriptionChange(FEED, True, title="Talks", guid="g"),)
    assert plan.standings == (Standing(FEED, True, acknowledged=True, guid="g", title="Talks"),)


def test_what_is_subscribed_to_already_is_left_alone() -> None:
    plan = plan_subscriptions([subscribed()], [add("http://EXAMPLE.org:80/feed/")], is_whole=True)
    assert plan == SubscriptionPlan(standings=(subscribed(),))


def test_what_was_unsubscribed_from_elsewhere_is_unsubscribed_from_here() -> None:
    plan = plan_subscriptions([subscribed(), subscribed(OTHER)], [remove()])
    assert (plan.unsubscribe, plan.subscribe) == ((FEED,), ())
    assert plan.standings == (Standing(FEED, False, NOON, "", acknowledged=True),)


@pytest.mark.parametrize("is_whole", [False, True])
def test_what_the_target_does_not_know_yet_wins_over_its_lists(is_whole: bool) -> None:
    ours = [subscribed(FEED, acknowledged=False), unsubscribed(OTHER, acknowledged=False)]
    plan = plan_subscriptions(ours, [remove(FEED), add(OTHER)], is_whole=is_whole)
    assert plan == SubscriptionPlan()


def test_an_old_list_does_not_bring_back_what_was_unsubscribed_from_and_it_is_removed_there_again() -> None:
    plan = plan_subscriptions([unsubscribed()], [add("http://example.org/feed/")], is_whole=True)
    assert plan == SubscriptionPlan(remove_again=("http://example.org/feed/",))


def test_somebody_who_subscribes_again_later_brings_it_back() -> None:
    plan = plan_subscriptions([unsubscribed()], [add()])
    assert addresses(plan) == [FEED]
    assert plan.standings == (Standing(FEED, True, NOON, "", acknowledged=True),)


def test_a_server_that_forgot_a_subscription_ends_nothing() -> None:
    ours = [subscribed(FEED), subscribed(OTHER, acknowledged=False), subscribed("file:///home/me/book")]
    assert plan_subscriptions(ours, [], is_whole=True) == SubscriptionPlan(missing=(FEED,))
    assert plan_subscriptions(ours, []) == SubscriptionPlan()


@pytest.mark.parametrize("is_whole", [False, True])
@pytest.mark.parametrize("acknowledged", [False, True])
def test_where_there_are_times_the_latest_change_wins(is_whole: bool, acknowledged: bool) -> None:
    ours = [subscribed(acknowledged=acknowledged)]
    assert plan_subscriptions(ours, [remove(FEED, NOON + 1)], is_whole=is_whole).unsubscribe == (FEED,)
    assert plan_subscriptions(ours, [remove(FEED, NOON - 1)], is_whole=is_whole) == SubscriptionPlan()
    ours = [unsubscribed(acknowledged=acknowledged)]
    assert addresses(plan_subscriptions(ours, [add(FEED, NOON + 1)], is_whole=is_whole)) == [FEED]
    assert plan_subscriptions(ours, [add(FEED, NOON - 1)], is_whole=is_whole) == SubscriptionPlan()


def test_at_the_same_time_a_subscription_wins() -> None:
    assert plan_subscriptions([subscribed()], [remove(FEED, NOON)]).unsubscribe == ()
    assert addresses(plan_subscriptions([unsubscribed()], [add(FEED, NOON)])) == [FEED]


def test_our_own_change_that_comes_back_is_acknowledged() -> None:
    echo = SubscriptionChange(FEED, True, NOON, "laptop")
    assert plan_subscriptions([subscribed(acknowledged=False)], [echo]) == SubscriptionPlan(standings=(subscribed(),))


def test_that_an_unknown_podcast_was_unsubscribed_from_is_remembered_where_there_are_times() -> None:
    plan = plan_subscriptions([], [remove(FEED, NOON)])
    assert plan == SubscriptionPlan(standings=(Standing(FEED, False, NOON, "phone", acknowledged=True),))
    assert plan_subscriptions(plan.standings, [add(FEED, NOON - 5)], is_whole=True) == SubscriptionPlan()


# -- one podcast at many addresses ----------------------------------------------------------------------------------


def test_a_podcast_that_moved_elsewhere_is_not_doubled() -> None:
    plan = plan_subscriptions([subscribed()], [remove(FEED), add(NEW)], [(FEED, NEW)])
    assert (plan.subscribe, plan.unsubscribe, plan.aliases) == ((), (), ((NEW, FEED),))


def test_nor_one_that_moved_here_when_others_have_its_former_address() -> None:
    plan = plan_subscriptions([subscribed(NEW)], [add(FEED)], [(FEED, NEW)], is_whole=True)
    assert (plan.subscribe, plan.aliases, plan.missing) == ((), ((FEED, NEW),), ())


@pytest.mark.parametrize("address", [FEED, NEW])
def test_that_its_former_address_was_removed_ends_no_subscription_where_its_new_one_is_used(address: str) -> None:
    plan = plan_subscriptions([subscribed(address)], [remove(FEED)], [(FEED, NEW)], [(NEW, FEED)])
    assert plan.unsubscribe == ()
    assert plan_subscriptions([subscribed(address)], [remove(NEW)], [(FEED, NEW)]).unsubscribe == (address,)


def test_a_podcast_that_moved_and_is_still_known_by_its_former_address_is_unsubscribed_from_by_that() -> None:
    assert plan_subscriptions([subscribed(FEED)], [remove(FEED)], [(FEED, NEW)]).unsubscribe == (FEED,)


@pytest.mark.parametrize("moves", [[(FEED, NEW)], []])
def test_a_podcast_that_the_target_has_by_another_address_only_goes_by_that(moves: list[Move]) -> None:
    ours = subscribed(NEW, guid="g", acknowledged=False)
    plan = plan_subscriptions([ours], [add(FEED, guid="g")], moves)
    assert plan.standings == (subscribed(FEED, guid="g"),)
    assert plan.renamed == ((NEW, FEED),)
    assert plan_subscriptions(plan.standings, [remove(FEED)], moves, plan.aliases).unsubscribe == (FEED,)
    for known, listed in ((subscribed(NEW, guid="g"), [add(FEED)]), (ours, [add(FEED), add(NEW)])):
        assert plan_subscriptions([known], listed, [(FEED, NEW)]).renamed == ()


def test_a_podcast_is_known_by_its_guid() -> None:
    plan = plan_subscriptions([subscribed(FEED, guid="g")], [add(NEW, guid="g")])
    assert (plan.subscribe, plan.aliases) == ((), ((NEW, FEED),))
    plan = plan_subscriptions([subscribed(FEED)], [remove(NEW, NOON + 1)], aliases=plan.aliases)
    assert plan.unsubscribe == (FEED,)


def test_copies_of_a_feed_with_one_guid_stay_two_podcasts() -> None:
    ours = [subscribed(FEED, guid="g"), subscribed(OTHER, guid="g")]
    plan = plan_subscriptions(ours, [SubscriptionChange(OTHER, False, NOON + 1, "phone", guid="g")])
    assert plan.unsubscribe == (OTHER,)
    assert addresses(plan_subscriptions(ours, [add(NEW, guid="g")])) == [NEW]


def test_an_old_list_with_its_new_address_does_not_bring_back_a_podcast_that_moved() -> None:
    assert plan_subscriptions([unsubscribed()], [add(NEW)], [(FEED, NEW)], is_whole=True).remove_again == (NEW,)
    plan = plan_subscriptions([unsubscribed(guid="g")], [add(NEW, guid="g")], is_whole=True)
    assert plan.remove_again == (NEW,)


def test_a_podcast_unsubscribed_from_at_its_former_address_is_not_doubled_by_that_address() -> None:
    plan = plan_subscriptions([unsubscribed(FEED), subscribed(NEW)], [add(FEED)], [(FEED, NEW)])
    assert (plan.subscribe, plan.aliases) == ((), ((FEED, NEW),))


def test_one_podcast_at_several_addresses_is_subscribed_to_once_where_it_is_now() -> None:
    plan = plan_subscriptions([], [add(FEED), add(NEW), add(NEWER)], [(FEED, NEW), (NEW, NEWER)])
    assert addresses(plan) == [NEWER]
    assert plan.aliases == ((FEED, NEWER), (NEW, NEWER))
    assert len(plan_subscriptions([], [add(FEED, guid="g"), add(OTHER, guid="g")]).subscribe) == 1


def test_moves_in_a_circle_and_forks_lead_to_one_address() -> None:
    moves = [(FEED, NEW), (NEW, NEWER), (NEWER, FEED), (FEED, OTHER)]
    for order in itertools.permutations(moves):
        assert addresses(plan_subscriptions([], [add(NEW), add(FEED)], order)) == [OTHER]
    assert len(plan_subscriptions([], [add(NEW), add(FEED), add(NEWER)], moves[:3]).subscribe) == 1


def test_a_feed_may_not_move_to_a_local_file() -> None:
    assert addresses(plan_subscriptions([], [add()], [(FEED, "file:///etc/passwd"), (FEED, "")])) == [FEED]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "earmark:welcome", "", "https://user:word@example.org/feed"])
def test_what_is_never_sent_is_never_taken(address: str) -> None:
    assert plan_subscriptions([], [add(address)]) == SubscriptionPlan()


# -- whatever happens -----------------------------------------------------------------------------------------------

ADDRESS = st.sampled_from([FEED, OTHER, NEW, NEWER, "http://example.org/feed"])
WHEN = st.sampled_from([0, NOON - 1, NOON, NOON + 1, NOON + 2, -5, 10**16])
GUIDS = {FEED: "g", NEW: "g", NEWER: "h"}
DEVICE = st.sampled_from(["laptop", "phone", "tablet"])


def named(podcast: str, subscribed: bool, at: int, device: str, has_guid: bool) -> SubscriptionChange:
    return SubscriptionChange(podcast, subscribed, at, device, guid=GUIDS.get(podcast, "") if has_guid else "")


def known(change: SubscriptionChange, acknowledged: bool) -> Standing:
    return Standing(change.podcast, change.subscribed, change.at, change.device, acknowledged, change.guid)


CHANGE = st.builds(named, ADDRESS, st.booleans(), WHEN, DEVICE, st.booleans())
LISTED = st.builds(named, ADDRESS, st.booleans(), st.just(0), st.just(""), st.booleans())
TIMED = CHANGE.filter(lambda one: 0 < one.at < 10**13)
ANSWER = st.lists(LISTED, max_size=6) | st.lists(TIMED, max_size=6)
STANDING = st.builds(known, CHANGE, st.booleans())
HERE = st.lists(STANDING, max_size=4, unique_by=lambda one: url_key(one.podcast))
MOVES = st.lists(st.tuples(ADDRESS, ADDRESS), max_size=4)


def after(here: list[Standing], plan: SubscriptionPlan) -> list[Standing]:
    """What is known here when the plan was followed."""
    former = {ours for ours, _theirs in plan.renamed}
    left = [one for one in here if one.podcast not in former]
    return list({url_key(one.podcast): one for one in (*left, *plan.standings)}.values())


@given(HERE, st.lists(CHANGE, max_size=6), MOVES, st.booleans())
def test_no_order_and_no_repetition_changes_a_plan(
    here: list[Standing], pulled: list[SubscriptionChange], moves: list[Move], is_whole: bool
) -> None:
    plan = plan_subscriptions(here, pulled, moves, is_whole=is_whole)
    reverse = plan_subscriptions(here[::-1], (pulled * 2)[::-1], moves[::-1], is_whole=is_whole)
    assert reverse == plan


@given(HERE, ANSWER, MOVES, st.booleans())
def test_a_plan_that_was_followed_leaves_nothing_to_do(
    here: list[Standing], pulled: list[SubscriptionChange], moves: list[Move], is_whole: bool
) -> None:
    assume(sum(one.subscribed for one in here) < 2 or not moves)
    plan = plan_subscriptions(here, pulled, moves, is_whole=is_whole)
    subscribed_here = {one.podcast for one in here if one.subscribed}
    assert set(plan.unsubscribe) <= subscribed_here
    assert not subscribed_here & set(addresses(plan))
    again = plan_subscriptions(after(here, plan), pulled, moves, plan.aliases, is_whole=is_whole)
    assert (again.subscribe, again.unsubscribe) == ((), ())


@given(st.lists(TIMED, max_size=8), st.data())
def test_devices_that_meet_in_a_folder_end_with_the_same_subscriptions(
    changes: list[SubscriptionChange], data: st.DataObject
) -> None:
    """Each hears of all changes, in an order of its own and in answers of any size."""
    ends = []
    for _device in range(3):
        known: list[Standing] = []
        order = data.draw(st.permutations([one for one in changes if not one.guid]))
        while order:
            count = data.draw(st.integers(1, len(order)))
            plan = plan_subscriptions(known, order[:count], is_whole=data.draw(st.booleans()))
            known, order = after(known, plan), order[count:]
        ends.append({one.podcast.partition("://")[2] for one in known if one.subscribed})
    assert ends[0] == ends[1] == ends[2]
