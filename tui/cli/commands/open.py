"""`open`: an `earmark:` address, in the Earmark that runs, or in the app."""

from argparse import ArgumentParser, Namespace

from player.links.addresses import parse
from player.text.sentences import _
from tui.cli.command import Command, Context


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", help=_("like earmark://subscribe?feed=URL, percent-encoded"))


def _open(context: Context, options: Namespace) -> int:
    parse(options.address)
    if (answer := context.ask_any("open", address=options.address)) is None:
        from tui.cli.main import open_app

        return open_app(context.paths, address=options.address)
    said = {"playing": _("It plays."), "offered": _("Earmark asks whether to subscribe.")}
    print(said.get(answer["opened"], _("Earmark shows it.")))
    return 0


COMMANDS = {
    "open": Command(
        summary=_("open an earmark: address"),
        after="run",
        about=_(
            "Open an earmark: address in the running Earmark, or else in the app in this terminal. play plays an\n"
            "episode, show shows it, subscribe opens the search with a feed's URL: nothing is subscribed to until you\n"
            "say so. earmark doctor --register has your desktop open such addresses with Earmark."
        ),
        examples=(
            "earmark open 'earmark://subscribe?feed=https%3A%2F%2Fexample.org%2Ffeed'\n"
            "earmark open 'earmark://play?feed=https%3A%2F%2Fexample.org%2Ffeed&guid=117&t=1m30s'"
        ),
        run=_open,
        arguments=_arguments,
    )
}
