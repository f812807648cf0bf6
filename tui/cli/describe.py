"""Values as a person reads them in a line of text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from player.text.durations import clock

STATES = {
    "stopped": "Stopped",
    "opening": "Opening",
    "playing": "Playing",
    "paused": "Paused",
    "buffering": "Waiting for the network",
    "ended": "Ended",
    "error": "Failed",
}


def day(moment: datetime | None) -> str:
    """The date where the reader is; nothing for an unknown one."""
    return moment.astimezone().strftime("%Y-%m-%d") if moment else ""


def place(position_ms: int, duration_ms: int | None) -> str:
    """`8:12 of 45:00 (18%)`."""
    if not duration_ms:
        return clock(position_ms)
    return f"{clock(position_ms)} of {clock(duration_ms)} ({position_ms * 100 // duration_ms}%)"


def status_lines(status: Mapping[str, Any]) -> list[str]:
    """The contract's status in one line, or two."""
    state = STATES.get(status["state"], str(status["state"]))
    episode = status["episode"]
    if episode is None:
        return [f"{state}: nothing has been played yet."]
    facts = [place(status["position_ms"], status["duration_ms"])]
    if status["speed"] != 1:
        facts.append(f"speed {status['speed']:g}")
    facts.append(f"volume {status['volume']}%")
    lines = [f"{state}: {episode['title']} · {episode['podcast']}", " · ".join(facts)]
    why = status.get("error") or status.get("waiting")
    return [*lines, why] if why else lines
