"""Sends requests to the running Earmark, and checks that its answers are complete; the basis of `earmark status` and
similar commands. Imports next to nothing: status bars start a process for each line.

The fields and types of the status follow `player/integrations/documents/playback.py`, which takes too long to load
here.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from player.errors import ControlError, NotRunning
from player.text.sentences import _

if TYPE_CHECKING:
    from pathlib import Path


Check = Callable[[Any], bool]

_MOST = 2**63


def _text(value: Any) -> bool:
    return type(value) is str


def _truth(value: Any) -> bool:
    return type(value) is bool


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _factor(value: Any) -> bool:
    """A number from 0.01 to 100, so that a time can safely be multiplied or divided by it."""
    return type(value) in (int, float) and 0.01 <= value <= 100


def _gain(value: Any) -> bool:
    return type(value) in (int, float) and -100 <= value <= 100


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _many(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def _fields(**checks: Check) -> Check:
    return lambda value: (
        type(value) is dict and all(name in value and fits(value[name]) for name, fits in checks.items())
    )


_PROGRESS = {"done": _whole, "total": _maybe(_whole), "per_second": _whole, "seconds_left": _maybe(_whole)}

_EPISODE = _fields(
    id=_whole,
    podcast_id=_whole,
    podcast=_text,
    title=_text,
    guid=_text,
    published=_maybe(_text),
    duration_ms=_maybe(_whole),
    position_ms=_whole,
    played=_truth,
    starred=_truth,
    downloaded=_truth,
    url=_text,
    link=_text,
    queued=_maybe(_whole),
    live=_maybe(_text),
)

_SLEEP = _fields(until=_text, minutes=_maybe(_whole), episodes=_maybe(_whole), left_ms=_maybe(_whole), fading=_truth)

_CHAPTER = _fields(title=_text, number=_maybe(_whole), count=_whole, start_ms=_whole, end_ms=_maybe(_whole))

is_status = _fields(
    state=_text,
    episode=_maybe(_EPISODE),
    position_ms=_whole,
    duration_ms=_maybe(_whole),
    speed=_factor,
    volume=_whole,
    buffered_ms=_whole,
    error=_maybe(_text),
    waiting=_maybe(_text),
    live=_truth,
    sleep=_maybe(_SLEEP),
    stops_after_episode=_truth,
    offline=_truth,
    chapter=_maybe(_CHAPTER),
    queue_count=_whole,
    runs_in=_maybe(_text),
    pid=_maybe(_whole),
    since=_maybe(_text),
    gain_db=_maybe(_gain),
    boost=_text,
    trim=_text,
    plays_on=_maybe(_text),
    served_at=_maybe(_text),
)

_DOWNLOAD = _fields(
    id=_whole,
    title=_text,
    podcast=_text,
    state=_text,
    why=_text,
    asked_at=_text,
    attempts=_whole,
    retry_at=_maybe(_text),
    problem=_maybe(_text),
    work=_text,
    **_PROGRESS,
)

_REVERTED = _fields(act=_maybe(_fields(kind=_text, title=_text, count=_whole)))
_CHANGED = _fields(changed=_many(_whole))

_MORE = {
    "undo": _REVERTED,
    "redo": _REVERTED,
    "remove": _fields(removed=_maybe(_text)),
    "queue": _CHANGED,
    "mark": _CHANGED,
    "segment": _CHANGED,
    "download": _fields(added=_many(_whole)),
    "transcribe": _fields(added=_many(_whole)),
    "downloads": _fields(
        downloads=_fields(
            count=_whole,
            paused=_truth,
            held=_truth,
            transcripts_wait=_maybe(_text),
            entries=_many(_DOWNLOAD),
            **_PROGRESS,
        )
    ),
    "offline": _fields(offline=_fields(on=_truth, by_hand=_truth, only_here=_truth)),
    "output": _fields(output=_fields(output=_text, device=_text, title=_text)),
    "sync": _fields(
        sync=_fields(
            **dict.fromkeys(("target", "address", "user", "device", "name", "problem"), _maybe(_text)),
            **dict.fromkeys(("succeeded", "failed"), _maybe(_text)),
            **dict.fromkeys(("rounds", "waiting", "unmatched", "refused"), _whole),
            busy=_truth,
        )
    ),
    "run": _fields(ran=_text),
    "open": _fields(opened=_text),
    "recent": _fields(recent=_fields(file=_text, format=_text)),
}  # fmt: skip
"""The fields that the answers to some commands have besides the status."""


def is_answer(answer: dict[str, Any], command: str) -> bool:
    """Whether `answer` has all fields of an answer to that command, in the right types."""
    return is_status(answer.get("status")) and (command not in _MORE or _MORE[command](answer))


TIMEOUT_S = 5.0
LINE_LIMIT = 1 << 20
"""The most bytes of one answer."""
_LONGEST = 103 if sys.platform == "darwin" else 107
"""The most bytes of a socket's path: sun_path in unix(4) and unix(7), without the terminating zero."""


def plain_socket_path(environ: Mapping[str, str]) -> str | None:
    """`Paths.of(environ).socket`, without importing the libraries for it; None if only these can tell."""
    home, runtime = environ.get("EARMARK_HOME", ""), environ.get("XDG_RUNTIME_DIR", "")
    if home:
        return f"{home}/run/control.sock" if _is_plain(home) else None
    return f"{runtime}/earmark/control.sock" if sys.platform == "linux" and _is_plain(runtime) else None


def _is_plain(folder: str) -> bool:
    return folder.startswith("/") and folder == os.path.normpath(folder)


def check_length(path: "Path | str") -> None:
    """Raises ControlError when the path is longer than the system allows for a socket."""
    length = len(os.fsencode(path))
    if length > _LONGEST:
        raise ControlError(
            _(
                "The control socket's path is too long ({length} bytes, at most {limit}): {file}",
                length=length,
                limit=_LONGEST,
                file=path,
            ),
            _("Set EARMARK_HOME or XDG_RUNTIME_DIR to a shorter path."),
        )


def request(socket_path: "Path | str", command: str, **arguments: Any) -> dict[str, Any]:
    """The answer to one command, with its `status`: it has all fields of its document, in the right types.

    Raises ControlError if Earmark isn't running (NotRunning), refuses (with its own sentence), sends something else, or
    hasn't sent its whole answer within five seconds.
    """
    deadline = time.monotonic() + TIMEOUT_S
    line = json.dumps({"command": command, **arguments}).encode() + b"\n"
    with connected(socket_path) as connection:
        try:
            connection.sendall(line)
            reply = _read_line(connection, deadline)
        except TimeoutError as error:
            raise silent() from error
        except OSError as error:
            raise gone() from error
    if not reply:
        raise gone()
    answer = parsed(reply)
    if answer.get("ok") is not True:
        raise refused(answer)
    if not is_answer(answer, command):
        raise unreadable()
    return answer


def connected(socket_path: "Path | str") -> socket.socket:
    """A connection to the running Earmark. Raises ControlError; NotRunning if there is none."""
    check_length(socket_path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(TIMEOUT_S)
        if os.stat(socket_path).st_uid != os.getuid():  # noqa: PTH116 - pathlib takes longer to load than all of this
            raise ControlError(
                _("{file} belongs to another user", file=socket_path), _("Earmark doesn't connect to it.")
            )
        connection.connect(os.fspath(socket_path))
    except BaseException as error:
        connection.close()
        match error:
            case TimeoutError() | BlockingIOError():  # The latter means that too many clients wait before us.
                raise silent() from error
            case PermissionError():
                raise ControlError(_("Can't use {file} ({reason})", file=socket_path, reason=error.strerror)) from error
            case OSError():  # No such file, or one that no process listens on.
                raise NotRunning(_("Earmark isn't running"), _("Start it with: earmark")) from error
        raise
    return connection


def _read_line(connection: socket.socket, deadline: float) -> bytes:
    """One line, or as much as has arrived when the other side hangs up. Raises OSError, TimeoutError at the
    deadline."""
    received = bytearray()
    while b"\n" not in received[-65536:] and len(received) < LINE_LIMIT:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(65536)
        if not part:
            break
        received += part
    return bytes(received.partition(b"\n")[0])


def parsed(line: bytes) -> dict[str, Any]:
    """The object in a line. Raises ControlError if it isn't one."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise unreadable() from error
    if not isinstance(document, dict):
        raise unreadable()
    return document


def refused(answer: dict[str, Any]) -> ControlError:
    """The error in an answer that isn't `ok`."""
    sentence, reason = answer.get("error"), answer.get("reason")
    if not sentence or not isinstance(sentence, str):
        sentence = _("The running Earmark refused without giving a reason")
    return ControlError(sentence, reason=reason if isinstance(reason, str) else "")


def unreadable() -> ControlError:
    return ControlError(_("The running Earmark sent an unreadable answer"), _("Restart it."))


def silent() -> ControlError:
    return ControlError(_("Earmark is running but isn't responding"), _("Try again, or restart it."))


def gone() -> ControlError:
    return ControlError(_("Earmark quit before it answered"), _("Start it with: earmark"))
