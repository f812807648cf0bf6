"""The documentation: its pages made from the code are whole, and its recording can be played."""

import json
import re
import sys
from pathlib import Path

import pyte

from player.settings import Settings
from tui.actions.action import Group
from tui.actions.presets import FULL
from tui.actions.table import ACTIONS
from tui.cli.registry import commands, former, groups

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS))

import pages_from_code  # noqa: E402


def test_every_action_has_a_row() -> None:
    page = pages_from_code.keys()
    own, full = page.split("## With")
    assert set(re.findall(r"\| `(\w+)` \|$", full, re.MULTILINE)) == set(FULL)
    assert re.findall(r"\| `(\w+)` \|$", own, re.MULTILINE) == [
        action.id for group in Group for action in ACTIONS if action.group is group
    ]
    assert {action.id for action in ACTIONS} == set(re.findall(r"\| `(\w+)` \|$", page, re.MULTILINE))


def test_every_setting_has_words_and_its_default() -> None:
    page = pages_from_code.settings()
    assert re.findall(r"^## \[(\w+)\]$", page, re.MULTILINE) == list(Settings.__struct_fields__)
    for default in ('`theme = "', "`refresh_minutes = 60`", '`from = ""`', "`tags = true`", "`skip = []`"):
        assert default in page, default
    terms = re.findall(r"^`.*`\n(.*)$", page, re.MULTILINE)
    assert terms
    assert [words for words in terms if not words.startswith(": ") or len(words) < 10] == []


def test_every_command_has_its_help() -> None:
    page = pages_from_code.commands()
    assert re.findall(r"^### ([\w-]+)$", page, re.MULTILINE) == list(commands())
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [*groups(), "Older words"]
    for name, today in former().items():
        assert f"| `earmark {name}` | `earmark {today}` |" in page


def test_every_command_with_json_has_its_types() -> None:
    page = pages_from_code.json_types()
    assert {"episodes", "podcasts", "status"} <= set(re.findall(r"^\| `([\w-]+)` ", page, re.MULTILINE))
    types = re.findall(r"^## (\w+)$", page, re.MULTILINE)
    assert {"Episode", "Podcast"} <= set(types)
    assert set(re.findall(r"\]\(#(\w+)\)", page)) <= {name.lower() for name in types}


def test_the_reference_counts_what_it_has() -> None:
    def counted(page: str) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", page.splitlines()[2])]

    keys, settings = pages_from_code.keys(), pages_from_code.settings()
    own = keys.partition("## With")[0]
    assert counted(keys)[0] == len(re.findall(r"\| `\w+` \|$", own, re.MULTILINE))
    assert counted(settings)[1] == len(re.findall(r"^## \[", settings, re.MULTILINE))
    page = pages_from_code.commands()
    assert counted(page) == [len(re.findall(r"^### ", page, re.MULTILINE)), len(groups())]
    page = pages_from_code.json_types()
    rows = re.findall(r"^\| `([\w-]+)` ", page.partition("\n## ")[0], re.MULTILINE)
    assert counted(page) == [len(set(rows)), len(re.findall(r"^## ", page, re.MULTILINE))]


def seconds(clock: str) -> int:
    minutes, rest = clock.split(":")
    return int(minutes) * 60 + int(rest)


def test_the_recording_shows_that_an_episode_goes_on_at_its_second_after_kill_9() -> None:
    head, *events = map(json.loads, (DOCS / "earmark.cast").read_text(encoding="utf-8").splitlines())
    assert head["version"] == 2
    assert [kind for _, kind, _ in events] == ["o"] * len(events)
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    screen = pyte.Screen(head["width"], head["height"])
    stream = pyte.Stream(screen)
    positions: list[str] = []
    killed = None
    for _, _, text in events:
        stream.feed(text)
        shown = "\n".join(screen.display)
        if "Killed" in shown and killed is None:
            killed = len(positions)
        positions += re.findall(r"\d+:\d\d(?= / 24:00)", shown)[:1]
    assert killed, "what was played is ended by kill -9"
    assert seconds(positions[-1]) >= seconds(positions[killed - 1])
    assert min(map(seconds, positions[killed:])) >= seconds(positions[killed - 1]) - 1, "nothing of it is lost"


def test_every_action_has_its_command_or_only_moves_on_the_screen() -> None:
    page = pages_from_code.access()
    assert page.count("| `earmark ") + page.count("\n- ") == len(ACTIONS)
