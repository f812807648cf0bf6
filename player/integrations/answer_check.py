"""Checks that an answer of the control socket is complete before a client relies on it. Imports nothing: status bars
start a process for each line.

The fields and types follow `player/integrations/documents/playback.py`, which takes too long to load here.
"""

from collections.abc import Callable
from typing import Any

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
    "download": _fields(added=_many(_whole)),
    "downloads": _fields(
        downloads=_fields(count=_whole, paused=_truth, held=_truth, entries=_many(_DOWNLOAD), **_PROGRESS)
    ),
    "offline": _fields(offline=_fields(on=_truth, by_hand=_truth, only_here=_truth)),
    "output": _fields(output=_fields(output=_text, device=_text)),
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
}  # fmt: skip
"""The fields that the answers to some commands have besides the status."""


def is_answer(answer: dict[str, Any], command: str) -> bool:
    """Whether `answer` has all fields of an answer to that command, in the right types."""
    return is_status(answer.get("status")) and (command not in _MORE or _MORE[command](answer))
