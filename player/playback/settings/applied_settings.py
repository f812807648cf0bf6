"""What applies to the current episode, and where a change of it by the listener is remembered."""

from dataclasses import replace

from player.model.episode import Episode
from player.model.podcast import PodcastId
from player.playback.saver import Remember, RememberSpeed, Saver
from player.playback.settings.episode_settings import EpisodeSettings, SettingsFor


class AppliedSettings:
    """A speed belongs to its podcast, where that has one of its own; else it is the usual one, of all the others."""

    def __init__(self, settings_for: SettingsFor, saver: Saver) -> None:
        self._settings_for = settings_for
        self._saver = saver
        self._podcast_id: PodcastId | None = None
        self.usual_speed = 1.0
        self.of_episode = EpisodeSettings()

    @property
    def speed(self) -> float:
        return self.usual_speed if self.of_episode.speed is None else self.of_episode.speed

    def look_up(self, episode: Episode) -> None:
        """From here on those of that episode apply. Raises LibraryError; then nothing has changed."""
        found = self._settings_for(episode)
        waiting = self._saver.podcast_speed(episode.podcast_id)
        self.of_episode = found if waiting is None or found.speed is None else replace(found, speed=waiting)
        self._podcast_id = episode.podcast_id

    def forget(self) -> None:
        """There is no current episode."""
        self.of_episode, self._podcast_id = EpisodeSettings(), None

    def set_speed(self, speed: float) -> None:
        if self._podcast_id is not None and self.of_episode.speed is not None:
            self.of_episode = replace(self.of_episode, speed=speed)
            self._saver.put(RememberSpeed(self._podcast_id, speed))
        else:
            self.usual_speed = speed
            self._saver.put(Remember("speed", f"{speed:g}"))
