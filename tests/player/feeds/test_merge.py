"""Which items are new, changed, or the same."""

import time
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from player.feeds.check import decide
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge

DAY = datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
EPISODE = FeedEpisode("guid", "Pilot", "https://a.example/1.mp3", published=DAY, duration_ms=3_600_000).signed()


def replace(item: FeedEpisode, **fields: object) -> FeedEpisode:
    return item._replace(**fields).signed()  # type: ignore[arg-type]


def known(item: FeedEpisode, number: int = 1) -> KnownEpisode:
    return KnownEpisode(
        EpisodeId(number), item.guid, item.url, item.title, item.published, item.duration_ms, item.fingerprint
    )


def apply(have: list[KnownEpisode], merge: Merge) -> list[KnownEpisode]:
    """What the library holds afterwards."""
    by_id = {episode.id: episode for episode in have}
    for episode_id, item in merge.changed:
        by_id[episode_id] = known(item, episode_id)
    start = max(by_id, default=0) + 1
    return [*by_id.values(), *(known(item, start + number) for number, item in enumerate(merge.new))]


def feed(*items: FeedEpisode) -> Feed:
    return Feed("A show", episodes=items)


def test_all_is_new_to_an_empty_library_in_the_feeds_order() -> None:
    items = [replace(EPISODE, guid=str(number), url=f"https://a.example/{number}") for number in range(5)]
    assert decide([], feed(*items)) == Merge(new=tuple(items))


def test_the_same_item_again_is_unchanged() -> None:
    assert decide([known(EPISODE)], feed(EPISODE)) == Merge(unchanged=1)


def test_the_same_guid_is_the_same_episode_whatever_else_it_says() -> None:
    other = replace(EPISODE, title="Renamed", url="https://b.example/2.mp3", published=None)
    assert decide([known(EPISODE)], feed(other)) == Merge(changed=((EpisodeId(1), other),))


def test_another_guid_for_the_same_enclosure_is_taken_over() -> None:
    other = replace(EPISODE, guid="new")
    assert decide([known(EPISODE)], feed(other)) == Merge(changed=((EpisodeId(1), other),))


def test_http_and_https_are_the_same_enclosure() -> None:
    other = replace(EPISODE, guid="new", url="http://a.example/1.mp3", title="Renamed")
    assert decide([known(EPISODE)], feed(other)).changed == ((EpisodeId(1), other),)


def test_the_same_title_on_the_same_day_is_the_same_episode() -> None:
    other = replace(EPISODE, guid="new", url="https://cdn.example/x", title="PILOT", published=DAY.replace(hour=23))
    assert decide([known(EPISODE)], feed(other)) == Merge(changed=((EpisodeId(1), other),))


def test_the_same_title_on_another_day_or_much_longer_is_another_episode() -> None:
    other = replace(EPISODE, guid="new", url="https://cdn.example/x")
    assert decide([known(EPISODE)], feed(replace(other, published=DAY.replace(day=16)))).new
    assert decide([known(EPISODE)], feed(replace(other, published=None))).new
    assert decide([known(EPISODE)], feed(replace(other, duration_ms=4_300_000))).new
    assert decide([known(EPISODE)], feed(replace(other, duration_ms=4_100_000))).changed


def test_a_guid_wins_over_an_enclosure() -> None:
    """Two episodes swap their files: neither takes the place of the other."""
    first, second = EPISODE, replace(EPISODE, guid="second", url="https://a.example/2.mp3", title="Two")
    swapped = (replace(first, url=second.url), replace(second, url=first.url))
    merge = decide([known(first, 1), known(second, 2)], feed(*swapped))
    assert merge.changed == ((EpisodeId(1), swapped[0]), (EpisodeId(2), swapped[1]))


def test_items_with_guids_of_their_own_may_share_an_enclosure() -> None:
    items = (EPISODE, replace(EPISODE, guid="b", title="B"), replace(EPISODE, guid="c", title="C"))
    assert decide([], feed(*items)).new == items
    assert decide([known(item, number) for number, item in enumerate(items)], feed(*items)).unchanged == 3


def test_a_repeated_guid_counts_once_and_so_does_a_repeated_enclosure_without_guids() -> None:
    assert decide([], feed(EPISODE, replace(EPISODE, title="Again"))).new == (EPISODE,)
    bare = replace(EPISODE, guid="")
    assert decide([], feed(bare, replace(bare, title="Again"))).new == (bare,)


def test_a_feed_that_loses_its_guids_loses_no_episode() -> None:
    bare = replace(EPISODE, guid="")
    assert decide([known(EPISODE)], feed(bare)) == Merge(unchanged=1)
    renamed = replace(bare, title="Renamed")
    assert decide([known(EPISODE)], feed(renamed)).changed == ((EpisodeId(1), replace(renamed, guid="guid")),)


def test_what_the_feed_has_dropped_is_not_mentioned() -> None:
    gone = replace(EPISODE, guid="gone", url="https://a.example/gone.mp3", title="Gone")
    assert decide([known(EPISODE, 1), known(gone, 2)], feed(EPISODE)) == Merge(unchanged=1)


items = st.builds(
    FeedEpisode,
    guid=st.sampled_from(["", "a", "b", "c", "d"]),
    title=st.sampled_from(["One", "Two", "one"]),
    url=st.sampled_from(["https://a.example/1", "http://a.example/1", "https://a.example/2", "https://a.example/3"]),
    published=st.sampled_from([None, DAY, DAY.replace(day=16)]),
    duration_ms=st.sampled_from([None, 1_000, 3_600_000]),
).map(FeedEpisode.signed)
feeds = st.lists(items, max_size=8).map(lambda some: feed(*some))


@given(st.lists(feeds, min_size=1, max_size=4))
def test_reading_a_feed_twice_changes_nothing_the_second_time(history: list[Feed]) -> None:
    have: list[KnownEpisode] = []
    for step in history:
        merge = decide(have, step)
        have = apply(have, merge)
        again = decide(have, step)
        assert not again.new
        assert not again.changed


@given(st.lists(feeds, min_size=1, max_size=4))
def test_no_episode_is_two_items_and_no_item_is_forgotten(history: list[Feed]) -> None:
    have: list[KnownEpisode] = []
    for step in history:
        merge = decide(have, step)
        ids = [episode_id for episode_id, _ in merge.changed]
        assert len(ids) == len(set(ids))
        assert set(ids) <= {episode.id for episode in have}
        guids = {item.guid for item in step.episodes if item.guid}
        have = apply(have, merge)
        assert guids <= {episode.guid for episode in have}
        assert len(merge.new) + len(merge.changed) + merge.unchanged <= len(step.episodes)


def test_a_long_feed_is_decided_quickly_even_if_all_items_look_alike() -> None:
    alike = [replace(EPISODE, guid=str(number)) for number in range(5_000)]
    have = [known(replace(item, guid=f"old {item.guid}"), number) for number, item in enumerate(alike)]
    start = time.process_time()
    merge = decide(have, feed(*alike))
    assert time.process_time() - start < 2
    assert len(merge.changed) == 5_000
