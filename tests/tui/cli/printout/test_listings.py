"""Every command that lists: --json, --format, --limit and --filter mean the same everywhere."""

import re
from typing import Any

import pytest

from player.library import Library
from player.model.filters import View
from player.paths import Paths
from tests import directories
from tests.directories import APPLE, CHARTS, GPODDER, apple_answer, apple_podcast
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark
from tests.tui.cli.shelves import HOSTILE, LISTS, OUTPUTS, fill
from tui.cli.checkup import Finding
from tui.cli.printout import fields_of
from tui.cli.registry import everything, load

FILTERED = [name for name in everything().commands if (lists := load(name).lists) and lists[0].filters]


@pytest.fixture(autouse=True)
def stocked(library: Library, paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(library, paths.data / "episodes")
    world = directories.Directories(server)
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(world.toml, encoding="utf-8")
    for most in (1, 10, 25, 50, 100):
        world.says(f"{CHARTS}/api/v2/us/podcasts/top/{most}/podcasts.json", directories.newer_chart(*range(1, 11)))
        world.says(f"{GPODDER}/toplist/{most}.json", [])
    found = apple_podcast(2, "Words and Things", "https://two.example.com/feed")
    world.says(f"{APPLE}/search", apple_answer(found, apple_podcast(3, "Words Only Here", None)))
    checked = [Finding("Earmark", True, "0.1.0"), Finding("sound", False, "No sound.", "Install libvlc.")]
    monkeypatch.setattr("tui.cli.commands.doctor.examine", lambda _paths: iter(checked))
    monkeypatch.setattr("player.playback.vlc.instance.find_outputs", lambda: OUTPUTS)


def test_every_command_that_lists_is_tried_here() -> None:
    assert {name for name in everything().commands if load(name).lists} == {*LISTS}


def listed(document: Any) -> list[dict[str, Any]]:
    """The rows of a document that is a list, has one, or is a single row."""
    if isinstance(document, list):
        return document
    for name in ("settings", "checks", "lines"):
        if name in document:
            rows: list[dict[str, Any]] = document[name]
            return rows
    return [document]


def test_every_list_is_printed_by_a_template_as_by_json(earmark: Earmark) -> None:
    for name, words in LISTS.items():
        rows = listed(earmark(name, *words, "--json").json)
        fields = fields_of(load(name).lists[0])
        ended = earmark(name, *words, "--format", "\t".join(f"{{{field}}}" for field in fields))
        assert (ended.code, ended.err) == (int(name == "doctor"), ""), name
        lines = ended.out.split("\n")[:-1]
        assert len(lines) == len(rows), name
        assert rows or name == "top", name
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", ended.out), name
        for row, line in zip(rows, lines, strict=True):
            texts = dict(zip(fields, line.split("\t"), strict=True))
            for field, value in row.items():
                if isinstance(value, int) and not isinstance(value, bool):
                    assert texts[field] == str(value), (name, field)


def test_every_list_has_a_limit_and_refuses_what_makes_no_sense(earmark: Earmark) -> None:
    for name, words in LISTS.items():
        if "--limit" in earmark(name, "--help").out:
            rows = listed(earmark(name, *words, "--json", "--limit", "0").json)
            assert listed(earmark(name, *words, "--json", "--limit", "1").json) == rows[:1], name
            assert earmark(name, *words, "--limit", "1").code == 0, name
        for wrong, problem in (
            (("--format", "{nope}"), "There is no field {nope}."),
            (("--format", "{"), "A single { in the format."),
            (("--format", "x", "--json"), "--format and --json can't be combined."),
            (("--escape", "tmux"), "--escape needs --format."),
        ):
            ended = earmark(name, *words, *wrong)
            assert (ended.code, ended.out) == (2, ""), name
            assert problem in ended.err, name
            assert ended.err.rstrip().endswith(f"See: earmark {name} --help"), name


def test_no_table_has_a_control_character(earmark: Earmark) -> None:
    for name, words in LISTS.items():
        if name not in ("show", "doctor"):
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", earmark(name, *words).out), name


def test_a_table_shows_of_each_row_what_a_template_fills_in(earmark: Earmark) -> None:
    for name, words in LISTS.items():
        kind = load(name).lists[0]
        templates = [column.cell for column in kind.columns if isinstance(column.cell, str)]
        if not templates:
            continue
        lines = earmark(name, *words).out.splitlines()[1:]
        if name == "config":
            lines = lines[2:]  # where the file is
        filled = earmark(name, *words, "--format", "\t".join(templates)).out.splitlines()
        assert filled or name == "top", name
        for line, cells in zip(lines, (one.split("\t") for one in filled), strict=False):
            assert all(cell in line for cell in cells if cell.isascii()), (name, line, cells)


def test_an_escaped_title_is_no_order_to_a_bar(earmark: Earmark) -> None:
    ended = earmark("episodes", "--filter", "title:reboot", "--escape", "tmux", "--format", "{title}")
    assert ended.out == "Bad [31m]0;x title $(reboot) `reboot` 'quoted' \"twice\" ##[x]\n"
    assert HOSTILE not in ended.out


def titles(earmark: Earmark, *words: str) -> list[str]:
    name, *rest = words
    field = "episode" if name.startswith("bookmark") else "title"
    ended = earmark(*words[:1], *rest, "--format", f"{{{field}}}")
    assert ended.code == 0, ended.err
    return ended.out.splitlines()


GRAPH, HIGHER, AUTOGRAD = "CUDA graph trees", "Higher order operators", "Compiled autograd"


NARROWED: tuple[tuple[tuple[str, ...], list[str]], ...] = (
    (("queue", "--filter", "is:unplayed"), [HIGHER, AUTOGRAD]),
    (("queue", "--filter", "sort:oldest"), [AUTOGRAD, GRAPH, HIGHER]),
    (("queue", "--filter", "operators"), [HIGHER]),
    (("queue", "--filter", "limit:1"), [GRAPH]),
    (("queue", "--filter", "tag:work"), []),
    (("queue", "--filter", "podcast:nothing"), []),
    (("playlist", "list", "evening", "--filter", "after:2026"), [HIGHER]),
    (("bookmark", "list", "--filter", "is:played"), [GRAPH]),
    (("bookmarks", "--filter", "is:played"), [GRAPH]),
    (("bookmarks", "--filter", "limit:1"), [HIGHER]),
    (("history", "--filter", "title:order"), [HIGHER]),
    (("history", "--filter", "limit:1"), [HIGHER]),
    (("history", "--filter", "podcast:changelog"), []),
    (("download", "list", "--filter", "is:played"), [GRAPH]),
    (("download", "--queue", "--limit", "1"), [AUTOGRAD]),
    (("downloads", "--filter", "is:played"), [GRAPH]),
    (("downloads", "--queue", "--filter", "title:AOT"), ["AOTInductor"]),
    (("downloads", "--queue", "--limit", "1"), [AUTOGRAD]),
    (("episodes", "--list", "queue", "--filter", "sort:longest limit:2"), [GRAPH, AUTOGRAD]),
    (("episodes", "--list", "history", "--filter", "is:unplayed"), [HIGHER]),
    (("episodes", "--starred", "--filter", "podcast:pytorch is:played"), ["torchdynamo"]),
    (("episodes", "pytorch", "--filter", "inductor sort:oldest", "--limit", "2"), [
        "Inductor - IR", "Inductor - Define-by-run IR"
    ]),
    (("episodes", "pytorch", "--filter", "podcast:changelog"), []),
    (("episodes", "--filter", "tag:work", "--limit", "2"), ["Changelog 9", "Changelog 8"]),
    (("episodes", "--unplayed", "--filter", "is:played"), []),
    (("episodes", "--in-progress", "--filter", "shorter:20m"), [AUTOGRAD, HIGHER]),
    (("episodes", "--filter", '"define-by-run ir"'), ["Inductor - Define-by-run IR"]),
    (("podcasts", "--filter", "is:error"), ["CoRecursive"]),
    (("podcasts", "--filter", "tag:work"), ["Changelog"]),
)  # fmt: skip


def test_a_filter_narrows_each_list(earmark: Earmark) -> None:
    for words, expected in NARROWED:
        assert titles(earmark, *words) == expected, words


def test_a_filter_that_is_not_understood_is_wrong_usage(earmark: Earmark) -> None:
    for name in FILTERED:
        ended = earmark(name, *LISTS[name], "--filter", "is:nonsense")
        assert (ended.code, ended.out) == (2, ""), name
        assert ended.err.startswith("earmark: argument --filter: Unknown filter “is:nonsense”. Available: "), name


def test_moments_keep_their_order(earmark: Earmark) -> None:
    ended = earmark("history", "--filter", "sort:oldest")
    assert (ended.code, ended.err.partition(".")[0]) == (
        2, "earmark: argument --filter: this list has an order of its own; leave out sort:",
    )  # fmt: skip


def test_what_nothing_fits_is_said(earmark: Earmark) -> None:
    for name in FILTERED:
        words = "No podcasts match.\n" if name == "podcasts" else "No episodes match.\n"
        ended = earmark(name, *LISTS[name], "--filter", "qwertz")
        assert (ended.code, ended.out) == (0, words), name
        assert earmark(name, *LISTS[name], "--filter", "qwertz", "--json").json == []


def test_a_long_list_is_printed_as_it_is_read(
    earmark: Earmark, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.commands.episodes._AT_ONCE", 7)
    listed = [one["id"] for one in earmark("episodes", "--json").json]
    assert listed == list(library.episodes.ids(View.of()))
    assert earmark("episodes", "--format", "{id}").out.split() == [str(one) for one in listed]


def test_json_is_indented_as_ever(earmark: Earmark) -> None:
    assert earmark("tag", "--json").out == (
        '[\n  {\n    "tag": "long walks",\n    "podcast_count": 1\n  },\n'
        '  {\n    "tag": "work",\n    "podcast_count": 1\n  }\n]\n'
    )
    assert earmark("queue", "--filter", "qwertz", "--json").out == "[]\n"
