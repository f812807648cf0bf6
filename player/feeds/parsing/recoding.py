"""Prepares a feed for a parser: recodes it as UTF-8, resolves harmless entities, mends single broken characters."""

import codecs
import re
from functools import cache
from html import escape
from html.entities import html5

_HEAD = 4_096
_MOST_WRONG = 100_000
"""The most invalid bytes with which a text still counts as UTF-8: each cancels out 500 good bytes."""
_ASCII = bytes(range(32, 127))
_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's byte order mark, which is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The positions of the zeros in the first four bytes of a text that begins with ASCII.
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
"""Encodings with one byte for each character, in which short texts can be taken for UTF-8."""


def as_utf8(body: bytes, content_type: str) -> bytes:
    """`body` as valid UTF-8 without a byte order mark. What its XML declaration says may no longer be true."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _mended(body[len(mark) :]) if encoding == "utf-8" else _recoded(body[len(mark) :], encoding)
    if encoding := _ZEROS.get(tuple(not byte for byte in body[:4]), ""):  # type: ignore[arg-type]
        return _recoded(body, encoding)
    charset, declared = _CHARSET.search(content_type), _ENCODING.match(body[:_HEAD])
    names = (charset[1] if charset else "", declared[1].decode("ascii") if declared else "")
    declared_names = [one for one in map(_codec, names) if one]
    if declared_names and (declared_names != ["utf-8"] * len(declared_names)):
        return _as_declared(body, declared_names)
    return _mended(body)


def _as_declared(body: bytes, declared_names: list[str]) -> bytes:
    """Decoded with the first encoding that the bytes fit. Bytes are rarely valid UTF-8 by chance, so UTF-8 comes before
    the encodings in which any bytes are valid."""
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
    """Python's name of an encoding that contains ASCII unchanged; "" for all other encodings, and for unknown ones.

    UTF-16 is one of the others: a declaration that can be read before decoding can't be right about UTF-16.
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
    """Whether any sequence of bytes is valid in the encoding."""
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


_LONGEST = 8
"""Most characters that an entity may stand for."""
_PROLOG = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->)*+(<!DOCTYPE\s[^\[<>]*+)(\[)?", re.DOTALL | re.IGNORECASE
)
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_FIRST_ELEMENT = re.compile(rb"<\w")
_ENTITY_NAME = rb"[A-Za-z_:][\w.:-]{0,60}"
_DECLARATION = rb"<!ENTITY\s++(%b)\s++(?:\"([^\"<%%]{0,80})\"|'([^'<%%]{0,80})')\s*+>" % _ENTITY_NAME
_SUBSET = re.compile(rb"(?:\s++|<!--.*?-->|%b|<!(?:ELEMENT|ATTLIST)\s[^<>]*+>)*+\]\s*+>" % _DECLARATION, re.DOTALL)
_DECLARATIONS = re.compile(rb"<!--.*?-->|%b" % _DECLARATION, re.DOTALL)
_NUMBER = re.compile("&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));")
_USED = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|&(%b);" % _ENTITY_NAME, re.DOTALL)


class Harmful(ValueError):
    """The feed has entities other than the harmless ones, which can fill a computer's memory."""


def resolved(body: bytes) -> bytes:
    """The feed, which is UTF-8, with its declared entities replaced. Raises Harmful.

    A declaration counts where a parser recognises it: after a DOCTYPE, or (feedparser) before the first element. Show
    notes may mention `<!ENTITY`.
    """
    doctype = _PROLOG.match(body)
    if not (_ENTITY.search(body) if doctype else _declares(body)):
        return body
    subset = _SUBSET.match(body, doctype.end()) if doctype and doctype[2] else None
    if not doctype or subset is None:
        raise Harmful
    characters: dict[bytes, bytes] = {}
    for name, *values in _DECLARATIONS.findall(subset[0]):
        if name:
            characters.setdefault(name, _characters(b"".join(values)))
    rest = body[: doctype.start(1)] + body[subset.end() :]
    if _declares(rest):
        raise Harmful

    def character(used: re.Match[bytes]) -> bytes:
        return characters.get(used[1], used[0])

    return _USED.sub(character, rest)


def _declares(body: bytes) -> bool:
    """Whether there is a declaration before the first element."""
    first = _FIRST_ELEMENT.search(body)
    return bool(_ENTITY.search(body, 0, first.start() if first else len(body)))


def _characters(value: bytes) -> bytes:
    """A declared value's characters, escaped for XML. `&#38;#60;` is how XML writes `<` there."""
    text = _NUMBER.sub(_one, _NUMBER.sub(_one, value.decode("utf-8", "replace")))
    if len(text) > _LONGEST or ("&" in text and text != "&"):
        raise Harmful
    return escape(text).encode("utf-8", "replace")


def _one(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if 32 <= code < 0xD800 or code in (9, 10, 13) or 0xE000 <= code <= 0x10FFFF else ""


_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32)])
_NO_CHARACTER = re.compile(rb"\xef\xbf[\xbe\xbf]")
# If the end is missing, matches to the end of the text, so that no later start is tried.
_LITERAL = re.compile(rb"(<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*))", re.DOTALL)
_REFERENCE = re.compile(rb"&#(?:[xX]([0-9a-fA-F]{1,10})|([0-9]{1,10}))[0-9a-fA-F]*+;")
_WRONG = re.compile(
    rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)(?:([A-Za-z][A-Za-z0-9]{0,31});)?"
    rb"|<(?!/?[A-Za-z_:]|[!?])"
)
_MANY = 50
_TAG = re.compile(rb"""(<(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+>|<[^<>]*+>)""")
_TAG_NAME = re.compile(rb"(</?[\w:.-]+).*", re.DOTALL)
_PREFIX = re.compile(rb"</?([A-Za-z_][\w.-]{0,40}):[A-Za-z_]")
_DECLARED_PREFIX = re.compile(rb"\sxmlns:([\w.-]{1,41})\s*=")
_ROOT = re.compile(rb"<(?:rss|feed|rdf:RDF)(?=[\s>])", re.IGNORECASE)
_KNOWN = {
    b"itunes": b"http://www.itunes.com/dtds/podcast-1.0.dtd",
    b"content": b"http://purl.org/rss/1.0/modules/content/",
    b"atom": b"http://www.w3.org/2005/Atom",
    b"dc": b"http://purl.org/dc/elements/1.1/",
    b"dcterms": b"http://purl.org/dc/terms/",
    b"media": b"http://search.yahoo.com/mrss/",
    b"psc": b"http://podlove.org/simple-chapters",
    b"podcast": b"https://podcastindex.org/namespace/1.0",
    b"rdf": b"http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}


def mended(body: bytes) -> bytes:
    """`body`, which is UTF-8, without characters and references that XML doesn't allow; unchanged if it has none."""
    body = _NO_CHARACTER.sub(b"", body.lstrip().translate(None, _CONTROLS))
    parts = _LITERAL.split(body)
    parts[::2] = [_WRONG.sub(_right, _REFERENCE.sub(possible, part)) for part in parts[::2]]
    return _with_prefixes(b"".join(parts), b"".join(parts[::2]))


def without_long_runs(body: bytes) -> bytes:
    """`body` with long runs of references written as CDATA: feedparser's loose parser takes 5 µs for each reference,
    and no time for CDATA. Attributes with a thousand references are dropped."""
    parts = _LITERAL.split(body)
    for at in range(0, len(parts), 2):
        if parts[at].count(b"&") > _MANY:
            tokens = _TAG.split(parts[at])
            tokens[::2] = [_in_cdata(text) if text.count(b"&") > _MANY else text for text in tokens[::2]]
            tokens[1::2] = [_TAG_NAME.sub(rb"\1>", tag) if tag.count(b"&") > 1_000 else tag for tag in tokens[1::2]]
            parts[at] = b"".join(tokens)
    return b"".join(parts)


def _in_cdata(text: bytes) -> bytes:
    plain = _REFERENCE.sub(_as_character, text)
    for name, character in ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&apos;", b"'"), (b"&amp;", b"&")):
        plain = plain.replace(name, character)
    return b"<![CDATA[" + plain.replace(b"]]>", b"]]]]><![CDATA[>") + b"]]>"


def _as_character(reference: re.Match[bytes]) -> bytes:
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    return b"&amp;" if code == 38 else chr(code).encode()


def possible(reference: re.Match[bytes]) -> bytes:
    """Removes a numeric reference that doesn't refer to a character."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    is_one = code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code <= 0x10FFFF
    return b"&#%d;" % code if is_one else b""


def _right(found: re.Match[bytes]) -> bytes:
    if found[0] == b"<":
        return b"&lt;"
    name = found[1]
    if name and (text := html5.get(f"{name.decode('ascii')};")):
        return text.encode() if text not in "&<>" else b"&amp;" if text == "&" else b"&lt;" if text == "<" else b"&gt;"
    return b"&amp;" + found[0][1:]


def _with_prefixes(body: bytes, tags: bytes) -> bytes:
    """Declares, at the root, the prefixes that elements use without a declaration."""
    missing = set(_PREFIX.findall(tags)) - set(_DECLARED_PREFIX.findall(tags)) - {b"xml"}
    root = _ROOT.search(body)
    if not missing or root is None:
        return body
    declarations = b"".join(
        b' xmlns:%b="%b"' % (prefix, _KNOWN.get(prefix, b"urn:undeclared:" + prefix)) for prefix in sorted(missing)
    )
    return body[: root.end()] + declarations + body[root.end() :]
