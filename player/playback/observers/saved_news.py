"""What the saver has written, or can't write, as events."""

from player.errors import LibraryError
from player.events import Bus, Cause, EpisodesChanged, EpisodesMarked, Mark, Notice, QueueChanged
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.text.sentences import _


class SavedNews:
    """Called on the saver's thread."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def saved(self, episode_id: EpisodeId) -> None:
        self._bus.publish(EpisodesChanged((episode_id,)))

    def not_saved(self, error: LibraryError) -> None:
        text = _("Your position can't be saved. {error} Playback continues, and Earmark keeps trying.", error=error)
        self._bus.publish(Notice(text, Severity.ERROR))

    def marked(self, episode_id: EpisodeId, played: bool) -> None:
        self._bus.publish(EpisodesMarked((episode_id,), Mark.PLAYED, played, Cause.RULE))

    def queue_changed(self, by_person: bool) -> None:
        self._bus.publish(QueueChanged(Cause.PERSON if by_person else Cause.RULE))
