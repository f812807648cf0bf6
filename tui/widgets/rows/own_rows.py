"""A list that draws its own rows, because they aren't just episodes."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Sequence

from rich.segment import Segment
from rich.style import Style

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from tui.drawing.row_bytes import NOTHING, RowBytes
from tui.look.glyphs import Glyphs

NO_EPISODE = 0
"""In place of an episode's ID in rows without an episode; no episode has this ID."""

Ink = Callable[[str], Style]
"""Returns the style of a role."""


class OwnRows(ABC):
    """A `Listing` whose rows may each have an episode. An `EpisodeList` shows it like any other."""

    more = False
    count = 0
    """The number of rows, not counting headings."""

    def __init__(self, ids: Sequence[int]) -> None:
        """`ids`: the episode of each row, or NO_EPISODE."""
        self._ids = array("q", ids)
        self._status: Callable[[], PlaybackStatus] = PlaybackStatus
        self._row_of: Callable[[EpisodeId], Episode | None] = lambda _episode_id: None
        self._bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING

    def bind(
        self,
        status: Callable[[], PlaybackStatus],
        row_of: Callable[[EpisodeId], Episode | None],
        bytes_of: Callable[[Episode], RowBytes],
    ) -> None:
        """Called by the list that shows these, with what is playing, with the episodes that it has read, and with where
        the audio of each is."""
        self._status, self._row_of, self._bytes_of = status, row_of, bytes_of

    def __len__(self) -> int:
        return len(self._ids)

    def page(self, start: int, size: int) -> "array[int]":
        return self._ids[max(0, start) : max(0, start) + size]

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        """The row of an episode."""
        try:
            return self._ids.index(episode_id) if episode_id else None
        except ValueError:
            return None

    @abstractmethod
    def may_rest(self, index: int) -> bool:
        """Whether the cursor may rest on that row."""

    @abstractmethod
    def key(self, index: int) -> Hashable:
        """Everything that the look of a row depends on."""

    @abstractmethod
    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        """The row in exactly `width` cells."""

    @abstractmethod
    def same_row(self, before: object, index: int) -> int | None:
        """The row for a cursor that was on row `index` of the list before; None: it keeps its line."""
