"""Parses the input from a terminal (keys, reports, pastes and answers), however it is split between reads.

The input isn't trusted. A control sequence or string that is unknown or invalid is dropped as a whole: no part of it
becomes a key. An incomplete sequence is held until its rest arrives, up to a limit. Grammar: ECMA-48, 5.4 and 5.6; keys
also in kitty's keyboard protocol; mouse, pastes, focus and OSC 11 as in xterm's “XTerm Control Sequences”. `CSI ? 997 ;
1 n` for dark and `; 2 n` for light come from terminals that know mode 2031 (contour's “Dark and Light Mode detection”),
unasked, at each change.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from time import monotonic

from textual import constants, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

FOLLOW, UNFOLLOW = "\x1b[?2031h", "\x1b[?2031l"

_OSC = r"\](?P<osc>[^\x07\x18\x1a\x1b]*)(?:[\x07\x18\x1a]|\x1b\\)"
_OTHER_STRING = r"[PX^_][^\x18\x1a\x1b]*(?:[\x18\x1a]|\x1b\\)"
_UNIT = re.compile(
    r"(?P<text>[^\x1b]+)"
    r"|(?P<csi>\x1b\[(?:\[[A-E]|[0-9]{1,2}\$(?!y)|[ -?]*[@-Z\\-~]))"  # Linux's console, rxvt, all others
    rf"|(?P<string>\x1b(?:{_OSC}|{_OTHER_STRING}))"
    r"|(?P<cut>\x1b(?:\[(?:[ -?]+(?=[^ -~])|(?=\x1b))|[\]PX^_][^\x18\x1a\x1b]+(?=\x1b[^\\])))"  # more has begun
    r"|\x1b(?P<ss3>O[0-9;]*[@-~])"
    r"|\x1b(?P<alt>[^\x1b\[\]PX^_O]|[\[\]PX^_O](?=[^ -~]))"
    r"|(?P<escape>\x1b)(?=\x1b)",
    re.DOTALL,
)
_LONGEST = 1_000
"""The most characters of a control string; a longer one can't be an answer to one of our queries."""
_NONSENSE = "<<"
"""Stands for the text of a sequence that was too long to hold; no known sequence contains it."""
_PASTE, _PASTE_END = "\x1b[200~", "\x1b[201~"
_MOST_PASTED = 1_000_000
_PASTE_S = 1.0
"""A single key after this many seconds of silence doesn't belong to a paste: the paste's end was lost."""
_ONE_KEY = re.compile(r"\x1b(?:\[(?!20[01]~)[ -?]*[@-~]|O?[ -~])?")
_HELD_S = constants.ESCAPE_DELAY
"""If its rest hasn't arrived after this time, an escape is a key, and any other held sequence was cut off."""
_PIECE_S = 0.01
"""The pieces of a control string arrive at shorter intervals: a single letter after a longer one may have been
typed."""
_PIECES_S = _HELD_S / 2
"""Such a letter was typed if the string hasn't continued for this long."""
_BEGUN_STRING = re.compile(r"\x1b[\]PX^_](?!.*\x1b$)", re.DOTALL)
_STRING_END = re.compile(r"[\x07\x18\x1a\x1b]")

_COLOUR = re.compile("11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})(?:/[0-9a-fA-F]{1,4})?")
_SCHEME = re.compile(r"\x1b\[\?997;([12])n")
_FRAMES = re.compile(r"\x1b\[\?2026;[123]\$y")
_MOUSE = re.compile(r"\x1b\[<[0-9]{1,3};[0-9]{1,4};[0-9]{1,4}[Mm]")
_ANSWER = re.compile(r"\x1b\[\?[0-9;]*[cS]|\x1b\[6;[0-9]+;[0-9]+t|\x1b_Gi=31;[^\x1b]{0,200}\x1b\\")
_KEY = re.compile(r"\x1b\[(?:[0-9:;]*[A-LN-Za-z~^@$]|\[[A-E])")
_POSITION = re.compile(r"\x1b\[[0-9]+;[0-9]+R")
"""A report of the cursor's position, which Earmark doesn't request; F3 with a modifier looks the same."""
_NUMBER = re.compile("[0-9]+")
_LARGE = re.compile("[0-9]{8}")


class TerminalGround(Message):
    """The terminal has reported its background."""

    def __init__(self, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


class TerminalAnswer(Message):
    """An answer to a query about pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class TerminalInput(XTermParser):
    """Splits the input into sequences; Textual's parser only interprets complete keys and mouse reports.

    By itself, Textual's parser reads letter by letter, passes unknown sequences on as keys, and fails on some numbers.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held = ""
        self._typed = ""
        """Letters after the held control string: its rest, or keys if it was cut off."""
        self._pasted: str | None = None
        self._heard_at = self._string_at = 0.0

    @property
    def wait_s(self) -> float | None:
        """The seconds until `tick` has something to do if no more input arrives; None: it has nothing to do."""
        return max(0.0, self._heard_at + _HELD_S - monotonic()) if self._held and self._pasted is None else None

    def feed(self, data: str) -> Iterator[Message]:
        now = monotonic()
        silent_s, self._heard_at = now - self._heard_at, now
        if self._pasted is not None and silent_s > _PASTE_S and (len(data) == 1 or _ONE_KEY.fullmatch(data)):
            self._held = ""
            yield self._end_paste()
        if self._pasted is None and len(data) == 1 and silent_s > _PIECE_S and self._may_be_typed(data):
            self._typed += data
            if now - self._string_at <= _PIECES_S:
                return
            yield from self._cut_off()
            return
        self._string_at = now
        if self._typed and data[0] == "\x1b" and data[1:2] not in ("", "\\"):
            yield from self._cut_off()
        text, self._held, self._typed = self._held + self._typed + data, "", ""
        at = 0
        while at < len(text):
            if self._pasted is not None:
                at = self._paste(text, at)
                if at < len(text):
                    yield self._end_paste()
                    at += len(_PASTE_END)
            elif (found := _UNIT.match(text, at)) is not None:
                at = found.end()
                yield from self._unit(found)
            else:
                begun = text[at:]
                self._held = begun if len(begun) <= _LONGEST else begun[:2] + _NONSENSE
                return

    def tick(self) -> Iterator[Message]:
        if self._held and self._pasted is None and monotonic() - self._heard_at >= _HELD_S:
            escaped = self._held.endswith("\x1b")
            yield from self._cut_off()
            if escaped:
                yield events.Key("escape", "\x1b")

    def _may_be_typed(self, letter: str) -> bool:
        return _BEGUN_STRING.match(self._held) is not None and not _STRING_END.match(letter)

    def _cut_off(self) -> Iterator[Message]:
        """Drops the held sequence, whose rest won't arrive, and passes on the keys that were typed since."""
        held, typed, self._held, self._typed = self._held, self._typed, "", ""
        if len(held) == 2:
            yield from self._keys(held[1], alt=True)
        for letter in typed:
            yield from self._keys(letter)

    def _unit(self, found: re.Match[str]) -> Iterable[Message]:
        unit = found[0]
        if found["text"]:
            return (key for letter in unit for key in self._keys(letter))
        if found["csi"]:
            return self._sequence(unit)
        if found["string"]:
            if _ANSWER.fullmatch(unit):
                return [TerminalAnswer(unit)]
            ground = _ground(found["osc"] or "")
            return [ground] if ground is not None else []
        if found["ss3"]:
            return self._keys(unit)
        if found["alt"]:
            return list(self._keys(unit)) or self._keys(unit[1], alt=True)
        return [events.Key("escape", "\x1b")] if found["escape"] else []

    def _sequence(self, unit: str) -> Iterable[Message]:
        if unit == "\x1b[I":
            return [events.AppFocus()]
        if unit == "\x1b[O":
            return [events.AppBlur()]
        if unit == _PASTE:
            self._pasted = ""
            return []
        if _MOUSE.fullmatch(unit):
            mouse = self.parse_mouse_code(unit)
            return [mouse] if mouse is not None else []
        if _ANSWER.fullmatch(unit):
            return [TerminalAnswer(unit)]
        if _KEY.fullmatch(unit):
            return self._key(unit)
        if _FRAMES.fullmatch(unit):
            return [TerminalSupportsSynchronizedOutput()]
        scheme = _SCHEME.fullmatch(unit)
        return [TerminalGround(scheme[1] == "2")] if scheme is not None else []

    def _key(self, unit: str) -> Iterable[Message]:
        """Reduces a key of kitty's protocol to the fields that Textual reads, without its shifted letter and its letter
        in the base layout. Releases of keys are dropped."""
        if _LARGE.search(unit) or not all(_is_letter(int(number)) for number in _NUMBER.findall(unit)):
            return []
        fields = unit[2:-1].split(";")
        if len(fields) > 1 and fields[1].endswith(":3"):
            return []
        fields[:2] = [field.partition(":")[0] for field in fields[:2]]
        unit = f"\x1b[{';'.join(fields)}{unit[-1]}"
        known = unit[-1] == "u" or unit in ANSI_SEQUENCES_KEYS or f"{fields[0] or 1}{unit[-1]}" in FUNCTIONAL_KEYS
        return self._keys(unit) if known and not _POSITION.fullmatch(unit) else []

    def _keys(self, sequence: str, *, alt: bool = False) -> list[events.Key]:
        return [key for key in self._sequence_to_key_events(sequence, alt) if key.key != Keys.Ignore]

    def _paste(self, text: str, at: int) -> int:
        """Adds the pasted text from `at` on, and returns where it ends in `text`."""
        assert self._pasted is not None
        if (end := text.find(_PASTE_END, at)) < 0:  # the end isn't there yet, or only a part of it
            kept = next((n for n in range(len(_PASTE_END) - 1, 0, -1) if text.endswith(_PASTE_END[:n], at)), 0)
            self._held = text[len(text) - kept :]
        self._pasted += text[at : end if end >= 0 else len(text) - len(self._held)][: _MOST_PASTED - len(self._pasted)]
        return end if end >= 0 else len(text)

    def _end_paste(self) -> Message:
        pasted, self._pasted = self._pasted or "", None
        return events.Paste(pasted.replace("\0", ""))


def early_ground(typed: bytes) -> tuple[bool | None, bytes]:
    """Separates the terminal's answer from the first typed keys: whether its background is light (None: no answer), and
    the rest of the input."""
    told: list[bool] = []

    def taken(found: re.Match[str]) -> str:
        ground = _ground(found["osc"] or "")
        told.extend([] if ground is None else [ground.is_light])
        return found[0] if ground is None else ""

    text = _UNIT.sub(taken, typed.decode("latin-1"))
    return (told[-1] if told else None), text.encode("latin-1")


def _ground(answer: str) -> TerminalGround | None:
    """The background in an answer; None for any other answer."""
    found = _COLOUR.fullmatch(answer)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return TerminalGround(0.299 * red + 0.587 * green + 0.114 * blue > 0.5)


def _is_letter(code: int) -> bool:
    """Whether a code can be a Unicode character: in range, and not a surrogate."""
    return code <= sys.maxunicode and not 0xD800 <= code <= 0xDFFF
