"""What applies to one episode while it is listened to: asked for when it becomes the current one."""

from collections.abc import Callable
from dataclasses import dataclass

from player.model.episode import Episode
from player.playback.rules.rewind import Rule, rules
from player.playback.rules.skipping import SkipRules
from player.settings import Playback


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """`rewind`: how much earlier it is resumed after a pause, longest pause first. Chapters with one of `skip_words` in
    their title are stepped over."""

    rewind: tuple[Rule, ...] = ()
    skip_words: tuple[str, ...] = ()


SettingsFor = Callable[[Episode], EpisodeSettings]


def settings_for(playback: Playback, skip: SkipRules) -> SettingsFor:
    """Of config.toml; its rules for a podcast go before those for all."""
    rewind = rules(playback)
    return lambda episode: EpisodeSettings(rewind, skip.of(episode.podcast))
