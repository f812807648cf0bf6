"""Keys that come faster than what they lead to: values that are stepped ahead of the session, and digits in a row."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", int, float)

_AIM_S = 1.0
"""After this the session has long got where it was sent; what it says counts again."""
_AGAIN_S = 2.0
"""Digits within this time of each other belong together."""


class Aim(Generic[T]):
    """A value that the last key asked for, while the session is still on its way there."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._value: T | None = None
        self._set_at = float("-inf")

    def from_here(self, known: T) -> T:
        """What the next step starts from; `known` is what the session says."""
        return known if self._value is None or self._clock() - self._set_at > _AIM_S else self._value

    def at(self, value: T) -> T:
        """Aims at `value`, and returns it."""
        self._value, self._set_at = value, self._clock()
        return value


@dataclass(frozen=True, slots=True)
class TypedDigits:
    """Digits that were typed one after the other, with no other key between them."""

    digits: str = ""
    typed_at: float = float("-inf")

    def then(self, key: str, now: float) -> "TypedDigits":
        """`key` is Textual's name of it; `now` is in seconds."""
        if not (len(key) == 1 and key.isascii() and key.isdigit()):
            return TypedDigits()
        before = self.digits if now - self.typed_at < _AGAIN_S else ""
        return TypedDigits(before + key, now)

    @property
    def is_pair(self) -> bool:
        """Whether they are one digit, pressed twice."""
        return len(self.digits) == 2 and self.digits[0] == self.digits[1]
