"""Recodes a feed as UTF-8, whatever its encoding, so that both parsers and every check see the same text.

Sources: RFC 7303 (a byte order mark counts before the charset of Content-Type, and that before the XML declaration),
XML 1.0 (appendix F: how to tell an encoding by the first bytes), WHATWG's Encoding Standard (what the names mean:
ISO-8859-1 is windows-1252). Where what is declared can't be true, the bytes decide.
"""

import codecs
import re
from functools import cache

_HEAD = 4_096
_MOST_WRONG = 100_000
"""Most faults with which a text still counts as UTF-8: each costs as much as 500 good bytes."""
_ASCII = bytes(range(32, 127))
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Where the zeros stand in the first four bytes of a text that begins with ASCII.
_ZEROS = {
    (True, True, True, False): "utf-32-be",
    (False, True, True, True): "utf-32-le",
    (True, False, True, False): "utf-16-be",
    (False, True, False, True): "utf-16-le",
}
_UNNAMED = re.compile(r"(?:cp|iso8859-|koi8|mac|kz1048|ptcp154|hp-roman8|johab|euc|gb|big5)")
"""Python's encodings that the standard doesn't name, and that only encode characters."""
_LARGER = {"gbk": "gb18030", "gb2312": "gb18030"}
_WITH_PAIRS = ("cp874", "iso8859-11", "tis-620")
"""A byte for each character, but short texts in these can pass for UTF-8."""


def as_utf8(body: bytes, content_type: str) -> bytes:
    """`body` as valid UTF-8 without a byte order mark. What its XML declaration says may no longer be true."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _mended(body[len(mark) :]) if encoding == "utf-8" else _recoded(body[len(mark) :], encoding)
    if encoding := _ZEROS.get(tuple(not byte for byte in body[:4]), ""):  # type: ignore[arg-type]
        return _recoded(body, encoding)
    charset, declared = _CHARSET.search(content_type), _DECLARED.match(body[:_HEAD])
    names = (charset[1] if charset else "", declared[1].decode("ascii") if declared else "")
    declared_names = [one for one in map(_codec, names) if one]
    if declared_names and (declared_names != ["utf-8"] * len(declared_names)):
        return _as_declared(body, declared_names)
    return _mended(body)


def _as_declared(body: bytes, declared_names: list[str]) -> bytes:
    """The first encoding that the bytes fit. UTF-8 doesn't occur by chance, so it comes before those that fit all."""
    if body.isascii() and not any(one.startswith("iso2022") for one in declared_names):
        return body
    is_utf8 = _is_utf8(body)
    for encoding in declared_names:
        if is_utf8 and (encoding == "utf-8" or _fits_all(encoding)):
            return body
        if encoding != "utf-8":
            try:
                return body.decode(encoding, "earmark-c1" if _fits_all(encoding) else "strict").encode()
            except UnicodeError:
                pass
    if is_utf8 or declared_names[0] == "utf-8":
        return _mended(body)
    return _recoded(body, declared_names[0])


def _mended(body: bytes) -> bytes:
    """Valid UTF-8; other bytes are read as windows-1252, which is what they nearly always are."""
    if _is_utf8(body):
        return body
    if body.decode("utf-8", "replace").count("\ufffd") > _MOST_WRONG:
        return body.decode("cp1252", "earmark-c1").encode()
    return body.decode("utf-8", "earmark-1252").encode()


def _recoded(body: bytes, encoding: str) -> bytes:
    return body.decode(encoding, "replace").encode("utf-8", "replace")


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


@cache
def _codec(name: str) -> str:
    """Python's name of an encoding in which ASCII is ASCII; "" for any other, and for what nobody knows.

    UTF-16 is of these: where a name can be read at all before anything was decoded, it isn't true.
    """
    if name.lower() in ("", "utf-8", "utf8"):
        return name and "utf-8"
    import webencodings

    try:
        python = codecs.lookup(name).name
    except LookupError:
        python = ""
    found = webencodings.lookup(name) or webencodings.lookup(python)
    if found is not None:
        python = found.codec_info.name
    elif not _UNNAMED.match(python):
        return ""
    python = _LARGER.get(python, python)
    return python if _is_ascii_based(python) else ""


def _is_ascii_based(encoding: str) -> bool:
    try:
        return codecs.decode(_ASCII, encoding) == _ASCII.decode("ascii")
    except (LookupError, ValueError, TypeError):
        return False


@cache
def _fits_all(encoding: str) -> bool:
    """Whether any bytes are valid in it."""
    text = bytes(range(128, 256)).decode(encoding, "replace")
    return encoding not in _WITH_PAIRS and len(text) == 128 and text.count("\ufffd") < 64


def _as_c1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


def _as_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "earmark-c1"), error.end


codecs.register_error("earmark-c1", _as_c1)
codecs.register_error("earmark-1252", _as_1252)
