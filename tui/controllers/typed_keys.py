"""Counts and sequences of two keys, on any whole screen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from tui.actions.action import Action
from tui.actions.keys import MULTIPLIED, REPEATED, Meaning, MovingKeys, TypedKeys
from tui.actions.table import key_label, sequences
from tui.controllers.playback import PlaybackController
from tui.look.glyphs import Glyphs
from tui.widgets.footer import KeyFooter

_PENDING_S = 60.0
"""How long the first key of a sequence is shown while the second hasn't been pressed."""
_MOST_TIMES = 50
"""The most repetitions of an action with a count: 9999J is a slip."""


class Acting(Protocol):
    """The screen whose actions are run. `place` returns a function that restores the current pane and tab, `tab` the
    name of the open tab."""

    footer: KeyFooter
    moves: MovingKeys
    playback: PlaybackController
    runs: Mapping[str, Callable[[], object]]

    @property
    def glyphs(self) -> Glyphs: ...

    def act(self, action_id: str) -> None: ...

    def place(self) -> Callable[[], object]: ...

    def tab(self) -> str: ...

    def say_unbound(self, pressed: str) -> None: ...


class TypedKeysController:
    def __init__(self, screen: Acting, actions: Sequence[Action], *, counts: bool) -> None:
        """`counts`: whether digits before a key count."""
        self._screen = screen
        self._actions = actions
        self.counts = counts
        self._typed = TypedKeys(sequences(actions), counts=counts)
        self._before_count: Callable[[], object] | None = None

    def forget(self) -> None:
        self._typed.forget()

    def takes(self, key: str) -> bool:
        """Whether a key is part of a count or a sequence, so that it doesn't run its own action."""
        screen = self._screen
        pressed = self._typed.press(key)
        shown = "".join(key_label(one, screen.glyphs) for one in pressed.shown)
        match pressed.meaning:
            case Meaning.COUNT:
                if len(shown) == 1:
                    self._before_count = screen.place()
                if len(shown) > 1 or not any(key in one.keys for one in self._actions if one.id in screen.runs):
                    screen.footer.flash(shown + screen.glyphs.ellipsis)
                return key == "0"
            case Meaning.BEGINS:
                screen.footer.flash(shown + screen.glyphs.ellipsis, _PENDING_S)
            case Meaning.ENDS:
                screen.footer.clear_flash()
                screen.act(pressed.action_id)
            case Meaning.NOTHING:
                screen.footer.clear_flash()
                if key != "escape":
                    screen.say_unbound(" ".join(pressed.shown))
            case Meaning.ALONE:
                return False
        return True

    def run(self, action_id: str, act: Callable[[str], None]) -> None:
        """Runs an action as often or as far as the count before its key says. If the digits have opened tabs, the tab
        from before them is restored first.

        A single digit that has opened its own tab doesn't count.
        """
        count, screen = self._typed.count, self._screen
        if count is None or action_id not in MULTIPLIED | REPEATED:
            act(action_id)
            return
        self._typed.forget()
        if self._opened_tab(count):
            act(action_id)
            return
        screen.footer.clear_flash()
        if self._before_count is not None:
            self._before_count()
        if action_id in REPEATED:
            for _time in range(min(count, _MOST_TIMES)):
                act(action_id)
            return
        screen.moves.count = screen.playback.count = count
        try:
            act(action_id)
        finally:
            screen.moves.count = screen.playback.count = None

    def _opened_tab(self, count: int) -> bool:
        """Whether the count was the key of the tab that is open."""
        tab = f"tab_{self._screen.tab()}"
        return any(one.id == tab and str(count) in one.keys for one in self._actions)
