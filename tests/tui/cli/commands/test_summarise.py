"""`summarise`."""

import sys
from pathlib import Path

from player.paths import Paths
from tests.player.summaries import odd_summariser
from tests.tui.cli.conftest import Earmark

NAME = Path(sys.executable).name


def set_up(paths: Paths, what: str) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f'[summarise]\ncommand = ["{sys.executable}", "{odd_summariser.__file__}", "{what}"]\n')


def test_it_is_made_once_printed_and_forgotten(earmark: Earmark, paths: Paths) -> None:
    set_up(paths, "markdown")
    ended = earmark("summarise", "1. Press play")
    assert ended.out == "**Two** people talk about passes.\n\n- It fuses at 0:20.\n"
    assert ended.err.endswith(f"made here by {NAME}\n")
    set_up(paths, "both")
    assert earmark("summarise", "1. Press play").out == ended.out
    assert earmark("summarise", "1. Press play", "--again").out == "Both.\n\n0:00  Hello\n0:20  The pass\n"
    said = earmark("summarise", "1. Press play", "--json").json
    assert (said["summary"], said["made_by"]) == ("Both.", NAME)
    assert said["chapters"] == [{"start_ms": 0, "title": "Hello"}, {"start_ms": 20_000, "title": "The pass"}]
    assert earmark("summarise", "1. Press play", "--remove").out == "Forgot what was made of “1. Press play”.\n"
    assert earmark("summarise", "1. Press play", "--remove", "--json").json == {"removed": False}
    assert earmark("summarise", "1. Press play", "--remove", "--again").code == 2


def test_what_goes_wrong_is_a_sentence(earmark: Earmark, paths: Paths) -> None:
    ended = earmark("summarise", "1. Press play")
    assert ended.code == 1
    assert ended.err.startswith("earmark: No program that summarises is set up. Name one in config.toml")
    set_up(paths, "page")
    ended = earmark("summarise", "1. Press play")
    assert ended.code == 1
    assert f"earmark: {NAME} printed a web page instead of Markdown. Check “summarise.command”" in ended.err
