"""Rows, printed as --json, --format and --limit want them; a table is the command's own affair."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NoReturn, TypeVar

from player.integrations.documents.by_name import document
from player.text.sentences import _
from tui.cli.command import complain
from tui.cli.listing.fields import Row, fields_of, row_of
from tui.cli.listing.options import SCREENFUL
from tui.cli.status_line.template import Template
from tui.terminal.capabilities import is_terminal

T = TypeVar("T")


class Printout:
    """How the rows of a command are to be printed. `rows` names their document: `list[Podcast]`.

    Wrong usage ends the command (SystemExit) before anything was done.
    """

    def __init__(self, options: Namespace, command: str, rows: str, *, screenful: bool = False) -> None:
        self.json: bool = options.json
        self._template: Template | None = None
        if options.format is None:
            if options.escape:
                _misuse(command, _("--escape goes with --format"))
        elif options.json:
            _misuse(command, _("--format and --json don't go together"))
        else:
            self._fields = fields_of(row_of(document(rows)))
            try:
                self._template = Template(options.format, options.escape, self._fields)
            except ValueError as error:
                _misuse(command, str(error))
        asked = getattr(options, "limit", None)
        usual = SCREENFUL if screenful and self.is_table and is_terminal(sys.stdout) else None
        self.most: int | None = usual if asked is None else asked or None
        """Rows; None for all."""

    @property
    def is_table(self) -> bool:
        """Whether the command prints for people."""
        return not self.json and self._template is None

    @property
    def fields(self) -> frozenset[str] | None:
        """Those of the template; None where all of a row is printed, or none."""
        return self._template.names if self._template else None

    def first(self, rows: Sequence[T]) -> Sequence[T]:
        """As many as are wanted."""
        return rows[: self.most]

    def print(self, rows: "Iterable[Row]") -> None:
        """The first of the rows, as JSON or by the template."""
        rows = islice(rows, self.most)
        if self._template is None:
            print_rows(rows)
            return
        for row in rows:
            print(self._template.line({name: self._fields[name](row) for name in self._template.names}))

    def print_one(self, row: Row) -> None:
        """One document that is no list."""
        if self._template is None:
            print(json.dumps(row, ensure_ascii=False, indent=2))
        else:
            self.print((row,))


def print_rows(rows: Iterable[Any]) -> None:
    """A list as JSON, written as its rows come: the text is that of `print_json`."""
    before = "[\n  "
    for row in rows:
        # A line's end is never part of a string of JSON.
        sys.stdout.write(before + json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n  "))
        before = ",\n  "
    print("[]" if before[0] == "[" else "\n]")


def _misuse(command: str, problem: str) -> NoReturn:
    complain(_("{problem}. See: {command} --help", problem=problem.rstrip("."), command=f"earmark {command}"))
    raise SystemExit(2)
