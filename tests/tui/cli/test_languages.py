"""The command line in every language: help renders; JSON, `--spec` and names are the same in all of them."""

import argparse
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from player.paths import Paths
from player.settings_file import read_settings
from tests.player.text.test_catalogues import earmark as started
from tests.player.text.test_catalogues import install, mo
from tests.translating import languages, sentences
from tests.tui.cli.conftest import Earmark
from tests.tui.cli.spec.test_spec import ALONE, RUNNING, running, stocked
from tui.cli import registry
from tui.cli.registry import commands

__all__ = ["running", "stocked"]

_HELP = """
import os, sys
os.environ["COLUMNS"] = "80"
from player.text.sentences import speak
speak(environ={"LANGUAGE": sys.argv[1]})
from tui.cli.main import main
from tui.cli.registry import everything, load, parser
for name in everything().commands:
    print("\\0" + name + "\\n" + parser(name, load(name)).format_help())
"""


@pytest.mark.parametrize("language", languages())
def test_the_help_of_every_command_renders(language: str) -> None:
    done = subprocess.run([sys.executable, "-c", _HELP, language], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    helps = dict(one.split("\n", 1) for one in done.stdout.split("\0")[1:])
    assert commands().keys() <= helps.keys()
    english = [name for name, text in helps.items() if re.search("^(usage|examples):", text, re.MULTILINE)]
    assert english == []


@pytest.mark.parametrize("language", languages())
def test_the_first_help_fits_a_terminal_of_80x24(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", language)
    lines = started("--help").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "Without a command" not in " ".join(lines)


@pytest.fixture
def marked_sentences(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """A language in which every sentence stands between ⟦ and ⟧."""
    header = {"": "Content-Type: text/plain; charset=UTF-8\n"}
    entries = {"\0".join(forms): "\0".join(f"⟦{form}⟧" for form in forms) for forms in sentences()}
    install(paths.translations, "zz", mo(header | entries))
    monkeypatch.setenv("LANGUAGE", "zz")


@pytest.mark.usefixtures("marked_sentences", "stocked")
def test_json_about_the_library_is_the_same_in_every_language(earmark: Earmark) -> None:
    asked = [(name, *words) for name, forms in ALONE.items() for _when, words in forms]
    assert [words for words in asked if "⟦" in earmark(*words, "--json").out] == []


@pytest.mark.usefixtures("marked_sentences", "running")
def test_json_about_what_plays_is_the_same_in_every_language(earmark: Earmark) -> None:
    asked = [(name, *words) for name, forms in RUNNING.items() for _when, words in forms]
    assert [words for words in asked if "⟦" in earmark(*words, "--json").out] == []


@pytest.mark.usefixtures("marked_sentences")
def test_wrong_usage_is_said_in_the_language(earmark: Earmark) -> None:
    source = inspect.getsource(argparse)
    assert [sentence for sentence in registry._OF_ARGPARSE if sentence not in source] == []
    assert "⟦unrecognized arguments: --nonsense⟧" in earmark("pause", "--nonsense").err


@pytest.mark.usefixtures("marked_sentences")
def test_what_people_read_is_translated_and_what_programs_read_isnt(earmark: Earmark) -> None:
    assert "⟦" in earmark("volume", "999").err
    for words in (("keys",), ("run", "--list", "--format", "{title}"), ("lists",), ("doctor",)):
        assert "⟦" in earmark(*words).out
    for asked in ("keys --json", "run --list --json", "doctor --json", "--spec"):
        assert "⟦" not in earmark(*asked.split()).out


def test_the_language_of_the_settings_holds_for_commands(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "fr")
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[appearance]\nlanguage = 'de'\n", encoding="utf-8")
    assert read_settings(paths.settings).problems == ()
    german = started("offline", "--help")
    paths.settings.write_text("[appearance]\nlanguage = 'en'\n", encoding="utf-8")
    english = started("offline", "--help")
    paths.settings.unlink()
    french = started("offline", "--help")
    assert len({german, english, french}) == 3
    assert "options:" in english
    found = json.loads(started("config", "get", "appearance.language", "--json"))
    assert found["value"] == "auto"


def test_a_settings_file_for_people_is_in_their_language(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    started("config", "init")
    made = Path(paths.settings).read_text(encoding="utf-8")
    assert "How far the seek keys jump" not in made
    assert '#language = "auto"' in made
    assert started("config", "check").count("\n") == 1
