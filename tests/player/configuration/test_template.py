"""The template explains every setting, sets none, and each line that is uncommented is its default."""

import ast
import re
from pathlib import Path

import pytest

from player.configuration.catalogue import documented, names, template, value_of
from player.settings import Settings
from player.settings_file import Read, parse_settings
from player.toml import places

PATH = Path("config.toml")


def test_it_sets_nothing() -> None:
    assert parse_settings(PATH, template()) == Read(Settings())


def test_uncommented_it_is_every_default() -> None:
    text = re.sub("^#(?! )", "", template(), flags=re.MULTILINE).replace('play = "enter"\n', "")
    assert parse_settings(PATH, text) == Read(Settings())
    found = places(text)
    written = {".".join(name) for name in (*found.values, *found.sections)}
    assert {*names()} <= written


def test_every_setting_has_words() -> None:
    assert [one for one in documented() if len(one.words) < 10] == []
    assert [name for name in names() if name.endswith("_")] == []
    assert value_of(Settings(), "sleep.from") == ""


def test_the_words_are_found_without_a_parser_that_fails_on_two_threads_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = documented()
    documented.cache_clear()
    with monkeypatch.context() as here:
        here.setattr(ast, "parse", None)
        found = documented()
    assert found == expected
