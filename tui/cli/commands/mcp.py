"""`mcp`: the library for an assistant, over the Model Context Protocol."""

import os
import sys
from argparse import ArgumentParser, Namespace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from player.background.launching import earmark_command
from player.errors import EarmarkError
from player.processes.python_child import with_pip
from player.text.sentences import _, speak
from tui import logs
from tui.cli.command import Command, Context, complain, print_json
from tui.cli.service_state import home
from tui.terminal.capabilities import is_terminal

_PLACES = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
"""Where Earmark's files are; assistants pass nothing on that isn't in their settings."""
_NEEDED, _VERSION = "mcp>=2,<3", "2."
"""As in pyproject.toml."""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--allow-control", action="store_true", help=_("also let it play, change the queue and make bookmarks")
    )
    parser.add_argument(
        "--print-config", action="store_true", help=_("print what to paste into the settings of the assistant")
    )


def _mcp(context: Context, options: Namespace) -> int:
    if not _installed().startswith(_VERSION):
        how = _("Install it: {command}", command=with_pip(_NEEDED))
        raise EarmarkError(_("This needs version 2 of the Python package mcp"), how)
    if options.print_config:
        print_json(_config(allow_control=options.allow_control))
        return 0
    if sys.stdin is None or sys.stdout is None:
        raise EarmarkError(_("Standard input or output is closed, through which an assistant asks"))
    logs.start(context.paths.log)
    if is_terminal(sys.stdin):
        complain(_("Waiting for an assistant. What to paste into its settings: earmark mcp --print-config"))
    speak(context.paths.translations, environ={})  # its tools are described to a program
    from tui.cli.assistant.server import serve
    from tui.cli.assistant.tools import Toolbox

    serve(Toolbox(context.paths, control=options.allow_control), context.paths.log)
    return 0


def _installed() -> str:
    try:
        return version("mcp")
    except PackageNotFoundError:
        return ""


def _config(*, allow_control: bool) -> dict[str, Any]:
    program, *arguments = earmark_command()
    places = {name: os.environ[name] for name in _PLACES if os.environ.get(name)}
    environment = {"EARMARK_HOME": folder} if (folder := home()) else places
    server = {"command": program, "args": [*arguments, "mcp", *(["--allow-control"] if allow_control else [])]}
    return {"mcpServers": {"earmark": server | ({"env": environment} if environment else {})}}


COMMANDS = {
    "mcp": Command(
        summary=_("let an assistant search what was said in your podcasts"),
        after="service",
        about=_(
            "Answer an assistant, such as one that writes code with you, over the Model Context Protocol on standard\n"
            "input and output: it can search transcripts, notes and titles, read them, and see your history and what\n"
            "is playing. It fetches nothing and changes nothing, unless --allow-control lets it play episodes in the\n"
            "running Earmark, change the queue and make bookmarks. It needs the Python package mcp."
        ),
        examples="earmark mcp --print-config\nearmark mcp --allow-control --print-config\nearmark mcp",
        run=_mcp,
        arguments=_arguments,
    )
}
