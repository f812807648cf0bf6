"""A list that draws its own rows, because they aren't just episodes."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from player.library import Listing
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from tui.drawing.date_headings import Headings
from tui.drawing.row_bytes import NOTHING, RowBytes
from tui.look.glyphs import Glyphs

NO_EPISODE = 0
"""In place of an episode's ID in rows without an episode; no episode has this ID."""

Ink = Callable[[str], Style]
"""Returns the style of a role."""


class Heading(NamedTuple):
    """The line above a row: its words, and what is said beside them."""

    words: str = ""
    facts: str = ""


class OwnRows(ABC):
    """A `Listing` whose rows may each have an episode. An `EpisodeList` shows it like any other."""

    has_two_lines = False
    """Whether its rows have two lines where the list is high enough."""
    keeps_headings = False
    """Whether a low list has its headings too."""
    more = False
    count = 0
    """The number of rows that aren't just there to be read."""
    dated: Listing | None = None
    """The list of episodes that its last rows are, if they are those of one."""
    dates: Headings = ()
    """What is to stand above rows of the list that is `dated`, counted from its first row."""

    def __init__(self, ids: Sequence[int]) -> None:
        """`ids`: the episode of each row, or NO_EPISODE."""
        self._ids = array("q", ids)
        self._status: Callable[[], PlaybackStatus] = PlaybackStatus
        self._row_of: Callable[[EpisodeId], Episode | None] = lambda _episode_id: None
        self._bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING
        self.tall = False
        """Whether its rows have two lines now."""
        self.says_dates = True
        """Whether no heading says which of its episodes are of today and yesterday."""

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

    @property
    def headed(self) -> Sequence[int]:
        """The rows with a heading above them, in order."""
        return ()

    def laid(self, *, tall: bool) -> Sequence[int]:
        """The list says whether rows have two lines now. Returns those that are `headed`."""
        self.tall = tall
        return self.headed

    def heading_of(self, index: int) -> Heading:  # noqa: ARG002
        """What stands above a row that is `headed`."""
        return Heading()

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
        """The row, or its first line if it is `tall`, in exactly `width` cells."""

    def draw_below(self, index: int, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:  # noqa: ARG002
        """The second line of the row, where rows have two, in exactly `width` cells."""
        return [Segment(" " * width)]

    @abstractmethod
    def same_row(self, before: object, index: int) -> int | None:
        """The row for a cursor that was on row `index` of the list before; None: it keeps its line."""
