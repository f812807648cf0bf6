"""A notification as a value: its text, and its buttons with their effects."""

from enum import StrEnum
from typing import NamedTuple

from player.model.episode import EpisodeId
from player.text.sentences import _


class Kind(StrEnum):
    """A new notification replaces an older notification of its kind."""

    NEW_EPISODES = "new_episodes"
    LIVE = "live"
    NEXT = "next"
    DOWNLOADS = "downloads"
    TROUBLE = "trouble"


class Does(StrEnum):
    PLAY = "play"
    QUEUE = "queue"
    PAUSE = "pause"
    SKIP = "skip"


class Button(NamedTuple):
    does: Does
    episode_ids: tuple[EpisodeId, ...] = ()

    @property
    def label(self) -> str:
        match self.does:
            case Does.PLAY:
                return _("Play")
            case Does.QUEUE:
                return _("Add to queue") if len(self.episode_ids) == 1 else _("Add all to queue")
            case Does.PAUSE:
                return _("Pause")
            case Does.SKIP:
                return _("Next")


class Notification(NamedTuple):
    """`title` and `body` may contain text by strangers."""

    kind: Kind
    title: str
    body: str
    buttons: tuple[Button, ...] = ()
