"""What libraries write to descriptor 2 never reaches the screen."""

import subprocess
import sys

from player.paths import Paths

_QUIET = """
import os, sys
from pathlib import Path
from tui.terminal.capabilities import quiet_stderr

with quiet_stderr(Path(sys.argv[1])):
    os.write(2, b"noise of a library\\n")
    with quiet_stderr(Path("/nowhere")):
        print("for the reader", file=sys.stderr)
        print("drawn", file=sys.__stderr__)
os.write(2, b"afterwards\\n")
"""


def test_what_is_written_to_descriptor_2_lands_in_the_log(paths: Paths) -> None:
    done = subprocess.run([sys.executable, "-c", _QUIET, str(paths.log)], capture_output=True, text=True, check=True)
    assert done.stderr == "for the reader\ndrawn\nafterwards\n"
    assert paths.log.read_text() == "noise of a library\n"


def test_without_a_place_for_the_log_the_noise_goes_nowhere() -> None:
    done = subprocess.run([sys.executable, "-c", _QUIET, "/dev/null/log"], capture_output=True, text=True, check=True)
    assert done.stderr == "for the reader\ndrawn\nafterwards\n"


def test_a_closed_descriptor_2_is_no_crash() -> None:
    command = ["/bin/sh", "-c", f"exec '{sys.executable}' -c '{_QUIET}' /dev/null/log 2>&-"]
    assert subprocess.run(command, check=False, timeout=20).returncode in (0, 1)


def test_drawing_may_go_where_standard_output_leads(paths: Paths) -> None:
    script = """
import os, sys
from pathlib import Path
from tui.terminal.capabilities import quiet_stderr

with quiet_stderr(Path(sys.argv[1]), screen=1):
    os.write(2, b"noise\\n")
    print("drawn", file=sys.__stderr__)
"""
    done = subprocess.run([sys.executable, "-c", script, str(paths.log)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("drawn\n", "")
