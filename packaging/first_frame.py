"""Runs an installed Earmark in a terminal until its first whole frame, closes it, and prints the seconds that this
took: `python packaging/first_frame.py [--cold] COMMAND...`, such as `earmark` or `chroot TREE earmark`.

`--cold` says that libvlc is missing: the offer to install it is answered with no. Needs `earmark[test]`.
"""

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.pty.terminal import Terminal


def first_frame(command: Sequence[str], environ: Mapping[str, str], *, without_libvlc: bool = False) -> float:
    """Seconds until the app can be used. Raises AssertionError if it never is, or doesn't end with 0 after `q`."""
    began = time.monotonic()
    with Terminal(command=command, environ=environ) as terminal:
        if without_libvlc:
            terminal.wait_for(r"\[y/N\]")
            terminal.press("n", "enter")
        terminal.wait_for("enter play")
        took = time.monotonic() - began
        assert "Welcome to Earmark" in terminal.text, terminal.text
        terminal.press("q")
        code = terminal.wait_exit()
        assert code == 0, f"ended with {code}:\n{terminal.text}"
    return took


def main() -> None:
    arguments = sys.argv[1:]
    cold = arguments[:1] == ["--cold"]
    with tempfile.TemporaryDirectory() as home:
        took = first_frame(arguments[cold:], {"EARMARK_HOME": home}, without_libvlc=cold)
    print(f"{took:.2f} s")


if __name__ == "__main__":
    main()
