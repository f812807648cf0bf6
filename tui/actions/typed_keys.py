"""Keys that belong together: a count before a key, as in `10j`, and two keys pressed one after the other, as in `gg`.

A digit also opens its tab, and does so at once: nobody who wants the tab is to wait until it is clear that no count
follows. When more digits do, the tab is taken back (`TypedKeysController.run`). A single digit that has opened its tab
is no count: `4` `j` is the second link, `3` `J` the next transcript, `10j` ten rows. Textual's names of keys are used
throughout.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from time import monotonic

from msgspec import Struct

from tui.actions.steps import TypedDigits


class Meaning(Enum):
    """What a key turns out to be."""

    ALONE = "a key of its own"
    COUNT = "a digit of a count"
    BEGINS = "the first of two keys"
    ENDS = "the second of two keys"
    NOTHING = "a second key that no action has"


class Pressed(Struct, frozen=True):
    """`action_id`: what two keys run. `shown`: the digits or keys so far, for the listener."""

    meaning: Meaning
    action_id: str = ""
    shown: tuple[str, ...] = ()


class TypedKeys:
    """`sequences` has the action of each two keys; `now` tells the time in seconds."""

    def __init__(self, sequences: Mapping[tuple[str, str], str], now: Callable[[], float] = monotonic) -> None:
        self._sequences = sequences
        self._first_keys = {first for first, _second in sequences}
        self._now = now
        self._digits = TypedDigits()
        self._first = ""
        self.count: int | None = None
        """What was typed before the key that was pressed last, or before the two keys that it ends."""

    def press(self, key: str) -> Pressed:
        if self._first:
            first, self._first = self._first, ""
            action_id = self._sequences.get((first, key), "")
            return Pressed(Meaning.ENDS if action_id else Meaning.NOTHING, action_id, (first, key))
        before, self._digits = self._digits, self._digits.then(key, self._now())
        if digits := self._digits.digits:
            self.count = None
            begins_with_zero = digits[0] == "0"
            return Pressed(Meaning.ALONE) if begins_with_zero else Pressed(Meaning.COUNT, shown=(digits,))
        self.count = before.count(self._now())
        if key in self._first_keys:
            self._first = key
            return Pressed(Meaning.BEGINS, shown=(key,))
        return Pressed(Meaning.ALONE)

    def forget(self) -> None:
        self._digits, self._first, self.count = TypedDigits(), "", None
