from datetime import UTC, datetime
from typing import Any

import pytest

from player.directory.adapters import json_fields


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-08-02T10:00:00.000Z", datetime(2026, 8, 2, 10, tzinfo=UTC)),
        ("2026-08-02T12:00:00+02:00", datetime(2026, 8, 2, 10, tzinfo=UTC)),
        ("2026-08-02 10:00:00", datetime(2026, 8, 2, 10, tzinfo=UTC)),
        (1_754_000_000, datetime.fromtimestamp(1_754_000_000, UTC)),
        ("1754000000", None),
        ("soon", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("2999-01-01T00:00:00Z", None),
        (0, None),
        (10**14, None),
        (True, None),
        ([], None),
    ],
)
def test_moments(value: Any, expected: datetime | None) -> None:
    assert json_fields.moment(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7),
        ("7", 7),
        (7.0, 7),
        (0, 0),
        (-1, None),
        ("٧", None),
        (7.5, None),
        (True, None),
        (10**9, None),
        (None, None),
    ],
)
def test_counts(value: Any, expected: int | None) -> None:
    assert json_fields.count(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("en-us", "en-US"), ("de", "de"), ("PT_br", "pt-BR"), ("zh-hant", "zh-hant"), ("English", ""), ("", ""), (5, "")],
)
def test_languages(value: Any, expected: str) -> None:
    assert json_fields.language(value) == expected


def test_a_description_loses_its_markup_and_keeps_its_paragraphs() -> None:
    assert json_fields.block("<p>One <b>bold</b> &amp; more.</p><p>Two<br/>lines</p>\n\n\n\n<script>x") == (
        "One bold & more.\nTwo\nlines\n\nx"
    )
    assert json_fields.block("a < b and b > c") == "a < b and b > c"
    assert json_fields.block(["x"]) == ""


def test_topics_come_from_a_list_a_table_or_a_single_name() -> None:
    assert json_fields.topics(["Technology", "Podcasts", "Technology", 7, "News"]) == ("Technology", "News")
    assert json_fields.topics({"102": "Technology", "55": "News"}) == ("Technology", "News")
    assert json_fields.topics([{"name": "Science", "genreId": "1533"}, {"x": 1}]) == ("Science",)
    assert json_fields.topics("Arts") == ("Arts",)
    assert json_fields.topics(None) == ()


def test_a_guid_is_a_real_one() -> None:
    assert json_fields.guid("9B024349-CCF0-5F69-A609-6B82873EAB3C") == "9b024349-ccf0-5f69-a609-6b82873eab3c"
    assert json_fields.guid("00000000-0000-0000-0000-000000000000") == ""
    assert json_fields.guid("yes") == json_fields.guid(None) == ""
