"""Reads the arguments of a command, and writes its --help; all commands in one parser, for the manual and shells."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import NoReturn

from player import __version__
from player.text.sentences import _
from tui.cli.command import Command, Rows, complain
from tui.cli.printout import add_options, fields_words
from tui.cli.registry import commands, load


class Parser(ArgumentParser):
    """Reports wrong arguments in one line that names the help, which also has the fields of the rows."""

    lists: tuple[Rows, ...] = ()

    def format_help(self) -> str:
        text = super().format_help()
        return f"{text.rstrip()}\n\n{fields_words(self.lists)}\n" if self.lists else text

    def error(self, message: str) -> NoReturn:
        complain(_("{problem}. See: {command} --help", problem=message.rstrip("."), command=self.prog))
        raise SystemExit(2)


def parser(name: str, command: Command) -> ArgumentParser:
    """Reads what follows `earmark NAME`."""
    return fill(Parser(prog=f"earmark {name}"), command)


def fill(made: ArgumentParser, command: Command) -> ArgumentParser:
    """The parser, with the arguments and the help of a command."""
    made.description = command.about
    made.epilog = f"{_('examples:')}\n{_indented(command.examples)}"
    made.formatter_class = RawDescriptionHelpFormatter
    made.allow_abbrev = False
    command.arguments(made)
    if command.lists:
        add_options(made, command.lists[0])
        if isinstance(made, Parser):
            made.lists = command.lists
    if command.documents:
        made.add_argument("--json", action="store_true", help=_("print one JSON document instead of text"))
    return made


def whole_parser(*, brief: bool = False) -> ArgumentParser:
    """`earmark` with every command as a subparser. With `brief` a command is described by its line in `--help`."""
    whole = Parser(
        prog="earmark",
        description=_(
            "A podcast player for the terminal that never loses your place. Without a command it opens the app."
        ),
        allow_abbrev=False,
    )
    whole.add_argument("-V", "--version", action="version", version=f"earmark {__version__}")
    whole.add_argument("--mini", action="store_true", help=_("begin with the player bar alone"))
    whole.add_argument(
        "--spec", action="store_true", help=_("describe all commands, and the JSON that they print, for programs")
    )
    parsers = whole.add_subparsers(metavar="COMMAND", title=_("commands"))
    for name, summary in commands().items():
        made = fill(parsers.add_parser(name, help=summary), load(name))
        if brief:
            made.description = summary
    return whole


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
