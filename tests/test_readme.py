"""The README is short, its links lead somewhere, and it promises nothing that isn't so."""

import re
from pathlib import Path

import pytest

from tests.bench.__main__ import PARTS
from tui.actions.table import ACTIONS, is_key, key_label
from tui.cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LISTENING = (ROOT / "docs" / "listening.md").read_text(encoding="utf-8")
SCRIPTING = (ROOT / "docs" / "scripting.md").read_text(encoding="utf-8")
MOST_WORDS = 700


def rows(page: str) -> list[list[str]]:
    """The keys that each row of a page's table of keys is about."""
    table = page.partition("| key | does |")[2].partition("\n\n")[0]
    return [re.findall(r"`([^`]+)`", row.split("|")[1]) for row in table.splitlines() if row.startswith("| `")]


def test_it_is_short() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_it_names_ten_things_and_twelve_keys() -> None:
    things = README.partition("## What no other player")[2].partition("\n## ")[0]
    assert len(re.findall(r"^- .*\]\(docs/", things, re.MULTILINE)) == 10
    assert len(rows(README)) == 12


def anchors(page: Path) -> set[str]:
    """The headings of a page as the addresses of its parts, as GitHub and the documentation make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#([^)]+))?\)", README)
    assert len(links) > 15
    assert [path for path, _ in links if not (ROOT / path).is_file()] == []
    assert [(path, part) for path, part in links if part and part not in anchors(ROOT / path)] == []


def test_every_benchmark_named_exists() -> None:
    measured = README.partition("## Measured")[2].partition("\n## ")[0]
    named = {
        name for row in measured.splitlines() if row.startswith("| ") for name in re.findall(r"`([\w-]+)` \|$", row)
    }
    assert named
    assert named <= set(PARTS)


@pytest.mark.parametrize("page", [README, LISTENING], ids=["README", "listening"])
def test_every_key_of_the_table_is_bound(page: str) -> None:
    named = {key for keys in rows(page) for key in keys}
    bound = {name for action in ACTIONS for key in action.keys for name in (key, key_label(key))}
    assert named
    assert {key for key in named if not is_key(key)} == set()
    assert named <= bound


def test_a_key_has_one_row_of_the_table() -> None:
    named = [key for keys in map(set, rows(LISTENING)) for key in keys]
    assert {key for key in named if named.count(key) > 1} == set()


def test_every_action_with_a_key_is_in_the_table() -> None:
    table = LISTENING.partition("| key | does |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`([^`]+)`", table))
    missing = [
        action.id for action in ACTIONS if action.keys and not named & {*action.keys, *map(key_label, action.keys)}
    ]
    assert missing == []


def test_every_command_named_exists(capsys: object) -> None:
    named = re.findall(r"`(\w+)`", SCRIPTING.partition("## Examples")[2].partition("All have `--help`")[0])
    assert len(named) > 40
    for name in named:
        try:
            code = main([name, "--help"])
        except SystemExit as end:
            code = int(end.code or 0)
        assert code == 0, name
