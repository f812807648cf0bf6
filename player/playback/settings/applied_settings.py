"""The settings that apply to the current episode, and where a change by the listener is saved."""

from typing import NamedTuple

from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.playback.saver import Remember, Saver
from player.playback.settings.episode_settings import EpisodeSettings, SettingsFor


class KeptSettings(NamedTuple):
    """What applies to an episode, including the speed chosen for now."""

    episode_id: EpisodeId | None
    speed_for_now: float | None
    of_episode: EpisodeSettings


class AppliedSettings:
    """A podcast with its own speed keeps it: a change while listening holds for that episode only.

    While listening to any other podcast, a change sets the usual speed, and is saved. If that podcast is then given the
    same speed as its own, the usual speed is again what it was before.
    """

    def __init__(self, settings_for: SettingsFor, saver: Saver) -> None:
        self._settings_for = settings_for
        self._saver = saver
        self._episode_id: EpisodeId | None = None
        self._speed_for_now: float | None = None
        self._podcast_id: PodcastId | None = None
        self._usual_before: float | None = None
        self.usual_speed = 1.0
        self.of_episode = EpisodeSettings()

    @property
    def speed(self) -> float:
        own = self.of_episode.speed
        return self.usual_speed if own is None else own if self._speed_for_now is None else self._speed_for_now

    def look_up(self, episode: Episode) -> None:
        """Applies the settings of that episode from here on. If it raises LibraryError, nothing has changed."""
        found = self._settings_for(episode)
        if episode.id != self._episode_id or found.speed != self.of_episode.speed:
            self._speed_for_now = None
        if episode.podcast_id != self._podcast_id:
            self._podcast_id, self._usual_before = episode.podcast_id, None
        elif self.of_episode.speed is None and found.speed == self.usual_speed and self._usual_before is not None:
            self._set_usual(self._usual_before)
            self._usual_before = None
        self.of_episode, self._episode_id = found, episode.id

    def kept(self) -> "KeptSettings":
        """The current episode's settings, for `restore`."""
        return KeptSettings(self._episode_id, self._speed_for_now, self.of_episode)

    def restore(self, kept: "KeptSettings") -> None:
        """Their episode is the current one again."""
        self._episode_id, self._speed_for_now, self.of_episode = kept

    def forget(self) -> None:
        """There is no current episode."""
        self.of_episode, self._episode_id, self._speed_for_now = EpisodeSettings(), None, None

    def set_speed(self, speed: float) -> None:
        if self.of_episode.speed is not None:
            self._speed_for_now = speed
            return
        if self._usual_before is None:
            self._usual_before = self.usual_speed
        self._set_usual(speed)

    def _set_usual(self, speed: float) -> None:
        self.usual_speed = speed
        self._saver.put(Remember("speed", f"{speed:g}"))
