"""The pages of the documentation, read from the Markdown files that are installed with Earmark: in the order of its
index, found by words, and as plain text.

A page that the index calls `generated/NAME` is made from the code, and isn't among the files.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple, TypeVar

from player import regular_file
from player.text.cleaning import fold
from tui.drawing.cells import fit, width

T = TypeVar("T")

INSTALLED = Path("share", "doc", "earmark")
"""The folder with the pages, below the prefix that Earmark is installed to."""
_LARGEST = 1_000_000
_TREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_STRONG = re.compile(r"\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])")
_CODE = re.compile(r"(`[^`]*`)")
_ITEM = re.compile(r"(?:[-*]|\d+\.) +")
_RULE = re.compile(r"\|[-:| ]+\|$")
_LEAST_CELLS = 12
_WORD = re.compile(r"\w+")
_EXACT, _BEGINS, _WITHIN = 4, 3, 1
"""How well a word of a text fits a word that is looked for: it is the same, begins with it, or has it inside."""
_LATER = 2
"""How much less a passage fits for each group of pages before its own."""
_STEM, _ENDING = 4, 3
"""“sleeping” finds “sleep”: the least letters of a word that the typed word begins with, and the most that follow."""


class Part(NamedTuple):
    """A heading, paragraph, item of a list, row of a table or line of code, as plain text. `cells` are those of a row,
    or what an item begins with. `level` is that of a heading, 0 for anything else."""

    kind: str
    text: str
    cells: tuple[str, ...] = ()
    level: int = 0


class Section(NamedTuple):
    """`heading` is that of the page for what stands before its first section."""

    page: str
    heading: str
    parts: Sequence[Part]


class Page(NamedTuple):
    name: str
    source: str

    @property
    def title(self) -> str:
        return next((part.text for part in parts_of(self.source) if part.kind == "heading"), self.name)


# -- which pages there are ------------------------------------------------------------------------------------


@cache
def folder() -> Path | None:
    """The folder of the pages: beside the code of a checkout, or where the package has put them."""
    root = Path(__file__).parents[1]
    if (root / "pyproject.toml").is_file():
        return root / "docs"
    from importlib.metadata import PackageNotFoundError, files

    try:
        listed = files("earmark") or ()
    except PackageNotFoundError:
        return None
    index = next((one for one in listed if Path(one).parts[-4:] == (*INSTALLED.parts, "index.md")), None)
    return Path(str(index.locate())).resolve().parent if index is not None else None


@cache
def index() -> tuple[tuple[str, ...], ...]:
    """The names of the pages in the groups of the index, without `generated/`; () if no pages are installed."""
    trees = _TREE.findall(_read("index"))
    shown = (tree for tree in trees if ":hidden:" not in tree)
    return tuple(
        tuple(line.strip().removeprefix("generated/") for line in tree.splitlines() if line.strip() and ":" not in line)
        for tree in shown
    )


def names() -> list[str]:
    """The names of all pages, in order; some may be among no files."""
    return list(dict.fromkeys(name for group in index() for name in group))


def page(name: str) -> Page | None:
    """The page with this name, if its file is installed."""
    source = _read(name) if name in names() else ""
    return Page(name, source) if source else None


def pages() -> list[Page]:
    """All pages whose files are installed."""
    return [found for name in names() if (found := page(name)) is not None]


def _read(name: str) -> str:
    at = folder()
    try:
        return "" if at is None else regular_file.read_text(at / f"{name}.md", _LARGEST)
    except (OSError, UnicodeDecodeError):
        return ""


# -- what is on a page ----------------------------------------------------------------------------------------


def sections(of: Page) -> Iterator[Section]:
    """The page by its headings."""
    heading, parts = of.title, list[Part]()
    for part in parts_of(of.source):
        if part.kind != "heading":
            parts.append(part)
            continue
        if parts:
            yield Section(of.name, heading, parts)
        heading, parts = part.text, []
    if parts:
        yield Section(of.name, heading, parts)


def parts_of(source: str) -> Iterator[Part]:
    """The parts of a text in Markdown, as far as the pages use it."""
    kind, lines, begins = "", list[str](), ""

    def ended() -> Iterator[Part]:
        if lines:
            yield Part(kind, plain(" ".join(lines)), (begins,) if kind == "item" else ())
            lines.clear()

    fence = ""
    for line in source.splitlines():
        bare = line.strip()
        if fence or bare.startswith("```"):
            yield from ended()
            if bare.startswith("```"):
                fence = "" if fence else bare
            elif "{" not in fence:
                yield Part("code", line)
        elif bare.startswith("#") and line.startswith("#"):
            yield from ended()
            yield Part("heading", plain(bare.lstrip("#").strip()), level=len(bare) - len(bare.lstrip("#")))
        elif bare.startswith("|"):
            yield from ended()
            if not _RULE.match(bare):
                cells = tuple(plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", bare.strip("|")))
                yield Part("row", "  ".join(filter(None, cells)), cells)
        elif not bare or bare.startswith(("<", "![")):
            yield from ended()
        elif line.startswith("    ") and not lines:
            yield Part("code", line[4:])
        elif found := _ITEM.match(bare):
            yield from ended()
            kind, lines, begins = "item", [bare[found.end() :]], found.group()
        else:
            kind = kind if lines else "text"
            lines.append(bare)
    yield from ended()


def plain(text: str) -> str:
    """A line of Markdown without links and emphasis; code keeps its backticks."""
    pieces = _CODE.split(_LINK.sub(r"\1", text))
    bare = (one if one.startswith("`") else _STRONG.sub(r"\1\2", one) for one in pieces)
    return "".join(bare).replace("\\|", "|")


def from_heading(of: Page, heading: str) -> str:
    """The source of a page from the section with this heading on; all of it if there is none."""
    lines = of.source.splitlines()
    at = next((at for at, line in enumerate(lines) if line.startswith("#") and plain(line.lstrip("# ")) == heading), 0)
    return "\n".join(lines[at:])


# -- finding words --------------------------------------------------------------------------------------------


class Passage(NamedTuple):
    """The line of a section that fits best."""

    page: str
    heading: str
    text: str


def passages(wanted: Sequence[str]) -> list[Passage]:
    """The sections that have all of the folded words, in their heading or in one line; the best first. The first group
    of pages is for listeners, the last one for those who change the code."""
    late = {name: number * _LATER for number, group in enumerate(index()) for name in group}

    begun = [word[:_STEM] for word in wanted]

    def best(section: Section) -> tuple[int, Passage]:
        heading = _folded(section.heading)
        near = (
            part.text for part in section.parts if all(one in heading or one in _folded(part.text) for one in begun)
        )
        fits = [(fit_of(wanted, (text, 2), (section.heading, 1)), text) for text in near]
        most, text = max(fits, key=lambda one: one[0], default=(0, ""))
        found = Passage(section.page, section.heading, " ".join(text.split()))
        fit = most + fit_of(wanted, (section.heading, 3))
        return max(fit - late[section.page], 1) if fit else 0, found

    return best_first(map(best, _all_sections()))


@cache
def _all_sections() -> tuple[Section, ...]:
    return tuple(section for page in pages() for section in sections(page))


def fit_of(wanted: Sequence[str], *texts: tuple[str, int]) -> int:
    """How well texts, each with its weight, fit all of the folded words together; 0 if one of them isn't there."""
    weighed = [(words_in(text), weight) for text, weight in texts]
    fits = [max((_fit(word, words) * weight for words, weight in weighed), default=0) for word in wanted]
    return sum(fits) if all(fits) else 0


def words_in(text: str) -> tuple[str, ...]:
    """The words without regard to case and accents."""
    return tuple(_WORD.findall(_folded(text)))


@lru_cache(10_000)
def _folded(text: str) -> str:
    return fold(text).replace("_", " ")


def _fit(wanted: str, words: Iterable[str]) -> int:
    best = 0
    for word in words:
        if word == wanted:
            return _EXACT
        stem = len(word) >= _STEM and wanted.startswith(word) and len(wanted) - len(word) <= _ENDING
        if stem or word.startswith(wanted):
            best = _BEGINS
        elif len(wanted) >= _STEM and wanted in word:
            best = max(best, _WITHIN)
    return best


def best_first(fitted: Iterable[tuple[int, T]]) -> list[T]:
    there = [(fit, one) for fit, one in fitted if fit]
    return [one for _fit, one in sorted(there, key=lambda pair: -pair[0])]


# -- as plain text --------------------------------------------------------------------------------------------


class TextLine(NamedTuple):
    """`kind` is that of its part; “rule” for the line below a heading, "" for an empty line."""

    text: str
    kind: str = ""


def rendered(source: str, columns: int) -> list[TextLine]:
    """The lines of a page, each at most `columns` wide; only code may be longer."""
    lines: list[TextLine] = []
    rows: list[tuple[str, ...]] = []
    before = ""
    for part in [*parts_of(source), Part("", "")]:
        kind = part.kind
        if kind != "row" and rows:
            lines += [TextLine(line, "row") for line in table(rows, columns)]
            rows = []
        if lines and not (kind == before and kind in ("row", "item", "code")):
            lines.append(TextLine(""))
        before = kind
        match kind:
            case "heading":
                rule = ("=" if part.level == 1 else "-") * min(columns, width(part.text))
                lines += [TextLine(part.text, kind), TextLine(rule, "rule")]
            case "row":
                rows.append(part.cells)
            case "item":
                texts = wrapped(part.text, columns, part.cells[0], " " * len(part.cells[0]))
                lines += [TextLine(line, kind) for line in texts]
            case "code":
                lines.append(TextLine(f"    {part.text}".rstrip(), kind))
            case _:
                lines += [TextLine(line, kind) for line in wrapped(part.text, columns)]
    while lines and not lines[-1].text:
        lines.pop()
    return lines


def wrapped(text: str, columns: int, first: str = "", then: str = "", *, breaks: bool = False) -> list[str]:
    """`breaks`: words that are too long for a line are broken."""
    return wrap(
        text,
        max(_LEAST_CELLS, columns),
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        break_long_words=breaks,
    )


def table(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """The rows with straight columns; the widest ones are narrowed, and their cells wrapped. If that isn't enough,
    without columns."""
    count = max(map(len, rows))
    table = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(width(row[at]) for row in table) for at in range(count)]
    while sum(widths) + 2 * (count - 1) > columns and max(widths) > _LEAST_CELLS:
        widths[widths.index(max(widths))] -= 1
    lines: list[str] = []
    if sum(widths) + 2 * (count - 1) > columns:
        return [line for row in rows for line in wrapped(" · ".join(filter(None, row)), columns, "", "  ", breaks=True)]
    for row in table:
        cells = [wrapped(cell, room, breaks=True) or [""] for cell, room in zip(row, widths, strict=True)]
        for at in range(max(map(len, cells))):
            pieces = (fit(cell[at] if at < len(cell) else "", room) for cell, room in zip(cells, widths, strict=True))
            lines.append("  ".join(pieces).rstrip())
    return lines
