"""`history`, `stats`, `forget-history`."""

import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING

from player.integrations.json_api import session_json
from player.text.durations import brief
from player.text.sentences import _, plural
from tui.cli.command import Column, Command, Context, Filters, Row, Rows, confirmed, print_json
from tui.cli.named_lists import sessions_of
from tui.cli.printout import Printout

if TYPE_CHECKING:
    from player.integrations.documents import commands
    from tui.drawing.statistics import YearOfListening


_COLUMNS = 76


def _heard(row: Row, _context: Context) -> str:
    return f"{datetime.fromisoformat(row['began']).astimezone():%Y-%m-%d %H:%M}"


_HISTORY = Rows(
    "list[Session]",
    (
        Column(_("HEARD"), _heard),
        Column(_("FOR"), lambda row, _context: brief(row["listened_ms"]), right=True),
        Column(_("EPISODE"), "{title}", flexible=True),
        Column(_("PODCAST"), "{podcast}", flexible=True, spare=1),
    ),
    Filters.MOMENTS,
    screenful=True,
)


def _year(text: str) -> int:
    if not text.isdigit() or not 1 < int(text) < 9999:
        raise ArgumentTypeError(_("must be a year like 2026, not “{text}”", text=text[:20]))
    return int(text)


def _history(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _HISTORY)
    with context.library() as library:
        sessions = islice(sessions_of(library, options.filter), options.filter.limit if options.filter else None)
        nothing = _("No episodes match.") if options.filter else _("Nothing heard yet.")
        printout.print(map(session_json, sessions), nothing)
    return 0


def _stats_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--year", metavar="Y", type=_year, help=_("the year (default: this one)"))
    parser.add_argument("--markdown", action="store_true", help=_("print a year in review as Markdown"))


def _stats(context: Context, options: Namespace) -> int:
    from tui.controllers.about_pages import read_year

    today = date.today()
    with context.library() as library:
        found = read_year(library, options.year or today.year, today)
    if options.json:
        print_json(_year_json(found))
    elif options.markdown:
        from tui.drawing.statistics import year_in_review

        print(year_in_review(found), end="")
    else:
        _print_year(found)
    return 0


def _print_year(found: "YearOfListening") -> None:
    from tui.drawing.about.sheet import plain
    from tui.drawing.statistics import statistics_sheet
    from tui.look.glyphs import glyphs_for

    columns = min(_COLUMNS, shutil.get_terminal_size().columns)
    glyphs = glyphs_for(ascii_only=False, encoding=sys.stdout.encoding)
    print(plain(statistics_sheet(found, _("Nothing heard yet."), "", columns, glyphs).lines))


def _year_json(found: "YearOfListening") -> "commands.Year":
    totals = found.totals
    return {
        "year": found.year,
        "listened_ms": totals.real_ms,
        "content_ms": totals.content_ms,
        "skipped_ms": totals.skipped_ms,
        "trimmed_ms": totals.trimmed_ms,
        "segments_ms": totals.segments_ms,
        "episodes": totals.episodes,
        "finished": totals.finished,
        "abandoned": totals.abandoned,
        "longest_streak_days": totals.streak,
        "days": [
            {"day": day.day.isoformat(), "listened_ms": day.real_ms, "content_ms": day.content_ms}
            for day in totals.days
        ],
        "hours_ms": list(totals.hours),
        "podcasts": [{"title": one.title, "listened_ms": one.real_ms} for one in totals.podcasts],
        "top_episodes": [{"title": one.title, "listened_ms": one.real_ms} for one in totals.top],
        "years": [{"year": year, "listened_ms": ms} for year, ms in found.years.items()],
    }


def _forget_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-y", "--yes", action="store_true", help=_("don't ask for confirmation"))


def _forget(context: Context, options: Namespace) -> int:
    question = _(
        "Delete your listening history and statistics for good, also on devices that sync through the same folder? "
        "Positions and marks stay."
    )
    if not confirmed(options.yes, question, _("Nothing was deleted.")):
        return 0
    with context.library() as library:
        forgotten = library.history.forget()
    context.paths.last_frame.unlink(missing_ok=True)
    if not forgotten:
        print(_("There was no listening history."))
    else:
        deleted = plural(forgotten, "Deleted {n:,} entry.", "Deleted {n:,} entries.")
        print(f"{deleted} {_('Recent backups still have them, until newer ones replace those.')}")
    return 0


COMMANDS = {
    "history": Command(
        summary=_("list what you listened to"),
        after="playlist",
        about=_("List what you listened to, the latest first: when, for how long, which episode."),
        examples=(
            "earmark history\nearmark history --limit 500 --json\n"
            "earmark history --limit 0 --filter 'podcast:pytorch' --format '{began_day} {listened:>8} {title}'"
        ),
        run=_history,
        lists=(_HISTORY,),
    ),
    "stats": Command(
        summary=_("show how much you listened"),
        about=_("Show how much you listened in a year: by day, week, time of day and podcast."),
        examples="earmark stats\nearmark stats --year 2025 --markdown > 2025.md",
        run=_stats,
        arguments=_stats_arguments,
        prints={"": "Year"},
    ),
    "forget-history": Command(
        summary=_("delete your listening history"),
        about=_("Delete your listening history. Positions, stars and played marks stay."),
        examples="earmark forget-history\nearmark forget-history --yes",
        run=_forget,
        arguments=_forget_arguments,
    ),
}
