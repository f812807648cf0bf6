"""A row of the sidebar, drawn: names get every cell that nothing else needs."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style

from player.model.filters import ViewName
from tui.drawing import cells
from tui.look.glyphs import Glyphs
from tui.widgets.sidebar.rows import Entry, Mark

SIGN_CELLS = 2
_HUES_FROM = 16
"""Rows at least this wide have a mark in the podcast's hue."""
_UNCOUNTED = (ViewName.BOOKMARKS, ViewName.HISTORY)


class SidebarRow(Struct, frozen=True):
    """What a row shows beside its entry. `plays`: the sign of what the player bar does, if it has an episode of this
    podcast; "" otherwise. It stands in place of the mark in the podcast's hue or, without colours to tell podcasts
    apart (`hues`), beside the number. `lit`: the keys go here."""

    plays: str = ""
    hues: bool = True
    lit: bool = False

    def draw(
        self, entry: Entry, width: int, glyphs: Glyphs, ink: Callable[[str], Style], *, at_cursor: bool
    ) -> Sequence[Segment]:
        """The row in exactly `width` cells."""
        if entry.is_hint:
            return [Segment(cells.fit(entry.title, width, ellipsis=glyphs.ellipsis), ink("muted"))]
        if entry.view is None:
            return self._heading(entry, width, glyphs, ink)
        indent = min(entry.indent, width)
        sign, sign_role = self._sign(entry, width, glyphs)
        number, number_role = _number(entry)
        mark, mark_role = _mark(entry.mark, glyphs)
        if self.plays and not self._has_hues(width):
            mark, mark_role = f" {self.plays}", "alive"
        room = width - indent - cells.width(sign) - cells.width(mark)
        if entry.count == 0 and cells.width(entry.title) + cells.width(number) > room:
            number = ""
        title = cells.fit(entry.title, max(0, room - cells.width(number)), ellipsis=glyphs.ellipsis)
        role = "strong" if at_cursor else "muted" if entry.mark is Mark.FAILED else "title"
        pieces = [
            Segment(" " * indent),
            Segment(sign, ink(sign_role)),
            Segment(title, ink(role)),
            Segment(mark, ink(mark_role)),
            Segment(number, ink(number_role)),
        ]
        return pieces if width >= cells.width("".join(one.text for one in pieces)) else [Segment(" " * width)]

    def _has_hues(self, width: int) -> bool:
        return self.hues and width >= _HUES_FROM

    def _heading(self, entry: Entry, width: int, glyphs: Glyphs, ink: Callable[[str], Style]) -> Sequence[Segment]:
        room = width - cells.width(entry.title) - 2
        words = next((words for words in entry.words if cells.width(words) <= room), "")
        title = cells.fit(entry.title.upper(), width - cells.width(words), ellipsis=glyphs.ellipsis)
        return [Segment(title, ink("heading-lit" if self.lit else "heading")), Segment(words, ink("faint"))]

    def _sign(self, entry: Entry, width: int, glyphs: Glyphs) -> tuple[str, str]:
        """With a space after it; a podcast's is in its hue, unless it is the one that plays."""
        if entry.hue is None or not self._has_hues(width):
            return (f"{entry.sign} " if entry.sign else ""), "muted"
        if self.plays:
            return f"{self.plays} ", "alive"
        return f"{entry.sign or glyphs.hue} ", f"hue-{entry.hue}"


def _number(entry: Entry) -> tuple[str, str]:
    """With a space before it; in the accent if some of it is new."""
    if entry.number:
        return f" {entry.number}", "alive" if entry.has_new else "muted"
    counted = entry.view is not None and entry.view.name not in _UNCOUNTED and entry.mark is not Mark.WAITING
    return (" 0" if counted else ""), "faint"


def _mark(mark: Mark, glyphs: Glyphs) -> tuple[str, str]:
    if mark is Mark.FAILED:
        return f" {glyphs.failed}", "failed"
    return (f" {glyphs.waiting}", "muted") if mark is Mark.WAITING else ("", "muted")
