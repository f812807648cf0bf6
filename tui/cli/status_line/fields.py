"""What can stand in a status line. Imports next to nothing: status bars start a process for each line."""

from collections.abc import Mapping
from typing import Any

from player.text.durations import clock
from player.text.sentences import mark

Status = Mapping[str, Any]
"""As the control socket gives it."""

FIELDS = {
    "title": mark("the episode"),
    "podcast": mark("the podcast"),
    "state": mark("stopped, opening, playing, paused, buffering, ended or error"),
    "icon": mark("a sign for the state"),
    "position": mark("such as 8:12"),
    "duration": mark("such as 45:00; empty if unknown"),
    "left": mark("how much of the episode is left, such as 36:48"),
    "percent": mark("how much was played, 0 to 100"),
    "speed": mark("such as 1.5"),
    "volume": mark("in percent"),
    "chapter": mark("the chapter; empty if there is none"),
    "chapter_number": mark("its number, from 1"),
    "chapters": mark("how many chapters there are"),
    "queue": mark("how many episodes are queued"),
    "sleep": mark("what is left on the sleep timer, such as 12:34; empty if it isn't set"),
    "offline": mark("“offline”, or empty"),
    "error": mark("why nothing is heard, in a sentence; else empty"),
    "episode_id": mark("the episode's ID"),
    "podcast_id": mark("the podcast's ID"),
}
"""Each field of a template, and what it is."""

MOVING = frozenset({"position", "left", "percent", "sleep"})
"""What changes while an episode plays and nothing happens."""

_ICONS = {"playing": "▶", "paused": "⏸", "opening": "…", "buffering": "…", "ended": "■", "stopped": "■", "error": "!"}
_ICONS_IN_ASCII = {"▶": ">", "⏸": '"', "…": "~", "■": "-", "!": "!"}
NOTHING = dict.fromkeys(FIELDS, "")


def forwarded(status: Status, seconds: float) -> Status:
    """The status that long after it was sent, as an episode that plays goes on by itself."""
    if status["state"] != "playing" or seconds <= 0:
        return status
    length = status["duration_ms"]
    position_ms = status["position_ms"] + int(seconds * 1000 * status["speed"])
    if length is not None:
        position_ms = min(position_ms, max(status["position_ms"], length))
    sleep = status["sleep"]
    if sleep is not None and sleep["left_ms"] is not None:
        sleep = {**sleep, "left_ms": max(0, sleep["left_ms"] - int(seconds * 1000))}
    return {**status, "position_ms": position_ms, "sleep": sleep}


def next_second_in(status: Status) -> float | None:
    """In how many seconds the position shows another second; None while it stands."""
    if status["state"] != "playing":
        return None
    return float((1000 - status["position_ms"] % 1000) / 1000 / max(0.1, status["speed"]))


def values(status: Status, *, ascii_only: bool = False) -> dict[str, str]:
    """The text of each field."""
    episode = status["episode"] or {}
    chapter = status.get("chapter") or {}
    whole_ms = status["position_ms"] // 1000 * 1000
    length = status["duration_ms"]
    icon = _ICONS.get(status["state"], "")
    return {
        **NOTHING,
        "title": _text(episode.get("title")),
        "podcast": _text(episode.get("podcast")),
        "state": status["state"],
        "icon": _ICONS_IN_ASCII.get(icon, "") if ascii_only else icon,
        "position": clock(whole_ms) if episode else "",
        "duration": clock(length) if length else "",
        "left": clock(max(0, length // 1000 * 1000 - whole_ms)) if length else "",
        "percent": str(min(100, whole_ms * 100 // length)) if length else "",
        "speed": f"{status['speed']:g}",
        "volume": str(status["volume"]),
        "chapter": _text(chapter.get("title")),
        "chapter_number": _text(chapter.get("number")),
        "chapters": _text(chapter.get("count")),
        "queue": _text(status.get("queue_count")),
        "sleep": _sleep(status["sleep"]),
        "offline": "offline" if status.get("offline") else "",
        "error": _text(status.get("error") or status.get("waiting")),
        "episode_id": _text(episode.get("id")),
        "podcast_id": _text(episode.get("podcast_id")),
    }


def _text(value: object) -> str:
    """Without control characters, whatever the answer holds."""
    text = "" if value is None else str(value)
    if text.isascii() and text.isprintable():
        return text
    from player.text.cleaning import clean_line  # takes longer to load than the rest

    return clean_line(text)


def _sleep(sleep: Status | None) -> str:
    if sleep is None:
        return ""
    if sleep["left_ms"] is not None:
        return clock(sleep["left_ms"])
    return str(sleep["until"])
