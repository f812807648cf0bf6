"""The README is short, its links lead somewhere, and it promises nothing that isn't so."""

import re
import sys
from hashlib import sha256
from os.path import normpath
from pathlib import Path

import pytest

from tests.bench.__main__ import PARTS
from tui.actions.table import ACTIONS, is_key, key_label
from tui.cli.registry import commands, former

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
GUIDES = {name: DOCS[name] for name in ("listening", "keeping-up", "finding", "words", "sound")}
"""The pages that begin with their keys."""
MOST_WORDS = 700

sys.path.insert(0, str(ROOT / "docs"))

from pages_from_code import PAGES  # noqa: E402


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


def test_a_moving_picture_and_five_of_its_own_show_what_it_is_about() -> None:
    assert re.findall(r"!\[[^]]+\]\(docs/([^)]+)\)", README) == [
        "earmark.gif", "said.svg", "sponsor.svg", "captions.svg", "queue.svg", "coming.svg"
    ]  # fmt: skip


def test_each_system_is_installed_in_a_line() -> None:
    table = README.partition("| on | type |\n|---|---|\n")[2].partition("\n\n")[0]
    lines = dict(row.strip("| ").split(" | ") for row in table.splitlines())
    assert list(lines) == ["Debian 12", "Arch, macOS, NixOS", "anywhere else", "from this repository"]
    assert [line for line in lines.values() if not re.search(r"`[^`]+`|\]\(docs/installing\.md\)", line)] == []


def anchors(page: str) -> set[str]:
    """The headings of a page as the addresses of its parts, as GitHub and the documentation make them."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    pages = {"README.md": README} | {f"docs/{name}.md": page for name, page in DOCS.items()}
    pages |= {f"docs/generated/{name}.md": made() for name, made in PAGES.items()}
    links = [
        (name, normpath(Path(name).parent / path) if path else name, part)
        for name, page in pages.items()
        for path, part in re.findall(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", re.sub("(?m)^    .*", "", page))
    ]
    assert len(links) > 200
    assert [link for link in links if link[1] not in pages and not (ROOT / link[1]).is_file()] == []
    assert [link for link in links if link[2] and link[2] not in anchors(pages[link[1]])] == []


def test_every_benchmark_named_exists() -> None:
    measured = README.partition("## Measured")[2].partition("\n## ")[0]
    named = {
        name for row in measured.splitlines() if row.startswith("| ") for name in re.findall(r"`([\w-]+)` \|$", row)
    }
    assert named
    assert named <= set(PARTS)


@pytest.mark.parametrize("page", [README, *GUIDES.values()], ids=["README", *GUIDES])
def test_every_key_of_the_table_is_bound(page: str) -> None:
    named = {key for keys in rows(page) for key in keys}
    bound = {name for action in ACTIONS for key in action.keys for name in (key, key_label(key))}
    assert named
    assert {key for key in named if not is_key(key)} == set()
    assert named <= bound


def test_a_key_has_one_row_of_one_page() -> None:
    named = [key for page in GUIDES.values() for keys in map(set, rows(page)) for key in keys]
    assert {key for key in named if named.count(key) > 1} == set()


def test_every_action_with_a_key_is_in_a_table() -> None:
    tables = [page.partition("| key | does |")[2].partition("\n\n")[0] for page in GUIDES.values()]
    named = {key for table in tables for key in re.findall(r"`([^`]+)`", table)}
    missing = [
        action.id for action in ACTIONS if action.keys and not named & {*action.keys, *map(key_label, action.keys)}
    ]
    assert missing == []


def test_every_command_named_exists() -> None:
    pages = [README, *DOCS.values()]
    named = {
        name for page in pages for name in re.findall(r"(?:^    |[`(|] ?)earmark ([a-z][a-z-]+)", page, re.MULTILINE)
    }
    assert len(named) > 40
    assert named - {*commands(), *former(), "help"} == set()


def test_the_moving_picture_is_of_the_recording_and_small() -> None:
    gif, cast = ROOT / "docs" / "earmark.gif", ROOT / "docs" / "earmark.cast"
    assert gif.stat().st_size <= 2_000_000
    assert sha256(cast.read_bytes()).hexdigest().encode() in gif.read_bytes()[:20_000], (
        "scripts/make_cast.py makes both"
    )
