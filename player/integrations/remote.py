"""The running Earmark, for commands in another process: changing its queue and marks, which its screen shows at once,
and what it plays."""

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from player.errors import ControlError
from player.integrations.client import request
from player.model.episode import EpisodeId
from player.model.playback import HOLDS_PLACE
from player.model.segments import SegmentId, SegmentKind

if TYPE_CHECKING:
    from player.library.listening.queue import QueueOrder

Changed = Future[list[EpisodeId]]


class RemoteActs:
    """Like `player.acts.Acts`, for everything that can be requested over the control socket. Each call raises
    ControlError if no Earmark is running (NotRunning), or if it refuses."""

    def __init__(self, socket_path: Path) -> None:
        self._socket_path = socket_path

    def mark(self, mark: str, ids: Sequence[EpisodeId]) -> Changed:
        """`mark` is a key of `orders.MARKS`."""
        done: Changed = Future()
        done.set_result(request(self._socket_path, "mark", mark=mark, episodes=list(ids))["changed"])
        return done

    def mark_segment(
        self, episode_id: EpisodeId, start_ms: int, end_ms: int, kind: SegmentKind
    ) -> Future[list[SegmentId]]:
        return self._segment(change="mark", episode=episode_id, start_ms=start_ms, end_ms=end_ms, kind=kind.value)

    def change_segment(self, segment_id: SegmentId, kind: SegmentKind) -> Future[list[SegmentId]]:
        return self._segment(change="kind", segment=segment_id, kind=kind.value)

    def delete_segments(self, ids: Sequence[SegmentId]) -> Future[list[SegmentId]]:
        return self._segment(change="delete", segments=list(ids))

    def _segment(self, **change: Any) -> Future[list[SegmentId]]:
        done: Future[list[SegmentId]] = Future()
        done.set_result(request(self._socket_path, "segment", **change)["changed"])
        return done

    def queue_last(self, ids: Sequence[EpisodeId]) -> Changed:
        return self._ask("add", episodes=list(ids))

    def queue_next(self, ids: Sequence[EpisodeId]) -> Changed:
        return self._ask("next", episodes=list(ids))

    def unqueue(self, ids: Sequence[EpisodeId]) -> Changed:
        return self._ask("remove", episodes=list(ids))

    def move_in_queue(self, ids: Sequence[EpisodeId], by: int) -> Changed:
        return self._ask("move", episodes=list(ids), by=by)

    def sort_queue(self, order: "QueueOrder") -> Changed:
        return self._ask("sort", order=order.value)

    def shuffle_queue(self) -> Changed:
        return self._ask("shuffle")

    def mix_queue(self) -> Changed:
        return self._ask("mix")

    def clear_queue(self) -> Changed:
        return self._ask("clear")

    def _ask(self, change: str, **more: Any) -> Changed:
        done: Changed = Future()
        done.set_result(request(self._socket_path, "queue", change=change, **more)["changed"])
        return done


class Heard(Struct, frozen=True):
    """The episode that the running Earmark plays, or holds paused. `left_ms` is the time that the rest takes at the
    present speed; None if unknown."""

    episode_id: EpisodeId
    left_ms: int | None


def heard(socket_path: Path) -> tuple[Heard | None, float]:
    """The episode that is heard, and the speed of playback. If no Earmark runs or answers, no episode and normal
    speed."""
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
