"""All commands in one parser, which the manual page and the completions of shells are made from."""

from argparse import ArgumentParser

from player import __version__
from player.text.sentences import _
from tui.cli.parser import Parser, fill
from tui.cli.registry import commands, load


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
