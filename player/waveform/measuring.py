"""Starts the process that measures, and ends it when it takes too long or isn't needed any more."""

import logging
import subprocess
import threading

import msgspec

from player.processes.python_child import command, environment
from player.waveform.order import Order
from player.waveform.waveform import Waveform

log = logging.getLogger(__name__)

_LONGEST_S = 300.0
"""At the lowest priority, on a busy computer."""


class Measuring:
    """One at a time. `cancel` is for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self.was_cancelled = False
        """Whether the last `run` was ended by `cancel`."""

    def close(self) -> None:
        """As `cancel`; from now on nothing is measured."""
        self._closed = True
        self.cancel()

    def cancel(self) -> None:
        """Ends what is being measured."""
        with self._lock:
            self.was_cancelled = True
            if self._process is not None:
                self._process.kill()

    def run(self, order: Order) -> Waveform | None:
        """None if the bytes can't be decoded, or the process failed at them."""
        with self._lock:
            self.was_cancelled = self._closed
            if self._closed:
                return None
            process = self._process = subprocess.Popen(
                command("-m", "player.waveform.worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
            )
        try:
            answer, _ = process.communicate(msgspec.msgpack.encode(order), timeout=_LONGEST_S)
            return msgspec.msgpack.decode(answer, type=Waveform | None)
        except (subprocess.TimeoutExpired, msgspec.MsgspecError, OSError) as error:
            log.info("no waveform: %s, exit code %s", type(error).__name__, process.poll())
            return None
        finally:
            process.kill()
            process.wait()
            with self._lock:
                self._process = None
