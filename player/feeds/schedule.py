"""Computes when a feed may be checked again, from responses and feeds."""

import json
import random
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from player.model.feed import FeedSchedule
from player.model.moments import left
from player.model.podcast import PodcastId
from player.net.failures import http_date

if TYPE_CHECKING:
    from player.library import Library

LONGEST = timedelta(days=1)
"""The longest pause a feed can ask for: people wait for new episodes."""
LONGEST_HOLD = timedelta(hours=6)
_LATEST_DUE = LONGEST + timedelta(days=7)
"""From the time of the check, in a feed whose skipDays name all days but one."""
_FIRST_PAUSE = timedelta(minutes=5)
_JITTER = 0.1
_SHOW_PAUSE, _LATE_SHOW_PAUSE = timedelta(minutes=2), timedelta(minutes=10)
_SHOW_SOON, _LATEST_SHOW = timedelta(minutes=30), timedelta(hours=3)


def fresh_for(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """The freshness lifetime from a response's headers; None without one."""
    directives = {}
    for part in headers.get("Cache-Control", "").lower().split(","):
        name, _, value = part.strip().partition("=")
        directives[name] = value.strip('" ')
    if "no-cache" in directives or "no-store" in directives:
        return timedelta()
    if directives.get("max-age", "").isdecimal():
        age = headers.get("Age", "")
        seconds = int(directives["max-age"][:10]) - (int(age[:10]) if age.isdecimal() else 0)
        return timedelta(seconds=max(0, seconds))
    expires = http_date(headers.get("Expires", ""))
    if expires is not None:
        return max(timedelta(), expires - (http_date(headers.get("Date", "")) or now))
    return None


class ShowTimes(Protocol):
    """When a live show begins, or (`is_live`) ends; None if the feed doesn't say. `LiveTimes` of the library fits."""

    @property
    def podcast_id(self) -> PodcastId: ...

    @property
    def is_live(self) -> bool: ...

    @property
    def starts_at(self) -> datetime | None: ...

    @property
    def ends_at(self) -> datetime | None: ...


def next_look(show: ShowTimes, checked_at: datetime | None, now: datetime) -> datetime | None:
    """When to check the feed of a live show, because the show is then to begin or to end; None: not because of that.
    A show that is late is looked for every two minutes at first, then every ten, for three hours."""
    expected = show.ends_at if show.is_live else show.starts_at
    if expected is None or now > expected + _LATEST_SHOW:
        return None
    pause = _SHOW_PAUSE if now < expected + _SHOW_SOON else _LATE_SHOW_PAUSE
    return expected if checked_at is None else max(expected, checked_at + pause)


def after_success(
    before: FeedSchedule,
    now: datetime,
    fresh: timedelta | None = None,
    extra: str = "",
    shows: Sequence[ShowTimes] = (),
) -> FeedSchedule:
    """The schedule after a response. The longest pause that the headers or the feed ask for applies, up to a day.
    `extra` is the feed's extra data as JSON: `ttl` in minutes, `skipHours` in UTC, `skipDays` with Monday as 0. A
    complete feed is checked once a day. When one of its live `shows` is to begin or end, the feed is due anyway.
    """
    rhythm = json.loads(extra) if extra else {}
    pause = max(fresh or timedelta(), timedelta(minutes=rhythm.get("ttl", 0)))
    if rhythm.get("complete") or rhythm.get("updateFrequency", {}).get("complete"):
        pause = LONGEST
    due = _allowed_hour(now + min(pause, LONGEST), rhythm.get("skipHours", ()), rhythm.get("skipDays", ()))
    due = min([due, *(look for one in shows if (look := next_look(one, now, now)) is not None)])
    return replace(before, checked_at=now, due_at=due, held_until=None, failures=0, gone=False)


def after_failure(
    before: FeedSchedule, now: datetime, asked: timedelta | None = None, *, gone: bool = False
) -> FeedSchedule:
    """The schedule after a failure: each consecutive failure doubles the pause, up to a day, give or take a tenth.
    Until `asked`, the time that the server asked for, the feed isn't checked, not even for a person.
    """
    failures = before.failures + 1
    pause = min(_FIRST_PAUSE * 2 ** min(failures - 1, 20), LONGEST)
    due = now + pause * random.uniform(1 - _JITTER, 1 + _JITTER)
    held = None if asked is None else now + min(asked, LONGEST_HOLD)
    if held is not None:
        due = max(due, held)
    return replace(before, checked_at=now, due_at=due, held_until=held, failures=failures, gone=gone)


def may_ask(schedule: FeedSchedule, now: datetime, *, by_person: bool) -> bool:
    """Whether to check a feed now; `by_person`: a person wants it."""
    if left(schedule.held_until, now, LONGEST_HOLD):
        return False
    return by_person or (not schedule.gone and not left(schedule.due_at, now, _LATEST_DUE))


def anything_due(library: "Library", podcast_ids: Sequence[PodcastId] | None, now: datetime) -> bool:
    """Whether an automatic refresh has anything to do: the app asks every few minutes, before it starts a process
    that refreshes."""
    feed_schedules = library.feed_schedules.all()
    ids = (one.id for one in library.podcasts.all()) if podcast_ids is None else podcast_ids
    return any(may_ask(feed_schedules.get(one, FeedSchedule()), now, by_person=False) for one in ids)


def shows_due(library: "Library", now: datetime) -> list[PodcastId]:
    """The podcasts whose feeds are to be checked now, because a live show is to begin or to end."""
    shows = library.live_shows.times()
    if not shows:
        return []
    feed_schedules = library.feed_schedules.all()
    looks = ((one, next_look(one, feed_schedules.get(one.podcast_id, FeedSchedule()).checked_at, now)) for one in shows)
    return list(dict.fromkeys(one.podcast_id for one, look in looks if look is not None and look <= now))


def _allowed_hour(due: datetime, hours: Collection[int], days: Collection[int]) -> datetime:
    """The first hour from `due` on that isn't in the feed's skipHours or skipDays."""
    for _ in range(24 * 7):
        if due.hour not in hours and due.weekday() not in days:
            return due
        due = due.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return due
