"""How a player without a screen begins: what it opens, and what it plays first."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from player.library import Library
from player.model.episode import EpisodeId
from player.playback.outcomes import Outcome
from player.player import Player


class Beginning(Protocol):
    """What `Headless` does first. Another one may take over from an Earmark that is running."""

    def open(self, player: Player) -> None:
        """Takes the lock and opens the library. Raises AlreadyRunning, LibraryError, or what else keeps it from
        beginning; then nothing is held."""
        ...

    def play(self, player: Player) -> Future[Outcome] | None:
        """Called once the player was started; None where it waits to be told what to play."""
        ...


class Waiting:
    """Nothing plays until somebody asks for it."""

    def open(self, player: Player) -> None:
        player.open()

    def play(self, _player: Player) -> Future[Outcome] | None:
        return None


class Playing:
    """An episode that `choose` finds in the library; `open` raises what that raises."""

    def __init__(
        self, choose: Callable[[Library], EpisodeId], *, at_ms: int | None = None, speed: float | None = None
    ) -> None:
        self._choose = choose
        self._at_ms = at_ms
        self._speed = speed
        self._episode_id: EpisodeId | None = None

    def open(self, player: Player) -> None:
        player.open()
        try:
            self._episode_id = self._choose(player.library)
        except BaseException:
            player.close()
            raise

    def play(self, player: Player) -> Future[Outcome] | None:
        if self._episode_id is None:
            return None
        playing = player.session.play(self._episode_id, self._at_ms)
        if self._speed is not None:  # after loading, because the podcast may have its own speed
            player.session.set_speed(self._speed)
        return playing


class TakingOver:
    """What another Earmark plays goes on here; where there is none any more, from where it was saved last. `word`: what
    that one expects to hear from whom it has started."""

    def __init__(self, word: str) -> None:
        self._word = word

    def open(self, player: Player) -> None:
        player.claim.word = self._word
        player.open()

    def play(self, player: Player) -> Future[Outcome] | None:
        return None if player.claim.arrival is not None else player.session.resume()
