"""The names of keys (in config.toml, in Textual, on the screen), the keys that move the cursor or scroll, and keys
that belong together: a count before a key, as in `10j`, and sequences of two keys.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from time import monotonic
from typing import Protocol, runtime_checkable
from unicodedata import name as unicode_name

from msgspec import Struct
from textual.keys import Keys

from tui.actions.action import Runs
from tui.look.glyphs import UNICODE, Glyphs

HELD = frozenset({
    "down", "up", "half_page_down", "half_page_up", "page_down", "page_up", "seek_back", "seek_forward",
    "seek_back_far", "seek_forward_far", "slower", "faster", "quieter", "louder",
})  # fmt: skip
"""Actions whose keys listeners hold down."""
OF_ROW = frozenset({
    "play", "read", "star", "played", "download", "pause_download", "next_episode", "previous_episode", "links",
    "copy_link", "copy_links", "queue", "queue_next", "dismiss", "refresh", "login", "about", "podcast_settings",
    "select",
})  # fmt: skip
"""Actions about the episode under the cursor."""
MOVED = frozenset({"down", "up", "half_page_down", "half_page_up", "page_down", "page_up", "first", "last"})
"""Actions that move the cursor of the list with the focus, or scroll the page with the focus."""
ON_SCREEN = frozenset({"screen_top", "screen_middle", "screen_bottom", "center"})
"""Actions that move the cursor or the list with respect to the visible rows."""
MULTIPLIED = MOVED | {"seek_back", "seek_forward", "seek_back_far", "seek_forward_far"}
"""Actions that move as far as the count typed before their key (`10j`, `3→`); `first` and `last` go to the row with
that number."""
REPEATED = frozenset({
    "next_episode", "previous_episode", "previous_chapter", "next_chapter", "slower", "faster", "quieter", "louder",
})  # fmt: skip
"""Actions that are repeated as often as the count typed before their key."""
OF_NOTHING = frozenset({"quit", "help"})
"""Actions that don't depend on the data that is shown."""

ONLY_BY_KEY = frozenset({"suspend"})
"""Actions that other programs can't request: a suspended Earmark doesn't answer the control socket, so nothing could
resume it from there."""


_NAMED = frozenset(str(key.value) for key in Keys) | {"space"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta"})
_LABELS = {
    "question_mark": "?", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "minus": "-",
    "equals_sign": "=", "plus": "+", "comma": ",", "full_stop": ".", "escape": "esc", "pagedown": "page down",
    "pageup": "page up", "delete": "del", "less_than_sign": "<", "greater_than_sign": ">",
}  # fmt: skip


def parts(key: str) -> list[str]:
    """Splits a sequence of two keys (`g g`); any other key is returned alone."""
    return key.split(" ") if len(key) > 1 else [key]


def is_key(key: str) -> bool:
    """Whether `key` names a key that a terminal can send, or a sequence of two of them."""
    one_after_other = parts(key)
    if len(one_after_other) == 2:
        return all(part and is_key(part) for part in one_after_other)
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if not set(modifiers) <= _MODIFIERS:
        return False
    return (len(last) == 1 and last.isprintable()) or last in _NAMED or last in _LABELS or key in _NAMED


def canonical(key: str) -> str:
    """The key in Textual's names, which are the same however the key was written."""
    return " ".join(map(textual_name, parts(key)))


def key_label(key: str, glyphs: Glyphs = UNICODE) -> str:
    """The key as the screen shows it: `ctrl+d`, `←`, `?`, `esc`, `gg`, `ctrl+x u`."""
    if len(parts(key)) == 2:
        labels = [key_label(part, glyphs) for part in parts(key)]
        return ("" if all(len(label) == 1 for label in labels) else " ").join(labels)
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    arrows = {"left": glyphs.left, "right": glyphs.right, "up": glyphs.up, "down": glyphs.down}
    label = arrows.get(last) or _LABELS.get(last, last)
    return "+".join([*modifiers, label])


def textual_name(key: str) -> str:
    """Textual's name of a key that is written as a character; any other name as it is."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if len(last) != 1 or last.isalnum():
        return key
    names = {"-": "minus", "+": "plus", "/": "slash", "\\": "backslash", "@": "at", "_": "underscore"}
    name = names.get(last) or unicode_name(last, last).lower().replace("-", "_").replace(" ", "_")
    return "+".join([*modifiers, name])


_FAR = 2**31


class Movable(Protocol):
    """A list with a cursor, or a page that scrolls."""

    def move_by(self, rows: int) -> object: ...

    def move_by_pages(self, pages: float) -> object: ...

    def move_to(self, row: int, /) -> object: ...


@runtime_checkable
class HasRows(Protocol):
    """A list with a cursor that knows which of its rows are on the screen."""

    def move_on_screen(self, share: float) -> object: ...

    def center(self) -> object: ...


class MovingKeys:
    """The keys that move. `moving` returns the list or page with the focus. `count` is the number typed before the key,
    if any."""

    def __init__(self, moving: Callable[[], Movable]) -> None:
        self._moving = moving
        self.count: int | None = None

    @property
    def runs(self) -> Runs:
        return {
            "down": self.down, "up": self.up, "first": self.first, "last": self.last,
            "half_page_down": self.half_page_down, "half_page_up": self.half_page_up,
            "page_down": self.page_down, "page_up": self.page_up, "screen_top": self.screen_top,
            "screen_middle": self.screen_middle, "screen_bottom": self.screen_bottom, "center": self.center,
        }  # fmt: skip

    def down(self) -> None:
        self._moving().move_by(self.count or 1)

    def up(self) -> None:
        self._moving().move_by(-(self.count or 1))

    def half_page_down(self) -> None:
        self._moving().move_by_pages(0.5 * (self.count or 1))

    def half_page_up(self) -> None:
        self._moving().move_by_pages(-0.5 * (self.count or 1))

    def page_down(self) -> None:
        self._moving().move_by_pages(self.count or 1)

    def page_up(self) -> None:
        self._moving().move_by_pages(-(self.count or 1))

    def first(self) -> None:
        self._moving().move_to((self.count or 1) - 1)

    def last(self) -> None:
        self._moving().move_to(self.count - 1 if self.count else _FAR)

    def screen_top(self) -> None:
        self._move_on_screen(0.0)

    def screen_middle(self) -> None:
        self._move_on_screen(0.5)

    def screen_bottom(self) -> None:
        self._move_on_screen(1.0)

    def center(self) -> None:
        if isinstance(moving := self._moving(), HasRows):
            moving.center()

    def _move_on_screen(self, share: float) -> None:
        if isinstance(moving := self._moving(), HasRows):
            moving.move_on_screen(share)


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
    """`sequences` are the action ids by their two keys; `now` returns the time in seconds. `counts`: whether digits
    count."""

    def __init__(
        self, sequences: Mapping[tuple[str, str], str], now: Callable[[], float] = monotonic, *, counts: bool = True
    ) -> None:
        self._sequences = sequences
        self._counts = counts
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
        before, self._digits = self._digits, self._digits.then(key if self._counts else "", self._now())
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
