"""`quit`: ends the Earmark that is running, and waits until it has."""

import time
from argparse import Namespace
from typing import Any

from player.integrations.single_instance import holder, is_held
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Command, Context, complain, report

_PATIENCE_S = 5.0
_LOOK_S = 0.02
_STARTING_S = 1.0


def _quit(context: Context, options: Namespace) -> int:
    status = _told(context)
    if status is None:
        if (pid := holder(context.paths.lock)) is not None:
            complain(_("Earmark runs (PID {pid}) but can't be controlled. End it with: kill {pid}", pid=pid))
            return 1
        return report(options, {"ended": None}, _("Earmark isn't running."))
    if not _has_ended(context):
        complain(_("Earmark hasn't ended after {n} s (PID {pid}). See: earmark doctor", n=5, pid=status["pid"]))
        return 1
    ended = {name: status[name] for name in ("runs_in", "pid", "since", "episode", "position_ms")}
    return report(options, {"ended": ended}, sentence_of(status))


def _told(context: Context) -> dict[str, Any] | None:
    """The status of the Earmark that was told to quit; None where none listens. One that is being started does soon."""
    deadline = time.monotonic() + _STARTING_S
    while True:
        if (answer := context.ask_any("quit")) is not None:
            return dict(answer["status"])
        if not is_held(context.paths.lock) or time.monotonic() > deadline:
            return None
        time.sleep(_LOOK_S)


def _has_ended(context: Context) -> bool:
    """Whether the socket is closed and the lock free, within some seconds."""
    deadline = time.monotonic() + _PATIENCE_S
    while context.paths.socket.exists() or is_held(context.paths.lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_S)
    return True


def sentence_of(status: dict[str, Any]) -> str:
    """What has ended, and where it stopped."""
    what = {"app": _("The app has quit."), "foreground": _("earmark play has ended.")}.get(
        str(status["runs_in"]), _("The background player has ended.")
    )
    episode = status["episode"]
    if episode is None or status["state"] in ("stopped", "ended"):
        return what
    title = clean_line(f"{episode['title']} · {episode['podcast']}", 200)
    return _("{what} {title}: stopped at {position}.", what=what, title=title, position=clock(status["position_ms"]))


COMMANDS = {
    "quit": Command(
        summary=_("quit the running Earmark"),
        after="service",
        about=_(
            "Quit the running Earmark: the app, earmark play, or one in the background. The position is saved.\n"
            "Returns once it has ended; if none is running, there is nothing to do."
        ),
        examples="earmark quit",
        run=_quit,
        prints={"": "Quit"},
    )
}
