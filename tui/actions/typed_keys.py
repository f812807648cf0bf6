"""Keys that belong together: a count before a key, as in `10j`, and sequences of two keys."""

from collections.abc import Callable, Mapping
from enum import Enum
from time import monotonic

from msgspec import Struct

_AGAIN_S = 2.0
"""Seconds between two digits, or a digit and the key after it, within which they belong together."""
_MOST_DIGITS = 6


class TypedDigits(Struct, frozen=True):
    """Digits that were typed one after the other, with no other key between them."""

    digits: str = ""
    typed_at: float = float("-inf")

    def then(self, key: str, now: float) -> "TypedDigits":
        """The digits after another key was pressed. `key` is its name in Textual; `now` is in seconds."""
        if not (len(key) == 1 and key.isascii() and key.isdigit()):
            return TypedDigits()
        before = self.digits if now - self.typed_at < _AGAIN_S else ""
        return TypedDigits(before + key, now)

    def count(self, now: float) -> int | None:
        """The count for the key that is pressed now; None if no count has just been typed. A count doesn't begin with
        0."""
        fresh = self.digits and self.digits[0] != "0" and now - self.typed_at < _AGAIN_S
        return int(self.digits[:_MOST_DIGITS]) if fresh else None

    @property
    def is_pair(self) -> bool:
        """Whether the same digit was pressed twice."""
        return len(self.digits) == 2 and self.digits[0] == self.digits[1]


class Meaning(Enum):
    """The meaning of a pressed key."""

    ALONE = "a key of its own"
    COUNT = "a digit of a count"
    BEGINS = "the first of two keys"
    ENDS = "the second of two keys"
    NOTHING = "a second key that no action has"


class Pressed(Struct, frozen=True):
    """`action_id` is the action of a completed sequence. `shown` are the digits or keys so far, for the listener."""

    meaning: Meaning
    action_id: str = ""
    shown: tuple[str, ...] = ()


class TypedKeys:
    """`sequences` are the action ids by their two keys; `now` returns the time in seconds."""

    def __init__(self, sequences: Mapping[tuple[str, str], str], now: Callable[[], float] = monotonic) -> None:
        self._sequences = sequences
        self._first_keys = {first for first, _second in sequences}
        self._now = now
        self._digits = TypedDigits()
        self._first = ""
        self.count: int | None = None
        """The count typed before the last key, or before the sequence of two keys that it completes."""

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
