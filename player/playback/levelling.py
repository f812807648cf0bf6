"""Decides which effects the sound of an episode gets, and how loud it becomes, from the settings and from what has been
measured."""

from collections.abc import Callable

from msgspec import Struct

from player.library.loudness import MeasuredLoudness
from player.model.effects import Effects, Span
from player.model.episode import Episode, EpisodeId

MOST_GAIN_DB = 20.0
"""The most that levelling changes, in either direction."""
_FIRST_MS = 30_000
_KNOWN_MS = 600_000
"""Of an episode of which so much was measured the loudness is known well enough."""


class Known(Struct, frozen=True):
    """What is known of an episode's sound: its own loudness, that of the podcast's other episodes in LUFS, and its
    pauses."""

    own: MeasuredLoudness | None = None
    usual: float | None = None
    pauses: tuple[Span, ...] = ()

    @property
    def lufs(self) -> float | None:
        """The episode's loudness as far as it is known: its own; before that is known well, the podcast's; else that of
        its first half minute."""
        own = self.own
        if own is not None and (own.is_whole or own.heard_ms >= _KNOWN_MS):
            return own.lufs
        if self.usual is not None:
            return self.usual
        return own.lufs if own is not None and own.heard_ms >= _FIRST_MS else None


def gain_db(level: float | None, known: Known) -> float | None:
    """The gain that brings an episode to that level, in LUFS; 0 while its loudness isn't known. None if nothing is
    levelled."""
    if level is None:
        return None
    if known.lufs is None:
        return 0.0
    return round(max(-MOST_GAIN_DB, min(MOST_GAIN_DB, level - known.lufs)), 1)


class Levelling:
    """Runs on the session's thread. `known` is what the library knows of an episode's sound; it doesn't raise. `apply`
    gets the effects whenever they change."""

    def __init__(self, known: Callable[[Episode], Known], apply: Callable[[Effects], None]) -> None:
        self._look_up = known
        self._apply = apply
        self._episode_id: EpisodeId | None = None
        self._known = Known()
        self._chosen = Effects()
        self._level: float | None = None
        self.effects = Effects()

    def choose(self, episode: Episode | None, level: float | None, chosen: Effects) -> None:
        """The effects that are chosen for this episode, and the level in LUFS that it is to have, from here on."""
        episode_id = episode.id if episode else None
        if episode_id != self._episode_id:
            self._episode_id = episode_id
            self._known = self._look_up(episode) if episode else Known()
        self._level, self._chosen = level, chosen
        self._settle()

    def measured(self, episode_id: EpisodeId, own: MeasuredLoudness | None, pauses: tuple[Span, ...]) -> None:
        """More is known of an episode; if it isn't the current one, nothing happens."""
        if episode_id == self._episode_id:
            self._known = Known(own or self._known.own, self._known.usual, pauses or self._known.pauses)
            self._settle()

    def _settle(self) -> None:
        chosen = self._chosen
        effects = Effects(
            gain_db(self._level, self._known),
            chosen.boost,
            chosen.mono,
            chosen.trim,
            self._known.lufs,
            self._known.pauses,
        )
        if effects != self.effects:
            self.effects = effects
            self._apply(effects)
