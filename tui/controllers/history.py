"""The lists that were shown before this one, each with its cursor."""

from collections.abc import Callable

from player.model.episode import EpisodeId
from player.model.filters import View

_MOST = 50
"""Lists that are remembered."""

Spot = tuple[View, EpisodeId | None]
"""A list, and the episode under its cursor."""


class ListHistory:
    """`leave` a list for another one; `back` shows it again."""

    def __init__(
        self,
        here: Callable[[], Spot],
        show: Callable[[View, EpisodeId | None], None],
        say: Callable[[str], None],
    ) -> None:
        self._here = here
        self._show = show
        self._say = say
        self._left: list[Spot] = []

    def leave(self) -> None:
        here = self._here()
        if not self._left or self._left[-1] != here:
            self._left = [*self._left[1 - _MOST :], here]

    def back(self) -> None:
        if self._left:
            self._show(*self._left.pop())
        else:
            self._say("This is where you started")
