"""`python -m tui` is `earmark`. The line for a status bar and shell completions are printed without loading the other
commands."""

import os
import sys
from typing import NoReturn


def leave_working_folder() -> None:
    """Keeps this process and its child processes from importing modules from the folder that Earmark is started in.
    Python puts that folder first on its path for `python -m`, and for an empty or relative entry of PYTHONPATH. Call
    this before importing anything else.

    Absolute entries of PYTHONPATH stay, and so does the folder that contains Earmark itself.
    """
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry.startswith("/")]
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(named)
    try:
        here = os.getcwd()  # noqa: PTH109 - pathlib isn't imported yet
    except OSError:
        here = ""
    own = __file__.rpartition("/tui/")[0]
    sys.path[:] = [entry for entry in sys.path if entry in (own, *named) or (entry.startswith("/") and entry != here)]


def process() -> NoReturn:
    """The entry point of `earmark`."""
    leave_working_folder()
    if sys.argv[1:2] == ["status"]:
        from tui.cli.status_line import one_line

        code = one_line(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    if sys.argv[1:2] == ["complete"]:
        from tui.cli.completing import complete

        sys.exit(complete(sys.argv[2:]))
    import signal

    # A KeyboardInterrupt amid the imports prints a traceback; msgspec ignores it, and later dereferences null pointers.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tui.cli import main

    main.process()


if __name__ == "__main__":
    process()
