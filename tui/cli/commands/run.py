"""`run`: any action of the app, as if its key had been pressed there."""

from argparse import ArgumentParser, Namespace

from player.errors import ControlError
from player.text.sentences import _, translate
from player.text.typed_names import suggestion
from tui.cli.command import Column, Command, Context, Rows, complain
from tui.cli.completing import offer
from tui.cli.printout import Printout

_MOST = 50
_ACTIONS = Rows(
    "list[RunnableAction]",
    (
        Column(_("ACTION"), "{id}"),
        Column(_("GROUP"), "{group}"),
        Column(_("TITLE"), "{title}", flexible=True, spare=1),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    words = _("its name, as --list and earmark keys show it")
    action = parser.add_argument("action", metavar="ACTION", nargs="?", help=words)
    offer(action, _runnable)
    parser.add_argument("--count", metavar="N", type=int, default=1, help=_("how many times, up to {most}", most=_MOST))
    parser.add_argument("--list", action="store_true", help=_("list all actions"))


def _runnable() -> list[str]:
    from tui.actions.keys import ONLY_BY_KEY
    from tui.actions.table import ACTIONS

    return [action.id for action in ACTIONS if action.id not in ONLY_BY_KEY]


def _run(context: Context, options: Namespace) -> int:
    return _list(context, options) if options.list else _ask(context, options)


def _misuse(options: Namespace) -> str:
    """What is wrong with the arguments; "" for nothing."""
    if options.list:
        return _("--list doesn't take an action") if options.action else ""
    if options.action is None:
        return _("No action is named")
    if not 1 <= options.count <= _MOST:
        return _("--count must be between 1 and {most}", most=_MOST)
    return _("--json needs --list") if options.json else ""


def _ask(context: Context, options: Namespace) -> int:
    """The table of actions takes 0.1 s to load, so it is asked only where the running Earmark refuses."""
    try:
        context.ask("run", action=options.action, count=options.count)
    except ControlError:
        if (sentence := _nothing_like(options.action)) is None:
            raise
        complain(sentence)
        return 1
    return 0


def _nothing_like(name: str) -> str | None:
    """The sentence about a name that no action has; None if one has it."""
    from tui.actions.table import ACTIONS

    known = [action.id for action in ACTIONS]
    if name in known:
        return None
    what = _("There is no action “{name}”.", name=name[:60])
    return what + (suggestion(name, known) or " " + _("See: earmark run --list"))


def _list(context: Context, options: Namespace) -> int:
    from player.integrations.requests import WITHOUT_SCREEN
    from tui.actions.keys import ONLY_BY_KEY
    from tui.actions.table import ACTIONS

    printout = Printout(context, options, _ACTIONS)
    printout.print(
        {
            "id": action.id,
            "group": translate(action.group.value),
            "title": translate(action.title),
            "without_screen": action.id in WITHOUT_SCREEN,
        }
        for action in ACTIONS
        if action.id not in ONLY_BY_KEY
    )
    return 0


COMMANDS = {
    "run": Command(
        summary=_("carry out any action of the app"),
        after="quit",
        about=_(
            "Carry out an action in the running app, as if its key had been pressed on the screen that is open.\n"
            "While a dialog is open, or where the action does nothing, it is refused. Without a screen, what is about\n"
            "playback works. Suspending (ctrl+z) works only by key."
        ),
        examples="earmark run star\nearmark run down --count 3\nearmark run --list",
        run=_run,
        misuse=_misuse,
        arguments=_arguments,
        prints={"with --list": "list[RunnableAction]"},
        lists=(_ACTIONS,),
    )
}
