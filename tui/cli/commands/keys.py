"""`keys`: which key does what, by group, as config.toml has it or as a preset has it."""

from argparse import ArgumentParser, Namespace

from player.text.sentences import _, translate
from tui.actions.action import Action, Group
from tui.cli.command import Command, Context, Rows, complain
from tui.cli.printout import Printout
from tui.drawing.cells import fit, width

_KEYS = Rows("list[Key]")
PRESETS = ("default", "full", "vim", "emacs", "castero", "newsboat")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--preset", choices=PRESETS, help=_("the keys of a preset, instead of those that config.toml sets")
    )


def _keys(context: Context, options: Namespace) -> int:
    from tui.actions.table import key_label, length, remapped

    printout = Printout(context, options, _KEYS)
    changes = {"preset": options.preset} if options.preset else context.settings.keys
    actions, problems = remapped(changes)
    for problem in problems:
        complain(problem)
    if not printout.is_table:
        printout.print(
            [
                {
                    "id": action.id,
                    "group": translate(action.group.value),
                    "keys": list(action.keys),
                    "title": translate(action.title),
                }
                for action in actions
            ]
        )
        return 0

    def words(action: Action) -> str:
        return f"{translate(action.title)} {length(action, context.settings.playback)}".rstrip()

    labels = {action.id: ", ".join(map(key_label, action.keys)) for action in actions}
    key_cells = max(map(width, labels.values()))
    words_cells = max(width(words(action)) for action in actions if action.keys)
    shown = printout.first([action for action in actions if action.keys])
    for group in Group:
        of_group = [action for action in shown if action.group is group]
        if not of_group:
            continue
        if of_group[0] is not shown[0]:
            print()
        print(translate(group.value))
        for action in of_group:
            print(f"  {fit(labels[action.id], key_cells)}  {fit(words(action), words_cells)}  {action.id}")
    return 0


COMMANDS = {
    "keys": Command(
        summary=_("list all keys"),
        after="config",
        about=_(
            "List all keys: what each does, and the name of its action in [keys] of config.toml. Commands without a\n"
            "key are in the list of commands (`?`)."
        ),
        examples="earmark keys\nearmark keys --preset vim\nearmark keys --json",
        run=_keys,
        arguments=_arguments,
        lists=(_KEYS,),
    )
}
