"""Each name of a TOML text is found where it stands, whatever is around it."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from player.toml import places, written, written_name

TEXT = '''# [not]
top = 1
[playback] # = "x"
engine = "a # no comment" # a comment
  "seek back" = """
[trap]
x = 1
"""
list = [ # [x]
  "]", 'y = 2',
]
[chapters.skip_in]
"The # show" = ["a"]
inline = { a = 1, b = "}" }
[[things]]
z = \'\'\'
it''s\'\'\'
last.dotted = 3'''


def test_names_are_found_past_strings_brackets_and_comments() -> None:
    found = places(TEXT)
    assert {name: place.line for name, place in found.sections.items()} == {
        ("playback",): 3,
        ("chapters", "skip_in"): 12,
        ("things",): 15,
    }
    assert {".".join(name): (place.line, TEXT[place.start : place.end]) for name, place in found.values.items()} == {
        "top": (2, "1"),
        "playback.engine": (4, '"a # no comment"'),
        "playback.seek back": (5, '"""\n[trap]\nx = 1\n"""'),
        "playback.list": (9, "[ # [x]\n  \"]\", 'y = 2',\n]"),
        "chapters.skip_in.The # show": (13, '["a"]'),
        "chapters.skip_in.inline": (14, '{ a = 1, b = "}" }'),
        "things.z": (16, "'''\nit''s'''"),
        "things.last.dotted": (18, "3"),
    }


def test_what_is_inside_of_a_value_has_the_line_of_that() -> None:
    found = places(TEXT)
    assert found.line_of(("chapters", "skip_in", "inline", "a")) == 14
    assert found.line_of(("playback", "volume")) == 3
    assert found.line_of(("audio", "device")) is None


_NAMES = st.text(st.characters(codec="utf-8", exclude_characters='\\"\n'), min_size=1, max_size=8)
_VALUES = st.one_of(st.text(st.characters(codec="utf-8"), max_size=20), st.integers(), st.booleans())
_TABLES = st.dictionaries(_NAMES, st.one_of(_VALUES, st.lists(_VALUES, max_size=3)), max_size=5)


@given(st.dictionaries(_NAMES, _TABLES, max_size=4))
def test_values_are_written_so_that_they_are_read_and_found(tables: dict[str, dict[str, Any]]) -> None:
    lines: list[str] = []
    for section, table in tables.items():
        lines.append(f"[{written_name((section,))}]")
        lines += [f"{written_name((name,))} = {written(value)}" for name, value in table.items()]
    text = "\n".join(lines)
    assert tomllib.loads(text) == tables
    found = places(text)
    for section, table in tables.items():
        for name, value in table.items():
            if _plain(section) and _plain(name):
                place = found.values[section, name]
                assert text[place.start : place.end] == written(value)


def _plain(name: str) -> bool:
    """Written as it is, without an escape."""
    return written(name) == f'"{name}"'


@given(st.text(max_size=200))
def test_no_text_is_too_much(text: str) -> None:
    places(text)
