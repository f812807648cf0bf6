"""The Unicode Bidirectional Algorithm (UAX #9) for one line, and the reordering of a line's pieces for the screen."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TypeVar

from bidi.mirror import MIRRORED
from msgspec import Struct

from player.text.directions import FSI, MARKS, RLI, is_right_to_left
from tui.drawing.cells import graphemes
from tui.terminal.bidi import Bidi

OPENERS, CLOSER = "\u2066\u2067\u2068", "\u2069"
"""LRI, RLI and FSI begin an isolate, a text that is ordered by itself; PDI ends it."""
_DEEPEST = 20
"""Isolates nested deeper than this are ignored: their text is ordered with the isolate around them."""
_STRONG = {"L": "L", "R": "R", "AL": "R", "EN": "R", "AN": "R"}
"""The direction of a class for the neutral characters beside it (rules N0 to N2); numbers count as R."""
_SAME_BRACKETS = {"\u2329": "\u3008", "\u232a": "\u3009"}
_MOST_BRACKETS = 63


class Isolate(Struct):
    """An isolate. `ends` are the indices of its opener and closer; `parts` are the indices of its characters, and the
    isolates among them."""

    opener: str
    ends: list[int]
    parts: "list[int | Isolate]"


@lru_cache(4096)
def class_of(character: str) -> str:
    """The class of a character in UAX #9: `L`, `R`, `AL`, `EN`, `WS` ... BN counts as neutral (`ON`)."""
    found = unicodedata.bidirectional(character)
    if not found:
        return "R" if "\u0590" <= character <= "\u08ff" or "\U00010800" <= character <= "\U00010fff" else "L"
    return "ON" if found == "BN" else found


def levels(characters: Sequence[str]) -> list[int]:
    """The level of each character (the first of a grapheme, or the opener or closer of an isolate): even levels are
    read from left to right, odd ones from right to left. The line itself is read from left to right."""
    found = [0] * len(characters)
    _resolve(_tree(characters), 0, characters, found)
    for at in range(len(characters) - 1, -1, -1):  # L1
        if characters[at] not in OPENERS + CLOSER and class_of(characters[at]) not in ("WS", "S", "B"):
            break
        found[at] = 0
    return found


def order(found: Sequence[int]) -> list[int]:
    """The indices of the characters in their visual order, from left to right (rule L2)."""
    indices = list(range(len(found)))
    for level in range(max(found, default=0), 0, -1):
        at = 0
        while at < len(indices):
            if found[indices[at]] < level:
                at += 1
                continue
            end = at
            while end < len(indices) and found[indices[end]] >= level:
                end += 1
            indices[at:end] = indices[at:end][::-1]
            at = end
    return indices


def _tree(characters: Sequence[str]) -> list[int | Isolate]:
    """The indices of the line's characters; each isolate takes the place of its characters, its opener and its
    closer."""
    line: list[int | Isolate] = []
    around = [line]
    open_isolates: list[Isolate] = []
    ignored = 0
    for at, character in enumerate(characters):
        if character in OPENERS:
            if len(around) > _DEEPEST:
                ignored += 1
                continue
            isolate = Isolate(character, [at], [])
            around[-1].append(isolate)
            open_isolates.append(isolate)
            around.append(isolate.parts)
        elif character == CLOSER:
            if ignored:
                ignored -= 1
            elif open_isolates:
                open_isolates.pop().ends.append(at)
                around.pop()
            else:
                line.append(at)
        else:
            around[-1].append(at)
    return line


def _direction(isolate: Isolate, characters: Sequence[str]) -> int:
    """The direction of an isolate: 0 for left to right, 1 for right to left. An FSI has that of its first strong
    character; nested isolates don't count."""
    if isolate.opener != FSI:
        return int(isolate.opener == RLI)
    own = "".join(characters[part] for part in isolate.parts if isinstance(part, int))
    return int(is_right_to_left(own))


def _resolve(parts: Sequence[int | Isolate], level: int, characters: Sequence[str], found: list[int]) -> None:
    """Writes the levels of `parts` to `found`."""
    texts = [characters[part] if isinstance(part, int) else "" for part in parts]
    base = "R" if level % 2 else "L"
    classes = _weak([class_of(text) if text else "ON" for text in texts], base)
    _brackets(texts, classes, base)
    _neutral(classes, base)
    for part, kind in zip(parts, classes, strict=True):
        own = level + (kind != "R" if level % 2 else 2 if kind in ("EN", "AN") else kind == "R")  # I1, I2
        if isinstance(part, int):
            found[part] = own
            continue
        for end in part.ends:
            found[end] = own
        inner = level + 1 if (level + 1) % 2 == _direction(part, characters) else level + 2
        _resolve(part.parts, inner, characters, found)


def _weak(classes: list[str], base: str) -> list[str]:
    """Rules W1 to W7."""
    strong = before = base
    for at, kind in enumerate(classes):
        if kind == "NSM":
            kind = classes[at] = before
        if kind in ("L", "R", "AL"):
            strong = kind
        elif kind == "EN" and strong == "AL":
            classes[at] = "AN"
        before = classes[at]
    classes = ["R" if kind == "AL" else kind for kind in classes]
    for at in range(1, len(classes) - 1):
        kind, left, right = classes[at], classes[at - 1], classes[at + 1]
        if left == right and ((kind == "ES" and left == "EN") or (kind == "CS" and left in ("EN", "AN"))):
            classes[at] = left
    at = 0
    while at < len(classes):
        end = at
        while end < len(classes) and classes[end] == "ET":
            end += 1
        if end > at and "EN" in (classes[at - 1] if at else "", classes[end] if end < len(classes) else ""):
            classes[at:end] = ["EN"] * (end - at)
        at = max(end, at + 1)
    strong = base
    for at, kind in enumerate(classes):
        if kind in ("ES", "ET", "CS"):
            classes[at] = "ON"
        elif kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            classes[at] = "L"
    return classes


def _brackets(texts: Sequence[str], classes: list[str], base: str) -> None:
    """Rule N0: a pair of brackets, with its combining marks, takes the direction of the text inside it or around it."""
    from bidi.mirror import MIRRORED

    opened: list[tuple[str, int]] = []
    pairs: list[tuple[int, int]] = []
    for at, text in enumerate(texts):
        character = text[:1]
        if classes[at] != "ON" or character not in MIRRORED:
            continue
        kind = unicodedata.category(character)
        if kind == "Ps":
            if len(opened) == _MOST_BRACKETS:
                break
            opened.append((_canonical(MIRRORED[character]), at))
        elif kind == "Pe":
            for index in range(len(opened) - 1, -1, -1):
                if opened[index][0] == _canonical(character):
                    pairs.append((opened[index][1], at))
                    del opened[index:]
                    break
    for first, last in sorted(pairs):
        inside = {_STRONG[kind] for kind in classes[first + 1 : last] if kind in _STRONG}
        if base in inside:
            direction = base
        elif inside:
            before = next((_STRONG[kind] for kind in reversed(classes[:first]) if kind in _STRONG), base)
            direction = before if before != base else base
        else:
            continue
        for at in (first, last):
            classes[at] = direction
            while (at := at + 1) < len(texts) and texts[at] and class_of(texts[at]) == "NSM":
                classes[at] = direction


def _canonical(character: str) -> str:
    return _SAME_BRACKETS.get(character, character)


def _neutral(classes: list[str], base: str) -> None:
    """Rules N1 and N2."""
    at = 0
    while at < len(classes):
        end = at
        while end < len(classes) and classes[end] not in _STRONG:
            end += 1
        if end > at:
            before = _STRONG[classes[at - 1]] if at else base
            after = _STRONG[classes[end]] if end < len(classes) else base
            classes[at:end] = [before if before == after else base] * (end - at)
        at = max(end, at + 1)


Tag = TypeVar("Tag")

_CONTROLS = OPENERS + CLOSER
_TURNED = ("R", "AL", "AN")


def reordered(pieces: Iterable[tuple[str, Tag]], mode: Bidi) -> list[tuple[str, Tag]]:
    """The pieces in visual order, from left to right. Each grapheme keeps the tag of its piece and its cells; marks of
    direction are removed."""
    texts: list[str] = []
    tags: list[Tag] = []
    for text, tag in pieces:
        for part in MARKS.split(text):
            if part in _CONTROLS:
                texts += part  # a single control, or ""
            elif not MARKS.match(part):
                texts += (grapheme for grapheme, _cells in graphemes(part))
            tags += [tag] * (len(texts) - len(tags))
    found = levels([text[0] for text in texts])
    indices = order(found)
    mirrored = [_mirrored(text) if level % 2 else text for text, level in zip(texts, found, strict=True)]
    if mode is Bidi.WORDS:
        indices = _letters_turned(indices, texts)
    joined: list[tuple[list[str], Tag]] = []
    for at in indices:
        if texts[at] in _CONTROLS:
            continue
        if joined and joined[-1][1] is tags[at]:
            joined[-1][0].append(mirrored[at])
        else:
            joined.append(([mirrored[at]], tags[at]))
    return [("".join(run), tag) for run, tag in joined]


def _letters_turned(indices: Sequence[int], texts: Sequence[str]) -> list[int]:
    """The indices for a terminal that reverses right-to-left letters itself, so that they have to be sent in reading
    order. It draws all other characters one by one, from left to right."""
    turned: list[int] = []
    for is_one, run in groupby(indices, lambda at: class_of(texts[at][0]) in _TURNED):
        run_indices = list(run)
        if is_one and any(class_of(texts[at][0]) != "AN" for at in run_indices):
            run_indices.reverse()
        turned += run_indices
    return turned


def _mirrored(grapheme: str) -> str:
    """The mirrored bracket, for right-to-left text (rule L4); any other grapheme as it is."""
    other = MIRRORED.get(grapheme[0])
    return other + grapheme[1:] if other else grapheme
