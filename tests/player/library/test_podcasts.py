"""Subscribing, and what stays through every refresh."""

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.errors import AlreadySubscribed, Ambiguous, NotFound
from player.library import Applied, Library
from player.links.addresses import url_key
from player.model.episode import Episode, EpisodeId, TranscriptRef
from player.model.feed import FeedState, Merge
from player.model.filters import View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, by_guid, episode, feed
from tests.quick import examples

NOBODY = PodcastId(999)


def test_podcasts_stand_by_title_without_case_and_accents(library: Library) -> None:
    for title in ("zebra", "Écho", "delta", "Fern"):
        library.podcasts.add(f"https://example.org/{title}", title)
    titles = [podcast.title for podcast in library.podcasts.all()]
    assert titles == ["delta", "Écho", "Fern", "Welcome to Earmark", "zebra"]


def test_a_new_podcast_was_never_refreshed(library: Library) -> None:
    podcast = library.podcasts.add(URL)
    assert podcast == Podcast(podcast.id, URL, "example.org/feed.xml")
    assert library.podcasts.feed_state(podcast.id) == FeedState()


def test_a_podcast_goes_by_its_address_until_its_feed_says_its_title(library: Library) -> None:
    podcast = library.podcasts.add("https://me:secret@example.org/Feed?a=\x1b[1m")
    assert podcast.title == "example.org/Feed?a=[1m"
    assert library.podcasts.find("example.org/feed") == podcast
    apply_feed(library, podcast, episode(0))
    assert library.podcasts.get(podcast.id).title == feed().title


@pytest.mark.parametrize(
    "same",
    [
        "http://example.org/Feed",
        "https://EXAMPLE.org/Feed/",
        "HTTPS://example.org:443/Feed",
        "http://example.org:80/Feed#top",
        "  https://example.org/Feed ",
    ],
)
def test_an_address_that_means_the_same_is_not_added_twice(library: Library, same: str) -> None:
    podcast = library.podcasts.add("https://example.org/Feed", "A show")
    with pytest.raises(AlreadySubscribed, match="A show"):
        library.podcasts.add(same)
    assert library.podcasts.by_url(same) == podcast
    assert len(library.podcasts.all()) == 2


@pytest.mark.parametrize(
    "other",
    ["https://example.org/feed", "https://example.org/Feed?page=2", "https://me@example.org/Feed", "earmark:other"],
)
def test_other_addresses_are_other_podcasts(library: Library, other: str) -> None:
    library.podcasts.add("https://example.org/Feed", "A show")
    assert library.podcasts.by_url(other) is None
    assert library.podcasts.add(other).url == other


@given(st.text())
def test_any_text_has_a_key_that_is_its_own_key(text: str) -> None:
    key = url_key(text)
    assert url_key(f" {text} ") == key


def test_a_podcast_is_found_by_number_address_and_as_much_of_its_title_as_it_takes(library: Library) -> None:
    talk = library.podcasts.add("https://talk.example/feed", "Talk Python To Me")
    library.podcasts.add("https://bytes.example/feed", "Python Bytes")
    for text in (str(talk.id), "http://talk.example/feed/", "TALK PYTHON TO ME", "talk", "to me"):
        assert library.podcasts.find(text) == talk, text
    assert library.podcasts.find("python").title == "Python Bytes", (
        "a title that begins so goes before one that has it inside"
    )


def test_a_title_that_is_whole_goes_before_longer_ones(library: Library) -> None:
    short = library.podcasts.add("https://a.example", "Café")
    library.podcasts.add("https://b.example", "Cafe Society")
    assert library.podcasts.find("cafe") == short


def test_a_text_that_fits_several_podcasts_is_asked_about(library: Library) -> None:
    for number in range(7):
        library.podcasts.add(f"https://{number}.example", f"News {number}")
    with pytest.raises(Ambiguous, match=r"“news” matches several podcasts: .*“News 6”.* and more\. Use an ID\."):
        library.podcasts.find("news")


@pytest.mark.parametrize("text", ["nothing like it", "", "  ", "999", "9" * 40, "\x1b[31m", "%", "_"])
def test_a_text_that_fits_nothing_is_said_to(library: Library, text: str) -> None:
    with pytest.raises(NotFound) as raised:
        library.podcasts.find(text)
    assert "\x1b" not in str(raised.value)


def test_a_podcast_that_is_gone_is_not_found(library: Library) -> None:
    for ask in (library.podcasts.get, library.podcasts.feed_state):
        with pytest.raises(NotFound):
            ask(NOBODY)
    with pytest.raises(NotFound):
        library.podcasts.apply(NOBODY, feed(), FeedState(), by_guid)
    library.podcasts.remove(NOBODY)
    library.podcasts.unchanged(NOBODY, FeedState())
    library.podcasts.refresh_failed(NOBODY, "No answer.")


def test_removing_a_podcast_takes_its_episodes_and_their_positions(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    library.progress.save(ids[0], 5000, None, datetime.now(UTC))
    library.episodes.set_starred(ids, True)
    library.podcasts.remove(podcast.id)
    assert library.podcasts.by_url(URL) is None
    assert list(library.episodes.ids(View())) == []
    assert library.episodes.rows(ids) == []
    assert library.progress.position(ids[0]) is None
    assert library.episodes.notes(ids[0]) == ""


def test_an_id_is_never_given_twice(library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]) -> None:
    library.podcasts.remove(podcast.id)
    again = library.podcasts.add(URL)
    assert again.id > podcast.id
    assert min(apply_feed(library, again, episode(0)).new) > max(ids)


def test_counts_follow_every_change(library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]) -> None:
    def counts() -> tuple[int, int]:
        now = library.podcasts.get(podcast.id)
        return now.episode_count, now.unplayed_count

    assert counts() == (5, 5)
    library.episodes.set_played(ids[:2], True)
    library.episodes.set_played(ids[:2], True)
    assert counts() == (5, 3)
    library.progress.start(ids[0])
    assert counts() == (5, 4)
    library.progress.finish(ids[4])
    assert counts() == (5, 3)
    apply_feed(library, podcast, *(episode(number) for number in range(-2, 5)))
    assert counts() == (7, 5)


# -- what a refresh writes ------------------------------------------------------------------------------------


def test_a_feed_fills_its_podcast(paths: Paths) -> None:
    now = datetime(2026, 5, 1, 8, 30, tzinfo=UTC)
    library = Library(paths, now=lambda: now)
    library.open()
    podcast = library.podcasts.add(URL)
    library.podcasts.refresh_failed(podcast.id, "No answer.")
    state = FeedState('"tag"', "Fri, 01 May 2026 08:00:00 GMT")
    applied = library.podcasts.apply(podcast.id, feed(episode(0), episode(1)), state, by_guid)
    assert library.podcasts.get(podcast.id) == Podcast(
        id=podcast.id,
        url=URL,
        title="A show",
        author="Somebody",
        description="About things",
        episode_count=2,
        unplayed_count=2,
        last_refreshed=now,
    )
    assert library.podcasts.feed_state(podcast.id) == state
    assert applied == Applied(applied.new, changed=True, inbox=True)
    assert [row.title for row in library.episodes.rows(applied.new)] == ["Episode 0", "Episode 1"]
    library.close()


@pytest.mark.usefixtures("ids")
def test_the_same_feed_again_changes_nothing(library: Library, podcast: Podcast) -> None:
    again = apply_feed(library, podcast, *(episode(number) for number in range(5)))
    assert again == Applied()


def test_a_feed_that_lost_its_title_keeps_it(library: Library, podcast: Podcast) -> None:
    apply_feed(library, podcast, title="")
    assert library.podcasts.get(podcast.id).title == "A show"


def test_a_new_title_counts_as_a_change_and_is_found(library: Library, podcast: Podcast) -> None:
    apply_feed(library, podcast)
    assert apply_feed(library, podcast, title="Ümlaut").changed
    assert library.podcasts.find("umlaut").id == podcast.id


def test_an_answer_that_nothing_is_new_clears_the_error(library: Library, podcast: Podcast) -> None:
    library.podcasts.refresh_failed(podcast.id, "The server is down.")
    assert library.podcasts.get(podcast.id).error == "The server is down."
    assert library.podcasts.get(podcast.id).last_refreshed is None
    library.podcasts.unchanged(podcast.id, FeedState("tag"))
    after = library.podcasts.get(podcast.id)
    assert after.error is None
    assert after.last_refreshed is not None
    assert library.podcasts.feed_state(podcast.id) == FeedState("tag")


def test_the_decision_is_given_all_that_the_library_has(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    seen: list[tuple[object, ...]] = []

    def decide(known: object, _feed: object) -> Merge:
        assert isinstance(known, list)
        seen.extend(
            (item.id, item.guid, item.url, item.published, item.duration_ms, item.fingerprint) for item in known
        )
        return Merge()

    library.podcasts.apply(podcast.id, feed(), FeedState(), decide)
    feed_items = [episode(number) for number in range(5)]
    assert sorted(seen, key=str) == sorted(
        ((i, e.guid, e.url, e.published, e.duration_ms, e.fingerprint) for i, e in zip(ids, feed_items, strict=True)),
        key=str,
    )


def test_episodes_stars_marks_and_positions_stay_when_the_feed_drops_them(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    library.episodes.set_starred([ids[1]], True)
    library.episodes.set_played([ids[2]], True)
    library.progress.save(ids[3], 77_000, 1_900_000, datetime.now(UTC))
    before = library.episodes.rows(ids)
    apply_feed(library, podcast, episode(-1))
    assert library.episodes.rows(ids) == before
    assert library.podcasts.get(podcast.id).episode_count == 6


def test_a_new_guid_is_taken_over_and_all_else_stays(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    library.progress.save(ids[0], 77_000, None, datetime.now(UTC))
    library.episodes.set_starred([ids[0]], True)
    renamed = episode(0, guid="guid-new", title="A better title", notes="Better notes")
    merge = Merge(changed=((ids[0], renamed),))
    applied = library.podcasts.apply(podcast.id, feed(renamed), FeedState(), lambda _known, _feed: merge)
    assert applied == Applied(changed=True)
    row = library.episodes.get(ids[0])
    assert (row.guid, row.title, row.position_ms, row.starred) == ("guid-new", "A better title", 77_000, True)
    assert library.episodes.notes(ids[0]) == "Better notes"
    assert library.episodes.find("better").id == ids[0]


def test_what_a_feed_no_longer_says_is_not_forgotten(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    silent = episode(0, guid="", published=None, duration_ms=None)
    merge = Merge(changed=((ids[0], silent),))
    library.podcasts.apply(podcast.id, feed(silent), FeedState(), lambda _known, _feed: merge)
    row = library.episodes.get(ids[0])
    assert (row.guid, row.published, row.duration_ms) == ("guid-0", episode(0).published, 1_800_000)
    assert library.episodes.ids(View())[0] == ids[0]


def test_everything_a_feed_says_of_an_episode_can_be_had_again(library: Library, podcast: Podcast) -> None:
    feed_items = episode(
        0,
        image_url="https://example.org/0.png",
        season=3,
        number="12.5",
        explicit=True,
        chapters_url="https://example.org/0.json",
        transcripts=(TranscriptRef("https://example.org/0.vtt", "text/vtt", "en"), TranscriptRef("x")),
        extra='{"person":[{"name":"Ada"}]}',
    )
    (episode_id,) = apply_feed(library, podcast, feed_items).new
    details = library.episodes.details(episode_id)
    for name in ("notes", "image_url", "season", "number", "explicit", "chapters_url", "transcripts", "extra"):
        assert getattr(details, name) == getattr(feed_items, name), name


@pytest.mark.parametrize("claim", [-1, 2**53, 2**64, 10**40])
def test_a_number_that_can_not_be_is_unknown(library: Library, podcast: Podcast, claim: int) -> None:
    (episode_id,) = apply_feed(library, podcast, episode(0, size=claim, duration_ms=claim, season=claim)).new
    row = library.episodes.get(episode_id)
    assert (row.size, row.duration_ms, library.episodes.details(episode_id).season) == (None, None, None)


@pytest.mark.usefixtures("ids")
def test_a_decision_that_fails_leaves_no_trace(library: Library, podcast: Podcast) -> None:
    before = library.podcasts.get(podcast.id)

    def decide(_known: object, _feed: object) -> Merge:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        library.podcasts.apply(podcast.id, feed(title="Other"), FeedState("tag"), decide)
    assert library.podcasts.get(podcast.id) == before


def test_several_writes_can_be_one(library: Library) -> None:
    with pytest.raises(ZeroDivisionError), library.transaction():  # noqa: PT012
        podcast = library.podcasts.add(URL)
        apply_feed(library, podcast, episode(0))
        assert library.podcasts.get(podcast.id).episode_count == 1, "a thread reads what it wrote"
        raise ZeroDivisionError
    assert library.podcasts.by_url(URL) is None


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 12), unique=True, max_size=8),
            st.sampled_from(["", "star", "play", "listen", "finish"]),
            st.integers(0, 12),
        ),
        max_size=6,
    )
)
def test_no_run_of_refreshes_loses_anything(library: Library, steps: list[tuple[list[int], str, int]]) -> None:
    podcast = library.podcasts.add(URL)
    try:
        heard: dict[str, tuple[bool, bool, int]] = {}
        for number, (items, deed, which) in enumerate(steps):
            apply_feed(library, podcast, *(episode(item, notes=f"{number}") for item in items))
            for item in items:
                heard.setdefault(f"guid-{item}", (False, False, 0))
            rows = {row.guid: row for row in _all(library, podcast)}
            if deed and (row := rows.get(f"guid-{which}")):
                starred, played, position_ms = heard[row.guid]
                if deed == "star":
                    library.episodes.set_starred([row.id], True)
                    starred = True
                elif deed == "play":
                    library.episodes.set_played([row.id], True)
                    played = True
                elif deed == "listen":
                    position_ms = 1000 + number
                    library.progress.save(row.id, position_ms, None, datetime.now(UTC))
                else:
                    library.progress.finish(row.id)
                    played, position_ms = True, 0
                heard[row.guid] = (starred, played, position_ms)
        after = _all(library, podcast)
        assert {row.guid: (row.starred, row.played, row.position_ms) for row in after} == heard
        counted = library.podcasts.get(podcast.id)
        assert counted.episode_count == len(after)
        assert counted.unplayed_count == sum(not row.played for row in after)
    finally:
        library.podcasts.remove(podcast.id)


def _all(library: Library, podcast: Podcast) -> list[Episode]:
    return library.episodes.rows(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id)))


def test_what_a_feed_says_besides_is_kept(library: Library, podcast: Podcast) -> None:
    feed_items = replace(feed(episode(0)), extra='{"funding":[]}')
    assert library.podcasts.extra(podcast.id) == ""
    assert library.podcasts.apply(podcast.id, feed_items, FeedState(), by_guid).changed
    assert library.podcasts.extra(podcast.id) == '{"funding":[]}'
    assert not library.podcasts.apply(podcast.id, feed_items, FeedState(), by_guid).changed
    assert library.podcasts.extra(NOBODY) == ""


# -- by name --------------------------------------------------------------------------------------------------


def named(library: Library, words: str, limit: int = 9) -> list[str]:
    return [one.title for one in library.podcasts.named(words, limit)]


def test_podcasts_are_found_by_parts_of_their_names_the_best_first(library: Library) -> None:
    for number, title in enumerate(("Café Python", "Happy Hour", "PyCast", "Python Café")):
        library.podcasts.add(f"https://{number}.example/feed", title)
    titles = ["PyCast", "Python Café", "Café Python", "Happy Hour"]
    assert named(library, "PY") == titles
    assert named(library, "cafe PYTHON") == ["Café Python", "Python Café"]
    assert named(library, "python café") == ["Python Café", "Café Python"]
    assert named(library, "python", 1) == ["Python Café"]
    assert named(library, "100%") == named(library, " ") == []


def test_the_newest_episode_of_each_podcast_has_a_moment_to_sort_by(library: Library) -> None:
    late, early, empty = (library.podcasts.add(f"https://{name}.example/feed") for name in ("a", "b", "c"))
    apply_feed(library, late, episode(3), episode(1))
    apply_feed(library, early, episode(2), episode(9))
    newest = library.podcasts.newest()
    assert newest[late.id] > newest[early.id]
    assert empty.id not in newest
