"""JSON (RFC 8259) read piece by piece: the members of one object, and the elements of its arrays one after the other.

So a file of any size needs no more memory than its largest element.
"""

import codecs
import json
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

LARGEST = 64_000_000
"""Characters of an element, or of a member that is no array."""
_FIRST_READ, _MOST_READ = 1 << 16, 1 << 24
_SPACES = " \t\r\n"


class BrokenJson(ValueError):
    """It ends too early, isn't JSON, isn't an object, or has something too large in it."""


def members(read: Callable[[int], bytes]) -> Iterator[tuple[str, Any]]:
    """The members of the object that `read` gives, each with its name; of an array each element, with the array's
    name. An empty array gives nothing. Raises BrokenJson after what could be read, and what `read` raises."""
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
    """What has been read and not yet been used."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._json = json.JSONDecoder(parse_constant=_refuse)
        self._text, self._at, self._ended = "", 0, False

    def skip(self, sign: str) -> bool:
        """Whether that comes next; then it is used."""
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
        """The next value, whatever it is."""
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
        """A number may go on in what wasn't read yet."""
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
