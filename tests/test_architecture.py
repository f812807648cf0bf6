"""docs/architecture.md draws the tree as it is, and the tree stays easy to find one's way in."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()
FILES = sorted(path.relative_to(ROOT) for package in ("player", "tui") for path in (ROOT / package).rglob("*.py"))
MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_CLASS = 400, 300
REASON = "long because"
"""What the docstring of a longer class has to say, and then why."""
ROOMS = {line.split()[0] for line in PAGE.split("```")[1].splitlines() if line}


def rooms_of(package: str) -> set[str]:
    inits = (ROOT / package).rglob("__init__.py")
    return {str(init.parent.relative_to(ROOT)) for init in inits}


def test_every_room_is_on_the_page_and_no_other() -> None:
    assert rooms_of("player") | rooms_of("tui") == ROOMS


def test_every_file_that_the_page_names_is_here() -> None:
    named = set(re.findall(r"`((?:player|tui)/[\w/.]+)`", PAGE))
    assert len(named) > 20
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_room_says_what_is_inside_in_a_sentence() -> None:
    texts = {room: ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or "" for room in ROOMS}
    # A file's name keeps its small letter.
    silent = [room for room, text in texts.items() if not re.fullmatch(r"(?:[A-Z]|[a-z]+\.\w).*\.", text, re.DOTALL)]
    assert silent == []


def test_no_room_is_crowded() -> None:
    crowded = {room: len(list((ROOT / room).glob("*.py"))) for room in ROOMS}
    assert {room: count for room, count in crowded.items() if count > 16} == {}


def lines_of(node: ast.ClassDef) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def test_files_are_short_and_classes_too_or_say_why_not() -> None:
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in FILES}
    assert [path for path, text in texts.items() if text.count("\n") >= MOST_LINES_OF_A_FILE] == []
    may_have = {path: text for path, text in texts.items() if text.count("\n") >= MOST_LINES_OF_A_CLASS}
    trees = {path: ast.parse(text) for path, text in may_have.items()}
    classes = [(path, one) for path, tree in trees.items() for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    long = [(path, one) for path, one in classes if lines_of(one) >= MOST_LINES_OF_A_CLASS]
    reasons = {(path, one.name): " ".join((ast.get_docstring(one) or "").split()) for path, one in long}
    assert [where for where, reason in reasons.items() if REASON not in reason] == []


def test_tests_mirror_the_tree() -> None:
    """Of a folder of tests each part is a room's name, but for what drives Earmark as a whole."""
    folders = {str(path.parent.relative_to(ROOT / "tests")) for path in (ROOT / "tests").rglob("test_*.py")}
    ours = {folder for folder in folders if folder.split("/")[0] in ("player", "tui")}
    assert sorted(folder for folder in ours if folder not in ROOMS) == []
