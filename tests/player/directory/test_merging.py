"""What several directories found becomes one list."""

from hypothesis import given
from hypothesis import strategies as st

from player.directory.directory import FoundPodcast
from player.directory.searching import chart, search_results
from player.links.addresses import url_key

ONE, TWO = "https://one.example.com/feed", "https://two.example.com/feed"
GUID = "9b024349-ccf0-5f69-a609-6b82873eab3c"


def titles(podcasts: tuple[FoundPodcast, ...]) -> list[str]:
    return [podcast.title for podcast in podcasts]


def test_the_same_title_makes_no_two_podcasts_one() -> None:
    found = {"a": [FoundPodcast("News", feed_url=ONE)], "b": [FoundPodcast("News", feed_url=TWO), FoundPodcast("News")]}
    assert len(search_results(found, "news")) == 3


def test_addresses_that_mean_the_same_feed_do() -> None:
    found = {"a": [FoundPodcast("A", feed_url="http://One.Example.com/feed/")], "b": [FoundPodcast("B", feed_url=ONE)]}
    (podcast,) = chart(found)
    assert (podcast.title, podcast.feed_url) == ("A", "http://One.Example.com/feed/")
    found["b"] = [FoundPodcast("B", feed_url="https://One.Example.com/feed/")]
    (podcast,) = chart(found)
    assert podcast.feed_url == "https://One.Example.com/feed/"


def test_one_that_knows_both_joins_two_that_share_nothing() -> None:
    found = {
        "a": [
            FoundPodcast("A", feed_url=ONE),
            FoundPodcast("Other", feed_url=f"{ONE}/x"),
            FoundPodcast("B", guid=GUID),
        ],
        "b": [FoundPodcast("C", feed_url=ONE, guid=GUID, apple_id=5, author="Me")],
    }
    first, second = chart(found)
    assert (first.title, first.guid, first.apple_id, first.author) == ("A", GUID, 5, "Me")
    assert second.title == "Other"


def test_whose_title_was_typed_comes_first_then_what_directories_agree_on() -> None:
    def podcast(title: str, author: str = "") -> FoundPodcast:
        return FoundPodcast(title, author, feed_url=f"https://example.com/{title}")

    exact, agreed, once = podcast("The Réal Python"), podcast("Real Python Talk"), podcast("Python, for real")
    by_author, other = podcast("Interviews", "Python and Real"), podcast("Something else")
    without = FoundPodcast("Real Python")
    found = {
        "a": [without, other, once, agreed, exact, by_author],
        "b": [agreed, other],
    }
    expected = [exact, agreed, once, by_author, other, without]
    assert titles(search_results(found, "real  PYTHON")) == [one.title for one in expected]


def test_a_directory_that_repeats_itself_gains_nothing() -> None:
    spam = FoundPodcast("Spam", feed_url=ONE)
    found = {"a": [FoundPodcast("Best", feed_url=TWO), spam, spam, spam]}
    assert titles(search_results(found, "x")) == ["Best", "Spam"]


def test_a_chart_keeps_the_order_of_the_first_directory() -> None:
    found = {
        "a": [FoundPodcast("Z", feed_url=ONE), FoundPodcast("Y")],
        "b": [FoundPodcast("A", feed_url=TWO), FoundPodcast("Z", feed_url=ONE)],
    }
    assert titles(chart(found)) == ["Z", "Y", "A"]


_PODCASTS = st.builds(
    FoundPodcast,
    title=st.sampled_from(["A", "a", "The A", "B c", "", "é"]),
    author=st.sampled_from(["", "A", "Somebody"]),
    feed_url=st.sampled_from(["", ONE, TWO, f"{ONE}/", ONE.replace("https", "http"), "https://three.example.com"]),
    apple_id=st.sampled_from([None, 1, 2, 3]),
    guid=st.sampled_from(["", GUID, "0" * 36, "1" * 36]),
    description=st.sampled_from(["", "short", "much longer"]),
)
_FOUND = st.dictionaries(st.sampled_from("abcd"), st.lists(_PODCASTS, max_size=8))


def keys(podcast: FoundPodcast) -> set[object]:
    named: set[object] = {podcast.guid, podcast.apple_id, url_key(podcast.feed_url) if podcast.feed_url else ""}
    return named - {"", None}


@given(_FOUND, st.sampled_from(["", "a", "B C", "zzz"]))
def test_nothing_is_lost_and_nothing_named_twice(found: dict[str, list[FoundPodcast]], words: str) -> None:
    merged = search_results(found, words)
    given_keys = {key for podcasts in found.values() for podcast in podcasts for key in keys(podcast)}
    named = [podcast.guid for podcast in merged if podcast.guid]
    assert len(named) == len(set(named))
    assert {key for podcast in merged for key in keys(podcast)} <= given_keys
    assert sum(not keys(one) for one in merged) == sum(not keys(one) for some in found.values() for one in some)
    assert sorted(chart(found), key=repr) == sorted(merged, key=repr)
    assert search_results(found, words) == merged
    assert all(one.feed_url for one in merged[: sum(bool(one.feed_url) for one in merged)])


@given(_FOUND)
def test_no_two_results_are_the_same_podcast_by_guid_or_apple_id(found: dict[str, list[FoundPodcast]]) -> None:
    merged = chart(found)
    for named in ([one.guid for one in merged], [one.apple_id for one in merged], [one.feed_url for one in merged]):
        real = [name for name in named if name]
        assert len(real) == len(set(real))
