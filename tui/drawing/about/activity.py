"""A year of a podcast as calendars: what was released, and what was heard; or words where a calendar shows nothing."""

from collections import Counter
from collections.abc import Mapping
from datetime import date

from player.library.statistics import PodcastStatistics
from player.text.dates import start_of_week
from player.text.sentences import _, plural
from tui.drawing.about.blocks import GAP, Block, beside, card, inner
from tui.drawing.labels import day_words
from tui.drawing.runs import Run, wrap
from tui.drawing.statistics.calendar import LEVELS, WEEK, Calendar, CalendarDays
from tui.look.glyphs import Glyphs

_WEEKS = 53
_LEAST_DAYS = 4
"""With fewer days than this, words say more than a calendar."""
_FLAT = 0.9
"""A calendar of which this part has one and the same tint is a flat block, which shows nothing."""
_DAY_CELLS = 4
_LEAST_COLUMNS = 24
_BOTH = 100


def activity(
    facts: PodcastStatistics, columns: int, glyphs: Glyphs, today: date, *, tinted: bool, framed: bool, roomy: bool
) -> Block:
    """A year of listening to it, if there was any, and of its releases; both if there is room for them side by side."""
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
    """Each day by how long its episodes are; if no length is known, by how many there are."""
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
    """As many weeks as fit, up to a year."""
    if columns < _LEAST_COLUMNS:
        return Block()
    weeks = min(_WEEKS, columns - _DAY_CELLS)
    first = start_of_week(today) - WEEK * (weeks - 1)
    shown = {day: value for day, value in per_day.items() if first <= day <= today}
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
    return {day: ms for day, ms in per_day.items() if _start(today) <= day <= today}
