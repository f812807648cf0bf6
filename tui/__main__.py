"""`python -m tui` is `earmark`; a line for a status bar, and what a shell completes, don't wait for the other commands
to be loaded."""

import sys
from typing import NoReturn


def process() -> NoReturn:
    """The entry point of `earmark`."""
    if sys.argv[1:2] == ["status"]:
        from tui.cli.status_line.quick import one_line

        code = one_line(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    if sys.argv[1:2] == ["complete"]:
        from tui.cli.completing.quick import complete

        sys.exit(complete(sys.argv[2:]))
    from tui.cli import main

    main.process()


if __name__ == "__main__":
    process()
