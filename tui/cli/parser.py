"""Reads the arguments of a command, and writes its --help."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import NoReturn

from player.text.sentences import _
from tui.cli.command import Command, complain


class Parser(ArgumentParser):
    """Reports wrong arguments in one line that names the help."""

    def error(self, message: str) -> NoReturn:
        complain(_("{problem}. See: {command} --help", problem=message.rstrip("."), command=self.prog))
        raise SystemExit(2)


def parser(name: str, command: Command) -> ArgumentParser:
    made = Parser(
        prog=f"earmark {name}",
        description=command.about,
        epilog=f"{_('examples:')}\n{_indented(command.examples)}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(made)
    if command.reports:
        made.add_argument("--json", action="store_true", help=_("print one JSON document instead of text"))
    return made


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
