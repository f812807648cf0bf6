"""Whatever JSON a directory sends, its adapter makes clean podcasts of it, or raises DirectoryError, nothing else."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.directory.adapters.apple import Apple, AppleCharts
from player.directory.adapters.fyyd import Fyyd
from player.directory.adapters.gpodder import Gpodder
from player.directory.adapters.podcast_index import PodcastIndex
from player.directory.answers import Answer, Answers, RateLimit
from player.directory.directory import Attempt, FoundEpisode, FoundPodcast
from player.directory.searching import episode_results, search_results
from player.errors import DirectoryError
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from tests import directories as fake

Search = Callable[[], Sequence[FoundPodcast]]
EpisodeSearch = Callable[[], Sequence[FoundEpisode]]


class Canned(Answers):
    """Answers each request with the next of these; then with the last, again and again."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(NetworkLoop(1.0, 1.0))  # which is never started
        self._answers = list(answers)

    def ask(
        self, name: str, address: str, parameters: Mapping[str, str | int], attempt: Attempt, **more: Any
    ) -> Answer:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return Answer(name, json.dumps(answer).encode())


def attempt() -> Attempt:
    return Attempt(5.0, CancelToken())


def limit() -> RateLimit:
    return RateLimit(1_000_000, 1.0)


LIMIT = 3


def searches(*answers: Any) -> Iterator[tuple[str, Search]]:
    """Each adapter, with those answers."""
    apple = Apple(Canned(*answers), "https://x", "US", limit())
    yield "apple", lambda: apple.search("words", LIMIT, attempt())
    yield "apple ids", lambda: tuple(apple.look_up([1, 2], attempt()).values())
    yield "fyyd", lambda: Fyyd(Canned(*answers), "https://x", limit()).search("words", LIMIT, attempt())
    gpodder = Gpodder(Canned(*answers), "https://x", limit())
    yield "gpodder", lambda: gpodder.search("words", LIMIT, attempt())
    yield "gpodder chart", lambda: gpodder.top("US", "", LIMIT, attempt())
    index = PodcastIndex(Canned(*answers), "https://x", lambda: ("key", "secret"), limit())
    yield "podcast index", lambda: index.search("words", LIMIT, attempt())
    answering = Canned(*answers)
    charts = AppleCharts(answering, "https://x", "https://y", Apple(answering, "https://y", "US", limit()), limit())
    yield "chart", lambda: charts.top("US", "", LIMIT, attempt())
    again = Canned(*answers)
    of_topic = AppleCharts(again, "https://x", "https://y", Apple(again, "https://y", "US", limit()), limit())
    yield "chart of a topic", lambda: of_topic.top("US", "technology", LIMIT, attempt())


def episode_searches(*answers: Any) -> Iterator[tuple[str, EpisodeSearch]]:
    """Each adapter that has episodes, with those answers."""
    apple = Apple(Canned(*answers), "https://x", "US", limit())
    yield "apple", lambda: apple.find_episodes("words", LIMIT, attempt())
    fyyd = Fyyd(Canned(*answers), "https://x", limit())
    yield "fyyd", lambda: fyyd.find_episodes("words", LIMIT, attempt())
    index = PodcastIndex(Canned(*answers), "https://x", lambda: ("key", "secret"), limit())
    yield "podcast index", lambda: index.find_episodes("words", LIMIT, attempt())


_TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from([
        "", " ", "javascript:alert(1)", "https://example.com/feed", "http://[", "https://u:p@example.com/", "\x1b[31m",
        "\u202eabc", "a\r\nb", "&#27;[2J", "2026-09-01T06:00:00Z", "9999-12-31T23:59:59-23:59", "-1", "1e400", "true",
        "0001-01-01T00:00:00+23:59", "x" * 70_000, "<p>&lt;b&gt;" * 900, "e" + "\u0301" * 500, "\ud800",
    ]),
)  # fmt: skip
_JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS, st.sampled_from([2**63, 2**64, -1, 10**30])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)
_RECORDS = [
    fake.apple_podcast(1, "A", "https://a.example.com"),
    fake.fyyd_podcast("A", "https://a.example.com"),
    fake.gpodder_podcast("A", "https://a.example.com"),
    fake.index_podcast("A", "https://a.example.com"),
    fake.newer_chart(1)["feed"]["results"][0],
    fake.older_chart(1)["feed"]["entry"],
    fake.apple_episode("A", "https://a.example.com", "https://a.example.com"),
    fake.fyyd_episode("A", 1, "https://a.example.com"),
    fake.index_episode("A", "https://a.example.com", "https://a.example.com"),
]


@st.composite
def spoilt_records(draw: st.DrawFn) -> Any:
    """A record as it should be, with some fields of any kind, or missing."""
    record = dict(draw(st.sampled_from(_RECORDS)))
    for name in draw(st.lists(st.sampled_from(sorted(record)), max_size=4)):
        if draw(st.booleans()):
            record[name] = draw(_JSON)
        else:
            record.pop(name, None)
    return record


_LISTS = st.one_of(_JSON, st.lists(st.one_of(spoilt_records(), _JSON), max_size=6), spoilt_records())
_ANSWERS = st.one_of(
    _LISTS,
    st.builds(lambda some: {"results": some}, _LISTS),
    st.builds(lambda some: {"data": some}, _LISTS),
    st.builds(lambda some, status: {"status": status, "feeds": some}, _LISTS, st.sampled_from(["true", True, "false"])),
    st.builds(lambda some: {"feed": {"results": some, "entry": some}}, _LISTS),
    st.builds(lambda some: {"status": "true", "items": some}, _LISTS),
)


def check(podcast: FoundPodcast) -> None:
    assert msgspec.convert(msgspec.to_builtins(podcast), FoundPodcast) == podcast
    assert podcast.title
    for text in (podcast.title, podcast.author, podcast.language, podcast.guid, *podcast.topics):
        assert text == clean_line(text)
        assert len(text) <= 300
    assert len(podcast.description) <= 4_001
    assert podcast.description.replace("\n", "").replace("\t", "").isprintable()
    for address in (podcast.feed_url, podcast.website, podcast.artwork_url):
        assert address == "" or address.startswith(("http://", "https://"))
        assert address.isprintable()
        assert "@" not in address.partition("://")[2].partition("/")[0]
    assert podcast.apple_id is None or 0 < podcast.apple_id < 2**53
    assert podcast.episode_count is None or 0 <= podcast.episode_count <= 10_000_000
    assert podcast.newest is None or podcast.newest.tzinfo is not None


@given(_ANSWERS, _ANSWERS)
def test_any_json_is_podcasts_or_a_directory_error(first: Any, second: Any) -> None:
    found = {}
    for name, search in searches(first, second):
        try:
            podcasts = search()
        except DirectoryError:
            continue
        else:
            assert len(podcasts) <= (100 if name == "apple ids" else LIMIT)
            for podcast in podcasts:
                check(podcast)
            found[name] = podcasts
    for podcast in search_results(found, "A"):
        check(podcast)


def check_episode(one: FoundEpisode) -> None:
    assert msgspec.convert(msgspec.to_builtins(one), FoundEpisode) == one
    assert one.title
    for text in (one.title, one.podcast):
        assert text == clean_line(text)
        assert len(text) <= 300
    assert len(one.guid) <= 2_000
    assert len(one.description) <= 4_001
    assert one.description.replace("\n", "").replace("\t", "").isprintable()
    for address in (one.feed_url, one.url, one.link, one.image_url):
        assert address == "" or address.startswith(("http://", "https://"))
        assert address.isprintable()
        assert "@" not in address.partition("://")[2].partition("/")[0]
    assert one.duration_ms is None or 0 < one.duration_ms <= 7 * 24 * 3_600_000
    assert one.size is None or 0 < one.size < 2**53
    assert one.published is None or one.published.tzinfo is not None


@given(_ANSWERS, _ANSWERS)
def test_any_json_is_episodes_or_a_directory_error(first: Any, second: Any) -> None:
    found = {}
    for name, search in episode_searches(first, second):
        try:
            found[name] = search()
        except DirectoryError:
            continue
        assert len(found[name]) <= LIMIT
        for one in found[name]:
            check_episode(one)
    for one in episode_results(found, "A"):
        check_episode(one)


HOSTILE = "\x1b]0;gone\x07\x1b[2J \u202eevil\u2066 \x9b31m&#27;[1m" + "z\u0300" * 40 + "x" * 9_000
BAD_ADDRESSES = [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "//x",
    "http://",
    "https://a b\x1b",
    7,
]


@pytest.mark.parametrize(
    "record",
    _RECORDS,
    ids=["apple", "fyyd", "gpodder", "index", "chart", "old chart", "apple episode", "fyyd episode", "index episode"],
)
def test_hostile_text_is_cleaned_and_unsafe_addresses_are_dropped(record: dict[str, Any]) -> None:
    text = json.dumps(record)
    spoilt = [
        json.loads(text.replace('"A"', json.dumps(HOSTILE)).replace('"Show 1"', json.dumps(HOSTILE))),
        *(json.loads(text.replace('"https://a.example.com"', json.dumps(bad))) for bad in BAD_ADDRESSES),
    ]
    answers = [
        spoilt, {"results": spoilt}, {"data": spoilt}, {"feeds": spoilt, "status": "true"},
        {"feed": {"results": spoilt, "entry": spoilt}},
    ]  # fmt: skip
    seen: list[FoundPodcast] = []
    episodes: list[FoundEpisode] = []
    for answer in answers:
        for _name, search in searches(answer, {"results": []}):
            try:
                seen += search()
            except DirectoryError:
                continue
    for podcast in seen:
        check(podcast)
        assert "javascript" not in podcast.feed_url
    for answer in [*answers, {"items": spoilt, "status": "true"}]:
        for _name, find in episode_searches(answer, {"data": []}):
            try:
                episodes += find()
            except DirectoryError:
                continue
    for one in episodes:
        check_episode(one)
        assert "javascript" not in f"{one.feed_url} {one.url} {one.link}"
    titles = [podcast.title for podcast in seen] + [one.title for one in episodes]
    assert any(title.endswith("…") and "evil" in title for title in titles)
    assert "" in [podcast.feed_url for podcast in seen] + [one.feed_url for one in episodes]
