"""What --format fills in for a row."""

import os
import time
from collections.abc import Iterator

import pytest

from player.integrations.documents.library import ListedEpisode
from tui.cli.command import Rows
from tui.cli.printout import fields_of, filled, text_of
from tui.cli.registry import everything, load
from tui.cli.status_line import Template

EPISODES = Rows("list[ListedEpisode]")
EPISODE = {
    "id": 7, "podcast": "A podcast", "title": "Rain\x1b[31m\nand \u202ewind", "published": "2026-11-20T23:30:00Z",
    "duration_ms": 2_700_000, "position_ms": 492_000, "played": False, "starred": True, "queued": None,
    "people": [{"name": "Ada", "role": "host"}, {"name": "Grace", "role": ""}], "transcript_languages": ["en", "de"],
}  # fmt: skip


@pytest.fixture
def berlin() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


def line(template: str) -> str:
    return filled(Template(template, fields=fields_of(EPISODES)), EPISODE)


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{id}: {podcast}", "7: A podcast"),
        ("{title}", "Rain[31m and wind"),
        ("{position}/{duration} {duration_ms}", "8:12/45:00 2700000"),
        ("{published} {published_day}", "2026-11-20T23:30:00Z 2026-11-21"),
        ("{starred}|{played}|{queued}|{season}", "yes|||"),
        ("{people} ({transcript_languages})", "Ada, Grace (en, de)"),
        ("{podcast:>12}|{podcast:.4}", "   A podcast|A p…"),
    ],
)
def test_a_row_is_filled_in(template: str, expected: str) -> None:
    assert line(template) == expected


def test_the_fields_are_those_of_the_json_with_clocks_and_days_beside() -> None:
    assert {*ListedEpisode.__annotations__} < {*fields_of(EPISODES)}
    assert {*fields_of(EPISODES)} - {*ListedEpisode.__annotations__} == {"published_day", "duration", "position"}
    assert "last_refreshed_day" in fields_of(Rows("list[Podcast]"))
    assert {"began_day", "ended_day", "listened", "from", "to"} < {*fields_of(Rows("list[Session]"))}


def test_every_table_is_of_fields_that_its_rows_have() -> None:
    tables = [kind for name in everything().commands for kind in load(name).lists if kind.columns]
    assert len(tables) > 15
    for kind in tables:
        for column in kind.columns:
            if isinstance(column.cell, str):
                Template(column.cell, fields=fields_of(kind))


@pytest.mark.parametrize(
    ("value", "expected"), [(1.5, "1.5"), (2.0, "2"), (0, "0"), ("", ""), ([], ""), ({}, ""), ([None, "a"], "a")]
)
def test_any_value_has_a_text(value: object, expected: str) -> None:
    assert text_of(value) == expected
