"""The help: all keys and commands of the table of actions, to read, to search, and to run."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from player.settings import Playback
from player.text.durations import in_words, parse_time
from player.text.sentences import _, mark, translate
from tui.actions.action import Action, Group
from tui.actions.keys import MovingKeys
from tui.actions.palette import IN_ONE_PIECE, score
from tui.actions.table import ACTIONS, CURSOR_MOVES, bindings, key_for, key_label, keys_of
from tui.controllers.playback import SPEED_STEP
from tui.dialogs.dialog import Dialog
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import UNICODE, Glyphs, glyphs_of
from tui.widgets.choices import Choice
from tui.widgets.command_rows import CommandRow, CommandRows, SearchField

_SHARED = frozenset({"play", "filter", "back", "quit"})
"""Actions whose keys do the same here as everywhere, except for letters, which are typed into the search."""
DEFAULTS = Playback()
_MOUSE = (
    (mark("Select a row"), mark("click")),
    (mark("Play or open a row"), mark("double-click")),
    (mark("Jump within the episode"), mark("drag in the seek bar")),
    (mark("Pause or resume"), mark("click the play/pause symbol")),
    (mark("Go to what is playing; open its podcast"), mark("click its title; its podcast")),
    (mark("Normal speed, and back; mute"), mark("click the speed; the volume")),
    (mark("Change the volume; the speed"), mark("scroll over the bar; over the speed")),
    (mark("Copy text: any, a word, a paragraph"), mark("drag, double-click, triple-click")),
    (mark("Make panes wider or narrower"), mark("drag the edge between them")),
    (mark("The terminal's own selection"), mark("drag with shift")),
)
_SIGNS = (
    ("new", mark("unplayed")), ("started", mark("in progress")), ("played", mark("played")), ("star", mark("starred")),
    ("queued", mark("queued")), ("downloaded", mark("downloaded")),
    ("failed", mark("couldn't be refreshed")), ("waiting", mark("not loaded yet")),
    ("line", mark("in the seek bar: played or cached")), ("line_thin", mark("not cached yet")),
    ("bookmark", mark("bookmark")), ("pinned", mark("pinned podcast")),
    ("about", mark("an estimate until enough of the file is downloaded")),
)  # fmt: skip


class HelpScreen(Dialog[str]):
    """Letters search at once. Answers with the id of the chosen action, or with None.

    `here` are the ids of the actions in the footer of the screen below; they are listed first. `enter` chooses an
    action if it is `runnable` (None: all are).
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(CURSOR_MOVES),
        *bindings(action for action in ACTIONS if action.id in _SHARED),
    ]

    DEFAULT_CSS = """
    HelpScreen {
        & #dialog { width: 78; height: 100%; max-height: 60; margin: 1 0; padding: 1 0 0 1; overflow: hidden; }
        & Input { width: 100%; margin: 0 2 1 1; }
        & CommandRows { height: 1fr; }
        &.-low #dialog { margin: 0; padding: 0; }
        &.-low Input { margin: 0 1; }
    }
    """

    def __init__(
        self,
        actions: Sequence[Action] = ACTIONS,
        playback: Playback = DEFAULTS,
        here: Sequence[str] = (),
        runnable: Collection[str] | None = None,
    ) -> None:
        super().__init__(_("Keys and commands"))
        self._actions = actions
        self._playback = playback
        self._here = here
        self._runnable = runnable
        self._list = CommandRows(id="keys")
        self._list.can_focus = False
        self._input = SearchField(self._take, placeholder=_("Type what to do, or a key"), max_length=MOST_LETTERS)
        self.runs = {
            **self.runs,
            **MovingKeys(lambda: self._list).runs,
            "play": self.action_take,
            "filter": lambda: None,
            "back": self._back,
            "quit": self.dismiss,
            "help": self.dismiss,
        }

    def choices(self) -> list[Choice]:
        glyphs = glyphs_of(self.app)
        hints = {"play": _("run"), "back": _("clear") if self._input.value else _("close")}
        return [Choice(f"act({one!r})", key_for(one, self._actions, glyphs), words) for one, words in hints.items()]

    def _take(self, key: str) -> bool:
        """Runs the action of a key while nothing has been typed; False if the key has none here."""
        action = next((one for one in self._actions if one.id in self.runs and key in keys_of((one,), self.runs)), None)
        if action is not None:
            self.act(action.id)
        return action is not None

    def contents(self) -> ComposeResult:
        yield self._input
        yield self._list

    def on_mount(self) -> None:
        self._input.focus()
        self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        words = self._input.value
        rows = help_rows(self._actions, glyphs_of(self.app), self._playback, self._here, words)
        self._list.show_rows(rows, _("Nothing matches “{words}”.", words=words))
        self.show_frame()

    def _back(self) -> None:
        if not self._input.value:
            self.dismiss(None)
        self._input.value = ""

    def action_take(self) -> None:
        row = self._list.chosen
        if row is not None and row.answer and (self._runnable is None or row.answer in self._runnable):
            self.dismiss(row.answer)


def help_rows(
    actions: Sequence[Action],
    glyphs: Glyphs = UNICODE,
    playback: Playback = DEFAULTS,
    here: Sequence[str] = (),
    words: str = "",
) -> list[CommandRow]:
    """The rows of the help; with `words`, only the rows that match them. `playback` has the lengths of the jumps."""
    palette = "".join(f"{key_for(one.id, actions, glyphs)} {glyphs.ellipsis}" for one in actions if one.id == "palette")
    rows = {action.id: _row(action, actions, glyphs, playback, palette) for action in actions}
    mouse = [CommandRow(translate(what), translate(how)) for what, how in _MOUSE]
    signs = [CommandRow(translate(meaning), getattr(glyphs, sign)) for sign, meaning in _SIGNS]
    if words.strip():
        others = {action.id: f"{translate(action.title)} {translate(action.also)}" for action in actions}
        return _found([*rows.values(), *mouse, *signs], others, words)
    groups = [(_("Here"), [rows[one] for one in here if one in rows])]
    groups += [(translate(group), [rows[one.id] for one in actions if one.group is group]) for group in Group]
    groups += [(_("Mouse"), mouse), (_("Symbols"), signs)]
    shown: list[CommandRow] = []
    for heading, some in groups:
        if some:
            shown += [CommandRow(heading.upper(), heading=True), *some, CommandRow("", heading=True)]
    return [*shown, CommandRow(_("Remap keys: [keys] in config.toml"))]


def _row(action: Action, actions: Sequence[Action], glyphs: Glyphs, playback: Playback, palette: str) -> CommandRow:
    """The row of an action. Without a key of its own, the row shows the palette's, which runs it by name; a preview has
    no palette."""
    words = help_words(action, actions, glyphs, playback)
    keys = "  ".join(key_label(key, glyphs) for key in action.keys)
    return CommandRow(words, keys or palette, answer=action.id, quiet=not keys)


def _found(rows: Sequence[CommandRow], others: Mapping[str, str], words: str) -> list[CommandRow]:
    """The rows that match, the best first. Scattered letters don't count as a match."""
    scored = [(row, score(words, row.title, f"{others.get(row.answer, '')} {row.keys}")) for row in rows]
    scored = [(row, found) for row, found in scored if found[0] >= IN_ONE_PIECE]
    scored.sort(key=lambda one: -one[1][0])
    return [replace(row, hits=hits) for row, (_score, hits) in scored]


def help_words(action: Action, actions: Sequence[Action], glyphs: Glyphs, playback: Playback) -> str:
    """The words of the help for an action, with the listener's own keys and settings."""
    jump = getattr(playback, action.id, "")
    return translate(
        action.help or action.title,
        play=key_for("play", actions, glyphs),
        time=in_words(parse_time(jump)) if jump else "",
        speed_step=SPEED_STEP,
    )
