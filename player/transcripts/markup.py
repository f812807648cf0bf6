"""HTML: the speaker in `cite`, the time in `time`, the words in `p` (Podcasting 2.0). A file without `cite` and `time`
is parsed as prose."""

import re

from player.text.cleaning import unescape
from player.transcripts.cue import MOST, Cue, Read, clock_ms
from player.transcripts.prose import read_prose

_HEAD = 4096
_LOOKS = re.compile(r"<(?:!doctype\s+html|html|head|body|p|cite|time|div|span|br|ul|ol|h[1-6])\b", re.IGNORECASE)
_MEANS = re.compile(r"<(?:cite|time)\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*+)[^<>]*+>|<[!?][^<>]*+>")
_UNSHOWN = {"script", "style", "head", "title", "template", "svg", "noscript"}
_BLOCKS = {
    "p", "div", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "main", "nav", "aside",
    "blockquote", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "body", "html", "hr", "cite", "time",
}  # fmt: skip


def looks_like_html(text: str) -> bool:
    return _LOOKS.search(text[:_HEAD]) is not None


def read_html(text: str) -> Read:
    pieces = _pieces(_without_comments(text))
    if _MEANS.search(text):
        return Read(_marked(pieces))
    return read_prose("".join("\n" if tag == "br" else "\n\n" if tag in _BLOCKS else text for tag, text in pieces))


def _without_comments(text: str) -> str:
    first, *rest = text.split("<!--")
    return "".join([first, *(part.partition("-->")[2] if "-->" in part else part for part in rest)])


def _pieces(text: str) -> list[tuple[str, str]]:
    """Tags as (tag, "") and texts as ("", text), in order. The tags are `cite`, `/cite`, `time`, `/time`, `br` and
    blocks; for a block, the closing tag has no slash either."""
    parts = _TAG.split(text)
    pieces = [("", _flat(parts[0]))]
    unshown = ""
    for closing, name, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        tag = (name or "").lower()
        if unshown:
            unshown = "" if closing and tag == unshown else unshown
        elif tag in _UNSHOWN and not closing:
            unshown = tag
        elif tag in ("cite", "time"):
            pieces.append((f"/{tag}" if closing else tag, ""))
        elif tag == "br" or tag in _BLOCKS:
            pieces.append((tag, ""))
        if not unshown and text:
            pieces.append(("", _flat(text)))
    return pieces


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text))


def _marked(pieces: list[tuple[str, str]]) -> list[Cue]:
    cues: list[Cue] = []
    texts: dict[str, list[str]] = {"": [], "cite": [], "time": []}
    speaker, start, inside = "", None, ""
    for tag, text in pieces:
        # Within a sentence, `cite` is a book's title and `time` a time of day.
        if tag in ("cite", "time") and not "".join(texts[""]).strip():
            inside, texts[tag] = tag, []
        elif tag == "/cite" and inside == "cite":
            speaker, inside = "".join(texts["cite"]).strip().rstrip(":：").strip(), ""
        elif tag == "/time" and inside == "time":
            start, inside = clock_ms("".join(texts["time"]).strip("[]() \n")), ""
        elif tag in _BLOCKS - {"cite", "time"}:
            if line := "".join(texts[""]).strip():
                cues.append(Cue(line, start, None, speaker))
                start = None
            texts[""], inside = [], ""
            if len(cues) >= MOST:
                return cues
        elif tag == "br":
            texts[inside].append(" ")
        else:
            texts[inside].append(text)
    if line := "".join(texts[""]).strip():
        cues.append(Cue(line, start, None, speaker))
    return cues
