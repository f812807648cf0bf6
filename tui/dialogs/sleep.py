"""The sleep timer's dialog: after how long, or at the end of what, playback stops."""

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets.option_list import Option

from player.model.episode import Chapters
from player.model.playback import PlaybackStatus, SleepChoice, SleepUntil
from player.playback.sleep import chapter_end
from player.text.durations import clock
from player.text.sentences import _, mark
from tui.actions.table import ACTIONS, bindings
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.phrases import choice_words, left_words
from tui.look.glyphs import glyphs_of

OFF = "off"
_LONGER = "longer"
_MINUTES = (5, 10, 15, 30, 45, 60)
_FEWEST_EPISODES = 2
_SHOW_S = 0.5


class _Row(Struct, frozen=True):
    answer: SleepChoice | str
    words: str
    detail: str = ""


class SleepScreen(OptionsDialog[SleepChoice | str]):
    """Answers with the choice, OFF, or None. `longer` adds five minutes to a running timer.

    Digits type a number of minutes, or of episodes while their row is selected. `last` is selected first. `key` is the
    key that opens this dialog: here it extends a running timer, or else starts the selected one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(action for action in ACTIONS if action.id == "sleep"),
        ("enter", "take", mark("choose")),
        ("escape,q", "close", mark("close")),
    ]

    DEFAULT_CSS = """
    SleepScreen {
        &.-low #told { display: none; }
    }
    """

    def __init__(
        self,
        status: Callable[[], PlaybackStatus],
        chapters: Chapters,
        last: SleepChoice,
        longer: Callable[[], None],
        key: str,
    ) -> None:
        super().__init__(told=_("Type a number for other minutes or episodes"))
        self._status = status
        self._chapters = chapters
        self._last = last
        self._longer = longer
        self._key = key
        self._typed = ""
        self._episodes = max(last.count, _FEWEST_EPISODES) if last.until is SleepUntil.EPISODE else _FEWEST_EPISODES
        self._other = last.count if last.until is SleepUntil.MINUTES and last.count not in _MINUTES else 0
        """The typed number of minutes, if it isn't among `_MINUTES`; 0 for none."""
        self._rows: tuple[_Row, ...] = ()
        self._ran = False
        moves = {action_id: partial(self._move, step) for action_id, step in self.list.moves().items()}
        self.runs = {**self.runs, **moves, "sleep": self._again}

    def heading(self) -> Content:
        sleep = self._now().sleep
        left = _("{left} left", left=left_words(sleep)) if sleep.choice is not None else ""
        after = f" {glyphs_of(self.app).dot} {left}" if left else ""
        return Content.assemble(_("Sleep timer"), Content.styled(after, "not bold"))

    def contents(self) -> ComposeResult:
        yield self.list
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self._show(self._last)
        self.set_interval(_SHOW_S, self._tick)

    # -- choices ------------------------------------------------------------------------------------------------

    def _found(self) -> tuple[_Row, ...]:
        status = self._now()
        rows = []
        if status.sleep.choice is not None:
            rows += [
                _Row(OFF, _("Turn off")),
                _Row(_LONGER, _("5 minutes longer"), _("{key} again", key=self._key)),
            ]
        minutes = sorted({*_MINUTES, self._other} - {0})
        rows += [_choice(SleepUntil.MINUTES, one) for one in minutes]
        if status.episode is None or status.live:
            return tuple(rows)
        if self._chapters.listed:
            end_ms = chapter_end(self._chapters, status.position_ms, status.duration_ms) or status.duration_ms
            rows.append(_choice(SleepUntil.CHAPTER, 1, _left(status, end_ms)))
        rows.append(_choice(SleepUntil.EPISODE, 1, _left(status, status.duration_ms)))
        rows.append(_choice(SleepUntil.EPISODE, self._episodes))
        return tuple(rows)

    def _show(self, selected: SleepChoice | str | None) -> None:
        self._rows = self._found()
        self.list.clear_options()
        self.list.add_options([Option(_drawn(row)) for row in self._rows])
        answers = [row.answer for row in self._rows]
        usual = next(row.answer for row in self._rows if isinstance(row.answer, SleepChoice))
        self.list.highlighted = answers.index(selected if selected in answers else usual)
        self.call_after_refresh(self.list.scroll_to_highlight)
        self._show_title()

    def _tick(self) -> None:
        """Updates the time left; the timer may have ended."""
        if self._ran is not (self._now().sleep.choice is not None):
            self._show(self._selected)
        for at, row in enumerate(rows := self._found()):
            if row != self._rows[at]:
                self.list.replace_option_prompt_at_index(at, _drawn(row))
        self._rows = rows
        self._show_title()

    def _show_title(self) -> None:
        self._ran = self._now().sleep.choice is not None
        self.frame.head(self.heading())

    def _now(self) -> PlaybackStatus:
        return self._status().at(time.monotonic())

    @property
    def _selected(self) -> SleepChoice | str | None:
        at = self.list.highlighted
        return None if at is None else self._rows[at].answer

    # -- keys ---------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        if event.key == "backspace" or (event.character or "") in tuple("0123456789"):
            event.stop()
            event.prevent_default()
            self._type(self._typed[:-1] if event.key == "backspace" else self._typed + (event.character or ""))

    def _type(self, digits: str) -> None:
        """Selects the typed number. If it gets too large, it starts again with the last digit."""
        selected = self._selected
        episodes = isinstance(selected, SleepChoice) and selected.until is SleepUntil.EPISODE and selected.count > 1
        until = SleepUntil.EPISODE if episodes else SleepUntil.MINUTES
        if digits and not SleepChoice(until, int(digits)).possible:
            digits = digits[-1]
        self._typed = digits
        count = int(digits or "0")
        if not SleepChoice(until, count).possible:
            return
        if episodes:
            self._episodes = max(_FEWEST_EPISODES, count)
        else:
            self._other = count
        self._show(SleepChoice(until, self._episodes if episodes else count))

    def _again(self) -> None:
        if self._now().sleep.choice is not None:
            self._longer()
        elif (selected := self._selected) is not None:
            self._choose(selected)

    def _choose(self, answer: SleepChoice | str) -> None:
        if answer == _LONGER:
            self._longer()
            self.dismiss()
        else:
            self.dismiss(answer)

    def action_take(self) -> None:
        if (selected := self._selected) is not None:
            self._choose(selected)

    def _move(self, step: Callable[[], None]) -> None:
        self._typed = ""
        step()


def _choice(until: SleepUntil, count: int, detail: str = "") -> _Row:
    choice = SleepChoice(until, count)
    return _Row(choice, choice_words(choice), detail)


def _left(status: PlaybackStatus, end_ms: int | None) -> str:
    """The time from the current position to `end_ms`, in words."""
    if end_ms is None:
        return ""
    return _("in {time}", time=clock(round(status.until_ms(end_ms))))


def _drawn(row: _Row) -> Content:
    return Content.assemble(row.words, Content.styled(f"  {row.detail}" if row.detail else "", "$muted"))
