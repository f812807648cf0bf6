"""A year in review, as Markdown."""

from collections.abc import Iterator

from player.text.dates import month_name
from player.text.directions import without_marks
from player.text.durations import long_time
from player.text.sentences import _, plural
from tui.drawing.cells import steady
from tui.drawing.statistics.year import MOST_PODCASTS, YearOfListening, longest_words, saved_words


def year_in_review(found: YearOfListening) -> str:
    """The year as Markdown."""
    totals = found.totals
    lines = [f"# {_('My year in podcasts: {year}', year=found.year)}", ""]
    if not totals.days:
        return "\n".join([*lines, _("Nothing heard in {year}", year=found.year) + ".", ""])
    lines += [f"- {one}" for one in _facts(found)]
    lines += [f"- {one}" for one in saved_words(totals)]
    lines += ["", f"## {_('Podcasts')}", "", f"| {_('Podcast')} | {_('Time')} |", "| --- | ---: |"]
    lines += [f"| {_escaped(title)} | {_time(ms)} |" for title, ms in totals.podcasts[:MOST_PODCASTS]]
    lines += ["", f"## {_('Episodes')}", ""]
    lines += [f"{number}. {_escaped(title)} ({_time(ms)})" for number, (title, ms) in enumerate(totals.top, 1)]
    lines += ["", f"## {_('Months')}", "", f"| {_('Month')} | {_('Time')} |", "| --- | ---: |"]
    for month in range(1, 13):
        ms = sum(day.real_ms for day in totals.days if day.day.month == month)
        lines.append(f"| {month_name(month)} | {_time(ms) if ms else '-'} |")
    return "\n".join([*lines, ""])


def _facts(found: YearOfListening) -> Iterator[str]:
    totals = found.totals
    yield _("{time} listened", time=_time(totals.real_ms))
    yield plural(len(totals.days), "Listened on {n:,} day", "Listened on {n:,} days")
    yield plural(totals.episodes, "{n:,} episode heard", "{n:,} episodes heard")
    yield _("{n:,} finished, {other:,} abandoned", n=totals.finished, other=totals.abandoned)
    yield _escaped(longest_words(found))


def _time(ms: int) -> str:
    return _escaped(long_time(ms))


def _escaped(text: str) -> str:
    """Escapes a title, so that nothing in it is Markdown."""
    text = " ".join(without_marks(steady(text)).split()) or _("Unknown")
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in text)
