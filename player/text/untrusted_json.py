"""JSON (RFC 8259) from outside: read piece by piece, and values of unknown type converted to the expected types."""

import codecs
import json
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from player.text.cleaning import clean_line

LARGEST = 64_000_000
"""The most characters of an element, or of a member that isn't an array."""
_FIRST_READ, _MOST_READ = 1 << 16, 1 << 24
_SPACES = " \t\r\n"


class BrokenJson(ValueError):
    """The text ends too early, isn't JSON, isn't an object, or contains something too large."""


def members(read: Callable[[int], bytes]) -> Iterator[tuple[str, Any]]:
    """The members of the object that `read` returns in pieces, each with its name; an array is given as its elements,
    each with the array's name, and an empty array not at all. Raises BrokenJson after the members that could be read,
    and the exceptions of `read`."""
    text = _Text(read)
    text.expect("{")
    if text.skip("}"):
        return
    while True:
        name = text.value()
        if not isinstance(name, str):
            raise BrokenJson("a name is no text")
        text.expect(":")
        if text.skip("["):
            if not text.skip("]"):
                yield name, text.value()
                while text.skip(","):
                    yield name, text.value()
                text.expect("]")
        else:
            yield name, text.value()
        if not text.skip(","):
            text.expect("}")
            return


class _Text:
    """The text that has been read but not used yet."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._json = json.JSONDecoder(parse_constant=_refuse)
        self._text, self._at, self._ended = "", 0, False

    def skip(self, sign: str) -> bool:
        """Whether `sign` comes next; if so, it is used."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACES:
                    found = self._text[self._at] == sign
                    self._at += found
                    return found
                self._at += 1
            if not self._more(_FIRST_READ):
                return False

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            raise BrokenJson(f"no {sign} where one belongs")

    def value(self) -> Any:
        """The next value, of any type."""
        self.skip("")
        size = _FIRST_READ
        while True:
            try:
                found, end = self._json.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise BrokenJson("nested too deeply") from error
            except ValueError as error:
                if len(self._text) - self._at > LARGEST or not self._more(size):
                    raise BrokenJson(str(error)) from error
            else:
                if self._is_whole(found, end):
                    self._at = end
                    return found
                if not self._more(size):
                    raise BrokenJson("it ends in a number")
            size = min(2 * size, _MOST_READ)

    def _is_whole(self, found: Any, end: int) -> bool:
        """False for a number that may go on in the part that hasn't been read yet."""
        is_number = isinstance(found, int | float) and not isinstance(found, bool)
        return not is_number or (end < len(self._text) and self._text[end] not in ".eE+-")

    def _more(self, size: int) -> bool:
        """Reads on; False at the end."""
        if self._ended:
            return False
        data = self._read(size)
        self._ended = not data
        self._text = self._text[self._at :] + self._decoder.decode(data, final=self._ended)
        self._at = 0
        return True


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


MOST = 2**53
"""No value that Earmark reads is larger."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_MS = 32_503_680_000_000
"""The year 3000."""


def line_of(value: object, limit: int = 500) -> str:
    """A line that is safe to show and to store; "" for a value that isn't text. A number is written as its digits."""
    if isinstance(value, bytes):
        value = value[: limit * 4].decode("utf-8", "replace")
    if isinstance(value, str):
        return clean_line(value, limit)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST else ""


def whole_of(value: object) -> int | None:
    """A whole number from 0 on, rounded down, also from a text of digits; None for anything else."""
    if isinstance(value, str) and len(value) < 32:
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return int(value) if 0 <= value < MOST else None


def is_true(value: object) -> bool:
    """True, any number but 0, and the texts that other programs write for it."""
    if isinstance(value, str):
        return value.strip().lower() in ("1", "true", "yes")
    return isinstance(value, int | float) and value == value and value != 0


def moment_of_ms(value: object) -> datetime | None:
    """Milliseconds since 1970; None for 0 (never), and for a value that can't be a moment."""
    ms = whole_of(value)
    return _EPOCH + timedelta(milliseconds=ms) if ms and ms < _LATEST_MS else None


def moment_of_s(value: object) -> datetime | None:
    """Seconds since 1970; otherwise like `moment_of_ms`."""
    if isinstance(value, str):
        value = whole_of(value)
    return moment_of_ms(value * 1000) if isinstance(value, int | float) else None


def moment_of_text(value: object) -> datetime | None:
    """ISO 8601; a time without a zone is UTC. None for a value that can't be a moment."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        found = datetime.fromisoformat(value.strip())
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found if found > _EPOCH else None


def moment_of_date(value: object) -> datetime | None:
    """ISO 8601, or the form of RFC 5322 that feeds use (`Thu, 02 Jan 2025 00:00:00 GMT`)."""
    from email.utils import parsedate_to_datetime  # 15 ms

    if not isinstance(value, str) or len(value) > 100:
        return None
    if (found := moment_of_text(value)) is not None:
        return found
    try:
        found = parsedate_to_datetime(value)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return found if found > _EPOCH else None


def ms_of_s(value: object) -> int:
    """Milliseconds of seconds, which may have a fraction; 0 for a value that isn't a length."""
    if isinstance(value, str):
        value = whole_of(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return round(value * 1000) if 0 <= value < MOST / 1000 else 0
