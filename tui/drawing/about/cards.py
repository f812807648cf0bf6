"""The cards of a podcast's page: its episodes, the listener's listening, and calendars of both for the last year."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from player.library.statistics import PodcastStatistics
from player.links.addresses import is_radio
from player.model.podcast import is_foreign
from player.text.durations import long_time
from player.text.regional import time_of_day
from player.text.sentences import _, mark, plural, translate
from player.text.times import day_month_year, start_of_week
from tui.drawing.about.blocks import GAP, Block, beside, card, inner
from tui.drawing.cells import steady
from tui.drawing.labels import day_words, full_date
from tui.drawing.runs import Line, Run, wrap, wrap_facts
from tui.drawing.statistics import LEVELS, WEEK, Calendar, CalendarDays
from tui.look.colours import hue_of
from tui.look.glyphs import Glyphs

_WEEKS = 53
_LEAST_DAYS = 4
"""With fewer days than this, a sentence replaces the calendar."""
_FLAT = 0.9
"""If this share of the days or more has the same tint, a sentence replaces the calendar, which would be a flat
block."""
_DAY_CELLS = 4
_LEAST_COLUMNS = 24
_BOTH = 100


def activity(
    facts: PodcastStatistics, columns: int, glyphs: Glyphs, today: date, *, tinted: bool, framed: bool, roomy: bool
) -> Block:
    """The calendars of the last year, of releases and of listening (if there was any), side by side. If there is room
    for only one, the calendar of listening takes precedence."""
    half = (columns - GAP) // 2
    heard = dict(facts.heard_days)
    both = columns >= _BOTH and bool(_in_year(heard, today))
    cells = half if both else columns
    drawn = {
        "released": _released(facts, inner(cells, framed=framed), glyphs, today, tinted=tinted),
        "heard": _heard(heard, inner(cells, framed=framed), glyphs, today, tinted=tinted),
    }
    rows = max(len(block.lines) for block in drawn.values()) + 1 if both else 0
    released = card(_("Released in the last year"), drawn["released"], cells, framed=framed, roomy=roomy, rows=rows)
    listened = card(
        _("Heard in the last year"), drawn["heard"], columns - half - GAP, framed=framed, roomy=roomy, rows=rows
    )
    if both:
        return beside(released, listened, half)
    return listened if _in_year(heard, today) else released


def _released(facts: PodcastStatistics, columns: int, glyphs: Glyphs, today: date, *, tinted: bool) -> Block:
    """The calendar of releases: each day by the length of its episodes, or by their number if a length isn't known."""
    year = [one for one in facts.released if _start(today) <= one.day <= today]
    if len(year) < _LEAST_DAYS:
        return _few(facts, sum(one.episodes for one in year), columns, today)
    if all(one.length_ms for one in year):
        return _calendar({one.day: one.length_ms for one in year}, columns, glyphs, today, tinted=tinted)
    per_day = {one.day: one.episodes for one in year}
    return _calendar(per_day, columns, glyphs, today, tinted=tinted, counted=True)


def _few(facts: PodcastStatistics, count: int, columns: int, today: date) -> Block:
    if not facts.released:
        return Block()
    last = day_words(facts.released[-1].day, today)
    if facts.podcast.episode_count == 1:
        words = _("Its only episode was published {date}.", date=last)
    elif not count:
        words = _("Nothing in the last year. The latest episode was published {date}.", date=last)
    else:
        words = plural(count, "{n} episode, published {date}.", "{n} episodes, the latest published {date}.", date=last)
    return Block(wrap([Run(words)], columns))


def _heard(per_day: Mapping[date, int], columns: int, glyphs: Glyphs, today: date, *, tinted: bool) -> Block:
    year = _in_year(per_day, today)
    if len(year) >= _LEAST_DAYS:
        return _calendar(year, columns, glyphs, today, tinted=tinted)
    if not year:
        return Block()
    last = day_words(max(year), today)
    words = plural(len(year), "On {n} day: {date}.", "On {n} days, the last one {date}.", date=last)
    return Block(wrap([Run(words)], columns))


def _calendar(
    per_day: Mapping[date, int], columns: int, glyphs: Glyphs, today: date, *, tinted: bool, counted: bool = False
) -> Block:
    """A calendar of as many weeks as fit, up to a year."""
    if columns < _LEAST_COLUMNS:
        return Block()
    weeks = min(_WEEKS, columns - _DAY_CELLS)
    first = start_of_week(today) - WEEK * (weeks - 1)
    shown = {day: value for day, value in per_day.items() if value and first <= day <= today}
    most = max(shown.values(), default=1)
    levels = Counter(-(-value * LEVELS // most) for value in shown.values())
    total = (today - first).days + 1
    if max(levels.values(), default=0) >= _FLAT * total:
        words = plural(levels.total(), "On {n} of {total} days.", "On {n} of {total} days.", total=total)
        return Block(wrap([Run(words)], columns))
    days = CalendarDays(per_day, first, today, today)
    if counted:
        return Block(list(Calendar(days, columns, glyphs, tinted=tinted, words=_episodes).lines()))
    return Block(list(Calendar(days, columns, glyphs, tinted=tinted).lines()))


def _episodes(count: int) -> str:
    return plural(count, "{n:,} episode", "{n:,} episodes")


def _start(today: date) -> date:
    return start_of_week(today) - WEEK * (_WEEKS - 1)


def _in_year(per_day: Mapping[date, int], today: date) -> dict[date, int]:
    return {day: ms for day, ms in per_day.items() if ms and _start(today) <= day <= today}


_RECENT = 20
_MOSTLY = 0.6
_ON_DAYS = (
    mark("mostly on Mondays"), mark("mostly on Tuesdays"), mark("mostly on Wednesdays"), mark("mostly on Thursdays"),
    mark("mostly on Fridays"), mark("mostly on Saturdays"), mark("mostly on Sundays"),
)  # fmt: skip
_LEAST_SAVED_MS = 60_000
_LONGEST_BAR = 40
_ASLEEP_DAYS = 90


def episodes_lines(facts: PodcastStatistics, columns: int, glyphs: Glyphs, today: date) -> Iterator[Line]:
    """The number of episodes, their length and frequency; and when the feed was read, or why it couldn't be."""
    podcast = facts.podcast
    several = podcast.episode_count > 1
    if is_radio(podcast.url):
        yield (Run(_("A live stream")),)
    elif podcast.episode_count:
        yield from _counted(facts, columns)
        times = [long_time(facts.total_ms)] if facts.total_ms else []
        if several and times:
            times = [_("{time} total", time=times[0])]
        if several and facts.average_ms:
            times.append(_("{time} on average", time=long_time(facts.average_ms)))
        yield from wrap_facts(times, columns, glyphs.dot)
        if often := schedule(facts, today):
            yield from wrap([Run(often[:1].upper() + often[1:])], columns)
        yield from wrap([Run(_span(facts, glyphs), "muted")], columns)
    else:
        yield (Run(_("No episodes yet")),)
    yield from _state(facts, columns, glyphs, today)


def listening_lines(facts: PodcastStatistics, columns: int, glyphs: Glyphs, today: date) -> Iterator[Line]:
    """The share of the podcast that was heard, as a bar in its hue; and the numbers of played, started and starred
    episodes."""
    if facts.heard_ms and facts.total_ms:
        part = min(1.0, facts.heard_ms / facts.total_ms)
        percent = _("{percent}%", percent=int(part * 100)) if part >= 0.01 else _("< 1%")
        cells = max(1, min(_LONGEST_BAR, columns - len(percent) - 2))
        full = min(cells, max(1, round(part * cells)))
        yield (
            Run(glyphs.line * full, f"hue-{hue_of(facts.podcast.id)}"),
            Run(glyphs.line_thin * (cells - full), "rule"),
            Run(f"  {percent}"),
        )
        time, total = long_time(facts.heard_ms), long_time(facts.total_ms)
        yield from wrap([Run(_("{time} heard of {total}", time=time, total=total))], columns)
    elif facts.heard_ms:
        yield from wrap([Run(_("{time} heard", time=long_time(facts.heard_ms)))], columns)
    if facts.trimmed_ms >= _LEAST_SAVED_MS:
        saved = _("{time} saved by trimmed pauses", time=long_time(facts.trimmed_ms))
        yield from wrap([Run(saved)], columns)
    if facts.segments_ms >= _LEAST_SAVED_MS:
        saved = _("{time} saved by skipped segments", time=long_time(facts.segments_ms))
        yield from wrap([Run(saved)], columns)
    words = []
    if facts.played:
        words.append(plural(facts.played, "{n:,} played", "{n:,} played"))
    if facts.started:
        words.append(_("{n:,} in progress", n=facts.started))
    if facts.starred:
        words.append(_("{n:,} starred", n=facts.starred))
    yield from wrap_facts(words, columns, glyphs.dot)
    if facts.heard_days:
        day, _ms = facts.heard_days[-1]
        yield from wrap([Run(_("Last heard {date}", date=_day(day, today)), "muted")], columns)
    elif not words and not facts.heard_ms:
        yield from wrap([Run(_("Nothing heard yet"), "muted")], columns)


def settings_lines(settings: Sequence[str], hint: str, columns: int) -> Iterator[Line]:
    """The podcast's own settings, and how to change them."""
    for one in settings:
        yield from wrap([Run(steady(one))], columns)
    if not settings:
        yield from wrap([Run(_("Played like all your podcasts"), "muted")], columns)
    if hint:
        yield from wrap([Run(hint, "muted")], columns)


# -- words ----------------------------------------------------------------------------------------------------


def rhythm(days: float | None) -> str:
    """How often episodes are released: `daily`, `weekly`, `every 9 days`, `about every 3 months`; "" if it isn't
    known."""
    if days is None:
        return ""
    for name, least, most in (
        (_("several a day"), 0.0, 0.4), (_("daily"), 0.4, 1.6), (_("weekly"), 6.0, 8.0),
        (_("every two weeks"), 12.5, 15.5), (_("monthly"), 26.0, 35.0), (_("yearly"), 330.0, 400.0),
    ):  # fmt: skip
        if least <= days < most:
            return name
    if days < 60:
        return _("every {n} days", n=round(days))
    return _("about every {n} months", n=round(days / 30.4))


def schedule(facts: PodcastStatistics, today: date) -> str:
    """How often and on which day episodes are released, such as `weekly, mostly on Fridays`; for a podcast that has
    paused for long, also for how long. "" if it isn't known."""
    often = rhythm(facts.every_days)
    if not often or facts.every_days is None or facts.latest is None:
        return ""
    silent = (today - facts.latest.astimezone().date()).days
    if silent > max(_ASLEEP_DAYS, 4 * facts.every_days):
        return _("used to be {schedule}; nothing new for {time}", schedule=often, time=_ago(silent))
    days = Counter(one.day.weekday() for one in facts.released[-_RECENT:])
    weekday, count = days.most_common(1)[0] if days else (0, 0)
    if 6 <= facts.every_days <= 16 and count >= _MOSTLY * days.total():
        return f"{often}, {translate(_ON_DAYS[weekday])}"
    return often


def _ago(days: int) -> str:
    if days < 365:
        return plural(round(days / 30.4), "{n} month", "{n} months")
    return plural(days // 365, "{n} year", "{n} years")


# -- parts ----------------------------------------------------------------------------------------------------


def _counted(facts: PodcastStatistics, columns: int) -> Iterator[Line]:
    words = [Run(plural(facts.podcast.episode_count, "{n:,} episode", "{n:,} episodes"))]
    if facts.new:
        words += [Run("  "), Run(plural(facts.new, "{n:,} new", "{n:,} new"), "time")]
    yield from wrap(words, columns)


def _span(facts: PodcastStatistics, glyphs: Glyphs) -> str:
    if not (facts.first and facts.latest):
        return ""
    days = list(dict.fromkeys((full_date(facts.first), full_date(facts.latest))))
    return f" {glyphs.dash} ".join(days) if len(days) > 1 else _("Published {date}", date=days[0])


def _state(facts: PodcastStatistics, columns: int, glyphs: Glyphs, today: date) -> Iterator[Line]:
    """When the feed was read, or why it couldn't be read and how old the facts are; and the podcast's note."""
    podcast = facts.podcast
    when = _moment(podcast.last_refreshed, today) if podcast.last_refreshed else ""
    if podcast.error:
        yield from wrap([Run(f"{glyphs.failed} ", "error"), Run(steady(podcast.error))], columns)
        if when:
            yield from wrap([Run(_("As of {when}", when=when), "muted")], columns)
    elif when:
        yield from wrap([Run(_("Last refreshed {when}", when=when), "muted")], columns)
    else:
        yield from wrap([Run(_("Not loaded yet"), "muted")], columns)
    if is_foreign(podcast.url):
        yield from wrap([Run(_("Its episodes are in English."), "muted")], columns)
    if podcast.note:
        yield from wrap([Run(steady(podcast.note), "muted")], columns)


def _moment(moment: datetime, today: date) -> str:
    local = moment.astimezone()
    return _("{date} {time}", date=_day(local.date(), today), time=time_of_day(local))


def _day(day: date, today: date) -> str:
    """A day as `today`, `yesterday` or `12 Apr 2026`."""
    age = (today - day).days
    if age in (0, 1):
        return _("yesterday") if age else _("today")
    return day_month_year(day)
