"""All keys, from the table of actions."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from player.settings import Playback
from player.text.durations import in_words, parse_time
from player.text.sentences import _, mark, translate
from tui.actions.action import Action, Group
from tui.actions.moving_keys import MovingKeys
from tui.actions.table import ACTIONS, bindings, functions, key_for, key_label
from tui.controllers.playback.playback import SPEED_STEP
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import width
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.look.glyphs import Glyphs, glyphs_of
from tui.widgets.page_view import PageView

_MOVES = tuple(action for action in ACTIONS if action.runs.startswith("move."))
DEFAULTS = Playback()
_COLUMN = 44
_GAP = 4
_SIGNS = (
    ("new", mark("unplayed")), ("started", mark("in progress")), ("played", mark("played")), ("star", mark("starred")),
    ("queued", mark("queued")), ("downloaded", mark("downloaded")),
    ("failed", mark("couldn't be refreshed")), ("waiting", mark("not loaded yet")),
    ("line", mark("in the seek bar: cached")), ("line_thin", mark("not cached yet")),
    ("bookmark", mark("bookmark")), ("pinned", mark("pinned podcast")),
    ("about", mark("an estimate until enough of the file is downloaded")),
)  # fmt: skip


class HelpScreen(Dialog[None]):
    """Every action with its keys, by group; in columns if there is room."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        *bindings(_MOVES),
        *bindings(action for action in ACTIONS if action.id == "help"),
    ]

    DEFAULT_CSS = """
    HelpScreen {
        background: $background 70%;
        align: center middle;
        & PageView {
            width: 100%;
            max-width: 160;
            height: auto;
            max-height: 100%;
            padding: 1 0 1 3;
            background: $panel;
            scrollbar-background: $panel;
            scrollbar-background-hover: $panel;
            scrollbar-background-active: $panel;
        }
        &:nocolor PageView { border: solid $line; padding: 0 0 0 2; }
    }
    """

    def __init__(self, actions: Sequence[Action] = ACTIONS, playback: Playback = DEFAULTS) -> None:
        super().__init__()
        self._actions = actions
        self._playback = playback
        self._page = PageView(id="keys")
        moves = functions(_MOVES, move=MovingKeys(lambda: self._page))
        self.runs = {**self.runs, **moves, "help": self.action_close}

    def compose(self) -> ComposeResult:
        yield self._page

    def on_resize(self, event: events.Resize) -> None:
        columns = min(event.size.width, 160) - 6
        self._page.show_lines(key_page(self._actions, columns, glyphs_of(self.app), self._playback))

    def action_close(self) -> None:
        self.dismiss()


def key_page(actions: Sequence[Action], columns: int, glyphs: Glyphs, playback: Playback = DEFAULTS) -> list[Line]:
    """The help in lines of at most `columns` cells. `playback` has the lengths of the jumps."""
    count = max(1, min(3, (columns + _GAP) // (_COLUMN + _GAP)))
    cells = (columns + _GAP) // count - _GAP
    groups = [_group(group, actions, cells, glyphs, playback) for group in Group]
    beside = [_pile(pile) for pile in _piles([group for group in groups if group], count)]
    rows = max(map(len, beside))
    lines: list[Line] = [(Run(_("Keys"), "title"), Run("   " + _("esc closes"), "muted")), ()]
    for row in range(rows):
        parts = [pile[row] if row < len(pile) else () for pile in beside]
        lines.append(_side_by_side(parts, cells))
    mouse = _(
        "The mouse works too: click a row to select it, double-click to play it, drag in the seek bar, click the"
        " play/pause symbol, click the title to go to what is playing; scroll over the bar to change the volume."
    )
    remap = _(
        "All keys can be remapped: see [keys] in config.toml. Commands without a key (theme, import, export, mute,"
        " sound output, settings…) are in the palette: {key}.",
        key=key_for("palette", actions, glyphs),
    )
    for words in (mouse, remap):
        lines += [(), *wrap([Run(words, "muted")], min(columns, 76))]
    lines += [(), (Run(_("Symbols").upper(), "group"),)]
    for sign, meaning in _SIGNS:
        for row, line in enumerate(wrap([Run(translate(meaning), "muted")], columns - 3)):
            lines.append((Run("   " if row else getattr(glyphs, sign).ljust(3), "key"), *line))
    return lines


def help_words(action: Action, actions: Sequence[Action], glyphs: Glyphs, playback: Playback) -> str:
    """What the help says about an action, with the listener's own keys and settings."""
    jump = getattr(playback, action.id, "")
    return translate(
        action.help or action.title,
        play=key_for("play", actions, glyphs),
        time=in_words(parse_time(jump)) if jump else "",
        speed_step=SPEED_STEP,
    )


def _group(group: Group, actions: Sequence[Action], cells: int, glyphs: Glyphs, playback: Playback) -> list[Line]:
    """A heading, and at least a line for each action that has a key."""
    rows = [
        (_keys(action, glyphs), help_words(action, actions, glyphs, playback))
        for action in actions
        if action.group is group and action.keys
    ]
    if not rows:
        return []
    key_cells = max(width(keys) for keys, _ in rows)
    lines: list[Line] = [(Run(translate(group.value).upper(), "group"),)]
    for keys, words in rows:
        for index, line in enumerate(wrap([Run(words, "muted")], cells - key_cells - 2)):
            key = Run((keys if index == 0 else "").ljust(key_cells + 2), "key")
            lines.append((key, *line))
    return lines


def _keys(action: Action, glyphs: Glyphs) -> str:
    return "  ".join(key_label(key, glyphs) for key in action.keys)


def _piles(groups: list[list[Line]], count: int) -> list[list[list[Line]]]:
    """The groups in order, distributed over `count` columns so that the tallest is as short as possible."""
    if count == 1 or len(groups) <= 1:
        return [groups]
    splits = range(1, len(groups) + 1)
    candidates = [[groups[:at], *_piles(groups[at:], count - 1)] if at < len(groups) else [groups] for at in splits]
    return min(candidates, key=lambda piles: max(len(_pile(pile)) for pile in piles))


def _pile(groups: list[list[Line]]) -> list[Line]:
    lines: list[Line] = []
    for group in groups:
        lines += [*([()] if lines else []), *group]
    return lines


def _side_by_side(parts: Sequence[Line], cells: int) -> Line:
    line: list[Run] = []
    for index, part in enumerate(parts):
        line += part
        if index + 1 < len(parts):
            line.append(Run(" " * (cells - width_of(part) + _GAP)))
    return tuple(line)
