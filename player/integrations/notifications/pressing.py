"""What the buttons of notifications do."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from player.integrations.desktop.calls import Playing
from player.integrations.notifications.notification import Button, Does
from player.model.episode import EpisodeId


class Queueing(Protocol):
    def queue_last(self, ids: tuple[EpisodeId, ...], /) -> Future[list[EpisodeId]]: ...


def presser(session: Playing, acts: Queueing) -> Callable[[Button], None]:
    """What carries out a button that was pressed; from any thread. It returns at once: what goes wrong is a Notice."""

    def press(button: Button) -> None:
        match button.does:
            case Does.PLAY:
                session.play(button.episode_ids[0])
            case Does.QUEUE:
                acts.queue_last(button.episode_ids)
            case Does.PAUSE:
                session.pause()
            case Does.SKIP:
                session.skip()

    return press
