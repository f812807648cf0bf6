"""Digits that are typed in a row."""

from msgspec import Struct

_AGAIN_S = 2.0
"""Digits within this time of each other, and of the key after them, belong together."""
_MOST_DIGITS = 6


class TypedDigits(Struct, frozen=True):
    """Digits that were typed one after the other, with no other key between them."""

    digits: str = ""
    typed_at: float = float("-inf")

    def then(self, key: str, now: float) -> "TypedDigits":
        """`key` is Textual's name of it; `now` is in seconds."""
        if not (len(key) == 1 and key.isascii() and key.isdigit()):
            return TypedDigits()
        before = self.digits if now - self.typed_at < _AGAIN_S else ""
        return TypedDigits(before + key, now)

    def count(self, now: float) -> int | None:
        """How often the key that is pressed now is meant; None if no count has just been typed. None begins with 0."""
        fresh = self.digits and self.digits[0] != "0" and now - self.typed_at < _AGAIN_S
        return int(self.digits[:_MOST_DIGITS]) if fresh else None

    @property
    def is_pair(self) -> bool:
        """Whether they are one digit, pressed twice."""
        return len(self.digits) == 2 and self.digits[0] == self.digits[1]
