"""`make translations` (`python -m tests.translating`) brings the catalogues up to date with the sentences in the code.

A catalogue is `player/locale/LANGUAGE/LC_MESSAGES/earmark.po`, for translators, and the `earmark.mo` beside it,
compiled from it, which Earmark reads. Both are in the repository: a clone, an sdist and a wheel have the same
sentences, without a step that a packager could leave out. The entries are in the order of the code and name files
without lines, so that a change shows in a catalogue only where a sentence changes.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import polib

from player.configuration.catalogue import documented, sections
from player.text import catalogues
from player.text.sentences import IN_CONTEXT, mark

ROOT = Path(__file__).parent.parent
_MARKS = {"_": 0, "mark": 0, "plural": 1}
"""What marks a sentence, and which argument is the first of its forms."""
_ANY_MARK = re.compile(rf"\b(?:{'|'.join(_MARKS)})\s*\(")
_SAME = 0.8
"""How much of a sentence has to be the same for its former translation to be offered."""
WIDTH = 100

Forms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """`forms`: one, or two where it depends on a number; () where it is no constant, which no translator can find."""

    where: str
    forms: Forms
    fields: frozenset[str]


@cache
def marked(folder: Path = ROOT) -> tuple[Marked, ...]:
    """The marked sentences of both packages, file by file, and the documentation of the settings."""
    files = [path for package in ("player", "tui") for path in sorted((folder / package).rglob("*.py"))]
    found = [one for path in files for one in _marked_in(path.read_text(encoding="utf-8"), path.relative_to(folder))]
    modules = {name: kind.__module__ if kind else "player.settings" for name, kind in sections().items()}
    for one in filter(lambda one: one.words, documented()):
        found.append(Marked(f"{modules[one.section].replace('.', '/')}.py:0", (one.words,), frozenset()))
    return tuple(found)


def _marked_in(text: str, path: Path) -> Iterator[Marked]:
    if not _ANY_MARK.search(text):
        return
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MARKS
    ]
    for call in sorted(calls, key=lambda one: (one.lineno, one.col_offset)):
        assert isinstance(call.func, ast.Name)
        yield _read(call, _MARKS[call.func.id], f"{path}:{call.lineno}")


def _read(call: ast.Call, first: int, where: str) -> Marked:
    given = call.args[first : 2 * first + 1]
    forms = tuple(one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str))
    if not first and len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
        forms = (mark(forms[0], str(call.args[1].value)),)
    fields = frozenset(keyword.arg or "**" for keyword in call.keywords) | ({"n"} if first else set())
    return Marked(where, forms if len(forms) == first + 1 else (), fields)


def sentences() -> dict[Forms, list[str]]:
    """Every sentence once, with the files in which it is said."""
    files: dict[Forms, dict[str, None]] = {}
    for one in marked():
        files.setdefault(one.forms, {})[one.where.rpartition(":")[0]] = None
    return {forms: list(where) for forms, where in files.items() if forms}


def forms_of(entry: polib.POEntry) -> Forms:
    return (entry.msgid, entry.msgid_plural) if entry.msgid_plural else (mark(entry.msgid, entry.msgctxt or ""),)


def po_file(language: str) -> Path:
    return catalogues.BUNDLED / language / "LC_MESSAGES" / f"{catalogues.DOMAIN}.po"


def languages() -> list[str]:
    """Those that have a catalogue to be translated."""
    return sorted(path.parent.parent.name for path in catalogues.BUNDLED.glob(f"*/LC_MESSAGES/{catalogues.DOMAIN}.po"))


def opened(path: Path) -> polib.POFile:
    return polib.pofile(str(path), encoding="utf-8", wrapwidth=WIDTH)


def updated(before: polib.POFile, said: dict[Forms, list[str]]) -> polib.POFile:
    """The catalogue with exactly the sentences that are `said`. A new one that is much like one that is gone has that
    one's translation, marked as fuzzy, which a translator has to confirm; the others are empty."""
    known = {forms_of(one): one for one in before if not one.obsolete}
    gone = {forms[0]: one for forms, one in known.items() if forms not in said and one.translated()}
    after = polib.POFile(wrapwidth=WIDTH, encoding="utf-8")
    after.metadata, after.header = before.metadata, before.header
    count = int((re.search(r"nplurals=(\d)", before.metadata["Plural-Forms"]) or "2")[1])
    for forms, files in said.items():
        entry = known.get(forms) or _new(forms, count, gone)
        entry.occurrences = [(file, "") for file in files]
        after.append(entry)
    return after


def _new(forms: Forms, count: int, gone: dict[str, polib.POEntry]) -> polib.POEntry:
    context, _mark, sentence = forms[0].rpartition(IN_CONTEXT)
    entry = polib.POEntry(msgctxt=context or None, msgid=sentence, msgstr="")
    like = next((gone[one] for one in get_close_matches(forms[0], gone, 1, _SAME)), None)
    if like is not None and bool(like.msgid_plural) != (len(forms) > 1):
        like = None
    if len(forms) > 1:
        entry.msgid_plural = forms[1]
        entry.msgstr_plural = dict.fromkeys(range(count), "") if like is None else dict(like.msgstr_plural)
    elif like is not None:
        entry.msgstr = like.msgstr
    if like is not None:
        entry.flags, entry.previous_msgid = ["fuzzy"], like.msgid
    return entry


def saved(catalogue: polib.POFile, path: Path) -> None:
    """Writes and compiles it. A sentence without a translation, or whose translation is fuzzy, stays English."""
    path.write_text(f"{str(catalogue).rstrip()}\n", encoding="utf-8")
    path.with_suffix(".mo").write_bytes(catalogue.to_binary())


def begun(language: str) -> None:
    """An empty catalogue for another language."""
    path = po_file(language)
    if path.exists():
        return
    path.parent.mkdir(parents=True)
    catalogue = polib.POFile(wrapwidth=WIDTH, encoding="utf-8")
    catalogue.metadata = {
        "Language": language,
        "X-Name": "",
        "X-Number": "1,234.5",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    saved(catalogue, path)


def main(new: Iterable[str]) -> None:
    for language in new:
        begun(language)
    for language in languages():
        path = po_file(language)
        catalogue = updated(opened(path), sentences())
        saved(catalogue, path)
        left = len(catalogue) - len(catalogue.translated_entries())
        print(f"{path.relative_to(ROOT)}: {left or 'nothing'} to translate")


if __name__ == "__main__":
    main(sys.argv[1:])
