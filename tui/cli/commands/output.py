"""`output`: where the sound goes, in the running Earmark and from the next start on."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from player.errors import Ambiguous, NotFound
from player.library import Library
from player.text.cleaning import clean_line, fold
from player.text.sentences import _
from tui.cli.command import Command, Context, Rows
from tui.cli.printout import Printout

if TYPE_CHECKING:
    from player.playback.outputs import FoundOutput, OutputChoice, SoundOutput


_MOST_NAMED = 4
_OUTPUTS = Rows("list[Output]")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help=_("the output to use: its title or part of it, its device, or default"),
    )


def _output(context: Context, options: Namespace) -> int:
    from player.playback.outputs import FoundOutput, SoundOutput

    printout = Printout(context, options, _OUTPUTS)
    system = FoundOutput(SoundOutput(), _("System default"))
    found = (system, *_found(context))
    with context.library() as library:
        now = _now(context, library)
        if options.name is not None:
            now = _choose(context, library, _named(found, options.name).output)
    if all(one.output != now for one in found):
        found = (*found, FoundOutput(now, _("{output} (not found)", output=now.device or now.output)))
    if not printout.is_table:
        printout.print(
            {"output": one.output.output, "device": one.output.device, "title": one.title, "now": one.output == now}
            for one in found
        )
    elif options.name is not None:
        (title,) = [one.title for one in found if one.output == now][:1]
        print(_("Sound output: {title}", title=clean_line(title)))
    else:
        for one in printout.first(found):
            print(f"{clean_line(one.title)}{_(' (now)') if one.output == now else ''}")
    return 0


def _found(context: Context) -> "tuple[FoundOutput, ...]":
    """Raises NoSoundLibrary."""
    from player.playback.vlc.instance import find_outputs
    from tui.terminal.capabilities import quiet_stderr

    with quiet_stderr(context.paths.log):
        return find_outputs()


def _now(context: Context, library: Library) -> "SoundOutput":
    from player.playback.outputs import SoundOutput

    if (answer := context.ask_any("output")) is None:
        return _choice(context, library).now
    return SoundOutput(answer["output"]["output"], answer["output"]["device"])


def _choice(context: Context, library: Library) -> "OutputChoice":
    """The one of the next start."""
    from player.playback.outputs import REMEMBERED_AS, OutputChoice, SoundOutput

    choice = OutputChoice(SoundOutput(context.settings.audio.output, context.settings.audio.device))
    choice.restore(library.state.get(REMEMBERED_AS))
    return choice


def _choose(context: Context, library: Library, output: "SoundOutput") -> "SoundOutput":
    """The running Earmark plays on there at once, from the same position."""
    from player.playback.outputs import REMEMBERED_AS

    if context.ask_any("output", output=output.output, device=output.device) is None:
        library.state.set(REMEMBERED_AS, _choice(context, library).choose(output))
    return output


def _named(found: "Sequence[FoundOutput]", text: str) -> "FoundOutput":
    """Raises NotFound or Ambiguous."""
    wanted = fold(text.strip())
    if wanted == "default":
        return found[0]
    exact = [one for one in found if wanted and wanted in (fold(one.title), fold(one.output.device))]
    fitting = exact or [one for one in found if wanted and wanted in fold(one.title)]
    if not fitting:
        raise NotFound(_("No sound output matches “{text}”", text=clean_line(text, 80)), _("See `earmark output`."))
    if len(fitting) > 1:
        titles = ", ".join(f"“{clean_line(one.title, 60)}”" for one in fitting[:_MOST_NAMED])
        raise Ambiguous(
            _("“{text}” matches several sound outputs: {matches}", text=clean_line(text, 80), matches=titles),
            _("See `earmark output`."),
        )
    return fitting[0]


COMMANDS = {
    "output": Command(
        summary=_("list the sound outputs, or choose one"),
        after="sleep",
        about=_(
            "List the sound outputs, or choose one. The choice is kept until [audio] of config.toml is changed;"
            "\na running Earmark plays on there at once, from the same position."
        ),
        examples="earmark output\nearmark output headset\nearmark output default",
        run=_output,
        arguments=_arguments,
        lists=(_OUTPUTS,),
    )
}
