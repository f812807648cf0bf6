"""`completions`: the script that completes commands in a shell."""

from argparse import ArgumentParser, Namespace
from importlib.resources import files

from player.text.sentences import _
from tui.cli.command import Command, Context

SHELLS = {"bash": "earmark.bash", "zsh": "_earmark", "fish": "earmark.fish"}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=tuple(SHELLS), help=_("bash, zsh or fish"))


def _completions(_context: Context, options: Namespace) -> int:
    print((files("tui.cli.shipped") / SHELLS[options.shell]).read_text(encoding="utf-8"), end="")
    return 0


COMMANDS = {
    "completions": Command(
        summary=_("print a script that completes commands in your shell"),
        after="doctor",
        about=_(
            "Print a script that completes commands, options, podcasts, episodes, lists, tags and themes in your\n"
            "shell. Packages install it already."
        ),
        examples="""
earmark completions bash > ~/.local/share/bash-completion/completions/earmark
earmark completions zsh > ~/.zfunc/_earmark     # with fpath+=~/.zfunc before compinit in ~/.zshrc
earmark completions fish > ~/.config/fish/completions/earmark.fish
""",
        run=_completions,
        arguments=_arguments,
    )
}
