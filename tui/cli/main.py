"""The command line. Only the module of the given command is imported: `earmark status` must be quick."""

import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from player import __version__
from player.errors import DamagedLibrary, EarmarkError
from player.paths import Paths
from player.text import regional
from player.text.sentences import _, header, speak, spoken, translate
from tui.cli.command import Context, Misuse, complain
from tui.cli.registry import MORE, commands, former, groups, load
from tui.framework import gc_tuning
from tui.terminal.capabilities import ASK_GROUND, is_terminal, knows_osc, quiet_stderr

_FRAMES_PER_S = "240"
"""At most. With Textual's 60 a key waits for up to 17 ms when something else was drawn just before it."""
_INTERRUPTED = 130
_BROKEN_PIPE = 141
_HELP_COLUMNS = 80
_MINI, _SCREEN_READER = "--mini", "--screen-reader"
_OF_APP = {_MINI, _SCREEN_READER}


def process() -> NoReturn:
    """The entry point of `earmark`."""
    if len(sys.argv) > 1:
        gc_tuning.postpone()
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # until here, ctrl+c ended the process at once
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = main()
    gc_tuning.leave()
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code and raises nothing."""
    _lenient_output()
    paths = Paths.of()
    speak(paths.translations, settings=paths.settings)
    try:
        code = run(list(sys.argv[1:] if argv is None else argv), paths)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt:
        _mute_output()
        return _INTERRUPTED
    except BrokenPipeError:
        _mute_output()
        return _BROKEN_PIPE
    except DamagedLibrary as error:
        return _report_damage(error)
    except EarmarkError as error:
        complain(str(error))
        return 1
    except Exception as error:  # noqa: BLE001 - nobody but a maintainer should meet a traceback
        if isinstance(error, OSError):
            _mute_output()
        return _report_crash(paths, error)


def run(arguments: list[str], paths: Paths) -> int:
    """The command that `arguments` begin with. Raises what that raises, and SystemExit for help and wrong usage."""
    if set(arguments) <= _OF_APP:
        return open_app(paths, mini=_MINI in arguments, screen_reader=_SCREEN_READER in arguments)
    if arguments[0][:8].lower() == "earmark:":
        arguments = ["open", *arguments]
    name, *rest = arguments
    if name in ("-h", "--help"):
        print(_help())
        return 0
    if name == "--spec" and not rest:
        from tui.cli.command import print_json
        from tui.cli.spec import specification

        speak(paths.translations, environ={})
        print_json(specification({name: load(name) for name in (*commands(), *former())}))
        return 0
    if name in ("-V", "--version"):
        print(f"earmark {__version__}")
        return 0
    try:
        command = load(name)
    except LookupError:
        return _unknown(name)
    from tui.cli.registry import parser, read  # the app has no arguments to read

    _adopt_region()
    reader = parser(name, command)
    options = read(reader, rest)
    if getattr(options, "json", False):
        speak(paths.translations, environ={})  # what programs read is the same in every language
    try:
        if problem := command.misuse(options):
            raise Misuse(problem)
        return command.run(Context(paths), options)
    except Misuse as problem:
        reader.error(str(problem))


def open_app(paths: Paths, *, mini: bool = False, address: str = "", screen_reader: bool = False) -> int:
    """An `earmark:` address is opened once the app is there."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        complain(_("The app needs a terminal. Without one, use earmark play. See: earmark --help"))
        return 1
    from player.playback.vlc import installing

    problems: list[str] = []
    if not installing.is_here():
        from tui.cli.sound_library import offer

        problems += offer(paths)
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES_PER_S)  # Textual looks at it when it is imported

    from tui.shutdown import AGAIN, Shutdown
    from tui.terminal.last_frame import LastFrame

    screen = 2 if is_terminal(sys.stderr) else 1
    last_frame = LastFrame(paths, screen, keys=sys.stdin.fileno())
    shutdown = Shutdown()
    shutdown.install(last_frame.end)
    if not (mini or screen_reader):
        last_frame.show()
    _adopt_region()
    gc.disable()  # what is created now stays; tui/framework/gc_tuning.py takes over with the first frame

    from player.settings_file import load_settings
    from tui import logs
    from tui.run import run_app

    try:
        logs.start(paths.log)
        settings, mistakes = load_settings(paths.settings)
        if settings.appearance.theme == "auto" and knows_osc(os.environ):
            last_frame.ask(ASK_GROUND)  # so that the first frame needn't guess
        with quiet_stderr(paths.log, screen=screen):
            code = run_app(
                paths,
                settings,
                shutdown,
                problems=[*problems, *mistakes],
                last_frame=last_frame,
                mini=mini,
                address=address,
                screen_reader=screen_reader,
            )
    finally:
        last_frame.end()
    return _start_again() if code == AGAIN else code


def _start_again() -> NoReturn:
    """Replaces this process by another Earmark, with the settings that were changed meanwhile."""
    from player.processes.python_child import again

    signal.setitimer(signal.ITIMER_REAL, 0)  # `Shutdown` has set it in case the app hangs, and it would go on
    again(_SCREEN_READER)


def _adopt_region() -> None:
    """Names of months and days are in the language of the sentences around them."""
    regional.adopt(number=header().get("x-number", ""), own_names=not spoken())


def _help() -> str:
    """The names of the commands; it fits a terminal of 80x24."""
    from textwrap import wrap

    known = groups()
    width = max(map(len, known)) + 2
    names = [
        f"{f'{heading}:' if number == 0 else '':{width}}{line}"
        for heading, group in known.items()
        for number, line in enumerate(wrap(", ".join(group), _HELP_COLUMNS - width, break_on_hyphens=False))
    ]
    return "\n".join(
        (
            _("usage: earmark [COMMAND] [--mini|--screen-reader] [--help] [--spec] [--version]"),
            "",
            _("A podcast player for the terminal that never loses your place.\nWithout a command it opens the app."),
            _("With --mini it starts with only the player bar."),
            _("With --screen-reader it is lines of words, for speech and braille."),
            _("--spec describes all commands, and the JSON that they print, for programs."),
            "",
            *names,
            "",
            _("What each of them does: earmark help commands"),
            translate(MORE),
        )
    )


def _unknown(name: str) -> int:
    from difflib import get_close_matches

    if name.startswith("-"):
        sentences = [_("There is no option “{name}”.", name=name[:40])]
    else:
        sentences = [_("There is no command “{name}”.", name=name[:40])]
    sentences += [_("Did you mean {name}?", name=near) for near in get_close_matches(name, commands(), 1)]
    complain(" ".join([*sentences, _("See: earmark --help")]))
    return 2


def _lenient_output() -> None:
    """A letter that the terminal can't show is replaced, rather than ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _mute_output() -> None:
    """Discards unwritten output: flushing it at exit would fail again, with a message from Python."""
    with suppress(OSError, ValueError, AttributeError):
        if sys.stdout.fileno() == 1:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.close(nowhere)


def _report_damage(error: DamagedLibrary) -> int:
    complain(_("{problem}. Repair it with: earmark doctor --repair", problem=error.what))
    return 1


def _report_crash(paths: Paths, error: Exception) -> int:
    from player.library import damage_of
    from tui import logs

    written = logs.crash(paths.log, error)
    if paths.library.exists() and (damage := damage_of(paths)):
        return _report_damage(damage)
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.strerror}{f': {error.filename}' if error.filename else ''}."
    else:
        what = _("Something went wrong inside Earmark ({error}).", error=type(error).__name__)
    more = _("See {file}", file=paths.log) if written else _("The log can't be written either.")
    complain(" ".join([what, *getattr(error, "__notes__", ()), more]))
    return 1


if __name__ == "__main__":
    process()
