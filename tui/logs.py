"""Errors and warnings go to the log with their tracebacks, which never appear on the screen."""

import logging
import os
import sys
import threading
import traceback
from pathlib import Path

from player import regular_file
from player.links.urls import redacted
from tui.terminal.capabilities import lock, rotate

_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _LogFile(logging.Handler):
    """Appends to a file that is opened when the first line is written; if it can't be opened, lines are dropped."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.INFO)
        self._path = path
        self.setFormatter(logging.Formatter(_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        append(self._path, redacted(self.format(record)) + "\n")


def start(path: Path) -> None:
    """From now on, the log receives this process's log records, warnings, and uncaught exceptions of any thread."""
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, _LogFile):
            root.removeHandler(handler)
    root.addHandler(_LogFile(path))
    root.setLevel(logging.INFO)
    logging.raiseExceptions = False
    logging.captureWarnings(True)
    threading.excepthook = _thread_failed
    sys.unraisablehook = _unraisable


def crash(path: Path, error: BaseException) -> bool:
    """Writes the traceback to the log. Returns whether it could be written."""
    return append(path, redacted("".join(traceback.format_exception(error))))


def append(path: Path, text: str) -> bool:
    try:
        regular_file.private_folder(path.parent)
        rotate(path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            lock(handle)
            os.write(handle, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)
    except OSError:
        return False
    return True


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is not None and not isinstance(failure.exc_value, SystemExit):
        logging.getLogger("threads").error(
            "%s failed", failure.thread.name if failure.thread else "a thread", exc_info=failure.exc_value
        )


def _unraisable(failure: "sys.UnraisableHookArgs") -> None:
    """Logs exceptions that can't propagate: in a __del__, at the end of a thread, when a stream is freed."""
    logging.getLogger("python").error(
        "%s %r", failure.err_msg or "Exception ignored in", failure.object, exc_info=failure.exc_value
    )
