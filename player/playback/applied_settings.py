"""The settings that apply to the current episode and its podcast, the playback settings of config.toml, and the
listener's volume."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from player.model.effects import NO_EFFECTS, Boost, Effects, Trim, level_of
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.model.segments import Segment, SegmentRule
from player.playback.last_session import LOUDEST
from player.playback.rules import NOTHING_SKIPPED, Rule, SkipRules, rules
from player.playback.saver import Remember, Saver
from player.playback.sleep import SleepHours, sleep_hours
from player.playback.transport import Transport
from player.settings import Audio, Playback, Queue, Sleep


class Configured:
    """Replaced by one thread at a time, read by any thread."""

    def __init__(
        self,
        playback: Playback,
        queue: Queue | None = None,
        skip: SkipRules = NOTHING_SKIPPED,
        sleep: Sleep | None = None,
        audio: Audio | None = None,
    ) -> None:
        self.replace(playback, queue or Queue(), skip, sleep or Sleep(), audio or Audio())

    def replace(self, playback: Playback, queue: Queue, skip: SkipRules, sleep: Sleep, audio: Audio) -> None:
        self.playback, self.queue, self.skip, self.audio = playback, queue, skip, audio
        self.sleep_hours: SleepHours | None = sleep_hours(sleep)


class EpisodeSettings(Struct, frozen=True):
    """`rewind`: how far to rewind after pauses, longest pause first. Chapters whose titles contain one of `skip_words`
    are skipped, as are the first `skip_intro_ms` and the last `skip_outro_ms`, and the `skipped` segments; the listener
    is asked about the `asked` ones.

    `speed` is the podcast's own speed; None means the usual speed, which the listener may change meanwhile. `gain_db`
    is added to the volume. `level` is the loudness in LUFS that the episode is brought to, None if it isn't levelled;
    `effects` has the other effects on its sound.
    """

    rewind: tuple[Rule, ...] = ()
    skip_words: tuple[str, ...] = ()
    skip_intro_ms: int = 0
    skip_outro_ms: int = 0
    speed: float | None = None
    gain_db: float = 0.0
    level: float | None = None
    effects: Effects = NO_EFFECTS
    skipped: tuple[Segment, ...] = ()
    asked: tuple[Segment, ...] = ()


SettingsFor = Callable[[Episode], EpisodeSettings]
"""May raise LibraryError."""


_JUST_MARKED = timedelta(minutes=1)


def resolve(
    rewind: tuple[Rule, ...],
    skip: SkipRules,
    audio: Audio,
    titles: tuple[str, ...],
    own: PodcastSettings,
    segments: Sequence[Segment] = (),
    now: datetime | None = None,
) -> EpisodeSettings:
    """`rewind`, `skip` and `audio` come from config.toml, where a podcast goes by one of its `titles`. Settings stored
    for this podcast by ID take precedence. Of the `segments`, those that were marked in the minute before `now` are
    heard: the listener has just marked them there."""
    effects = Effects(boost=own.boost or Boost(audio.boost), mono=audio.mono, trim=own.trim or Trim(audio.trim))
    return EpisodeSettings(
        rewind,
        skip.of(*titles) if own.skip_chapters is None else own.skip_chapters,
        own.skip_intro_ms,
        own.skip_outro_ms,
        own.speed,
        own.gain_db,
        level_of(audio.level),
        effects,
        *(
            tuple(one for one in segments if own.segments.of(one.kind) is rule and not _just_marked(one, now))
            for rule in (SegmentRule.SKIP, SegmentRule.ASK)
        ),
    )


def _just_marked(one: Segment, now: datetime | None) -> bool:
    return not one.found and now is not None and timedelta() <= now - one.created_at < _JUST_MARKED


def settings_for(
    configured: Configured,
    own: Callable[[PodcastId], PodcastSettings] = lambda _podcast: AS_ALL,
    feed_title: Callable[[PodcastId], str] = lambda _podcast: "",
    segments: Callable[[EpisodeId], Sequence[Segment]] = lambda _episode: (),
    now: Callable[[], datetime | None] = lambda: None,
) -> SettingsFor:
    """Combines config.toml with the podcast's `own` settings. `feed_title` is the podcast's title in its feed,
    `segments` are those of an episode."""

    def of_episode(episode: Episode) -> EpisodeSettings:
        titles = (episode.podcast, feed_title(episode.podcast_id))
        return resolve(
            rules(configured.playback), configured.skip, configured.audio, titles, own(episode.podcast_id),
            segments(episode.id), now(),
        )  # fmt: skip

    return of_episode


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
        """The episode with these settings is the current one again."""
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


_NORMAL = 100


class Volume:
    """A percentage, from 0 to LOUDEST. Runs on the session's thread."""

    def __init__(self, transport: Transport, saver: Saver) -> None:
        self._transport = transport
        self._saver = saver
        self.unmuted = _NORMAL
        """The volume to restore after muting."""

    def set(self, volume: int) -> None:
        self._transport.set_volume(max(0, min(LOUDEST, volume)))
        self._saver.put(Remember("volume", str(self._transport.volume)))

    def mute(self) -> None:
        """Mutes, or restores the volume from before."""
        volume = self._transport.volume
        if volume:
            self.unmuted = volume
        self.set(0 if volume else self.unmuted)
