"""Digits that are typed in a row."""

from msgspec import Struct

_AGAIN_S = 2.0
"""Digits within this time of each other belong together."""


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

    @property
    def is_pair(self) -> bool:
        """Whether they are one digit, pressed twice."""
        return len(self.digits) == 2 and self.digits[0] == self.digits[1]
