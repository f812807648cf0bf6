"""When a feed may be asked again."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.feeds.schedule import LONGEST, LONGEST_HOLD, after_failure, after_success, fresh_for, may_ask, next_look
from player.library.live_shows import LiveTimes
from player.model.feed import FeedSchedule
from player.model.podcast import PodcastId

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)  # a Friday
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("headers", "fresh"),
    [
        ({}, None),
        ({"Cache-Control": "public, max-age=600"}, timedelta(minutes=10)),
        ({"Cache-Control": 'Max-Age="600"', "Age": "200"}, timedelta(seconds=400)),
        ({"Cache-Control": "max-age=600", "Age": "9000"}, timedelta()),
        ({"Cache-Control": "no-cache, max-age=600"}, timedelta()),
        ({"Cache-Control": "no-store"}, timedelta()),
        ({"Cache-Control": "max-age=soon"}, None),
        ({"Cache-Control": "max-age=60", "Expires": "Fri, 01 May 2026 13:00:00 GMT"}, timedelta(minutes=1)),
        ({"Expires": "Fri, 01 May 2026 13:00:00 GMT"}, HOUR),
        ({"Expires": "Fri, 01 May 2026 13:00:00 GMT", "Date": "Fri, 01 May 2026 12:30:00 GMT"}, HOUR / 2),
        ({"Expires": "0"}, None),
        ({"Expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, timedelta()),
    ],
)  # fmt: skip
def test_how_long_an_answer_is_good_for(headers: dict[str, str], fresh: timedelta | None) -> None:
    assert fresh_for(headers, NOON) == fresh


def test_the_longest_of_what_is_asked_for_counts_up_to_a_day() -> None:
    assert after_success(FeedSchedule(), NOON).due_at == NOON
    assert after_success(FeedSchedule(), NOON, HOUR, '{"ttl":30}').due_at == NOON + HOUR
    assert after_success(FeedSchedule(), NOON, HOUR, '{"ttl":90}').due_at == NOON + HOUR * 1.5
    assert after_success(FeedSchedule(), NOON, timedelta(days=365)).due_at == NOON + LONGEST


def test_hours_and_days_that_a_feed_wants_to_be_left_alone_are_skipped() -> None:
    assert after_success(FeedSchedule(), NOON, extra='{"skipHours":[12,13]}').due_at == NOON.replace(hour=14)
    assert after_success(FeedSchedule(), NOON, extra='{"skipDays":[4,5]}').due_at == datetime(2026, 5, 3, tzinfo=UTC)
    assert after_success(FeedSchedule(), NOON, extra='{"skipDays":[0,1,2,3,4,5,6]}').due_at is not None


def test_a_feed_that_says_it_is_complete_is_asked_once_a_day() -> None:
    assert after_success(FeedSchedule(), NOON, extra='{"complete":true}').due_at == NOON + LONGEST
    assert after_success(FeedSchedule(), NOON, extra='{"updateFrequency":{"complete":true}}').due_at == NOON + LONGEST


def test_each_failure_in_a_row_doubles_the_pause_up_to_a_day() -> None:
    visit, pauses = FeedSchedule(), []
    for _ in range(12):
        visit = after_failure(visit, NOON)
        assert visit.due_at is not None
        pauses.append((visit.due_at - NOON).total_seconds() / 60)
    assert pauses[0] == pytest.approx(5, rel=0.11)
    assert pauses[3] == pytest.approx(40, rel=0.11)
    assert pauses[-1] == pytest.approx(24 * 60, rel=0.11)
    assert visit.failures == 12
    assert after_success(visit, NOON).failures == 0


def test_pauses_differ_a_little_so_that_not_all_come_back_at_once() -> None:
    assert len({after_failure(FeedSchedule(), NOON).due_at for _ in range(20)}) > 10


def test_a_pause_that_was_asked_for_holds_whoever_wants_it() -> None:
    visit = after_failure(FeedSchedule(), NOON, HOUR)
    assert not may_ask(visit, NOON + HOUR / 2, by_person=True)
    assert may_ask(visit, NOON + HOUR, by_person=True)
    assert after_failure(FeedSchedule(), NOON, timedelta(days=99)).held_until == NOON + LONGEST_HOLD


@pytest.mark.parametrize("year", [1970, 2040, 2100])
@pytest.mark.parametrize("asked", [None, HOUR])
def test_a_check_by_a_wrong_clock_holds_a_feed_no_longer_than_any_other(year: int, asked: timedelta | None) -> None:
    wrong = datetime(year, 5, 1, 12, tzinfo=UTC)
    for visit in (after_success(FeedSchedule(), wrong, timedelta(days=3)), after_failure(FeedSchedule(), wrong, asked)):
        assert may_ask(visit, NOON, by_person=True)
        assert may_ask(visit, NOON, by_person=False)


def test_the_longest_wait_for_the_days_a_feed_skips_counts() -> None:
    visit = after_success(FeedSchedule(), NOON, timedelta(days=3), json.dumps({"skipDays": [0, 1, 2, 3, 4, 5, 6]}))
    assert visit.due_at
    assert not may_ask(visit, NOON, by_person=False)
    assert may_ask(visit, visit.due_at, by_person=False)


def test_who_asks_decides() -> None:
    due = FeedSchedule(due_at=NOON)
    assert may_ask(FeedSchedule(), NOON, by_person=False)
    assert not may_ask(due, NOON - HOUR, by_person=False)
    assert may_ask(due, NOON - HOUR, by_person=True)
    assert may_ask(due, NOON, by_person=False)
    gone = FeedSchedule(gone=True)
    assert not may_ask(gone, NOON, by_person=False)
    assert may_ask(gone, NOON, by_person=True)


@given(st.dictionaries(st.sampled_from(["Cache-Control", "Expires", "Age", "Date"]), st.text(max_size=60)))
def test_whatever_headers_say_nothing_breaks(headers: dict[str, str]) -> None:
    assert (fresh_for(headers, NOON) or timedelta()) >= timedelta()


@pytest.mark.parametrize(
    ("is_live", "checked", "now", "look"),
    [
        (False, -60, 0, 120),  # to begin in two hours
        (False, 119, 121, 121),
        (False, 121, 122, 123),
        (False, 155, 156, 165),  # late
        (False, 290, 301, None),
        (True, 121, 122, 240),  # to end in two hours
        (True, 240, 241, 242),
        (True, 300, 301, 310),
        (True, 400, 430, None),
        (False, None, 130, 120),
    ],
)
def test_a_show_is_looked_for_when_it_is_to_begin_and_when_it_is_to_end(
    is_live: bool, checked: int | None, now: int, look: int | None
) -> None:
    def at(minutes: int) -> datetime:
        return NOON + timedelta(minutes=minutes)

    show = LiveTimes(PodcastId(1), is_live, at(120), at(240))
    found = next_look(show, None if checked is None else at(checked), at(now))
    assert found == (None if look is None else at(look))


def test_a_show_without_times_is_found_by_the_usual_refreshes() -> None:
    for is_live in (False, True):
        assert next_look(LiveTimes(PodcastId(1), is_live, None, None), NOON, NOON) is None
    unknown = LiveTimes(PodcastId(1), True, NOON, None)
    assert after_success(FeedSchedule(), NOON, HOUR, shows=[unknown]).due_at == NOON + HOUR
