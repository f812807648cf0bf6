"""XML that is broken by single characters made well-formed, so that the fast reader can read it after all.

Most broken feeds are broken in this way: an `&` that nobody escaped, `&nbsp;` as in HTML, a control character, a prefix
that wasn't declared. What is wrong with their elements is left to the tolerant reader.
"""

import re
from html.entities import html5

_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32)])
_NO_CHARACTER = re.compile(rb"\xef\xbf[\xbe\xbf]")
# To the end of the text where they have none, so that no other start is tried.
_LITERAL = re.compile(rb"(<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*))", re.DOTALL)
_REFERENCE = re.compile(rb"&#(?:[xX]([0-9a-fA-F]{1,10})|([0-9]{1,10}))[0-9a-fA-F]*+;")
_WRONG = re.compile(
    rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)(?:([A-Za-z][A-Za-z0-9]{0,31});)?"
    rb"|<(?!/?[A-Za-z_:]|[!?])"
)
_MANY = 50
_TAG = re.compile(rb"""(<(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+>|<[^<>]*+>)""")
_NAME = re.compile(rb"(</?[\w:.-]+).*", re.DOTALL)
_PREFIX = re.compile(rb"</?([A-Za-z_][\w.-]{0,40}):[A-Za-z_]")
_DECLARED = re.compile(rb"\sxmlns:([\w.-]{1,41})\s*=")
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
    """`body`, which is UTF-8, without characters and references that XML doesn't have; the same when it has none."""
    body = _NO_CHARACTER.sub(b"", body.lstrip().translate(None, _CONTROLS))
    parts = _LITERAL.split(body)
    parts[::2] = [_WRONG.sub(_right, _REFERENCE.sub(possible, part)) for part in parts[::2]]
    return _with_prefixes(b"".join(parts), b"".join(parts[::2]))


def without_long_runs(body: bytes) -> bytes:
    """The same with long runs of references in another writing: feedparser's loose parser takes 5 µs for each, and for
    what stands in CDATA nothing. Attributes with a thousand references are dropped."""
    parts = _LITERAL.split(body)
    for at in range(0, len(parts), 2):
        if parts[at].count(b"&") > _MANY:
            tokens = _TAG.split(parts[at])
            tokens[::2] = [_in_cdata(text) if text.count(b"&") > _MANY else text for text in tokens[::2]]
            tokens[1::2] = [_NAME.sub(rb"\1>", tag) if tag.count(b"&") > 1_000 else tag for tag in tokens[1::2]]
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
    """Removes a numeric reference that isn't to a character."""
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
    """Declares at the root what elements are called by and nobody has declared."""
    missing = set(_PREFIX.findall(tags)) - set(_DECLARED.findall(tags)) - {b"xml"}
    root = _ROOT.search(body)
    if not missing or root is None:
        return body
    declarations = b"".join(
        b' xmlns:%b="%b"' % (prefix, _KNOWN.get(prefix, b"urn:undeclared:" + prefix)) for prefix in sorted(missing)
    )
    return body[: root.end()] + declarations + body[root.end() :]
