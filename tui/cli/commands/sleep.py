"""`sleep`: the sleep timer of the Earmark that is running."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Any

from player.model.playback import MOST_MINUTES
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Command, Context, Misuse, report
from tui.cli.completing import offer
from tui.cli.describe import sleep_text


def an_end(text: str) -> dict[str, Any]:
    """`30`, `chapter`, `episode`, `longer`, `off`: the arguments of the socket's `sleep`."""
    text = text.strip().lower()
    if text in ("chapter", "episode", "longer", "off"):
        return {"until": text}
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST_MINUTES:
        return {"until": "minutes", "minutes": int(text)}
    raise ArgumentTypeError(_("Choose minutes (1 to {most}), chapter, episode, longer or off", most=MOST_MINUTES))


def a_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 99):
        raise ArgumentTypeError(_("The number of episodes must be between 1 and 99"))
    return int(text)


def _arguments(parser: ArgumentParser) -> None:
    until = parser.add_argument(
        "until",
        nargs="?",
        metavar="MINUTES|chapter|episode|longer|off",
        type=an_end,
        help=_("when to stop; “longer” adds 5 minutes; without it, shows the timer"),
    )
    offer(until, lambda: ("15", "30", "45", "60", "chapter", "episode", "longer", "off"))
    parser.add_argument(
        "--episodes", metavar="N", type=a_count, help=_("with “episode”: after this many, the current one included")
    )


def _run(context: Context, options: Namespace) -> int:
    asked: dict[str, Any] = dict(options.until or {})
    if options.episodes is not None:
        if asked.get("until", "episode") != "episode":
            raise Misuse(_("--episodes needs “episode”"))
        asked = {"until": "episode", **asked, "episodes": options.episodes}
    status = context.ask("sleep", **asked)["status"]
    return report(options, status, clean_line(sleep_text(status["sleep"]) or _("No sleep timer is running.")))


COMMANDS = {
    "sleep": Command(
        summary=_("set or show the sleep timer"),
        after="volume",
        about=_("Set the sleep timer of the running Earmark, or show it. The sound fades over the last 20 seconds."),
        examples="earmark sleep 30\nearmark sleep episode\nearmark sleep episode --episodes 3\nearmark sleep off",
        run=_run,
        arguments=_arguments,
        prints={"": "Status"},
    )
}
