"""What libraries write to descriptor 2 never reaches the screen."""

import re
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


_NOISY = """
import os, sys
from pathlib import Path
from tui.logs import append
from tui.terminal.capabilities import quiet_stderr

log = Path(sys.argv[1])
with quiet_stderr(log):
    for number in range(40):
        os.write(2, f"library {number} {'x' * 100_000}\\n".encode())
        append(log, f"line {number}\\n")
    os.write(2, b"the end of the library's noise\\n")
"""


def test_standard_error_goes_on_into_the_log_when_that_starts_anew(paths: Paths) -> None:
    """A libvlc that complains for days fills no file that nobody can see any more."""
    subprocess.run([sys.executable, "-c", _NOISY, str(paths.log)], capture_output=True, check=True)
    assert paths.log.read_text().endswith("line 39\nthe end of the library's noise\n")
    files = sorted(paths.state.iterdir())
    assert [file.name for file in files] == ["earmark.log", "earmark.log.1"]
    assert max(file.stat().st_size for file in files) < 1_300_000
    together = "".join(file.read_text() for file in reversed(files))
    first = int(together.partition("line ")[2].partition("\n")[0])
    assert [int(one) for one in re.findall(r"^line (\d+)$", together, re.M)] == list(range(first, 40)), (
        "none is missing"
    )
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


_LOGGING = """
import sys
from pathlib import Path
from tui.logs import append

for number in range(1_000):
    append(Path(sys.argv[1]), f"{sys.argv[2]} {number} {'x' * 400}\\n")
"""


def test_processes_that_log_at_once_lose_no_line_when_it_starts_anew(paths: Paths) -> None:
    """1.6 MB of four processes: the log starts anew once meanwhile."""
    words = [sys.executable, "-c", _LOGGING, str(paths.log)]
    running = [subprocess.Popen([*words, name]) for name in "abcd"]
    assert [one.wait() for one in running] == [0] * 4
    old = paths.log.with_name("earmark.log.1")
    together = old.read_text() + paths.log.read_text()
    for name in "abcd":
        found = [int(one) for one in re.findall(rf"^{name} (\d+) x+$", together, re.M)]
        assert found == list(range(1_000))
