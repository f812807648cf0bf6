"""States, dates and positions as people read them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from player.text.durations import clock
from player.text.sentences import _, translate
from tui.cli.status_line import gain_text

STATES = {
    "stopped": _("Stopped"),
    "opening": _("Opening"),
    "playing": _("Playing"),
    "paused": _("Paused"),
    "buffering": _("Waiting for the network"),
    "ended": _("Ended"),
    "error": _("Failed"),
}


def day(moment: datetime | str | None) -> str:
    """The date in the reader's time zone; empty if unknown. A text is in ISO 8601."""
    moment = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return moment.astimezone().strftime("%Y-%m-%d") if moment else ""


def position_text(position_ms: int, duration_ms: int | None) -> str:
    """`8:12 of 45:00 (18%)`."""
    if not duration_ms:
        return clock(position_ms)
    percent = position_ms * 100 // duration_ms
    return _(
        "{position} of {length} ({percent}%)", position=clock(position_ms), length=clock(duration_ms), percent=percent
    )


def sleep_text(sleep: Mapping[str, Any] | None) -> str:
    """`Sleep timer: 12:34 left`; "" while none runs."""
    if sleep is None:
        return ""
    if (sleep["episodes"] or 1) > 1:
        return _("Sleep timer: stops after {n} episodes", n=sleep["episodes"])
    left = clock(sleep["left_ms"]) if sleep["left_ms"] is not None else ""
    match sleep["until"]:
        case "minutes":
            return _("Sleep timer: {left} left", left=left)
        case "chapter":
            return _("Sleep timer: stops at the end of the chapter") + (_(", in {time}", time=left) if left else "")
        case _episode:
            return _("Sleep timer: stops at the end of the episode") + (_(", in {time}", time=left) if left else "")


def status_lines(status: Mapping[str, Any]) -> list[str]:
    """The status of the control socket (docs/scripting.md) in a few lines."""
    state = STATES.get(status["state"], str(status["state"]))
    episode = status["episode"]
    where = runs_in_text(status)
    if episode is None:
        return [_("{state}: nothing has been played yet.", state=state), *where]
    facts = [position_text(status["position_ms"], status["duration_ms"])]
    if status["speed"] != 1:
        facts.append(_("speed {speed:g}", speed=status["speed"]))
    facts.append(_("volume {percent}%", percent=status["volume"]))
    facts += [_("levelled by {gain}", gain=gain)] if (gain := gain_text(status)) else []
    if status.get("boost", "off") != "off":
        facts.append(_("voice boost {how}", how=translate(status["boost"])))
    if status.get("trim", "off") != "off":
        facts.append(_("pauses trimmed ({how})", how=translate(status["trim"])))
    if device := status.get("plays_on"):
        facts.append(_("on {device}", device=device))
    lines = [f"{state}: {episode['title']} · {episode['podcast']}", " · ".join(facts)]
    if sleeps := sleep_text(status.get("sleep")):
        lines.append(sleeps)
    if status.get("stops_after_episode"):
        lines.append(_("Stops after this episode"))
    why = status.get("error") or status.get("waiting")
    return [*lines, *([why] if why else []), *where]


def runs_in_text(status: Mapping[str, Any]) -> list[str]:
    """What runs without a window; nothing for the app."""
    if status.get("runs_in") == "background":
        return [_("In the background (PID {pid}); earmark quit ends it", pid=status["pid"])]
    if status.get("runs_in") == "foreground":
        return [_("By earmark play (PID {pid})", pid=status["pid"])]
    return []
