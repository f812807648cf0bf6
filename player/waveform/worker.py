"""The process that measures, so that whatever a file does to the decoders stays here.

Runs as `python -m player.waveform.worker`, at the lowest priority. Takes an Order as msgpack on standard input, and
writes a Waveform, or nil, to standard output.
"""

import contextlib
import os
import signal
import sys

import msgspec

from player.waveform.order import Order

MEMORY = 1 << 30
"""Most bytes of address space for the process; the libraries alone take 300 MB of it."""
CPU_S = 60
"""Most seconds of CPU: an hour of audio takes two."""


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c reaches every process in the terminal
    _limit()
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Order)
    from player.waveform.measure import measure

    sys.stdout.buffer.write(msgspec.msgpack.encode(measure(order)))
    return 0


def _limit() -> None:
    with contextlib.suppress(OSError):
        os.nice(19)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
