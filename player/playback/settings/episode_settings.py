"""The settings that apply to one episode, looked up when it becomes the current one."""

from collections.abc import Callable

from msgspec import Struct

from player.model.episode import Episode
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.playback.rules.rewind import Rule, rules
from player.playback.rules.skipping import SkipRules
from player.playback.settings.configured import Configured


class EpisodeSettings(Struct, frozen=True):
    """`rewind`: how far to rewind after pauses, longest pause first. Chapters whose titles contain one of `skip_words`
    are skipped, as are the first `skip_intro_ms` and the last `skip_outro_ms`.

    `speed` is the podcast's own; None means the usual speed, which the listener may change meanwhile. `gain_db` is
    added to the volume.
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
    """`rewind` and `skip` come from config.toml, where a podcast goes by one of its `titles`. Settings stored for this
    podcast by ID take precedence."""
    return EpisodeSettings(
        rewind,
        skip.of(*titles) if own.skip_chapters is None else own.skip_chapters,
        own.skip_intro_ms,
        own.skip_outro_ms,
        own.speed,
        own.gain_db,
    )


def settings_for(
    configured: Configured,
    own: Callable[[PodcastId], PodcastSettings] = lambda _podcast: AS_ALL,
    feed_title: Callable[[PodcastId], str] = lambda _podcast: "",
) -> SettingsFor:
    """Combines config.toml with the podcast's `own` settings. `feed_title` is the podcast's title in its feed."""

    def of_episode(episode: Episode) -> EpisodeSettings:
        titles = (episode.podcast, feed_title(episode.podcast_id))
        return resolve(rules(configured.playback), configured.skip, titles, own(episode.podcast_id))

    return of_episode
