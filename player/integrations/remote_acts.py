"""The queue of the Earmark that is running, changed from another process: its screen shows it at once."""

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from player.integrations.client import request
from player.library.listening.queue import QueueOrder
from player.model.episode import EpisodeId

Changed = Future[list[EpisodeId]]


class RemoteActs:
    """As `player.acts.Acts`, for what can be asked over the control socket. Each call raises ControlError: nothing is
    running (NotRunning), or it refuses."""

    def __init__(self, socket_path: Path) -> None:
        self._socket_path = socket_path

    def mark(self, mark: str, ids: Sequence[EpisodeId]) -> Changed:
        """`mark` is one of `orders.MARKS`."""
        done: Changed = Future()
        done.set_result(request(self._socket_path, "mark", mark=mark, episodes=list(ids))["changed"])
        return done

    def queue_last(self, ids: Sequence[EpisodeId]) -> Changed:
        return self._ask("add", episodes=list(ids))

    def queue_next(self, ids: Sequence[EpisodeId]) -> Changed:
        return self._ask("next", episodes=list(ids))

    def unqueue(self, ids: Sequence[EpisodeId]) -> Changed:
        return self._ask("remove", episodes=list(ids))

    def move_in_queue(self, ids: Sequence[EpisodeId], by: int) -> Changed:
        return self._ask("move", episodes=list(ids), by=by)

    def sort_queue(self, order: QueueOrder) -> Changed:
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
