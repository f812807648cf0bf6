"""What starts this Earmark again."""

import sys
from pathlib import Path

from player.processes.python_child import command


def earmark_command() -> list[str]:
    """The program, or Python and the module, so that they are found from any folder."""
    program = Path(sys.argv[0]).absolute()
    if program.name == "earmark" and program.is_file():
        return [str(program)]
    return command("-m", "tui")
