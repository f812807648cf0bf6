"""The process that decodes and scales images, so that whatever an image does to a decoder stays here.

Runs as `python -m player.artwork.worker`. Takes an Order as msgpack in a frame on standard input, and answers it with a
Scaled in a frame on standard output, until the input ends.
"""

import contextlib
import os
import signal
import sys

import msgspec

from player.artwork.picture import Order, Scaled
from player.processes.frames import receive, send

MEMORY = 512 * 1024 * 1024
"""Most bytes for the process: an image of the most pixels that are allowed takes 160 MB, and while it is converted, as
much again."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c reaches every process in the terminal
    _limit()
    # Anything that a decoder prints would be taken for a frame.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from player.artwork.scaling import scaled

    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            order = msgspec.msgpack.decode(receive(sys.stdin.buffer), type=Order)
            try:
                answer = scaled(order.image, order.shape, order.keep, order.audio)
            except MemoryError:
                answer = Scaled(problem="it takes too much memory")
            send(answers, msgspec.msgpack.encode(answer))
            del order, answer


def _limit() -> None:
    with contextlib.suppress(OSError):
        os.nice(5)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
