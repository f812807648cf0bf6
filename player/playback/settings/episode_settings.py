"""What applies to one episode while it is listened to: asked for when it becomes the current one."""

from collections.abc import Callable

from msgspec import Struct

from player.model.episode import Episode
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.playback.rules.rewind import Rule, rules
from player.playback.rules.skipping import SkipRules
from player.settings import Playback


class EpisodeSettings(Struct, frozen=True):
    """`rewind`: how much earlier it is resumed after a pause, longest pause first. Chapters with one of `skip_words` in
    their title are skipped; so is what is within `skip_intro_ms` of the start and `skip_outro_ms` of the end.

    `speed` is its podcast's own; None: the usual one, which the listener may change meanwhile. `gain_db` comes on top
    of the volume.
    """

    rewind: tuple[Rule, ...] = ()
    skip_words: tuple[str, ...] = ()
    skip_intro_ms: int = 0
    skip_outro_ms: int = 0
    speed: float | None = None
    gain_db: float = 0.0


SettingsFor = Callable[[Episode], EpisodeSettings]
"""May raise LibraryError."""


def resolve(
    rewind: tuple[Rule, ...], skip: SkipRules, titles: tuple[str, ...], own: PodcastSettings
) -> EpisodeSettings:
    """`rewind` and `skip` are config.toml's, where a podcast goes by its `titles`. What is set for this very podcast,
    by its id, goes before all of it."""
    return EpisodeSettings(
        rewind,
        skip.of(*titles) if own.skip_chapters is None else own.skip_chapters,
        own.skip_intro_ms,
        own.skip_outro_ms,
        own.speed,
        own.gain_db,
    )


def settings_for(
    playback: Playback,
    skip: SkipRules,
    own: Callable[[PodcastId], PodcastSettings] = lambda _podcast: AS_ALL,
    feed_title: Callable[[PodcastId], str] = lambda _podcast: "",
) -> SettingsFor:
    """Of config.toml, and of what is the podcast's `own`. `feed_title` is what the feed calls a podcast."""
    rewind = rules(playback)

    def of_episode(episode: Episode) -> EpisodeSettings:
        titles = (episode.podcast, feed_title(episode.podcast_id))
        return resolve(rewind, skip, titles, own(episode.podcast_id))

    return of_episode
