"""The footer: the keys that are useful now and, at the right, a message for a moment."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, Severity
from player.text.sentences import _, translate
from tui.actions.action import Action, Focus
from tui.actions.table import key_label
from tui.drawing import cells
from tui.framework.messages import FieldMessage
from tui.look.glyphs import UNICODE, Glyphs, glyphs_of
from tui.terminal.line_by_line import say

_GAP = 3
_MARGIN = 2
_MOST = 9
_ENDLESS = 10_000
_FLASH_S: Mapping[Severity, float] = {Severity.INFORMATION: 3.0, Severity.WARNING: 6.0, Severity.ERROR: 10.0}
"""How long a message is shown."""
_BEFORE_TIP_S, _TIP_S = 1.0, 8.0
_LEAD = 3
"""The cells of a message's block before its words: blank, sign, blank. The blank after the words is in the margin."""
_BEFORE_BLOCK = 2


class Hint(Struct, frozen=True):
    """A key, a word for what it does, and the action behind it."""

    key: str
    word: str
    action_id: str

    @property
    def cells(self) -> int:
        return cells.width(self.key) + (1 + cells.width(self.word) if self.word else 0)


class FooterContext(Struct, frozen=True):
    """The state that decides which keys are shown: the pane, the selected episode, the episode in the bar and the
    playback state.

    `entry`: a word for what `enter` does with the selected entry of the page or of the sidebar, or with a row that is a
    place in an episode. `podcast`: the list shows a single podcast. `inbox`: it shows New; `queue`: the queue; `tag`:
    all podcasts with a tag. `selected` is the number of selected rows. `leaves`: the key for back leaves the screen;
    `addable`: there is a podcast to subscribe to; `offer`: the row is a library of another app; `downloads`: the row is
    a download under way; `repeat`: the entry is a repeated sound that can be marked.
    """

    where: Focus
    episode: Episode | None = None
    loaded: EpisodeId | None = None
    state: PlaybackState = PlaybackState.STOPPED
    entry: str = ""
    podcast: bool = True
    inbox: bool = False
    queue: bool = False
    selected: int = 0
    tag: bool = False
    leaves: bool = False
    addable: bool = True
    offer: bool = False
    downloads: bool = False
    repeat: bool = False


def words(context: FooterContext) -> Mapping[str, str]:
    """The labels that differ from the table's, by action ID; "" if the key does nothing here."""
    if context.where is Focus.FILTER:
        return {"play": _("apply")}
    if context.where is Focus.SIDEBAR_FILTER:
        return {"play": _("open")}
    state, episode = context.state, context.episode
    loaded = context.loaded is not None
    playing = state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING)
    here = loaded and episode is not None and context.loaded == episode.id
    changed = {"pause": "", "seek_back": "", "slower": ""}
    if loaded:
        changed = {"pause": _("pause") if playing else _("resume")}
    if not (context.offer or (context.inbox and episode)):
        changed["dismiss"] = ""
    if context.where is Focus.EPISODES:
        movable = context.queue or context.downloads
        changed["next_episode"] = _("move") if movable and episode else ""
        if not (context.downloads and episode):
            changed["pause_download"] = ""
        if context.queue:
            changed["queue"] = ""
    if context.where in (Focus.NOTES, Focus.READING):
        changed["filter"] = _("find")
    if context.where in (Focus.EPISODES, Focus.NOTES):
        changed["back"] = _("back") if context.leaves else ""
    if not context.addable:
        changed["add"] = ""
    if context.where is Focus.SIDEBAR:
        changed["play"] = context.entry or _("open")
        changed["seek_back"] = ""
        if not context.podcast:
            changed |= {"about": ""} if context.tag else {"refresh": _("refresh all"), "about": ""}
    elif context.where is Focus.ABOUT:
        changed |= {"play": context.entry or _("open"), "back": _("back")}
        if not context.podcast:
            changed |= {"podcast_settings": "", "tags": ""}
        if not context.repeat:
            changed["segment_end"] = ""
        if episode is None:
            changed |= {"star": "", "queue": ""}
        else:
            changed["star"] = _("unstar") if episode.starred else _("star")
    elif context.where is Focus.NOW_PLAYING:
        idle = "" if not loaded or playing or state is PlaybackState.PAUSED else _("play")
        changed |= {"play": context.entry or idle, "back": _("back")}
        if not loaded:
            changed |= {"star": "", "skip": "", "bookmark": "", "previous_chapter": ""}
        elif episode is not None and episode.starred:
            changed["star"] = _("unstar")
    elif context.selected:
        changed |= {"play": "", "seek_back": "", "read": "", "back": _("end selection")}
    elif episode is None:
        entry = context.entry if context.offer else ""
        changed |= {"play": entry, "star": "", "played": "", "queue": "", "download": "", "read": ""}
    else:
        changed["star"] = _("unstar") if episode.starred else _("star")
        if episode.downloaded or context.downloads:
            changed["download"] = _("delete file") if episode.downloaded else ""
        changed["played"] = _("unplayed") if episode.played else _("played")
        if here and state is PlaybackState.ERROR:
            changed["play"] = _("try again")
        elif here:
            changed["play"] = "" if playing or state is PlaybackState.PAUSED else _("play")
        if context.entry and context.where in (Focus.EPISODES, Focus.NOTES, Focus.READING):
            changed["play"] = context.entry
        elif context.where is Focus.NOTES:
            changed["play"] = _("read")
        if context.where is Focus.READING:
            changed["back"] = _("back")
    return changed


def hints(
    actions: Sequence[Action], context: FooterContext, room: int, glyphs: Glyphs = UNICODE, most: int = _MOST
) -> list[Hint]:
    """The most important hints that fit into `room` cells, always including the key for the help."""
    by_id = {action.id: action for action in actions}
    labels = words(context)
    found: list[Hint] = []
    for action in sorted(actions, key=lambda one: -one.footer):
        word = labels[action.id] if action.id in labels else translate(action.word)
        if not (action.footer and action.keys and word) or (action.where and context.where not in action.where):
            continue
        partner = by_id.get(action.partner)
        keys = [action.keys[0], *(partner.keys[:1] if partner else ())]
        gap = glyphs.dash if all(key.isdigit() for key in keys) else " "
        found.append(Hint(gap.join(key_label(key, glyphs) for key in keys), word, action.id))
    shown = found[-1:]
    room -= shown[0].cells if shown else 0
    for hint in found[:-1][: most - 1]:
        room -= hint.cells + _GAP
        if room < 0:
            break
        shown.insert(-1, hint)
    return shown


class KeyFooter(Widget):
    """One line of hints. `flash` shows a message at its right end for a moment, as a block; lasting states are plain
    text there."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("footer--key", "footer--word", "footer--news", "footer--said"),
        *(f"footer--{one.value}" for one in Severity),
    }

    DEFAULT_CSS = """
    KeyFooter {
        & > .footer--said { color: $text; background: $line; }
        & > .footer--information { color: $text; }
        & > .footer--warning { color: $accent; text-style: bold; }
        & > .footer--error { color: $error; text-style: bold; }
    }
    """

    class Pressed(FieldMessage):
        """A hint was clicked."""

        action_id: str

    def __init__(self, actions: Sequence[Action], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._actions = actions
        self._shown_context = FooterContext(Focus.EPISODES)
        self._news = ""
        self._severity = Severity.INFORMATION
        self._progress = ""
        self._selected = ""
        self._standing = ""
        self._tip = ""
        self._flash_timer: Timer | None = None

    def use(self, actions: Sequence[Action]) -> None:
        """Takes over the actions with other keys."""
        self._actions = actions
        self.refresh()

    def show(self, context: FooterContext) -> None:
        before, self._shown_context = self._shown_context, context
        # Textual redraws everything between two changed lines, such as this one at the bottom and a row near the top.
        if (before.where, words(before)) != (context.where, words(context)):
            self.refresh()

    def flash(self, news: str, seconds: float | None = None, severity: Severity = Severity.INFORMATION) -> None:
        """Shows `news` as a block, in place of an earlier one, for `seconds`, or for a time that depends on
        `severity`. To a screen reader it is only said."""
        if say(self.app, news):
            return
        self._news, self._severity = news, severity
        self.refresh()
        if self._flash_timer is not None:
            self._flash_timer.stop()
        self._flash_timer = self.set_timer(_FLASH_S[severity] if seconds is None else seconds, self.clear_flash)

    def suggest(self, tip: str) -> None:
        """Shows `tip` once what is said now has had its time."""
        self._tip = tip
        if not self._news:
            self.set_timer(_BEFORE_TIP_S, self.clear_flash)

    def has_room_for(self, words: str) -> bool:
        """Whether `flash` would show all of these words beside the key for the help."""
        return cells.width(words) <= self.room

    @property
    def room(self) -> int:
        """The cells for a message beside the key for the help."""
        least = min((hint.cells for hint in self._last_hint()), default=0)
        return self.size.width - least - _BEFORE_BLOCK - _LEAD - 2 * _MARGIN

    def show_progress(self, text: str) -> None:
        """Shows the progress of work; "" removes it. A screen reader says only that it begins."""
        if text != self._progress:
            if not self._progress:
                say(self.app, text)
            self._progress = text
            self.refresh()

    def show_selected(self, text: str) -> None:
        """Shows how many rows are selected, in place of an earlier message; "" for none."""
        if text != self._selected:
            say(self.app, text)
            self._selected = text
            if text:
                self._news = ""
            self.refresh()

    def show_standing(self, text: str) -> None:
        """Shows a lasting state while there is nothing else to show; "" removes it."""
        if text != self._standing:
            say(self.app, text)
            self._standing = text
            self.refresh()

    @property
    def news(self) -> str:
        return self._news or self._selected or self._progress or self._standing

    @property
    def here(self) -> list[str]:
        """The ids of the actions whose keys are useful now, the most important first."""
        found = hints(self._actions, self._shown_context, _ENDLESS, glyphs_of(self.app), most=len(self._actions))
        partners = {action.id: action.partner for action in self._actions}
        return [one for hint in found for one in (hint.action_id, partners[hint.action_id]) if one and one != "help"]

    def clear_flash(self) -> None:
        """Removes the message of `flash`; a tip that waits for that is next."""
        self._news = ""
        self.refresh()
        if self._tip:
            tip, self._tip = self._tip, ""
            self.flash(tip, _TIP_S)

    def _last_hint(self) -> list[Hint]:
        """The hint of the key for the help, without its word."""
        found = hints(self._actions, self._shown_context, 0, glyphs_of(self.app))
        return [replace(one, word="") for one in found[-1:]]

    def _placed(self) -> tuple[list[tuple[int, Hint]], str]:
        """The hints with their first columns, and the text at the right end.

        That text takes the place of the least important hints; the others stay where they are. The key for the help is
        always shown after the last of them, without its word if the text would be cut otherwise.
        """
        width = self.size.width - 2 * _MARGIN
        glyphs = glyphs_of(self.app)
        news, free, gap = self.news, width, _BEFORE_BLOCK + _LEAD if self._news else _GAP
        found = hints(self._actions, self._shown_context, width, glyphs)
        if not found:  # no action in the footer has a key
            return [], cells.cut(news, width - gap, glyphs.ellipsis)
        *others, last = found
        if news:
            if cells.width(news) + gap + last.cells > width:
                last = replace(last, word="")
            news = cells.cut(news, max(0, width - gap - last.cells), glyphs.ellipsis)
            free -= cells.width(news) + gap
        column, placed = 0, []
        for hint in others:
            if column + hint.cells + _GAP + last.cells > free:
                break
            placed.append((_MARGIN + column, hint))
            column += hint.cells + _GAP
        return [*placed, (_MARGIN + column, last)], news

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        ground = self.rich_style
        if y:
            return Strip.blank(width, ground)
        key, word = (self.get_component_rich_style(f"footer--{role}", partial=True) for role in ("key", "word"))
        placed, news = self._placed()
        segments = [Segment(" " * _MARGIN)]
        end = _MARGIN
        for column, hint in placed:
            segments += [Segment(" " * (column - end)), Segment(hint.key, key)]
            if hint.word:
                segments.append(Segment(" " + hint.word, word))
            end = column + hint.cells
        if news and self._news:
            segments.append(Segment(" " * max(1, width - _MARGIN - end - cells.width(news) - _LEAD)))
            segments += self._block(news)
        elif news:
            segments.append(Segment(" " * max(1, width - _MARGIN - end - cells.width(news))))
            segments.append(Segment(news, self.get_component_rich_style("footer--news", partial=True)))
        return Strip(segments).apply_style(ground).adjust_cell_length(width, ground)

    def _block(self, words: str) -> list[Segment]:
        """The message on a background of its own (reversed if there are no colours), after a sign for its severity."""
        glyphs = glyphs_of(self.app)
        signs = {Severity.WARNING: glyphs.warning, Severity.ERROR: glyphs.trouble}
        kinds = (f"footer--{self._severity.value}", "footer--said")
        sign, said = (self.get_component_rich_style(one, partial=True) for one in kinds)
        if self.app.no_color:
            sign, said = Style(bold=True, reverse=True), Style(reverse=True)
        text = Segment(f" {words} ", said)
        return [Segment(f" {signs.get(self._severity, glyphs.bullet)}", said + sign), text]

    def on_click(self, event: events.Click) -> None:
        for column, hint in self._placed()[0]:
            if column <= event.x < column + hint.cells:
                self.post_message(self.Pressed(hint.action_id))
