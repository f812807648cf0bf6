"""The end of the app that comes from outside."""

import subprocess
import sys

SECOND_RUN = """
import signal, threading
from tui.shutdown import Shutdown

def nothing(*_):
    pass

guard = Shutdown()
guard.install()
guard.attach(save=nothing, ask=nothing, restore=nothing)
guard.quitting()
(end,) = (one for one in threading.enumerate() if isinstance(one, threading.Timer))
assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
guard.attach(save=nothing, ask=nothing, restore=nothing)
end.join(4)
assert not end.is_alive(), "the second run would be ended along with the first"
assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
"""


def test_an_app_that_runs_a_second_time_in_its_process_is_not_ended_by_the_first_ones_limit() -> None:
    ended = subprocess.run([sys.executable, "-c", SECOND_RUN], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
