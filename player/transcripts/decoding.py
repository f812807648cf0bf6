"""Decodes a file whose encoding is unknown or declared wrongly."""

import codecs

LIMIT = 16 * 1024**2
"""Most bytes that are read."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LOOK = 4096


def decode(data: bytes) -> str:
    """By its byte order mark, else UTF-8, else UTF-16 where every other byte is 0, else Windows-1252. Lines end with
    a newline alone. "" if it isn't text."""
    cut = data[:LIMIT]
    text = _decoded(cut, whole=len(cut) == len(data)).replace("\r\n", "\n").replace("\r", "\n")
    return "" if _is_binary(text) else text


def _decoded(data: bytes, *, whole: bool) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    head = data[:_LOOK]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) * 2 > len(zeros):
            return data.decode(encoding, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    # A few broken bytes don't make it another encoding.
    letters = sum(1 for letter in text if letter > "\x7f")
    return text if text.count("\ufffd") * 10 <= letters else data.decode("cp1252", "replace")


def _is_binary(text: str) -> bool:
    head = text[:_LOOK]
    odd = sum(1 for letter in head if (letter < " " and letter not in "\n\t\f\x1b") or letter == "\ufffd")
    return text.startswith("%PDF-") or odd * 20 > len(head)
