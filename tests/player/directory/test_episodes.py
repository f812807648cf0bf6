"""Single episodes in the directories, over real HTTP on this machine."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.directory.adapter import Access
from player.directory.adapters import adapters
from player.directory.answers import Answers
from player.directory.directories import Directories
from player.directory.directory import FoundEpisode
from player.directory.searching import Condition, Patience, SearchState, episode_results, outside
from player.links.addresses import url_key
from player.model.podcast import PodcastId
from player.net.loop import NetworkLoop
from tests import directories as fake
from tests.directories import (
    APPLE,
    FYYD,
    HOSTILE_HOSTS,
    INDEX,
    ONE_EPISODE,
    ONE_FEED,
    apple_answer,
    apple_episode,
    asked,
    fyyd_answer,
    fyyd_episode,
    fyyd_podcast,
    index_episode,
    index_episodes,
)
from tests.player.directory.conftest import opened
from tests.quick import mostly_long

WAIT_S = 20.0
AT = datetime(2026, 9, 1, 6, tzinfo=UTC)
APPLE_SEARCH, FYYD_SEARCH = f"{APPLE}/search", f"{FYYD}/0.2/search/episode"
INDEX_SEARCH, FYYD_PODCAST = f"{INDEX}/api/1.0/search/byperson", f"{FYYD}/0.2/podcast"


def searched(finder: Directories, words: str = "ada", limit: int = 50) -> SearchState[FoundEpisode]:
    return finder.episodes(words, lambda _state: None, limit=limit).wait(WAIT_S)


def test_an_episode_in_several_directories_is_one_with_the_data_of_all(
    world: fake.Directories, finder: Directories
) -> None:
    world.says(APPLE_SEARCH, apple_answer(apple_episode("Ada", ONE_FEED, ONE_EPISODE)), "text/javascript")
    world.says(FYYD_SEARCH, fyyd_answer(fyyd_episode("Ada", 85, "https://cdn.example.com/x?tracked=1")))
    world.says(
        FYYD_PODCAST, {"status": 1, "msg": "ok", "data": fyyd_podcast("A show", "http://feeds.example.com/pytorch")}
    )
    world.says(INDEX_SEARCH, index_episodes(index_episode("Ada", f"{ONE_FEED}/", ONE_EPISODE)))
    (found,) = searched(finder).found
    assert found == FoundEpisode(
        "Ada",
        "A show",
        ONE_FEED,
        ONE_EPISODE,
        "guid of Ada",
        AT,
        1_247_000,
        "audio/mpeg",
        19_000_000,
        "https://example.com/one",
        "What fyyd says, which is more.",
        "https://art.example.com/600.jpg",
        ("Apple Podcasts", "Podcast Index", "fyyd"),
    )


def test_each_directory_is_asked_as_its_documentation_says(world: fake.Directories, finder: Directories) -> None:
    searched(finder, "  ada  & grace ", limit=500)
    assert [asked(one) for one in world.seen(APPLE_SEARCH)] == [
        {"media": "podcast", "entity": "podcastEpisode", "term": "ada & grace", "country": "US", "limit": "50"}
    ]
    assert [asked(one) for one in world.seen(FYYD_SEARCH)] == [{"term": "ada & grace", "count": "20"}]
    assert [asked(one) for one in world.seen(INDEX_SEARCH)] == [{"q": "ada & grace", "max": "100"}]
    assert len(world.server.seen) == 3, "gpodder.net has no episodes"


def test_fyyd_is_asked_for_a_few_podcasts_and_only_once(world: fake.Directories) -> None:
    episodes = [fyyd_episode(f"Ada {number}", number % 7 + 1, f"{ONE_EPISODE}?{number}") for number in range(20)]
    world.says(FYYD_SEARCH, fyyd_answer(*episodes))
    world.says(FYYD_PODCAST, {"data": fyyd_podcast("A show", ONE_FEED)})
    with opened(replace(world.settings, ask=("fyyd",))) as finder:
        found = searched(finder).found
        assert sorted(asked(one)["podcast_id"] for one in world.seen(FYYD_PODCAST)) == ["1", "2", "3", "4"]
        assert [bool(one.feed_url) for one in found] == [True] * 12 + [False] * 8, "which can be opened come first"
        searched(finder, "again")
        assert sorted(asked(one)["podcast_id"] for one in world.seen(FYYD_PODCAST)[4:]) == ["5", "6", "7"]


def test_a_failed_look_up_of_a_podcast_hides_no_episode(world: fake.Directories, finder: Directories) -> None:
    world.says(FYYD_SEARCH, fyyd_answer(fyyd_episode("Ada", 1, ONE_EPISODE)))
    world.says(FYYD_PODCAST, b"", status=500)
    state = searched(finder)
    assert [(one.title, one.url, one.feed_url) for one in state.found] == [("Ada", ONE_EPISODE, "")]
    assert state.problems == ()


@pytest.mark.parametrize("what", mostly_long(HOSTILE_HOSTS, quick=12))
@pytest.mark.parametrize("path", mostly_long(fake.EPISODES_AT, quick=1))
def test_a_directory_with_a_nonsense_answer_is_named_and_hides_no_other_results(
    world: fake.Directories, what: str, path: str
) -> None:
    world.says(APPLE_SEARCH, apple_answer(apple_episode("Ada", ONE_FEED, ONE_EPISODE)))
    world.says(FYYD_SEARCH, fyyd_answer(fyyd_episode("Ada", 1, ONE_EPISODE)))
    world.says(FYYD_PODCAST, {"data": fyyd_podcast("A show", ONE_FEED)})
    world.says(INDEX_SEARCH, index_episodes(index_episode("Ada", ONE_FEED, ONE_EPISODE)))
    world.does(path, HOSTILE_HOSTS[what])
    name = dict(zip(fake.EPISODES_AT, ("Apple Podcasts", "fyyd", "Podcast Index"), strict=True))[path]
    with opened(world.settings, patience=Patience(0.5, 2.0)) as finder:
        state = searched(finder)
    (bad,) = [one for one in state.directories if one.name == name]
    assert [one.condition for one in state.directories if one is not bad] == [Condition.ANSWERED] * 2
    ada = [one for one in state.found if one.title == "Ada"]
    assert [one.directories for one in ada] == [
        tuple(one.name for one in state.directories if one is not bad and one.count)
    ]
    assert len(state.found) <= 2, "what it repeats is one"
    assert all(one.feed_url == one.url == "" for one in state.found if one.title != "Ada")
    if bad.condition is Condition.FAILED:
        (problem,) = state.problems
        assert name in problem
        assert problem.endswith(".")
    else:
        assert state.problems == ()


def test_addresses_inside_the_own_network_are_removed(world: fake.Directories) -> None:
    inside = FoundEpisode(
        "Ada", feed_url="http://192.168.0.1/feed", url="http://router.local/x.mp3", link="http://[::1]/"
    )
    (found,) = outside([inside], "https://itunes.apple.com")
    assert (found.feed_url, found.url, found.link) == ("", "", "http://[::1]/")
    assert outside([inside], world.server.url(APPLE)) == [inside]


def test_a_subscription_is_recognised_by_its_feed_alone(world: fake.Directories) -> None:
    world.says(APPLE_SEARCH, apple_answer(apple_episode("Ada", ONE_FEED, ONE_EPISODE, episodeGuid=fake.ONE_GUID)))
    for key, expected in ((url_key(ONE_FEED), PodcastId(7)), (fake.ONE_GUID, None)):
        with opened(world.settings, subscriptions=lambda key=key: {key: PodcastId(7)}) as finder:
            assert [one.podcast_id for one in searched(finder).found] == [expected]


def test_finds_episodes_is_true_exactly_for_directories_with_that_search() -> None:
    network = NetworkLoop(1.0, 1.0)  # which is never started
    for one in adapters():
        made = one.open(Access(Answers(network), one.urls, "US", lambda: None))
        assert (made.episodes is not None) is one.finds_episodes, one.name


# -- one list ---------------------------------------------------------------------------------------------------


def test_order_is_by_feed_then_words_then_rank_then_date() -> None:
    def one(title: str, **more: object) -> FoundEpisode:
        return FoundEpisode(title, feed_url=ONE_FEED, url=f"https://e.com/{title}", **more)  # type: ignore[arg-type]

    exact, said, other = one("Ada Lovelace"), one("Engines", description="With Ada Lovelace."), one("Poets")
    older, newer = one("Ada Lovelace 1", published=AT), one("Ada Lovelace 2", published=AT + timedelta(days=9))
    closed = replace(one("Ada Lovelace"), feed_url="", url="", link="https://e.com/page")
    found = {"a": [closed, other, said, older, exact], "b": [newer, said]}
    assert [one.title for one in episode_results(found, "ada lovelace")] == [
        "Ada Lovelace", "Engines", "Ada Lovelace 2", "Ada Lovelace 1", "Poets", "Ada Lovelace"
    ]  # fmt: skip


def test_a_shared_guid_or_enclosure_does_not_merge_two_episodes() -> None:
    same = {"feed_url": ONE_FEED, "guid": "7", "url": ONE_EPISODE, "podcast": "A show", "published": AT}
    found = {"a": [FoundEpisode(f"Part {number}", **same) for number in range(3)]}  # type: ignore[arg-type]
    assert len(episode_results(found, "part")) == 3


_EPISODES = st.builds(
    FoundEpisode,
    title=st.sampled_from(["A", "a", "The A", "B"]),
    podcast=st.sampled_from(["", "A show", "a show"]),
    feed_url=st.sampled_from(["", ONE_FEED, f"{ONE_FEED}/", "https://other.example.com"]),
    url=st.sampled_from(["", ONE_EPISODE, ONE_EPISODE.replace("https", "http"), "https://e.com/2.mp3"]),
    guid=st.sampled_from(["", "1", "2"]),
    published=st.sampled_from([None, AT, AT + timedelta(days=1)]),
    directories=st.sampled_from([("a",), ("b",)]),
)


@given(st.dictionaries(st.sampled_from("abc"), st.lists(_EPISODES, max_size=8)), st.sampled_from(["", "a", "b"]))
def test_merging_loses_no_episode_and_repeats_none(found: dict[str, list[FoundEpisode]], words: str) -> None:
    merged = episode_results(found, words)
    every = [one for some in found.values() for one in some if one.feed_url or one.url]
    assert {one.title.lower() for one in merged} == {one.title.lower() for one in every}
    named = [(url_key(one.url), one.title.lower()) for one in merged if one.url]
    assert len(named) == len(set(named))
    assert {one.url for one in merged} <= {one.url for one in every} | {""}
    assert episode_results(found, words) == merged
