"""Waiting for one's turn: another Earmark plays from this library, and a service begins once that has ended."""

import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from player.integrations.single_instance import is_held
from player.paths import Paths

_LOOK_S = 1.0


def wait_for_turn(paths: Paths, pause: Callable[[float], None] = time.sleep) -> None:
    """Returns when nobody plays. A signal ends the process: there is nothing to save.

    The lock is only looked at where no control socket is, for whoever starts in that instant would be refused.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    while paths.socket.exists() or is_held(paths.lock):
        pause(_LOOK_S)


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
