"""What was heard stays known: after the end of an episode, after its podcast, through a restart and a backup."""

import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec.structs import replace

from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ListeningDay, ListeningSpan
from player.model.podcast import Podcast
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

AT = datetime(2026, 4, 1, 10, tzinfo=UTC)
MINUTE = 60_000


def span(episode_id: EpisodeId, from_ms: int, to_ms: int, *, after_s: float = 0, speed: float = 1.0) -> ListeningSpan:
    return ListeningSpan(episode_id, from_ms, to_ms, AT + timedelta(seconds=after_s), speed)


def removed(paths: Paths) -> list[tuple[object, ...]]:
    """Spans of podcasts that are gone."""
    database = sqlite3.connect(paths.library)
    rows = database.execute(
        "SELECT removed_podcast, from_ms, to_ms FROM listening_spans WHERE episode_id IS NULL ORDER BY began_at"
    ).fetchall()
    database.close()
    return rows


def days_of(library: Library, first: date, last: date) -> tuple[ListeningDay, ...]:
    return library.history.totals(first, last, last, UTC).days


def test_a_span_is_written_with_the_position_and_extended_in_place(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    opening = span(ids[0], 1_000, 2_000, speed=1.25)
    library.progress.save(ids[0], 2_000, None, AT, heard=[opening])
    library.progress.save(ids[0], 3_000, None, AT, heard=[replace(opening, to_ms=3_000)])
    assert library.history.spans(ids[0]) == (replace(opening, to_ms=3_000),)
    assert library.history.spans(ids[1]) == ()


def test_writing_once_more_what_is_written_doubles_nothing(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    heard = [span(ids[0], 0, 5_000), span(ids[0], 60_000, 65_000, after_s=5)]
    for _ in range(2):
        library.progress.save(ids[0], 65_000, None, AT, heard=heard)
    assert library.history.spans(ids[0]) == tuple(heard)


def test_a_clock_that_was_set_back_overwrites_no_other_span(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    first, other = span(ids[0], 0, 5_000), span(ids[0], 90_000, 91_000)
    library.progress.save(ids[0], 5_000, None, AT, heard=[first])
    library.progress.save(ids[0], 91_000, None, AT, heard=[other])
    assert library.history.spans(ids[0]) == (first,)


def test_the_end_of_an_episode_forgets_the_position_and_not_that_it_was_heard(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    opening = span(ids[0], 0, 1_000)
    library.progress.save(ids[0], 1_000, None, AT, heard=[opening])
    library.progress.finish(ids[0], [replace(opening, to_ms=1_800_000)])
    assert library.progress.position(ids[0]) is None
    assert library.history.spans(ids[0]) == (replace(opening, to_ms=1_800_000),)


def test_what_nobody_can_have_heard_is_not_written_and_the_position_is(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    wrong = [span(ids[0], 5_000, 4_000), span(ids[0], -1, 4_000), span(ids[0], 0, 1, speed=0), span(ids[0], 0, 10**15)]
    library.progress.save(ids[0], 4_000, None, AT, heard=wrong)
    assert library.history.spans(ids[0]) == ()
    saved = library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 4_000
    library.check()


def test_an_episode_that_is_gone_takes_no_span(library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]) -> None:
    library.podcasts.remove(podcast.id)
    library.progress.save(ids[0], 1_000, None, AT, heard=[span(ids[0], 0, 1_000)])
    assert days_of(library, AT.date(), AT.date()) == ()


def test_a_podcast_that_is_removed_leaves_how_long_it_was_heard_and_its_title(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...], paths: Paths
) -> None:
    other = library.podcasts.add(f"{URL}/other")
    (stays,) = apply_feed(library, other, episode(77), title="Another").new
    library.progress.save(ids[0], 1_000, None, AT, heard=[span(ids[0], 0, MINUTE)])
    library.progress.finish(ids[1], [span(ids[1], 0, 2 * MINUTE, after_s=60)])
    library.progress.save(stays, 1_000, None, AT, heard=[span(stays, 0, MINUTE, after_s=600)])
    before = days_of(library, AT.date(), AT.date())
    assert before == (ListeningDay(AT.date(), 4 * MINUTE, 4 * MINUTE),)
    library.podcasts.remove(podcast.id)
    assert days_of(library, AT.date(), AT.date()) == before
    assert library.history.spans(ids[0]) == (span(ids[0], 0, MINUTE),)
    assert removed(paths) == [("A show", 0, MINUTE), ("A show", 0, 2 * MINUTE)]
    assert len(library.history.spans(stays)) == 1
    library.check()


def test_days_are_counted_from_the_first_to_the_last_asked_for(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    late = replace(span(ids[0], 0, 20 * MINUTE), began_at=datetime(2026, 4, 1, 23, 50, tzinfo=UTC))
    for began in (late, span(ids[1], 0, MINUTE), span(ids[1], 0, MINUTE, after_s=3 * 86_400)):
        library.progress.save(began.episode_id, 0, None, AT, heard=[began])
    second = ListeningDay(date(2026, 4, 2), 10 * MINUTE, 10 * MINUTE)
    assert days_of(library, date(2026, 4, 2), date(2026, 4, 3)) == (second,)
    days = days_of(library, date(2026, 4, 1), date(2026, 4, 30))
    assert [day.real_ms // MINUTE for day in days] == [11, 10, 1]


def test_the_history_is_there_after_a_restart_and_in_a_backup(
    library: Library, ids: tuple[EpisodeId, ...], paths: Paths
) -> None:
    heard = span(ids[0], 0, MINUTE)
    library.progress.save(ids[0], MINUTE, None, AT, heard=[heard])
    library.close()
    for restored in (False, True):
        again = Library(paths)
        if restored:
            backup = again.newest_backup()
            assert backup
            paths.library.unlink()
            again.restore(backup)
        again.open()
        assert again.history.spans(ids[0]) == (heard,)
        again.close()


def test_a_removed_episode_is_listed_with_its_titles_and_has_its_history_again_when_it_is_restored(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...], paths: Paths
) -> None:
    library.progress.save(ids[0], 1_000, None, AT, heard=[span(ids[0], 0, MINUTE)])
    title = library.episodes.get(ids[0]).title
    library.podcasts.remove(podcast.id)
    (session,), more = library.history.sessions()
    assert (session.episode, session.title, session.podcast, more) == (None, title, "A show", None)
    other = library.podcasts.add(f"{URL}/other")
    (again,) = apply_feed(library, other, episode(77), title="Another").new
    with closing(sqlite3.connect(paths.library, isolation_level=None)) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute("UPDATE details SET episode_id = ? WHERE episode_id = ?", (ids[0], again))
        database.execute("UPDATE episodes SET id = ? WHERE id = ?", (ids[0], again))
    (session,), _more = library.history.sessions()
    assert session.episode is not None
    assert session.podcast == "Another"
    assert library.history.spans(ids[0]) == (span(ids[0], 0, MINUTE),)


def test_sessions_join_what_was_heard_with_short_breaks_and_end_where_the_listening_ended(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    heard = [
        span(ids[0], 0, 5 * MINUTE),
        span(ids[0], 10 * MINUTE, 20 * MINUTE, after_s=600, speed=2.0),
        span(ids[1], 0, MINUTE, after_s=1_200),
        span(ids[0], 20 * MINUTE, 21 * MINUTE, after_s=1_300),
        span(ids[0], 21 * MINUTE, 22 * MINUTE, after_s=7_200),
    ]
    for one in heard:
        library.progress.save(one.episode_id, 0, None, AT, heard=[one])
    found, more = library.history.sessions(zone=UTC)
    assert more is None
    assert [(one.episode_id, one.from_ms // MINUTE, one.to_ms // MINUTE) for one in found] == [
        (ids[0], 21, 22), (ids[0], 20, 21), (ids[1], 0, 1), (ids[0], 0, 20),
    ]  # fmt: skip
    first = found[-1]
    assert (first.real_ms, first.content_ms) == (10 * MINUTE, 15 * MINUTE)
    assert (first.began_at, first.ended_at) == (AT, AT + timedelta(seconds=900))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pages_of_sessions_join_to_the_whole(library: Library, ids: tuple[EpisodeId, ...], size: int) -> None:
    at = datetime(2026, 4, 1, 22, tzinfo=UTC)
    for number in range(40):
        began = at + timedelta(minutes=9 * number)
        heard = ListeningSpan(ids[number // 5 % 3], 0, (8 + number % 2 * 3) * MINUTE, began)
        library.progress.save(heard.episode_id, 0, None, AT, heard=[heard])
    whole, _more = library.history.sessions(zone=UTC)
    assert len({one.day for one in whole}) == 2
    paged, before = library.history.sessions(zone=UTC, size=size)
    while before is not None:
        some, before = library.history.sessions(before, UTC, size)
        paged += some
    assert [one.began_at for one in paged] == [one.began_at for one in whole]
    assert sum(one.real_ms for one in paged) == sum(one.real_ms for one in whole)
    days = days_of(library, date(2026, 4, 1), date(2026, 4, 2))
    assert sum(day.real_ms for day in days) == sum(one.real_ms for one in whole)


def test_forgetting_leaves_no_trace_in_the_files(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...], paths: Paths
) -> None:
    (secret,) = apply_feed(library, podcast, episode(99, title="Nobody must know")).new
    library.progress.save(secret, 1_000, None, AT, heard=[span(secret, 0, MINUTE)])
    with closing(sqlite3.connect(paths.library, isolation_level=None)) as database:
        database.execute("UPDATE listening_spans SET removed_podcast = 'zq-trace-qz'")
    assert library.history.forget() == 1
    assert library.history.sessions() == ([], None)
    for file in paths.library.parent.glob("library.db*"):
        assert b"zq-trace-qz" not in file.read_bytes()


def test_what_is_being_heard_while_the_history_is_forgotten_counts_from_then_on(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    now = datetime.now(UTC)
    opening = ListeningSpan(ids[0], 0, 30_000, now - timedelta(seconds=60), 2.0)
    library.progress.save(ids[0], 0, None, AT, heard=[opening])
    library.history.forget()
    library.progress.save(ids[0], 0, None, AT, heard=[replace(opening, to_ms=60_000)])
    assert library.history.spans(ids[0]) == ()
    library.progress.save(ids[0], 0, None, AT, heard=[replace(opening, to_ms=200_000)])
    library.progress.save(ids[0], 0, None, AT, heard=[replace(opening, to_ms=210_000)])
    (left,) = library.history.spans(ids[0])
    assert left.began_at >= now - timedelta(milliseconds=1)
    assert 110_000 <= left.from_ms <= 130_000
    assert left.to_ms == 210_000
