"""What the terminal supports, and the redirection of standard error to the log while Earmark draws on the screen."""

import fcntl
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from player import regular_file

ASK_GROUND = "\x1b]11;?\x1b\\"
"""Asks for the background colour of a terminal that knows OSC (OSC 11, xterm's ctlseqs)."""
LOG_LIMIT = 1_000_000
"""The size in bytes at which the log is rotated."""
_MOST_KEPT = 4 * LOG_LIMIT
"""The bytes that are kept of a log that a library has flooded through standard error: its end."""
_PRINTS_WHAT_IT_DOESNT_KNOW = re.compile(r"linux|dumb|unknown|vt\d|ansi|cons\d|eterm|emacs|sun")
_active = False


def is_terminal(stream: object) -> bool:
    """Whether a standard stream is a terminal; a closed or missing one isn't."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:
        return False


def in_foreground(handle: int) -> bool:
    """Whether this process is in the foreground of the terminal, so that it may read from it and draw on it."""
    try:
        return os.tcgetpgrp(handle) == os.getpgrp()
    except OSError:
        return False


def knows_osc(environ: Mapping[str, str]) -> bool:
    """Whether the terminal supports operating system commands (OSC), or at least ignores those it doesn't know."""
    name = environ.get("TERM", "")
    return bool(name) and not _PRINTS_WHAT_IT_DOESNT_KNOW.match(name)


@contextmanager
def quiet_stderr(log_path: Path, *, screen: int = 2) -> Iterator[None]:
    """While this is active, file descriptor 2 is the log; sys.stderr and sys.__stderr__ still write to the original
    `screen`.

    libvlc, ALSA and PulseAudio write to descriptor 2 whatever their settings, and Textual draws on sys.__stderr__. Pass
    `screen=1` to draw on standard output. Nested calls do nothing.
    """
    global _active
    stderr = sys.__stderr__
    if _active or stderr is None:
        yield
        return
    with suppress(OSError, ValueError):
        stderr.flush()
    before = os.dup(2)
    try:
        drawn = os.fdopen(
            os.dup(screen), "w", buffering=1, encoding=stderr.encoding or "utf-8", errors="backslashreplace"
        )
        log = _open_log(log_path)
        os.dup2(log, 2)
        os.close(log)
        visible = sys.stderr
        if visible is stderr:
            sys.stderr = drawn
        sys.__stderr__ = drawn  # type: ignore[misc]
        _active = True
        try:
            yield
        finally:
            _active = False
            sys.stderr, sys.__stderr__ = visible, stderr  # type: ignore[misc]
            with suppress(OSError, ValueError):
                drawn.close()
            os.dup2(before, 2)
    finally:
        os.close(before)


def _open_log(path: Path) -> int:
    """The log, opened for appending; the null device if it can't be opened."""
    try:
        regular_file.private_folder(path.parent)
        rotate(path)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def lock(handle: int) -> None:
    """Locks a file against other processes until this process closes it; does nothing on a disk without locks.

    The lock belongs to the process (lockf): a log line written by this process while it has the lock, such as by a
    destructor, doesn't wait.
    """
    with suppress(OSError):
        fcntl.lockf(handle, fcntl.LOCK_EX)


def rotate(path: Path) -> None:
    """A log larger than a megabyte is copied to `earmark.log.1`, replacing the previous one, and emptied.

    It stays the same file, because running processes have it as their standard error. Every writer locks it, so that no
    line is written after the copy and lost.
    """
    with suppress(OSError):
        if path.stat().st_size <= LOG_LIMIT:
            return
        with path.open("r+b") as log:
            lock(log.fileno())
            size = os.fstat(log.fileno()).st_size
            if size <= LOG_LIMIT:
                return  # another process has done it
            log.seek(max(0, size - _MOST_KEPT))
            part = path.with_name(path.name + ".part")
            part.touch(0o600)
            part.write_bytes(log.read())
            part.replace(path.with_name(path.name + ".1"))
            log.truncate(0)
