"""Notes that are parsed once and shared by the page, the links and the chapters in them."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from time import sleep

from player.notes.blocks import Block, Notes
from player.notes.parse import read_in_parts

_STEP = 4_000
"""Characters that are parsed in one go, in a millisecond or two."""
_REST_S = 0.001
_LONG = 20_000
"""With more characters than this, the parsing thread rests after each step, so that no key waits for it."""
_MOST_TEXTS, _MOST_CHARACTERS = 32, 500_000
"""Limits on the texts that are remembered; the newest one always is."""


class ParsedNotes:
    """The blocks of a text. For any thread: the first one that needs a part parses it for all."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = read_in_parts(text, _STEP)
        self._turn = Lock()
        self._blocks: list[Block] = []
        self._notes: Notes | None = None

    @property
    def so_far(self) -> Sequence[Block]:
        """The blocks that are there already. Never waits."""
        return tuple(self._blocks)

    def advance(self) -> bool:
        """Parses another part; False when there is none left. A long text's parts are followed by a short rest."""
        with self._turn:
            if self._notes is not None:
                return False
            part = next(self._parts, None)
            if part is None:
                self._notes = Notes(tuple(self._blocks))
                return False
            self._blocks += part
        if len(self.text) > _LONG:
            sleep(_REST_S)
        return True

    def whole(self) -> Notes:
        while self._notes is None:
            self.advance()
        return self._notes


class _Remembered:
    """The texts requested last, by the text itself: changed notes are different notes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._texts: OrderedDict[str, ParsedNotes] = OrderedDict()
        self._characters = 0

    def of(self, text: str) -> ParsedNotes:
        with self._lock:
            found = self._texts.get(text)
            if found is None:
                found = self._texts[text] = ParsedNotes(text)
                self._characters += len(text)
                while len(self._texts) > 1 and self._is_full:
                    self._characters -= len(self._texts.popitem(last=False)[0])
            else:
                self._texts.move_to_end(text)
        return found

    @property
    def _is_full(self) -> bool:
        return len(self._texts) > _MOST_TEXTS or self._characters > _MOST_CHARACTERS


_remembered = _Remembered()


def parsed(text: str) -> ParsedNotes:
    """The notes of `text`, parsed recently or still to be parsed. Returns at once."""
    return _remembered.of(text)
