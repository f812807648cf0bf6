"""docs/architecture.md names only what is here, each room says what it is for, and the tests mirror the tree."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()
ROOMS = {
    str(init.parent.relative_to(ROOT))
    for package in ("player", "tui")
    for init in (ROOT / package).rglob("__init__.py")
}


def test_the_rooms_on_the_page_are_rooms_and_both_packages_are_among_them() -> None:
    on_the_page = [line.split()[0] for line in PAGE.split("```")[1].splitlines() if line]
    assert [room for room in on_the_page if room not in ROOMS] == []
    assert {"player", "tui"} <= {*on_the_page}
    assert len(on_the_page) == len({*on_the_page})


@pytest.mark.parametrize("page", ["architecture.md", "adding.md"])
def test_every_file_that_a_page_names_is_here(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    named = set(re.findall(r"`((?:player|tui|tests|docs|scripts)/[\w/.]+)`", text))
    assert len(named) > 20
    named = {name.partition("NAME")[0] for name in named}
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
