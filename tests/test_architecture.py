"""docs/architecture.md draws the tree as it is, and its tests mirror it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()
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


def test_tests_mirror_the_tree() -> None:
    """A folder of tests has the name of a room or a module, but for what drives Earmark as a whole."""
    folders = {str(path.parent.relative_to(ROOT / "tests")) for path in (ROOT / "tests").rglob("test_*.py")}
    ours = {folder for folder in folders if folder.split("/")[0] in ("player", "tui")}
    modules = {folder for folder in ours if (ROOT / f"{folder}.py").exists()}
    assert sorted(ours - modules - ROOMS) == []
