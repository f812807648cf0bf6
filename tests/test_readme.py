"""The README promises nothing that isn't so."""

import re
import tomllib
from pathlib import Path

from msgspec.structs import asdict

from player.settings import Settings
from player.settings_file import load_settings
from tui.actions.table import ACTIONS, is_key, key_label
from tui.cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_action_is_named_and_every_named_action_exists() -> None:
    listed = README.partition("The actions:")[2].partition("\n\n")[0]
    assert re.findall(r"`(\w+)`", listed) == [action.id for action in ACTIONS]


TABLE = README.partition("| key | does |")[2].partition("\n\n")[0]
KEY_CELLS = [set(re.findall(r"`([^`]+)`", row.split("|")[1])) for row in TABLE.splitlines() if row.startswith("| `")]
"""The keys that each row of the table is about."""


def test_every_key_of_the_table_is_bound() -> None:
    named = {key for keys in KEY_CELLS for key in keys}
    bound = {name for action in ACTIONS for key in action.keys for name in (key, key_label(key))}
    assert named
    assert {key for key in named if not is_key(key)} == set()
    assert named <= bound


def test_a_key_has_one_row_of_the_table() -> None:
    named = [key for keys in KEY_CELLS for key in keys]
    assert {key for key in named if named.count(key) > 1} == set()


def test_every_action_with_a_key_is_in_the_table() -> None:
    named = set(re.findall(r"`([^`]+)`", TABLE))
    missing = [
        action.id for action in ACTIONS if action.keys and not named & {*action.keys, *map(key_label, action.keys)}
    ]
    assert missing == []


def test_the_settings_shown_are_the_defaults(tmp_path: Path) -> None:
    shown = README.partition("All of it is optional:")[2].partition("    [keys]")[0]
    path = tmp_path / "config.toml"
    path.write_text("\n".join(line[4:] for line in shown.splitlines()), encoding="utf-8")
    assert load_settings(path) == (Settings(), ())
    assert tomllib.loads(path.read_text())["appearance"] == asdict(Settings().appearance)


def test_every_command_named_exists(capsys: object) -> None:
    for name in re.findall(r"`(\w+)`", README.partition("All have `--help`")[0].partition("## In scripts")[2]):
        try:
            code = main([name, "--help"])
        except SystemExit as end:
            code = int(end.code or 0)
        assert code == 0, name
