"""What the running Earmark plays, for commands that count without it."""

from pathlib import Path

from msgspec import Struct

from player.errors import ControlError
from player.integrations.client import request
from player.model.episode import EpisodeId
from player.model.playback import HOLDS_PLACE


class Heard(Struct, frozen=True):
    """What the running Earmark plays, or holds paused, and how long the rest takes at its speed: None if unknown."""

    episode_id: EpisodeId
    left_ms: int | None


def heard(socket_path: Path) -> tuple[Heard | None, float]:
    """And the speed of playback. Where no Earmark runs, or none answers, nothing is heard, at normal speed."""
    try:
        status = request(socket_path, "status")["status"]
    except ControlError:
        return None, 1.0
    speed = float(status["speed"])
    if status["episode"] is None or status["state"] not in HOLDS_PLACE:
        return None, speed
    length = status["duration_ms"]
    left = None if length is None else int(max(0, length - status["position_ms"]) / speed)
    return Heard(EpisodeId(status["episode"]["id"]), left), speed
