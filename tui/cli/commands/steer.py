"""`toggle`, `pause`, `resume`, `stop`, `next`, `previous`, `seek`, `speed`, `volume`: the Earmark that is running."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import Any

from player.text.cleaning import clean_line
from player.text.durations import parse_time
from player.text.sentences import _
from tui.cli.command import Command, Context, report
from tui.cli.describe import status_lines


def a_jump(text: str) -> dict[str, int]:
    """`+30` and `-1m30s` are offsets, `12:34` is a position; in the arguments of the socket's `seek`."""
    text = text.strip()
    if text[:1] in ("+", "-"):
        return {"by_ms": (-1 if text[0] == "-" else 1) * a_position(text[1:])}
    return {"to_ms": a_position(text)}


def a_position(text: str) -> int:
    try:
        return parse_time(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def a_speed(text: str) -> float:
    """`1.5` or `1.5x`, from 0.5 to 3."""
    try:
        speed = float(text.strip().lower().removesuffix("x"))
    except ValueError:
        speed = 0.0
    if not 0.5 <= speed <= 3.0:
        raise ArgumentTypeError(_("Speed must be between 0.5 and 3"))
    return speed


def a_volume(text: str) -> int:
    """`80` or `80%`, from 0 to 150."""
    digits = text.strip().removesuffix("%").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 3 and int(digits) <= 150):
        raise ArgumentTypeError(_("Volume must be between 0 and 150"))
    return int(digits)


def _steering(command: str, **more: Any) -> Command:
    """Sends `command` to the running Earmark and prints its status. `more` as a Command takes it."""

    def run(context: Context, options: Namespace) -> int:
        return _sent(context, options, command)

    return Command(run=run, prints={"": "Status"}, **more)


def _setting(name: str, words: Callable[[Any], str], **more: Any) -> Command:
    """Sets it in the running Earmark, or says it in `words` where no value is given. `more` as a Command takes it."""

    def run(context: Context, options: Namespace) -> int:
        if (value := getattr(options, name)) is not None:
            return _sent(context, options, name, **{name: value})
        status = context.ask("status")["status"]
        return report(options, status, words(status[name]))

    return Command(run=run, prints={"": "Status"}, **more)


def _sent(context: Context, options: Namespace, command: str, **arguments: Any) -> int:
    status = context.ask(command, **arguments)["status"]
    return report(options, status, *map(clean_line, status_lines(status)))


def _seek_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "time",
        metavar="[+|-]TIME",
        nargs="?",
        type=a_jump,
        help=_("90, 12:34, 1:02:03 or 1h2m3s; with + or -, relative to the current position"),
    )
    parser.add_argument("--undo", action="store_true", help=_("return to where the last jump started"))
    parser.add_argument(
        "--chapter", metavar="WHICH", choices=("next", "previous"), help=_("go to the next or the previous chapter")
    )


def _misuse(options: Namespace) -> str:
    given = (options.time is not None, options.undo, options.chapter is not None)
    return "" if sum(given) == 1 else _("Seeking needs a time, --undo or --chapter")


def _seek(context: Context, options: Namespace) -> int:
    if options.time is not None:
        return _sent(context, options, "seek", **options.time)
    return _sent(context, options, "undo_jump" if options.undo else f"{options.chapter}_chapter")


def _speed_arguments(parser: ArgumentParser) -> None:
    words = _("0.5 to 3; 1 is normal speed; without it, shows the speed")
    parser.add_argument("speed", metavar="X", nargs="?", type=a_speed, help=words)


def _volume_arguments(parser: ArgumentParser) -> None:
    words = _("percent, 0 to 150; without it, shows the volume")
    parser.add_argument("volume", metavar="N", nargs="?", type=a_volume, help=words)


COMMANDS = {
    "toggle": _steering(
        "toggle",
        summary=_("pause or resume playback"),
        after="status",
        about=_("Pause or resume the running Earmark. Handy as a global hotkey."),
        examples="earmark toggle",
    ),
    "pause": _steering(
        "pause",
        summary=_("pause playback"),
        about=_("Pause the running Earmark, unless it is already paused."),
        examples="earmark pause",
    ),
    "resume": _steering(
        "resume",
        summary=_("resume playback"),
        about=_("Resume the running Earmark, unless it is already playing."),
        examples="earmark resume",
    ),
    "stop": _steering(
        "stop",
        summary=_("stop playback; the position is saved"),
        about=_("Stop the running Earmark. The position is saved; earmark play exits."),
        examples="earmark stop",
    ),
    "next": _steering(
        "next",
        summary=_("skip to the next episode"),
        after="stop",
        about=_("Skip to the next episode in the running Earmark: the first in its queue."),
        examples="earmark next\nearmark next --json | jq -r .episode.title",
    ),
    "previous": _steering(
        "previous",
        summary=_("go back to the previous episode"),
        about=_("Go back to the previous episode in the running Earmark."),
        examples="earmark previous",
    ),
    "seek": Command(
        summary=_("jump to a time, or forward or back"),
        about=_(
            "Jump to a time in the current episode, forward or back by some time, or to a chapter; or undo the last"
            " jump."
        ),
        examples=(
            "earmark seek 12:34\nearmark seek +30\nearmark seek -1m30s\nearmark seek --chapter next\n"
            "earmark seek --undo"
        ),
        run=_seek,
        misuse=_misuse,
        arguments=_seek_arguments,
        prints={"": "Status"},
    ),
    "speed": _setting(
        "speed",
        lambda speed: _("Speed: {speed:g}", speed=speed),
        summary=_("set or show the speed"),
        about=_("Set the playback speed of the running Earmark, or show it. Pitch is preserved."),
        examples="earmark speed\nearmark speed 1.5",
        arguments=_speed_arguments,
    ),
    "volume": _setting(
        "volume",
        lambda percent: _("Volume: {percent}%", percent=percent),
        summary=_("set or show the volume"),
        about=_("Set the volume of the running Earmark, or show it."),
        examples="earmark volume\nearmark volume 80",
        arguments=_volume_arguments,
    ),
}
