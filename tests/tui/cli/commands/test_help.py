"""`earmark help`: a word is found wherever something is said about it."""

import re
from pathlib import Path

import pytest

from player.paths import Paths
from tests.tui.cli.conftest import Earmark
from tui import manual
from tui.cli.registry import commands


def test_the_map_fits_a_terminal_of_80x24(earmark: Earmark) -> None:
    ended = earmark("help")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert len(lines) <= 23, "the prompt has a line of its own"
    assert max(map(len, lines)) <= 80
    for words in ("enter", "Play or open", "earmark add", "earmark help WORD", "earmark help PAGE", manual.names()[0]):
        assert words in ended.out
    document = earmark("help", "--json").json
    assert [one["name"] for one in document["commands"]] == list(commands())
    listed = [one["page"] for one in document["pages"]]
    assert listed == [*(name for name in manual.names() if name in listed), "pages"]
    assert {page.name for page in manual.pages()} | {"keys", "settings", "commands"} < set(listed)


def test_a_word_is_found_in_keys_commands_settings_and_pages(earmark: Earmark) -> None:
    out = earmark("help", "sleep").out
    keys, rest = out.split("\nCommands\n")
    assert keys.startswith("Keys\n")
    assert "  t" in keys
    assert re.search(r"^  earmark sleep +set or show the sleep timer$", rest, re.MULTILINE)
    assert "earmark sleep 30" in rest, "the command's own examples"
    assert "\nPages\n" in rest
    assert re.search(r"^  [\w-]+ · .+\n      .*sleep", rest.split("\nPages\n")[1], re.MULTILINE | re.IGNORECASE)
    assert out.endswith("A whole page: earmark help PAGE\n")
    assert max(map(len, out.splitlines())) <= 100


def test_in_json_each_kind_has_what_it_is_about(earmark: Earmark) -> None:
    found = earmark("help", "--json", "sleep", "timer").json
    assert found["words"] == "sleep timer"
    assert found["keys"][0]["id"] == "sleep"
    assert found["keys"][0]["keys"] == ["t"]
    assert found["commands"][0] == {"name": "sleep", "summary": "set or show the sleep timer"}
    assert all({"page", "heading", "text"} == set(one) for one in found["passages"])
    assert any("sleep timer" in one["text"].lower() for one in found["passages"])
    assert found["near"] == []
    settings = earmark("help", "refresh", "minutes", "--json").json["settings"]
    assert "feeds.refresh_minutes" in settings[0]["names"]


def test_the_listeners_own_keys_are_shown(earmark: Earmark, paths: Paths) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text('[keys]\nsleep = "f8"\n', encoding="utf-8")
    assert "  f8  " in earmark("help", "sleep").out


def test_the_best_are_shown_and_all_if_asked(earmark: Earmark) -> None:
    few, many = earmark("help", "episode").out, earmark("help", "episode", "--all").out
    assert "more with --all" in few
    assert "more with --all" not in many
    assert len(many.splitlines()) > len(few.splitlines())
    assert len(few.splitlines()) < 80


def test_case_accents_and_endings_do_not_count(earmark: Earmark) -> None:
    assert earmark("help", "SLÉEP", "--json").json["keys"] == earmark("help", "sleep", "--json").json["keys"]
    assert any(one["id"] == "sleep" for one in earmark("help", "sleeping", "--json").json["keys"])


def test_a_page_is_printed_whole_and_its_name_can_be_looked_for(earmark: Earmark) -> None:
    for page in manual.pages():
        out = earmark("help", page.name).out
        assert out.splitlines()[:1] == [page.title]
        assert out.endswith(f"earmark help --search {page.name}\n")
        assert earmark("help", page.name, "--json").json == {
            "page": page.name,
            "title": page.title,
            "text": page.source,
        }
    assert "Commands\n  earmark sync" in earmark("help", "--search", "sync").out


@pytest.mark.parametrize("name", ["keys", "settings", "commands", "pages"])
def test_pages_that_are_made_from_the_code(earmark: Earmark, name: str) -> None:
    wanted = {"keys": "Play or open", "settings": "#seek_back", "commands": "set or show", "pages": manual.names()[0]}
    assert wanted[name] in earmark("help", name).out
    assert earmark("help", name, "--json").json["page"] == name


def test_every_command_has_its_summary_on_the_page_of_commands(earmark: Earmark) -> None:
    out = earmark("help", "commands").out
    for name, summary in commands().items():
        assert f"  {name} " in out
        assert summary in out


def test_a_word_that_nothing_knows_has_similar_ones(earmark: Earmark) -> None:
    ended = earmark("help", "transcrpt")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("earmark: Nothing is said about “transcrpt”. Did you mean transcript")
    found = earmark("help", "transcrpt", "--json")
    assert found.code == 1
    assert "transcript" in found.json["near"]
    assert earmark("help", "xqzzyq").err == "earmark: Nothing is said about “xqzzyq”. See: earmark help\n"
    assert earmark("help", "…").code == 1
    assert earmark("help", "--all").code == 2


def test_an_older_word_says_what_is_typed_today(earmark: Earmark) -> None:
    assert "This is an older word for: earmark find --popular" in earmark("help", "top").out


def test_where_no_pages_are_installed_the_rest_is_found(
    earmark: Earmark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for cached in (manual.index, manual._all_sections):
        cached.cache_clear()
    monkeypatch.setattr(manual, "folder", lambda: tmp_path)
    try:
        assert "\nPages\n" not in earmark("help", "sleep").out
        assert "earmark help PAGE" in earmark("help").out
        assert earmark("help", "keys").code == 0
    finally:
        for cached in (manual.index, manual._all_sections):
            cached.cache_clear()
