"""`python -m tests.translating > earmark.pot`: every marked sentence of Earmark, as a template for translators.

The format is gettext's (PO Files, https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html).
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
_MARKS = {"_": 0, "mark": 0, "plural": 1}
"""What marks a sentence, and which argument is the first of its forms."""
_ANY_MARK = re.compile(rf"\b(?:{'|'.join(_MARKS)})\s*\(")


@dataclass(frozen=True, slots=True)
class Marked:
    """`forms`: one, or two where it depends on a number; () where it is no constant, which no translator can find."""

    where: str
    forms: tuple[str, ...]
    fields: frozenset[str]


@cache
def marked(folder: Path = ROOT) -> tuple[Marked, ...]:
    """The marked sentences of both packages, file by file."""
    files = [path for package in ("player", "tui") for path in sorted((folder / package).rglob("*.py"))]
    return tuple(
        one for path in files for one in _marked_in(path.read_text(encoding="utf-8"), path.relative_to(folder))
    )


def _marked_in(text: str, path: Path) -> Iterator[Marked]:
    if not _ANY_MARK.search(text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MARKS:
            yield _read(node, _MARKS[node.func.id], f"{path}:{node.lineno}")


def _read(call: ast.Call, first: int, where: str) -> Marked:
    given = call.args[first : 2 * first + 1]
    forms = tuple(one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str))
    fields = frozenset(keyword.arg or "**" for keyword in call.keywords) | ({"n"} if first else set())
    return Marked(where, forms if len(forms) == first + 1 else (), fields)


def template() -> str:
    """The template, each sentence once, with all the places where it is said."""
    locations: dict[tuple[str, ...], list[str]] = {}
    for one in marked():
        locations.setdefault(one.forms, []).append(one.where)
    entries = ['msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"']
    for forms, where in locations.items():
        lines = [f"#: {' '.join(where)}", f"msgid {_quoted(forms[0])}"]
        if len(forms) > 1:
            lines += [f"msgid_plural {_quoted(forms[1])}", 'msgstr[0] ""', 'msgstr[1] ""']
        else:
            lines.append('msgstr ""')
        entries.append("\n".join(lines))
    return "\n\n".join(entries) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


if __name__ == "__main__":
    print(template(), end="")
