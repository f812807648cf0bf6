"""Keys by name: as they are written in config.toml, as Textual calls them, and as a reader sees them."""

from unicodedata import name as unicode_name

from textual.keys import Keys

from tui.look.glyphs import UNICODE, Glyphs

_NAMED = frozenset(str(key.value) for key in Keys) | {"space"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta"})
_LABELS = {
    "question_mark": "?", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "minus": "-",
    "equals_sign": "=", "plus": "+", "comma": ",", "full_stop": ".", "escape": "esc", "pagedown": "page down",
    "pageup": "page up", "delete": "del", "less_than_sign": "<", "greater_than_sign": ">",
}  # fmt: skip


def parts(key: str) -> list[str]:
    """The keys of two that are pressed one after the other (`g g`); any other key alone."""
    return key.split(" ") if len(key) > 1 else [key]


def is_key(key: str) -> bool:
    """Whether a terminal can send a key of that name, or two."""
    one_after_other = parts(key)
    if len(one_after_other) == 2:
        return all(part and is_key(part) for part in one_after_other)
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if not set(modifiers) <= _MODIFIERS:
        return False
    return (len(last) == 1 and last.isprintable()) or last in _NAMED or last in _LABELS or key in _NAMED


def canonical(key: str) -> str:
    """Textual's names, the same for each way to write a key."""
    return " ".join(map(textual_name, parts(key)))


def key_label(key: str, glyphs: Glyphs = UNICODE) -> str:
    """How a key is written for a reader: `ctrl+d`, `←`, `?`, `esc`, `gg`, `ctrl+x u`."""
    if len(parts(key)) == 2:
        labels = [key_label(part, glyphs) for part in parts(key)]
        return ("" if all(len(label) == 1 for label in labels) else " ").join(labels)
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    arrows = {"left": glyphs.left, "right": glyphs.right, "up": glyphs.up, "down": glyphs.down}
    label = arrows.get(last) or _LABELS.get(last, last)
    return "+".join([*modifiers, label])


def textual_name(key: str) -> str:
    """Textual's name for a key that is written as its character."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if len(last) != 1 or last.isalnum():
        return key
    names = {"-": "minus", "+": "plus", "/": "slash", "\\": "backslash", "@": "at", "_": "underscore"}
    name = names.get(last) or unicode_name(last, last).lower().replace("-", "_").replace(" ", "_")
    return "+".join([*modifiers, name])
