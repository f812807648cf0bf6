"""Runs yt-dlp without a shell, within bounds of time and output, and ends it with all processes that it has started."""

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from player.errors import EarmarkError
from player.media.protocol import never
from player.text.sentences import _


class VideoError(EarmarkError):
    """yt-dlp can't get a video or channel. `passing`: a retry may succeed."""

    def __init__(self, what: str, advice: str = "", *, passing: bool = False) -> None:
        super().__init__(what, advice)
        self.passing = passing


class Stopped(VideoError):
    """The caller no longer wants the answer."""


NAME = "yt-dlp"
TIMEOUT_S = 30.0
_MOST_OUTPUT = 32 * 1024**2
_MOST_ERRORS = 64 * 1024
_LOOK_S = 0.1
_COMMON = ("--simulate", "--dump-single-json", "--no-warnings", "--no-progress", "--socket-timeout", "10")


class Ended(NamedTuple):
    code: int
    output: bytes
    errors: bytes


def program() -> str:
    """The path of yt-dlp; "" if it isn't installed."""
    return shutil.which(NAME) or ""


def not_installed() -> VideoError:
    return VideoError(
        _("yt-dlp isn't installed, which finds the audio of YouTube videos"),
        _("Install it (with your system's package manager, or “pipx install yt-dlp”), then try again."),
    )


def ask(address: str, *options: str, stopped: Callable[[], bool] = never, timeout_s: float = TIMEOUT_S) -> Ended:
    """yt-dlp's answer about an address. Raises VideoError if it can't be run, takes too long or writes too much;
    Stopped once `stopped` returns True."""
    path = program()
    if not path:
        raise not_installed()
    return run([path, *_COMMON, *options, "--", address], stopped, timeout_s)


def run(command: Sequence[str], stopped: Callable[[], bool], timeout_s: float) -> Ended:
    """Raises VideoError."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise VideoError(
            _("yt-dlp can't be run: {reason}", reason=error.strerror or error), _("Install it again.")
        ) from error
    try:
        return _heard(process, stopped, time.monotonic() + timeout_s, timeout_s)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _heard(process: "subprocess.Popen[bytes]", stopped: Callable[[], bool], end: float, timeout_s: float) -> Ended:
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, output)
        selector.register(process.stderr, selectors.EVENT_READ, errors)
        while selector.get_map():
            if stopped():
                raise Stopped(_("That was cancelled"))
            if time.monotonic() > end:
                raise VideoError(
                    _("yt-dlp took longer than {seconds:g} s", seconds=timeout_s), _("Try again."), passing=True
                )
            ready = selector.select(_LOOK_S)
            if not ready and process.poll() is not None:
                break  # a child process of yt-dlp keeps its output open
            for key, _events in ready:
                data = os.read(key.fd, 64 * 1024)
                if not data:
                    selector.unregister(key.fileobj)
                key.data.extend(data)
            del errors[:-_MOST_ERRORS]
            if len(output) > _MOST_OUTPUT:
                raise VideoError(_("yt-dlp wrote more than {limit} MB about this video", limit=_MOST_OUTPUT // 1024**2))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, min(1.0, end - time.monotonic())))
    return Ended(process.returncode if process.returncode is not None else 1, bytes(output), bytes(errors))
