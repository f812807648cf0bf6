"""The process that scales, as those who need it see it: started on demand, ended when it is late or long idle."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress

import msgspec

from player.artwork.picture import Order, Scaled
from player.processes.frames import receive, send
from player.processes.python_child import command, environment

SECONDS = 8.0
"""For one image: the largest that are allowed take 1.5 s."""
_IDLE_S = 20.0


class Scaler:
    """Any thread; one image at a time."""

    def __init__(self, seconds: float = SECONDS, idle_s: float = _IDLE_S) -> None:
        self._seconds = seconds
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._rest: threading.Timer | None = None
        self._closed = False

    def scale(self, order: Order) -> Scaled:
        """Never raises: what goes wrong is the `problem`."""
        with self._lock:
            if self._rest is not None:
                self._rest.cancel()
                self._rest = None
            if self._closed:
                return Scaled(problem="Earmark is ending")
            answer = self._answer(order)
            if self._process is not None and not self._closed:
                self._rest = threading.Timer(self._idle_s, self._end_idle)
                self._rest.daemon = True
                self._rest.start()
            return answer

    def close(self) -> None:
        """From any thread, and while an image is being scaled."""
        self._closed = True
        process, rest = self._process, self._rest
        if rest is not None:
            rest.cancel()
        if process is not None:
            with suppress(OSError):
                process.kill()

    def _answer(self, order: Order) -> Scaled:
        late = threading.Event()
        answered = threading.Event()
        deciding = threading.Lock()

        def end() -> None:
            with deciding:
                if not answered.is_set():
                    late.set()
                    process.kill()

        try:
            process = self._process = self._process or _started()
        except OSError as error:
            return Scaled(problem=f"the process that scales can't be started: {error}")
        deadline = threading.Timer(self._seconds, end)
        deadline.daemon = True
        deadline.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            send(process.stdin, msgspec.msgpack.encode(order))  # type: ignore[arg-type]
            answer = receive(process.stdout)  # type: ignore[arg-type]
            with deciding:
                answered.set()
            if late.is_set():  # it was killed with its work done: the next one is for another process
                self._end()
            return msgspec.msgpack.decode(answer, type=Scaled)
        except (EOFError, OSError, msgspec.MsgspecError):
            self._end()
            return Scaled(problem="it took too long" if late.is_set() else "the process that scales it has died")
        finally:
            deadline.cancel()

    def _end_idle(self) -> None:
        with self._lock:
            if self._rest is threading.current_thread():
                self._rest = None
                self._end()

    def _end(self) -> None:
        """With the lock held."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("-m", "player.artwork.worker"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
