"""A command is one module: it is found in the folder of commands, and nothing else says that it is there."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Earmark
from tui.cli import commands as room
from tui.cli import registry

ROOT = Path(__file__).resolve().parents[3]

WEATHER = '''
"""`weather`."""

from typing import TypedDict

from tui.cli.command import Column, Command, Rows
from tui.cli.printout import Printout


class Day(TypedDict):
    day: str
    rain_mm: int


_DAYS = Rows(list[Day], (Column("DAY", "{day}"), Column("RAIN", "{rain_mm} mm", right=True)))


def _weather(context, options):
    Printout(context, options, _DAYS).print([{"day": options.day, "rain_mm": 12}], "Never rains.")
    return 0


COMMANDS = {
    "weather": Command(
        summary="say how the weather is",
        about="Say how the weather is on a day.",
        examples="earmark weather monday",
        run=_weather,
        arguments=lambda parser: parser.add_argument("day", metavar="DAY", choices=("monday", "sunday")),
        lists=(_DAYS,),
        after="queue",
    )
}
'''


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder outside the tree with a command in it."""
    folder = tmp_path / "commands"
    folder.mkdir()
    (folder / "weather.py").write_text(WEATHER, encoding="utf-8")
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(folder)])
    yield folder
    sys.modules.pop("tui.cli.commands.weather", None)


@pytest.mark.usefixtures("elsewhere")
def test_a_command_of_one_file_runs_and_is_in_help_and_spec(earmark: Earmark) -> None:
    assert "queue, weather, lists" in earmark("--help").out
    lines = earmark("help", "commands").out.splitlines()
    place = next(at for at, line in enumerate(lines) if line.split()[:1] == ["weather"])
    assert lines[place].endswith("  say how the weather is")
    names = [line.split()[0] for line in lines if line.strip()]
    assert names.index("queue") < names.index("weather") < names.index("lists")
    assert earmark("wether").err.startswith("earmark: There is no command “wether”. Did you mean weather?")
    assert "Fields of --format: day, rain_mm." in earmark("weather", "--help").out

    assert earmark("weather", "monday").out.splitlines() == ["DAY      RAIN", "monday  12 mm"]
    assert earmark("weather", "monday", "--json").json == [{"day": "monday", "rain_mm": 12}]
    assert earmark("weather", "sunday", "--format", "{day}: {rain_mm}").out == "sunday: 12\n"
    assert earmark("weather", "--limit", "1").code == 2

    spec = earmark("--spec").json["commands"]
    assert [name for name in spec if name in ("queue", "weather", "lists")] == ["queue", "weather", "lists"]
    assert spec["weather"]["summary"] == "say how the weather is"
    assert spec["weather"]["arguments"][0]["choices"] == ["monday", "sunday"]
    assert spec["weather"]["format"] == [{"rows": "list[Day]", "fields": ["day", "rain_mm"]}]


def test_it_is_in_the_completions_and_the_manual_page_whatever_the_index_said_before(
    elsewhere: Path, tmp_path: Path
) -> None:
    made, old = tmp_path / "made", tmp_path / registry.INDEX.name
    old.write_text('{"modules": ["queue", "weather"], "commands": {"weather": ["queue", "said before", null]}}')
    script = f"""
import pathlib, runpy, sys
from tui.cli import commands, registry
registry.INDEX = pathlib.Path({str(old)!r})
commands.__path__.append({str(elsewhere)!r})
sys.argv = ["make_shipped.py", {str(made)!r}]
runpy.run_path({str(ROOT / "scripts" / "make_shipped.py")!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for name in ("earmark.bash", "_earmark", "earmark.fish"):
        text = (made / name).read_text(encoding="utf-8")
        assert "weather" in text, name
        assert "monday" in text, name
        assert "said before" not in text, name
    assert "'earmark weather'" in (made / "earmark.1").read_text(encoding="utf-8")
    assert '"weather": ["weather", "say how the weather is", "queue", "", ""]' in (made / "commands.json").read_text()


def test_no_other_module_is_imported_to_find_a_command() -> None:
    script = "import sys; from tui.cli.registry import load; load('queue'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert {one for one in loaded if one.startswith("tui.cli.commands.")} == {
        "tui.cli.commands.queue", "tui.cli.commands.episodes",
    }  # fmt: skip


def test_commands_stand_after_the_one_that_they_name() -> None:
    found = {
        "last": registry.Entry("z", "", None),
        "third": registry.Entry("a", "", "second"),
        "first": registry.Entry("b", "", ""),
        "second": registry.Entry("c", "", "first"),
        "astray": registry.Entry("d", "", "nothing"),
    }
    assert registry.in_order(found) == ["first", "second", "third", "last", "astray"]


def test_of_several_that_follow_the_same_command_a_single_one_comes_first_however_often_they_are_put_in_order() -> None:
    found = {
        "queue": registry.Entry("a", "", ""),
        "mark": registry.Entry("b", "", "queue"),
        "star": registry.Entry("b", "", "mark"),
        "moon": registry.Entry("c", "", "queue"),
        "moonlight": registry.Entry("d", "", "queue"),
    }
    order = registry.in_order(found)
    assert order == ["queue", "moon", "moonlight", "mark", "star"]
    assert registry.in_order({name: found[name] for name in order}) == order
    assert registry.in_order({name: found[name] for name in reversed(order)}) == order
    found["queue"] = registry.Entry("a", "", "star")
    assert sorted(registry.in_order(found)) == sorted(found)


def test_help_is_in_the_order_of_the_shipped_index() -> None:
    found = registry.everything().commands
    assert list(registry.commands()) == [name for name in found if not found[name].former]


def test_a_heading_begins_a_group() -> None:
    found = registry.everything().commands
    begin = [name for name in found if found[name].heading]
    assert begin == [next(iter(group)) for group in registry.groups().values()]
    assert [name for name in found if not registry.load(name).former] == list(registry.commands())


def test_the_paragraphs_of_a_help_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "62")
    about = (
        registry.parser("bookmark", registry.load("bookmark"))
        .format_help()
        .partition("positional")[0]
        .partition("\n\n")[2]
    )
    assert len(about.splitlines()) > 5
    assert max(map(len, about.splitlines())) <= 60
    assert any("`earmark bookmark list`" in line for line in about.splitlines()), "what is typed is whole"
