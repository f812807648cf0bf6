"""What a terminal says of its background: the answer to OSC 11, and reports of mode 2031.

OSC 11 is xterm's (XTerm Control Sequences, “Operating System Commands”); `CSI ? 997 ; 1 n` for dark and `; 2 n` for
light are sent by terminals that know mode 2031 (contour's “Dark and Light Mode detection”), unasked, at each change.
"""

import re
from collections.abc import Iterable
from time import monotonic

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

FOLLOW, UNFOLLOW = "\x1b[?2031h", "\x1b[?2031l"

_OSC = re.compile("\x1b\\](\\d{1,5};[^\x07\x1b]{0,200})(?:\x07|\x1b\\\\)")
_OSC_BEGUN = re.compile("\x1b\\](?:\\d{1,5}(?:;[^\x07\x1b]{0,200}\x1b?)?)?")
_COLOUR = re.compile("11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})(?:/[0-9a-fA-F]{1,4})?")
_SCHEME = re.compile("\x1b\\[\\?997;([12])n")
_HELD_S = 0.1
"""After so long a beginning of an answer is taken for keys."""
_ANSWERS_S = 2.0
"""For so long after a question, an escape at the end of what was read may begin its answer."""


class TerminalGround(Message):
    """What the terminal's background is now."""

    def __init__(self, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


class ReplyParser(XTermParser):
    """Keeps answers apart from keys, however they are cut."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._held = ""
        self._held_since = self._asked_at = 0.0
        self._schemes: list[TerminalGround] = []

    def asked(self) -> None:
        """From any thread: the question was sent, and an answer may come."""
        self._asked_at = monotonic()

    def feed(self, data: str) -> Iterable[Message]:
        text, self._held = self._held + data, ""
        if "\x1b" in text:
            text, told = self._without_answers(text)
            yield from told
        if text or not data:
            yield from super().feed(text)
        if self._schemes:
            yield from self._schemes
            self._schemes = []

    def tick(self) -> Iterable[Message]:
        if self._held and monotonic() - self._held_since >= _HELD_S:
            keys, self._held = self._held, ""
            yield from super().feed(keys)
        yield from super().tick()

    def _without_answers(self, text: str) -> tuple[str, list[Message]]:
        """The text without answers, and what they say. One that isn't whole yet is held back."""
        told = [ground for found in _OSC.finditer(text) if (ground := _ground(found[1]))]
        text = _OSC.sub("", text)
        at = text.rfind("\x1b]")
        if at < 0 and text.endswith("\x1b") and monotonic() - self._asked_at < _ANSWERS_S:
            at = len(text) - 1
        if at >= 0 and (text[at:] == "\x1b" or _OSC_BEGUN.fullmatch(text, at)):
            text, self._held, self._held_since = text[:at], text[at:], monotonic()
        return text, list(told)

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if found := _SCHEME.fullmatch(sequence):
            self._schemes.append(TerminalGround(found[1] == "2"))
            return [events.Key(Keys.Ignore, sequence)]
        return super()._sequence_to_key_events(sequence, alt)


def early_ground(typed: bytes) -> tuple[bool | None, bytes]:
    """Whether the background is light, if the answer is among the first keys that were typed; and the others."""
    text = typed.decode("latin-1")
    told = [ground.is_light for found in _OSC.finditer(text) if (ground := _ground(found[1]))]
    return (told[-1] if told else None), _OSC.sub("", text).encode("latin-1")


def _ground(answer: str) -> TerminalGround | None:
    """None for any other answer than the colour of the background."""
    found = _COLOUR.fullmatch(answer)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return TerminalGround(0.299 * red + 0.587 * green + 0.114 * blue > 0.5)
