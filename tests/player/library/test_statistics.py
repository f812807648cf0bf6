"""What is told of a show: added up from its episodes, and from what was heard of them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from player.errors import NotFound
from player.library import Library, statistics
from player.library.statistics import Season
from player.model.episode import EpisodeId, Funding, Person, Soundbite, kind, people, soundbites
from player.model.feed import Feed, FeedState
from player.model.listening import ListeningSpan
from player.model.podcast import PodcastId
from tests.player.library.helpers import NEWEST, URL, by_guid, episode, feed
from tests.player.library.lists.test_query_plans import plan

SAID = json.dumps(
    {
        "topics": ["Technology", "Tech News"],
        "person": [{"name": "Ada Lovelace", "role": "host", "group": "cast", "href": "https://ada.example/"}],
        "funding": [{"url": "https://give.example/", "label": "Give"}, {"label": "nowhere"}],
    }
)


def podcast_from(library: Library, parsed: Feed) -> PodcastId:
    podcast = library.podcasts.add(URL)
    library.podcasts.apply(podcast.id, parsed, FeedState(), by_guid)
    return podcast.id


def test_lengths_days_and_months_are_added_up(library: Library) -> None:
    items = [episode(number, published=NEWEST - timedelta(weeks=number)) for number in range(12)]
    facts = library.statistics.facts(podcast_from(library, feed(*items)))
    assert facts.podcast.episode_count == 12
    assert (facts.total_ms, facts.average_ms) == (12 * 1_800_000, 1_800_000)
    assert (facts.first, facts.latest) == (NEWEST - timedelta(weeks=11), NEWEST)
    assert facts.every_days == 7
    assert sum(episodes for _, episodes in facts.months) == 12
    assert facts.months[-1] == ((2026, 3), 1)


def test_what_was_played_begun_and_starred_is_counted(library: Library) -> None:
    podcast_id = podcast_from(library, feed(*(episode(number) for number in range(6))))
    rows = {row.title: row.id for row in library.episodes.rows([EpisodeId(one) for one in range(1, 40)])}
    played, starred, partly = rows["Episode 4"], rows["Episode 5"], rows["Episode 1"]
    library.episodes.set_played([played], True)
    library.episodes.set_starred([starred], True)
    library.progress.save(partly, 600_000, None, datetime(2026, 3, 2, tzinfo=UTC))
    facts = library.statistics.facts(podcast_id)
    assert (facts.played, facts.started, facts.starred) == (1, 1, 1)
    assert facts.best == (starred, played, partly)


def test_heard_is_what_was_listened_to_each_part_once_and_no_mark_or_jump(library: Library) -> None:
    podcast_id = podcast_from(library, feed(*(episode(number) for number in range(6))))
    rows = {row.title: row.id for row in library.episodes.rows([EpisodeId(one) for one in range(1, 40)])}
    marked, jumped, twice, ended = (rows[f"Episode {number}"] for number in range(4))
    at = datetime(2026, 3, 2, tzinfo=UTC)

    def span(episode_id: EpisodeId, hour: int, first: int, last: int, speed: float = 1.0) -> ListeningSpan:
        return ListeningSpan(episode_id, first * 60_000, last * 60_000, at + timedelta(hours=hour), speed)

    def heard() -> int:
        return library.statistics.facts(podcast_id).heard_ms // 60_000

    library.episodes.set_played([marked], True)
    assert heard() == 0
    library.progress.save(jumped, 1_500_000, 1_800_000, at, heard=[span(jumped, 0, 0, 2), span(jumped, 1, 24, 25)])
    assert heard() == 3, "of the 25 minutes before its place"
    library.progress.save(twice, 600_000, 1_800_000, at, heard=[span(twice, 2, 0, 10), span(twice, 3, 5, 12, 2.0)])
    assert heard() == 3 + 12
    library.progress.finish(ended, [span(ended, 4, 0, 30, 1.5)])
    assert heard() == 3 + 12 + 30
    library.episodes.set_played([ended, marked], False)
    assert heard() == 3 + 12 + 30
    library.history.forget()
    assert heard() == 0


def test_people_funding_topics_and_seasons_come_from_what_the_feed_says(library: Library) -> None:
    items = [
        episode(0, season=2, extra=json.dumps({"season": {"number": 2, "name": "Compilers"}})),
        episode(1, season=2),
        episode(2, season=1),
        episode(3),
    ]
    facts = library.statistics.facts(podcast_from(library, replace(feed(*items), extra=SAID, language="en")))
    assert facts.topics == ("Technology", "Tech News")
    assert facts.people == (Person("Ada Lovelace", "host", "cast", "https://ada.example/"),)
    assert facts.fundings == (Funding("https://give.example/", "Give"),)
    assert facts.seasons == (Season(1, "", 1), Season(2, "Compilers", 2))
    assert facts.language == "en"


def test_of_a_show_without_episodes_little_is_told(library: Library) -> None:
    facts = library.statistics.facts(library.podcasts.add(URL, "Nothing yet").id)
    assert (facts.total_ms, facts.average_ms, facts.first, facts.months, facts.every_days) == (0, None, None, (), None)


def test_a_show_that_is_gone_is_told_of(library: Library) -> None:
    with pytest.raises(NotFound):
        library.statistics.facts(PodcastId(999))


def test_only_the_episodes_of_that_show_are_read(library: Library) -> None:
    assert plan(library, statistics.EPISODES_SQL, (1,)) == [
        "SEARCH e USING INDEX episodes_of_podcast (podcast_id=?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)",
    ]
    first, *_ = plan(library, statistics.SEASONS_SQL, (1,))
    assert first.startswith("SEARCH e USING ")
    assert "episodes_of_podcast (podcast_id=?)" in first
    first, *then = plan(library, statistics.POSITIONS_SQL, (1,))
    assert first.startswith("SCAN g"), "as long as what was begun"
    assert then == ["SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"]
    assert plan(library, statistics.HEARD_SQL, (1,)) == [
        "SEARCH e USING COVERING INDEX episodes_of_podcast (podcast_id=?)",
        "SEARCH s USING INDEX listening_spans_of_episode (episode_id=?)",
    ]


def test_somebody_is_found_in_episodes_and_in_shows_that_name_them(library: Library) -> None:
    guest = json.dumps({"person": [{"name": "Grace Hopper", "role": "guest"}]})
    host = json.dumps({"person": [{"name": "GRACE HOPPER"}]})
    podcast_from(library, feed(episode(0), episode(1, extra=guest), episode(2)))
    podcast = library.podcasts.add(f"{URL}/other")
    library.podcasts.apply(
        podcast.id, replace(feed(episode(3), episode(4, extra=guest)), extra=host), FeedState(), by_guid
    )
    rows = library.episodes.rows(library.statistics.episodes_with("grace hopper"))
    assert [row.title for row in rows] == ["Episode 1", "Episode 3", "Episode 4"]
    assert library.statistics.episodes_with("Nobody") == []
    assert len(library.statistics.episodes_with("grace hopper", 2)) == 2
    assert [one.name for one in library.statistics.people_of(rows[1], "")] == ["GRACE HOPPER"]
    assert [one.role for one in library.statistics.people_of(rows[2], guest)] == ["guest"]


def test_somebody_is_looked_for_where_people_are_named_alone(library: Library) -> None:
    first, *_ = plan(library, statistics.WITH_SQL, ("x", 5))
    assert first == "SCAN d USING INDEX details_people"


def test_what_feeds_say_besides_is_read_whatever_it_is() -> None:
    assert people("") == people("[]") == people('{"person":[{"role":"host"}]}') == ()
    assert soundbites('{"soundbite":[{"startTime":73.5,"duration":30,"title":"A"},{"startTime":1}]}') == (
        Soundbite(73_500, 30_000, "A"),
    )
    assert (kind('{"kind":"bonus"}'), kind('{"kind":"full"}'), kind("")) == ("bonus", "", "")
