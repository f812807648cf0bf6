"""The three panes: which one has the focus, how they share the width, and which of them fit into a terminal."""

from contextlib import suppress
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from player.player import Player
from player.text.sentences import _, mark, translate
from tui.actions.action import Focus
from tui.controllers.main_ui import MainUi

BAR_ROWS = 4
"""A terminal with no more rows than these, such as a split of tmux, shows the player bar alone."""
LEAST_COLUMNS, LEAST_ROWS = 30, 8
"""A terminal with fewer columns or rows has no room for lists and text."""


class Room(Enum):
    ALL = "all"
    BAR = "the bar alone"
    SENTENCE = "a sentence"


def room_for(columns: int, rows: int, *, mini: bool) -> Room:
    """Which parts of a screen fit into a terminal of this size. `mini`: the listener wants the bar alone, in any
    terminal."""
    if mini or rows <= BAR_ROWS:
        return Room.BAR
    return Room.ALL if columns >= LEAST_COLUMNS and rows >= LEAST_ROWS else Room.SENTENCE


_THREE_PANES, _TWO_PANES = 110, 60
"""The least columns of a terminal with room for three panes, and for two."""
_LEAST_SIDEBAR, _LEAST_LIST, _LEAST_NOTES = 14, 30, 24
"""The least cells of each pane while another pane is beside it."""
USUAL_TITLES = 24
"""The cells of a sidebar whose titles aren't known yet."""
_VERY_WIDE = 200
"""In a wider terminal the list is wide enough, and the other panes get a larger share of further columns."""
_MOST = 400
"""The largest change that is accepted from an earlier run."""


class Pair(Enum):
    """The two panes that are shown if there is room for two. They change only when a third pane gets the focus."""

    LEFT = "sidebar and list"
    RIGHT = "list and notes"


class Arrangement(Struct, frozen=True):
    """The cells of each pane; 0 hides it."""

    sidebar: int
    episodes: int
    notes: int


class Changes(Struct, frozen=True):
    """The cells that the listener has added to the sidebar and the notes (negative: removed), in the wide layout of
    three panes and in the medium one of two. The list has the rest."""

    wide_sidebar: int = 0
    wide_notes: int = 0
    medium_sidebar: int = 0
    medium_notes: int = 0

    @classmethod
    def read(cls, text: str) -> "Changes":
        """Reads the text of `written`; any other text means no changes."""
        with suppress(ValueError):
            cells = [int(part) for part in text.split()]
            if len(cells) == len(cls.__struct_fields__) and all(abs(one) <= _MOST for one in cells):
                return cls(*cells)
        return cls()

    @property
    def written(self) -> str:
        return f"{self.wide_sidebar} {self.wide_notes} {self.medium_sidebar} {self.medium_notes}"


NO_CHANGES = Changes()


def pair_for(focus: Focus, before: Pair) -> Pair:
    if focus is Focus.SIDEBAR:
        return Pair.LEFT
    return Pair.RIGHT if focus is Focus.NOTES else before


def alone(width: int, focus: Focus) -> Arrangement:
    """The pane with the focus, over the whole width."""
    match focus:
        case Focus.SIDEBAR:
            return Arrangement(width, 0, 0)
        case Focus.NOTES:
            return Arrangement(0, 0, width)
        case _:
            return Arrangement(0, width, 0)


def arrange(
    width: int, focus: Focus, pair: Pair, changes: Changes = NO_CHANGES, titles: int = USUAL_TITLES
) -> Arrangement:
    """`titles` are the cells that the sidebar wants for its titles."""
    if width >= _THREE_PANES:
        usual = _usual(width, titles)
        sidebar = _within(_LEAST_SIDEBAR, usual.sidebar + changes.wide_sidebar, width - _LEAST_LIST - _LEAST_NOTES)
        notes = _within(_LEAST_NOTES, usual.notes + changes.wide_notes, width - sidebar - _LEAST_LIST)
        return Arrangement(sidebar, width - sidebar - notes, notes)
    if width >= _TWO_PANES:
        usual = _usual(width, titles)
        if pair is Pair.LEFT:
            sidebar = _within(_LEAST_SIDEBAR, usual.sidebar + changes.medium_sidebar, width - _LEAST_LIST)
            return Arrangement(sidebar, width - sidebar, 0)
        notes = _within(_LEAST_NOTES, usual.notes + changes.medium_notes, width - _LEAST_LIST)
        return Arrangement(0, width - notes, notes)
    return alone(width, focus)


def _usual(width: int, titles: int) -> Arrangement:
    """The default widths. For two panes, only the sidebar's and the notes' are given: the list has the rest. The
    sidebar is as wide as its titles want, up to a third."""
    if width < _THREE_PANES:
        return Arrangement(_within(20, titles, width // 3), 0, width * 47 // 100)
    more = max(0, width - _VERY_WIDE)
    sidebar = _within(24, titles, width // 3)
    notes = _within(36, (width - sidebar) * 42 // 100, 81 + more // 3)
    return Arrangement(sidebar, width - sidebar - notes, notes)


def widened(width: int, focus: Focus, pair: Pair, changes: Changes, cells: int, titles: int = USUAL_TITLES) -> Changes:
    """The changes after widening the pane with the focus by this many cells (negative: narrowing it), as far as
    possible, at the expense of its neighbour."""
    now = arrange(width, focus, pair, changes, titles)
    if focus is Focus.SIDEBAR or (focus is Focus.EPISODES and not now.notes):
        grown = cells if focus is Focus.SIDEBAR else -cells
        if not (now.sidebar and now.episodes):
            return changes
        return placed(width, pair, changes, sidebar=now.sidebar + grown, titles=titles)
    grown = cells if focus is Focus.NOTES else -cells
    if not (now.notes and now.episodes):
        return changes
    return placed(width, pair, changes, notes=now.notes + grown, titles=titles)


def placed(
    width: int,
    pair: Pair,
    changes: Changes,
    *,
    sidebar: int | None = None,
    notes: int | None = None,
    titles: int = USUAL_TITLES,
) -> Changes:
    """The changes after setting the sidebar or the notes to this width in cells, or as close to it as possible."""
    usual, wide = _usual(width, titles), width >= _THREE_PANES
    if sidebar is not None:
        name, most = "sidebar", width - _LEAST_LIST - (_LEAST_NOTES if wide else 0)
        by = _within(_LEAST_SIDEBAR, sidebar, most) - usual.sidebar
    elif notes is not None:
        name, most = (
            "notes",
            width - _LEAST_LIST - (arrange(width, Focus.EPISODES, pair, changes, titles).sidebar if wide else 0),
        )
        by = _within(_LEAST_NOTES, notes, most) - usual.notes
    else:
        return changes
    return replace(changes, **{f"{'wide' if wide else 'medium'}_{name}": by})


def usual_widths(width: int, changes: Changes) -> Changes:
    """The changes without those of the layout for this width."""
    if width >= _THREE_PANES:
        return replace(changes, wide_sidebar=0, wide_notes=0)
    return replace(changes, medium_sidebar=0, medium_notes=0)


def has_room_for_two(width: int) -> bool:
    """Whether there is room for more than one pane."""
    return width >= _TWO_PANES


def _within(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))


_ORDER = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)
_NAMES = {Focus.SIDEBAR: mark("Podcasts"), Focus.EPISODES: mark("Episodes"), Focus.NOTES: mark("Notes")}
_REMEMBERED, _TITLES = "panes", "sidebar titles"
_STEP = 2
"""The number of cells by which a key makes a pane wider or narrower."""


class PanesController:
    """Knows which pane has the focus, which resizing never changes, and lays out the panes."""

    def __init__(self, player: Player, ui: MainUi) -> None:
        self._player = player
        self._ui = ui
        self.focus = Focus.EPISODES
        self._pair = Pair.LEFT
        self._changes = Changes.read(player.remembered(_REMEMBERED))
        known = player.remembered(_TITLES)
        self._titles = int(known) if known.isascii() and known.isdigit() else USUAL_TITLES
        self.focus_mode = False
        """Whether the pane with the focus is shown alone."""

    def arrange(self) -> None:
        """Lays out the panes. The pane with the focus is always shown."""
        self._pair = pair_for(self.focus, self._pair)
        cells = self.arrangement
        self._ui.share_out(cells.sidebar, cells.episodes, cells.notes)

    @property
    def arrangement(self) -> Arrangement:
        """How the panes share the width."""
        if self.focus_mode or self._ui.glyphs.spoken:
            return alone(self._ui.columns, self.focus)
        return arrange(self._ui.columns, self.focus, self._pair, self._changes, self._titles)

    def make_room(self, titles: int) -> None:
        """The sidebar wants this many cells for its titles. The next start begins with as many."""
        if titles != self._titles:
            self._titles = titles
            self._player.remember(_TITLES, str(titles))
            self.arrange()

    def focused(self, where: Focus) -> None:
        """The focus has moved, for example by a click. A filter counts as part of the pane that it filters."""
        self.focus = {Focus.FILTER: Focus.EPISODES, Focus.SIDEBAR_FILTER: Focus.SIDEBAR}.get(where, where)
        self.arrange()

    def go_to(self, where: Focus) -> None:
        if self._ui.glyphs.spoken and where is not self.focus:
            self._ui.say(translate(_NAMES[where]))
        self.focus = where
        self.arrange()
        self._ui.give_focus(where)

    # -- keys -------------------------------------------------------------------------------------------------

    def left(self) -> None:
        self._step(-1)

    def right(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        index = _ORDER.index(self.focus) + by
        if 0 <= index < len(_ORDER):
            self.go_to(_ORDER[index])

    def next(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) + 1) % len(_ORDER)])

    def previous(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) - 1) % len(_ORDER)])

    # -- focus mode -------------------------------------------------------------------------------------------

    def toggle_focus_mode(self) -> None:
        if self.leave_focus_mode():
            return
        if self._ui.glyphs.spoken or not has_room_for_two(self._ui.columns):
            self._ui.say(_("This terminal shows one pane at a time"))
            return
        self.focus_mode = True
        self.arrange()
        back = self._ui.key_of("back")
        self._ui.say(_("Zoomed. {back} shows all panes.", back=back))

    def leave_focus_mode(self) -> bool:
        """Shows the other panes again; False if they were shown already."""
        if not self.focus_mode:
            return False
        self.focus_mode = False
        self.arrange()
        return True

    # -- widths -----------------------------------------------------------------------------------------------

    def narrower(self) -> None:
        self._widen(-_STEP)

    def wider(self) -> None:
        self._widen(_STEP)

    def _widen(self, by: int) -> None:
        width, before = self._ui.columns, self.arrangement
        if self.focus_mode or self._ui.glyphs.spoken or not has_room_for_two(width):
            self._ui.say(_("Only one pane is shown"))
            return
        self._changes = widened(width, self.focus, self._pair, self._changes, by, self._titles)
        if self.arrangement == before:
            self._ui.say(_("This pane can't get wider") if by > 0 else _("This pane can't get narrower"))
            return
        self.arrange()
        self.keep_widths()

    def reset(self) -> None:
        """Restores the default widths of the panes."""
        self._changes = usual_widths(self._ui.columns, self._changes)
        self.arrange()
        self.keep_widths()
        self._ui.say(_("Panes have their usual widths"))

    def drag(self, pane: Focus, column: int) -> None:
        """Moves the edge between two panes to a column; `pane` is the one to the right of the edge."""
        width = self._ui.columns
        if pane is Focus.NOTES:
            self._changes = placed(width, self._pair, self._changes, notes=width - column, titles=self._titles)
        else:
            self._changes = placed(width, self._pair, self._changes, sidebar=column, titles=self._titles)
        self.arrange()

    def keep_widths(self) -> None:
        """Remembers the widths for the next start."""
        self._player.remember(_REMEMBERED, self._changes.written)
