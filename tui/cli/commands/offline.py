"""`offline`: whether the running Earmark uses the network."""

from argparse import ArgumentParser, Namespace
from typing import Any

from player.text.sentences import _
from tui.cli.command import Command, Context, Misuse, report


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "to", metavar="WHAT", nargs="?", choices=("on", "off"), help=_("on: go offline; off: go online")
    )
    parser.add_argument("--only-here", action="store_true", help=_("with on: list only what can be played offline"))


def _offline(context: Context, options: Namespace) -> int:
    if options.only_here and options.to != "on":
        raise Misuse(_("--only-here needs “on”"))
    asked = {} if options.to is None else {"on": options.to == "on", "only_here": options.only_here}
    now = context.ask("offline", **asked)["offline"]
    return report(options, now, _words(now))


def _words(now: dict[str, Any]) -> str:
    if now["only_here"]:
        return _("Offline. Only what can be played is listed.")
    if now["by_hand"]:
        return _("Offline.")
    return _("There is no network.") if now["on"] else _("Online.")


COMMANDS = {
    "offline": Command(
        summary=_("go offline or online, or show which"),
        after="sync",
        about=_(
            "Take the running Earmark offline, until it ends or goes online again; or show whether it is.\nOffline it"
            " makes no requests, and plays what is downloaded or cached."
        ),
        examples="earmark offline\nearmark offline on --only-here\nearmark offline off",
        run=_offline,
        arguments=_arguments,
        prints={"": "OfflineState"},
    )
}
