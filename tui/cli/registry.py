"""Which commands there are: each module of `tui/cli/commands` has some in COMMANDS; and the parser of their arguments,
which writes their --help.

`shipped/commands.json` says which module has which, so that no other is imported to find one; a module that it
doesn't know yet is found in the folder.
"""

import argparse
import json
import re
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from textwrap import fill as fill_lines
from typing import NamedTuple, NoReturn

from player.text.sentences import _, mark, translate
from tui.cli.command import Command, Rows, complain
from tui.cli.printout import add_options, fields_words

_ROOM = "tui.cli.commands"
MORE = mark("More about one of them: earmark help COMMAND, or earmark COMMAND --help")
INDEX = Path(__file__).parent / "shipped" / "commands.json"


class Entry(NamedTuple):
    """What is known of a command before its module is imported. `after` is the one that it follows in the help, and
    `heading` and `former` are as in `Command`."""

    module: str
    summary: str
    after: str | None
    heading: str = ""
    former: str = ""


class Index(NamedTuple):
    """`modules` are all those that were looked at, `commands` those in them, by name."""

    modules: frozenset[str]
    commands: dict[str, Entry]


def groups() -> dict[str, dict[str, str]]:
    """What each command does, in a few words, in the order of the help, by the headings there."""
    found = everything().commands
    made: dict[str, dict[str, str]] = {}
    heading = ""
    for name in in_order(found):
        entry = found[name]
        heading = translate(entry.heading) if entry.heading else heading
        if not entry.former:
            made.setdefault(heading, {})[name] = translate(entry.summary)
    return made


def commands() -> dict[str, str]:
    """What each command does, in a few words, in the order of the help."""
    return {name: summary for group in groups().values() for name, summary in group.items()}


def former() -> dict[str, str]:
    """Older words, and what is typed instead of each today."""
    return {name: entry.former for name, entry in everything().commands.items() if entry.former}


def load(name: str) -> Command:
    """Raises LookupError: there is no such command."""
    entry = _shipped().commands.get(name) or everything().commands[name]
    return _commands_of(entry.module)[name]


def everything() -> Index:
    """The shipped index, and what else stands in the folder."""
    shipped = _shipped()
    there = frozenset(modules())
    return Index(there, shipped.commands | described(there - shipped.modules))


def modules() -> list[str]:
    """The names of those in the folder."""
    import pkgutil

    return sorted(one.name for one in pkgutil.iter_modules(import_module(_ROOM).__path__))


def described(names: Iterable[str]) -> dict[str, Entry]:
    """The commands of these modules, which are imported."""
    found: dict[str, Entry] = {}
    for module in sorted(names):
        before: str | None = None
        for name, command in _commands_of(module).items():
            after = before if command.after is None else command.after
            found[name] = Entry(module, command.summary, after, command.heading, command.former)
            before = name
    return found


def in_order(found: dict[str, Entry]) -> list[str]:
    """Each stands after the one that it follows: the first follows "", and what follows none is at the end. Of several
    that follow the same one, those with the fewest commands behind them come first, whatever the order of `found`."""
    followers: dict[str | None, list[str]] = {}
    for name, entry in found.items():
        followers.setdefault(entry.after, []).append(name)

    def with_followers(name: str) -> list[str]:
        branches = sorted(map(with_followers, followers.pop(name, ())), key=lambda branch: (len(branch), branch))
        return [name, *chain.from_iterable(branches)]

    return [name for name in dict.fromkeys(chain.from_iterable(map(with_followers, ("", *found)))) if name]


@cache
def _shipped() -> Index:
    if not INDEX.exists():
        return Index(frozenset(), {})
    read = json.loads(INDEX.read_text(encoding="utf-8"))
    return Index(frozenset(read["modules"]), {name: Entry(*its) for name, its in read["commands"].items()})


def _commands_of(module: str) -> dict[str, Command]:
    found: dict[str, Command] = getattr(import_module(f"{_ROOM}.{module}"), "COMMANDS", {})
    return found


_OF_ARGPARSE = (
    mark("usage: "),
    mark("positional arguments"),
    mark("options"),
    mark("show this help message and exit"),
    mark("argument %(argument_name)s: %(message)s"),
    mark("the following arguments are required: %s"),
    mark("one of the arguments %s is required"),
    mark("unrecognized arguments: %s"),
    mark("not allowed with argument %s"),
    mark("ignored explicit argument %r"),
    mark("expected one argument"),
    mark("expected at most one argument"),
    mark("expected at least one argument"),
    mark("invalid choice: %(value)r (choose from %(choices)s)"),
)
"""Its sentences, which it translates by a function of its module, `_`."""


_KEPT = re.compile("`[^`]*`")
"""What is typed stays on one line."""


class _Formatter(RawDescriptionHelpFormatter):
    """Paragraphs are as wide as the terminal allows, in any language; those with indented lines stay as they are."""

    def _fill_text(self, text: str, width: int, _indent: str) -> str:
        return "\n\n".join(part if "\n " in part else _filled(part, width) for part in text.split("\n\n"))


def _filled(paragraph: str, width: int) -> str:
    kept = _KEPT.sub(lambda found: found[0].replace(" ", "\0"), " ".join(paragraph.split()))
    return fill_lines(kept, width, break_on_hyphens=False).replace("\0", " ")


class Parser(ArgumentParser):
    """Reports wrong arguments in one line that names the help, which also has the fields of the rows."""

    lists: tuple[Rows, ...] = ()
    bare: tuple[str, ...] = ()

    def format_help(self) -> str:
        text = super().format_help()
        return f"{text.rstrip()}\n\n{fields_words(self.lists)}\n" if self.lists else text

    def error(self, message: str) -> NoReturn:
        complain(_("{problem}. See: {command} --help", problem=message.rstrip("."), command=self.prog))
        raise SystemExit(2)


def parser(name: str, command: Command) -> Parser:
    """For what follows `earmark NAME`."""
    argparse._ = translate  # type: ignore[attr-defined]
    return fill(Parser(prog=f"earmark {name}"), command)


def read(reader: Parser, words: Sequence[str]) -> Namespace:
    """What is typed after the name of a command. Raises SystemExit for help and wrong usage."""
    first, *rest = words or [""]
    if first in reader.bare:
        words = [f"--{first}", *rest]
    # `-15` and `-1m30s` are times: argparse takes no word with a space for an option.
    return reader.parse_args([f" {word}" if word[:1] == "-" and word[1:2].isdigit() else word for word in words])


def fill(made: Parser, command: Command) -> Parser:
    """The parser, with the arguments and the help of a command."""
    made.description = command.about
    if command.former:
        today = _("This is an older word for: earmark {words}", words=command.former)
        made.description = f"{command.about}\n\n{today}"
    made.epilog = f"{_('examples:')}\n{_indented(command.examples)}"
    made.formatter_class = _Formatter
    made.allow_abbrev = False
    command.arguments(made)
    made.lists, made.bare = command.lists, command.bare
    if command.lists:
        add_options(made, command.lists[0])
    if command.documents:
        made.add_argument("--json", action="store_true", help=_("print one JSON document instead of text"))
    return made


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
