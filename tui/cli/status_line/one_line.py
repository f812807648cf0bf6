"""`earmark status --format TEXT`, without what the other commands need: a status bar runs it every few seconds.

Whatever isn't just that, or doesn't succeed, is left to the command itself (`tui/cli/commands/status.py`),
which also has the sentences.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

_BROKEN_PIPE = 141


def one_line(arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> int | None:
    """Prints the line for what follows `earmark status`; the exit code, or None when it has done nothing."""
    asked = _asked(arguments)
    if asked is None:
        return None
    from player.errors import EarmarkError, NotRunning
    from player.integrations.client import plain_socket_path, request
    from tui.cli.status_line.fields import values
    from tui.cli.status_line.template import Template

    path = plain_socket_path(environ)
    if path is None:
        return None
    text, quiet = asked
    try:
        template = Template(text)
        status = request(path, "status")["status"]
        if quiet and status["episode"] is None:
            return 0
        line = template.line(values(status))
    except NotRunning:
        return 0 if quiet else None
    except (EarmarkError, ValueError):
        return None
    return _printed(line)


def _asked(arguments: Sequence[str]) -> tuple[str, bool] | None:
    """The format, and whether to be quiet; None where there is more, or something else."""
    quiet = list(arguments).count("--quiet")
    rest = [one for one in arguments if one != "--quiet"]
    if quiet > 1 or not rest:
        return None
    if len(rest) == 1 and rest[0].startswith("--format="):
        return rest[0].removeprefix("--format="), bool(quiet)
    if len(rest) == 2 and rest[0] == "--format" and not rest[1].startswith("-"):
        return rest[1], bool(quiet)
    return None


def _printed(line: str) -> int:
    with suppress(AttributeError, ValueError):
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        print(line, flush=True)
    except (OSError, ValueError):
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that Python doesn't try again, and complain, at the end
        return _BROKEN_PIPE
    return 0
