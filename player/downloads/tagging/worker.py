"""The process that writes tags, so that whatever a file does to mutagen stays here.

Runs as `python -m player.downloads.tagging.worker`. Takes an Order as msgpack on standard input; its exit code is an
Answer, or another one where something went wrong.
"""

import contextlib
import errno
import os
import signal
import sys
from pathlib import Path

import msgspec

from player.downloads.tagging.tags import Answer, Order
from player.downloads.tagging.writers import write_tags

MEMORY = 512 * 1024 * 1024
"""Most bytes for the process: a tag with the largest cover takes a tenth of that."""


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c reaches every process in the terminal
    _limit_memory()
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Order)
    part = Path(order.part)
    try:
        written = write_tags(Path(order.source), part, order.form, order.tags)
        if written:
            _flush(part)
        return Answer.WRITTEN if written else Answer.NOTHING
    except OSError as error:
        part.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return Answer.NO_ROOM
        raise
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _flush(part: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
