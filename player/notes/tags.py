"""The HTML tags that notes use, and their attributes."""

import re

from player.text.cleaning import clean_line, unescape

BOUNDARIES = {
    "p", "div", "section", "article", "header", "footer", "main", "aside", "nav", "address", "center", "figure",
    "figcaption", "thead", "tbody", "tfoot", "caption", "details", "form", "fieldset", "body", "html", "head",
}  # fmt: skip
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = {"ul", "ol", "dl", "menu"}
STRUCTURE = (
    BOUNDARIES
    | HEADINGS.keys()
    | LISTS
    | {
        "br",
        "li",
        "dt",
        "dd",
        "summary",
        "blockquote",
        "pre",
        "hr",
        "table",
        "tr",
        "td",
        "th",
        "iframe",
        "video",
        "audio",
        "embed",
    }
)
BOLD = {"b", "strong"}
ITALIC = {"i", "em", "cite", "dfn"}
CODE = {"code", "tt", "kbd", "samp", "var"}
UNSHOWN = {"script", "style", "template", "title", "svg", "object"}
INLINE = {"a", "span", "font", "u", "s", "small", "sup", "sub", "img", "wbr", "nobr", "strike", "del", "ins", "abbr"}
KNOWN = STRUCTURE | BOLD | ITALIC | CODE | UNSHOWN | INLINE
RARE = {
    "acronym", "applet", "area", "base", "bdi", "bdo", "big", "button", "canvas", "col", "colgroup", "data", "datalist",
    "dialog", "dir", "frame", "frameset", "hgroup", "input", "label", "legend", "link", "map", "mark", "marquee",
    "math", "meta", "meter", "noframes", "noscript", "optgroup", "option", "output", "param", "picture", "progress",
    "q", "rp", "rt", "ruby", "search", "select", "slot", "source", "textarea", "time", "track",
}  # fmt: skip
"""Other tags, whose names may also be words in angle brackets."""

# As the tokenizer of the HTML standard reads it; a value whose quote is never closed goes to the end.
_ATTRIBUTE = re.compile(
    r"""(?<![A-Za-z0-9:-])([A-Za-z][A-Za-z0-9:-]*+)\s*+=\s*+(?:"([^"]*)"?|'([^']*)'?|([^\s"'>][^\s>]*+))"""
)
_LANGUAGE = re.compile(r"(?:\blang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]{1,30})", re.IGNORECASE)
_FILE = re.compile(r"[\w .()%-]*\.(?:jpe?g|png|gif|webp|svg|bmp)|(?:img|dsc|image|screenshot)[\W_]*\d[\w.-]*", re.I)
_SAYS_NOTHING = frozenset({"image", "img", "photo", "picture", "thumbnail", "logo", "cover", "icon", "spacer", "pixel"})


def attribute(attributes: str, wanted: str) -> str:
    """An attribute's value, with character references resolved; "" if absent."""
    if wanted not in attributes.lower():
        return ""
    for found in _ATTRIBUTE.finditer(attributes):
        if found[1].lower() == wanted:
            return unescape(found[2] or found[3] or found[4] or "")
    return ""


def whole(digits: str, otherwise: int) -> int:
    """An attribute's value as a whole number."""
    return int(digits) if re.fullmatch("[0-9]{1,6}", digits.strip()) else otherwise


def language(attributes: str) -> str:
    """Of what is in a `pre` or its `code`: `language-python`, `brush: python`, `lang="python"`."""
    found = _LANGUAGE.search(attribute(attributes, "class"))
    return found[1] if found else clean_line(attribute(attributes, "data-lang") or attribute(attributes, "lang"), 30)


def description(attributes: str) -> str:
    """What an image shows, in words; "" if they are only a file name or meaningless."""
    words = clean_line(attribute(attributes, "alt"), 300)
    if not words or words.casefold().strip(" .") in _SAYS_NOTHING or _FILE.fullmatch(words):
        return ""
    tiny = {attribute(attributes, "width").strip(), attribute(attributes, "height").strip()} & {"0", "1"}
    return "" if tiny else words
