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
        now, title = _now(context, library)
        if options.name is not None:
            # What is on this computer needs no search of the network.
            if len(_fitting(found, options.name)) != 1:
                found = (*found, *_devices(context))
            chosen = _named(found, options.name)
            now, title = _choose(context, library, chosen), chosen.title
        else:
            found = (*found, *_devices(context))
    if all(one.output != now for one in found):
        name = title or now.device or now.output
        found = (*found, FoundOutput(now, _("{output} (not found)", output=name)))
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
        if hint := _how_to_cast():
            print(hint)
    return 0


def _found(context: Context) -> "tuple[FoundOutput, ...]":
    """Raises NoSoundLibrary."""
    from player.playback.vlc.instance import find_outputs
    from tui.terminal.capabilities import quiet_stderr

    with quiet_stderr(context.paths.log):
        return find_outputs()


def _devices(context: Context) -> "tuple[FoundOutput, ...]":
    """Takes some seconds."""
    if not context.settings.audio.network:
        return ()
    from player.playback.casting.finding import find_devices

    return find_devices()


def _how_to_cast() -> str:
    """Without the libraries for devices a sentence, else ""."""
    from player.playback.casting.finding import can_cast, how_to_cast

    return "" if can_cast() else how_to_cast()


def _now(context: Context, library: Library) -> "tuple[SoundOutput, str]":
    """The output in use, and what it was called when it was chosen."""
    from player.playback.outputs import SoundOutput

    if (answer := context.ask_any("output")) is None:
        choice = _choice(context, library)
        return choice.now, choice.title
    said = answer["output"]
    return SoundOutput(said["output"], said["device"]), clean_line(said["title"])


def _choice(context: Context, library: Library) -> "OutputChoice":
    """The one of the next start."""
    from player.playback.outputs import REMEMBERED_AS, OutputChoice, SoundOutput

    choice = OutputChoice(SoundOutput(context.settings.audio.output, context.settings.audio.device))
    choice.restore(library.state.get(REMEMBERED_AS))
    return choice


def _choose(context: Context, library: Library, chosen: "FoundOutput") -> "SoundOutput":
    """The running Earmark plays on there at once, from the same position."""
    from player.playback.outputs import REMEMBERED_AS

    output, title = chosen.output, chosen.title
    if context.ask_any("output", output=output.output, device=output.device, title=title) is None:
        library.state.set(REMEMBERED_AS, _choice(context, library).choose(output, title))
    return output


def _fitting(found: "Sequence[FoundOutput]", text: str) -> "list[FoundOutput]":
    wanted = fold(text.strip())
    if wanted == "default":
        return [found[0]]
    exact = [one for one in found if wanted and wanted in (fold(one.title), fold(one.output.device))]
    return exact or [one for one in found if wanted and wanted in fold(one.title)]


def _named(found: "Sequence[FoundOutput]", text: str) -> "FoundOutput":
    """Raises NotFound or Ambiguous."""
    fitting = _fitting(found, text)
    if not fitting:
        advice = _("See `earmark output`.")
        raise NotFound(_("No sound output matches “{text}”", text=clean_line(text, 80)), _how_to_cast() or advice)
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
            "\na running Earmark plays on there at once, from the same position. With the extra earmark[cast]"
            "\nChromecasts and DLNA devices on the local network are outputs, too; finding them takes a few seconds."
        ),
        examples="earmark output\nearmark output headset\nearmark output kitchen\nearmark output default",
        run=_output,
        arguments=_arguments,
        lists=(_OUTPUTS,),
    )
}
