"""Where a line of text may end: at spaces, and between wide characters, as in Chinese; never inside a grapheme."""

from collections.abc import Iterator

from rich.cells import get_character_cell_size

from tui.drawing.cells import graphemes

NOT_AT_START = frozenset("、。，．・：；？！）］｝」』】》〉〕ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々!),.:;?]}%’”")
NOT_AT_END = frozenset("（［｛「『【《〈〔([{‘“")


def chunks(token: str, *, after_wide: bool = False) -> Iterator[tuple[str, bool]]:
    """Splits a word into parts, each with whether a line may end before it.

    Korean is wide too, but its words aren't broken.
    """
    if not token:
        return
    start, at, free, wide_before = 0, 0, False, after_wide
    for text, cells in graphemes(token):
        wide = cells == 2 and not _is_hangul(text[0])
        before = token[at - 1] if at > start else ""
        may_part = (wide or wide_before) and text[0] not in NOT_AT_START and before not in NOT_AT_END
        if at > start and may_part:
            yield token[start:at], free
            start = at
        if at == start:
            free = may_part
        at += len(text)
        wide_before = wide
    yield token[start:], free


def last_end(text: str, start: int, end: int) -> int:
    """The last position after `start`, and not after `end`, where a line may end; `start` if there is none.

    This and `next_end` expect a text whose graphemes are a character and its marks, and whose blanks are spaces.
    """
    if text[end] != " ":
        while end > start and text[end - 1] != " " and not _may_end(text, end):
            end -= 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def next_end(text: str, start: int) -> int:
    """The next position after `start` where a line may end."""
    end = start + 1
    while end < len(text) and text[end] != " " and not _may_end(text, end):
        end += 1
    return end


def _may_end(text: str, at: int) -> bool:
    """Whether a line may end between two characters of a word: like `chunks`, for a single position."""
    cells = get_character_cell_size(text[at])
    if not cells or text[at] in NOT_AT_START or text[at - 1] in NOT_AT_END:
        return False
    before = at - 1
    while before and not get_character_cell_size(text[before]):
        before -= 1
    return _is_wide(text[at]) or _is_wide(text[before])


def _is_wide(character: str) -> bool:
    return get_character_cell_size(character) == 2 and not _is_hangul(character)


def _is_hangul(character: str) -> bool:
    return (
        "\uac00" <= character <= "\ud7ff"
        or "\u1100" <= character <= "\u11ff"
        or "\u3130" <= character <= "\u318f"
        or "\ua960" <= character <= "\ua97f"
    )
