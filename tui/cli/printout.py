"""What commands list: which rows, and each as JSON, by a template or as a line of a table."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from textwrap import wrap
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.regional import Grouped
from player.text.sentences import _
from tui.cli.command import Context, Filters, Misuse, Row, Rows
from tui.cli.status_line import Template
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.library.search.query import PodcastQuery, Query
    from tui.cli.text_table import Marked


_WIDTH = 100
_MOST = 100_000
"""Characters of a field."""
_DATE_TIME = {"format": "date-time"}


def document(name: Any) -> Any:
    """The type of documents that a name stands for: `Podcast`, `list[Podcast]` or `Podcast | None`. A type stands for
    itself. They take 10 ms to load, which most commands needn't spend. Raises LookupError."""
    if not isinstance(name, str):
        return name
    if name.endswith(" | None"):
        return document(name.removesuffix(" | None")) | None
    if name.startswith("list["):
        return list[document(name[5:-1])]  # type: ignore[misc]
    from player.integrations.documents import commands, library, playback, syncing

    for module in (commands, library, playback, syncing):
        if (found := getattr(module, name, None)) is not None:
            return found
    raise LookupError(name)


def fields_of(kind: Rows) -> list[str]:
    """The names of what a template can fill in of these rows: beside `position_ms` there is `position`, beside a moment
    such as `published` there is `published_day`."""
    types = get_type_hints(row_of(document(kind.document)), include_extras=True)
    more = [
        name.removesuffix("_ms") if name.endswith("_ms") else f"{name}_day"
        for name, its in types.items()
        if name.endswith("_ms") or _is_moment(its)
    ]
    return list(dict.fromkeys([*types, *more]))


def field_text(name: str, row: Row) -> str:
    """What a template fills in: of `position` a time like 8:12, of `published_day` the date in the reader's zone."""
    if name in row:
        return text_of(row[name])
    if f"{name}_ms" in row:
        value = row[f"{name}_ms"]
        return "" if value is None else clock(value)
    value = row.get(name.removesuffix("_day"))
    return f"{datetime.fromisoformat(value).astimezone():%Y-%m-%d}" if value else ""


def text_of(value: object) -> str:
    """In one line without control characters: nothing for what isn't known or isn't so, lists with commas, of an object
    its first value."""
    match value:
        case None | False:
            return ""
        case True:
            return "yes"
        case float():
            return f"{value:g}"
        case Mapping():
            return text_of(next(iter(value.values()), None))
        case list() | tuple():
            return ", ".join(filter(None, map(text_of, value)))
        case _:
            return clean_line(str(value), _MOST)


def _is_moment(its: Any) -> bool:
    """Also where it is optional."""
    metas = getattr(its, "__metadata__", ())
    if any(getattr(meta, "extra_json_schema", None) == _DATE_TIME for meta in metas):
        return True
    if metas:
        return _is_moment(get_args(its)[0])
    return get_origin(its) in (Union, UnionType) and any(map(_is_moment, get_args(its)))


def fields_words(lists: Iterable[Rows]) -> str:
    """The fields of --format, for --help."""
    fields = dict.fromkeys(name for kind in lists for name in fields_of(kind))
    words = _("Fields of --format: {fields}. {{title:.30}} takes at most 30 cells.", fields=", ".join(fields))
    return "\n".join(wrap(words, _WIDTH))


def row_of(its: Any) -> type:
    """The rows of a document that is a list; else the document."""
    row: type = get_args(its)[0] if get_origin(its) is list else its
    return row


SCREENFUL = 50


def add_options(parser: ArgumentParser, kind: Rows) -> None:
    if kind.limited:
        if kind.screenful:
            words = _("at most N (0: all; default {number} in a terminal)", number=SCREENFUL)
        else:
            words = _("at most N (0: all, the default)")
        parser.add_argument("--limit", metavar="N", type=a_limit, help=words)
    if kind.filters:
        words = _("only episodes that match, as in `earmark search`: words, is:unplayed, duration:<20m …")
        if kind.filters is Filters.PODCASTS:
            words = _("only podcasts that match: words of title or author, tag:NAME, is:unplayed, is:pinned, is:error")
        parser.add_argument("--filter", metavar="QUERY", type=_FILTERS[kind.filters], help=words)
    parser.add_argument(
        "--format", metavar="TEXT", help=_("print each as this line, with {title} and other fields filled in")
    )
    parser.add_argument(
        "--escape",
        choices=("tmux", "markup", "polybar"),
        help=_("escape what --format fills in: for tmux, Pango markup (rofi, waybar) or polybar"),
    )


def list_option(options: Namespace) -> str:
    """One of those that lists take, if it was given; else ""."""
    return next((f"--{name}" for name in ("limit", "filter", "format", "escape") if getattr(options, name)), "")


def a_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ArgumentTypeError(_("“{text}” isn't a number of rows", text=text.strip()[:20]))
    return int(text)


def a_filter(text: str) -> "Query":
    """The space says that nobody is typing any more: no word or filter is incomplete."""
    from player.library.search.query import parse

    query = parse(f"{text} ")
    if query.problems:
        raise ArgumentTypeError(" ".join(query.problems))
    return query


def a_filter_of_moments(text: str) -> "Query":
    query = a_filter(text)
    if query.order is not None:
        raise ArgumentTypeError(_("this list has an order of its own; leave out sort:"))
    return query


def a_podcast_filter(text: str) -> "PodcastQuery":
    from player.library.search.query import parse_podcasts

    query = parse_podcasts(text)
    if query.problems:
        raise ArgumentTypeError(" ".join(query.problems))
    return query


_FILTERS = {
    Filters.EPISODES: a_filter, Filters.MOMENTS: a_filter_of_moments, Filters.PODCASTS: a_podcast_filter
}  # fmt: skip
T = TypeVar("T")


class Printout:
    """How rows of a kind are to be printed.

    Raises Misuse, before anything was done.
    """

    def __init__(self, context: Context, options: Namespace, kind: Rows) -> None:
        self.json: bool = options.json
        self._context, self._kind = context, kind
        self._template: Template | None = None
        if options.format is None:
            if options.escape:
                raise Misuse(_("--escape needs --format"))
        elif options.json:
            raise Misuse(_("--format and --json can't be combined"))
        else:
            try:
                self._template = Template(options.format, options.escape, fields_of(kind))
            except ValueError as error:
                raise Misuse(str(error)) from error
        asked = getattr(options, "limit", None)
        usual = SCREENFUL if kind.screenful and self.is_table and is_terminal(sys.stdout) else None
        self.most: int | None = usual if asked is None else asked or None
        """Rows; None for all."""

    @property
    def is_table(self) -> bool:
        """Whether the command prints for people."""
        return not self.json and self._template is None

    @property
    def fields(self) -> frozenset[str] | None:
        """Those that a template names; None where all of a row is printed."""
        return None if self.json else self._template.names if self._template else frozenset()

    def first(self, rows: Sequence[T]) -> Sequence[T]:
        """As many as are wanted."""
        return rows[: self.most]

    def print(self, rows: Iterable[Row], nothing: str = "", marked: "Marked | None" = None) -> Sequence[Row]:
        """The first of the rows, as JSON, by the template or in a table, or what is said where there is `nothing`.

        Returns the rows of the table; none where there is no table.
        """
        rows = islice(rows, self.most)
        if self.json:
            print_rows(rows)
        elif self._template is not None:
            for row in rows:
                print(filled(self._template, row))
        elif shown := list(rows):
            print_in_table(self._kind, shown, self._context, marked)
            return shown
        elif nothing:
            print(nothing)
        return ()

    def print_one(self, row: Row) -> None:
        """One document that is no list."""
        if self._template is None:
            print(json.dumps(row, ensure_ascii=False, indent=2))
        else:
            self.print((row,))


def print_in_table(kind: Rows, rows: Sequence[Row], context: Context, marked: "Marked | None" = None) -> None:
    """A table of all these rows. `marked`: the spans of a line that stand out."""
    from tui.cli.text_table import print_table

    print_table(kind.columns, cells_of(kind, rows, context), marked)


def cells_of(kind: Rows, rows: Iterable[Row], context: Context) -> list[list[str]]:
    """What the columns show of each row."""
    cells = [_cell(column.cell, context) for column in kind.columns]
    return [[cell(row) for cell in cells] for row in rows]


def _cell(made: str | Callable[[Row, Context], str], context: Context) -> Callable[[Row], str]:
    if not isinstance(made, str):
        return lambda row: made(row, context)
    if (name := made[1:-1]).isidentifier() and made == f"{{{name}}}":  # what most are, and quicker
        return partial(field_text, name)
    return partial(filled, Template(made, fields=None))


def filled(template: Template, row: Row) -> str:
    """A line of the template, with what the row has."""
    return template.line({name: field_text(name, row) for name in template.names})


def grouped(name: str) -> Callable[[Row, Context], str]:
    """A number with its thousands apart, as the listener's region writes it."""
    return lambda row, _context: "" if row[name] is None else f"{Grouped(row[name]):,}"


def print_rows(rows: Iterable[Any]) -> None:
    """A list as JSON, written as its rows come: the text is that of `print_json`."""
    before = "[\n  "
    for row in rows:
        # A line's end is never part of a string of JSON.
        sys.stdout.write(before + json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n  "))
        before = ",\n  "
    print("[]" if before[0] == "[" else "\n]")
