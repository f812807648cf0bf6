"""`earmark play --detach`: plays in the Earmark that runs, or in one that is started in the background."""

import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from player.background.launching import Launched, earmark_command, launch
from player.errors import NotRunning
from player.integrations.single_instance import is_held
from player.library import Library
from player.model.episode import Episode
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Context, complain

_BEGIN_S = 15.0
_LOOK_S = 0.1
_STARTING_S = 3.0
_TRYING = ("opening", "buffering")


def play_detached(context: Context, options: Namespace, choose: Callable[[Library], Episode]) -> int:
    """The exit code: 0 once it plays, or is still being opened; 1 with a sentence otherwise."""
    waits = options.stay and options.episode is None
    with context.library() as library:
        episode = None if waits else choose(library)
    began = _begun(context, options, episode)
    if began.problem is not None:
        complain(began.problem)
        return 1
    print(_sentence(began.status, waits))
    return 0


def _begun(context: Context, options: Namespace, episode: Episode | None) -> Launched:
    """One that is being started just now, as by the same command at once, can be asked a moment later."""
    deadline = time.monotonic() + _STARTING_S
    while True:
        try:
            return _in_the_running(context, options, episode)
        except NotRunning:
            late = time.monotonic() > deadline
        if late or not is_held(context.paths.lock):
            began = _in_a_new_one(context, options, episode)
            if late or not began.already:
                return began
        time.sleep(_LOOK_S)


def _in_the_running(context: Context, options: Namespace, episode: Episode | None) -> Launched:
    """Raises NotRunning, and ControlError where it refuses."""
    ask = context.ask
    if episode is None:
        status = ask("status")["status"]
    elif options.episode is None and options.at is None:
        status = ask("resume")["status"]
    else:
        at = {} if options.at is None else {"at_ms": options.at}
        status = ask("play", episode=episode.id, **at)["status"]
    if options.speed is not None:
        status = ask("speed", speed=options.speed)["status"]
    deadline = time.monotonic() + _BEGIN_S
    while status["state"] in _TRYING and not status["waiting"] and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
        status = ask("status")["status"]
    return Launched(status["error"] if status["state"] == "error" else None, status)


def _in_a_new_one(context: Context, options: Namespace, episode: Episode | None) -> Launched:
    command = [*earmark_command(), "play", "--headless"]
    if options.stay:
        command.append("--stay")
    if options.at is not None:
        command += ["--at", f"{options.at / 1000:.3f}"]
    if options.speed is not None:
        command += ["--speed", f"{options.speed:g}"]
    if episode is not None:
        command += [str(episode.id)]
    return launch(command, context.paths.log, _BEGIN_S)


def _sentence(status: dict[str, Any] | None, waits: bool) -> str:
    control = _("Control it with: earmark toggle, earmark seek +30, earmark quit")
    if waits:
        return _("Earmark waits for commands in the background. {control}", control=control)
    if status is None or status["episode"] is None:
        return _("Earmark is still opening the episode in the background. See: earmark status")
    where = _("In the app") if status["runs_in"] == "app" else _("In the background")
    title = clean_line(f"{status['episode']['title']} · {status['episode']['podcast']}", 200)
    if status["state"] != "playing":
        why = status["waiting"] or _("It is still being opened.")
        return _("{where}: {title}. {why} {control}", where=where, title=title, why=why, control=control)
    position = clock(status["position_ms"])
    return _("{where}: {title}, at {position}. {control}", where=where, title=title, position=position, control=control)
