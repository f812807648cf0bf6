"""What may be asked of the Earmark that is running, and how an answer is made.

One JSON object asks, `{"command": "seek", "by_ms": -15000}`, one answers: `{"ok": true, "status": {...}}` or
`{"ok": false, "error": "sentence"}`.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from player.errors import ControlError
from player.integrations.json_api import status_json
from player.model.playback import PlaybackState, PlaybackStatus
from player.text.durations import clock

SLOWEST, FASTEST, LOUDEST = 0.5, 3.0, 150

_SOUNDING = (PlaybackState.OPENING, PlaybackState.PLAYING, PlaybackState.BUFFERING)
_FARTHEST_MS = 10**12
_NEAR_MS = 1000
_SETTLE_S = 0.5
_LOOK_AGAIN_S = 0.005


class Controlled(Protocol):
    """What a remote control needs of the session. Each command returns at once and is carried out soon after."""

    @property
    def status(self) -> PlaybackStatus: ...
    def toggle(self) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def stop(self) -> None: ...
    def seek_to(self, position_ms: int, /) -> None: ...
    def seek_by(self, by_ms: int, /) -> None: ...
    def set_speed(self, speed: float, /) -> None: ...
    def set_volume(self, volume: int, /) -> None: ...


Arguments = Mapping[str, Any]
Effect = Callable[[PlaybackStatus], bool]
"""Whether a status shows that an order was carried out."""


def answer(line: bytes, session: Controlled) -> dict[str, Any]:
    """Carries out one line of input and says what came of it; whatever the line holds, it never raises ControlError."""
    try:
        name, arguments = _read(line)
        effect = _find(name)(session, arguments)
    except ControlError as error:
        return refusal(str(error))
    return {"ok": True, "status": status_json(_settled(session, effect))}


def refusal(sentence: str) -> dict[str, Any]:
    return {"ok": False, "error": sentence}


def _read(line: bytes) -> tuple[str, Arguments]:
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ControlError("That isn't JSON", 'Send one object per line, like {"command": "status"}.') from error
    if not isinstance(asked, dict) or not isinstance(asked.get("command"), str):
        raise ControlError("That doesn't name a command", 'Send one object per line, like {"command": "status"}.')
    name = asked.pop("command")
    return name, asked


def _find(name: str) -> Callable[[Controlled, Arguments], Effect]:
    if name not in _ORDERS:
        raise ControlError(f"Unknown command {json.dumps(name[:40])}", f"Available: {', '.join(_ORDERS)}.")
    return _ORDERS[name]


def _settled(session: Controlled, effect: Effect) -> PlaybackStatus:
    """The status once the order shows in it, or after half a second as it then is."""
    deadline = time.monotonic() + _SETTLE_S
    while not effect(status := session.status) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN_S)
    return status


def _is_silent(status: PlaybackStatus) -> bool:
    return status.state not in _SOUNDING


def _has_started(status: PlaybackStatus) -> bool:
    return status.state in _SOUNDING or status.state is PlaybackState.ERROR


# -- the orders -----------------------------------------------------------------------------------------------


def _status(_session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments)
    return lambda _status: True


def _toggle(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments)
    sounded = _loaded(session).state in _SOUNDING
    session.toggle()
    return _is_silent if sounded else _has_started


def _pause(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments)
    session.pause()
    return _is_silent


def _resume(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments)
    _loaded(session)
    session.resume()
    return _has_started


def _stop(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments)
    session.stop()
    return lambda status: status.state is PlaybackState.STOPPED


def _seek(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments, "by_ms", "to_ms")
    if len(arguments) != 1:
        raise ControlError("Seeking needs either by_ms or to_ms")
    status = _loaded(session)
    if "to_ms" in arguments:
        target = _whole(arguments, "to_ms", 0, _FARTHEST_MS)
        if status.duration_ms and not status.approximate and target >= status.duration_ms:
            raise ControlError(f"This episode is only {clock(status.duration_ms)} long", "Choose an earlier time.")
        session.seek_to(target)
    else:
        by = _whole(arguments, "by_ms", -_FARTHEST_MS, _FARTHEST_MS)
        target = max(0, status.at(time.monotonic()).position_ms + by)
        session.seek_by(by)
    if status.duration_ms is not None:
        target = min(target, status.duration_ms)
    return lambda now: abs(now.position_ms - target) < _NEAR_MS


def _speed(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments, "speed")
    speed = _number(arguments, "speed", SLOWEST, FASTEST)
    session.set_speed(speed)
    return lambda status: math.isclose(status.speed, speed, abs_tol=0.006)


def _volume(session: Controlled, arguments: Arguments) -> Effect:
    _only(arguments, "volume")
    volume = _whole(arguments, "volume", 0, LOUDEST)
    session.set_volume(volume)
    return lambda status: status.volume == volume


_ORDERS: dict[str, Callable[[Controlled, Arguments], Effect]] = {
    "status": _status,
    "toggle": _toggle,
    "pause": _pause,
    "resume": _resume,
    "stop": _stop,
    "seek": _seek,
    "speed": _speed,
    "volume": _volume,
}


# -- their arguments ------------------------------------------------------------------------------------------


def _loaded(session: Controlled) -> PlaybackStatus:
    status = session.status
    if status.episode is None:
        raise ControlError("There is no episode to resume", "Choose one in the app, or run: earmark play EPISODE")
    return status


def _only(arguments: Arguments, *known: str) -> None:
    for name in arguments:
        if name not in known:
            raise ControlError(f"Unknown argument {json.dumps(name[:40])}")


def _number(arguments: Arguments, name: str, least: float, most: float) -> float:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ControlError(f"{name} must be a number between {least:g} and {most:g}")
    return float(value)


def _whole(arguments: Arguments, name: str, least: int, most: int) -> int:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ControlError(f"{name} must be a whole number between {least} and {most}")
    return value
