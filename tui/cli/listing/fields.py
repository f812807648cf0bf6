"""The fields of a row for --format: those of its JSON, and times and days as people write them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from textwrap import wrap
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from player.integrations.documents.by_name import document
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Lists

Row = Mapping[str, Any]
Fields = Mapping[str, Callable[[Row], str]]
"""How each is made of a row."""

_WIDTH = 100
_MOST = 100_000
"""Characters of a field."""
_DATE_TIME = {"format": "date-time"}


def fields_of(row: type) -> Fields:
    """Those of a type of rows (a TypedDict). For `position_ms` there is also `position`, like 8:12, and for a moment
    such as `published` also `published_day`, the date where the listener lives."""
    types = get_type_hints(row, include_extras=True)
    fields: dict[str, Callable[[Row], str]] = {name: _plain(name) for name in types}
    for name, its in types.items():
        if name.endswith("_ms"):
            fields.setdefault(name.removesuffix("_ms"), _clock(name))
        elif _is_moment(its):
            fields[f"{name}_day"] = _day(name)
    return fields


def text_of(value: object) -> str:
    """In one line without control characters: nothing for what isn't known or isn't so, lists with commas, of an object
    its first value."""
    match value:
        case None | False:
            return ""
        case True:
            return "yes"
        case float():
            return f"{value:g}"
        case Mapping():
            return text_of(next(iter(value.values()), None))
        case list() | tuple():
            return ", ".join(filter(None, map(text_of, value)))
        case _:
            return clean_line(str(value), _MOST)


def _plain(name: str) -> Callable[[Row], str]:
    return lambda row: text_of(row.get(name))


def _clock(name: str) -> Callable[[Row], str]:
    def made(row: Row) -> str:
        value = row.get(name)
        return "" if value is None else clock(value)

    return made


def _day(name: str) -> Callable[[Row], str]:
    def made(row: Row) -> str:
        value = row.get(name)
        return f"{datetime.fromisoformat(value).astimezone():%Y-%m-%d}" if value else ""

    return made


def _is_moment(its: Any) -> bool:
    """Also where it is optional."""
    metas = getattr(its, "__metadata__", ())
    if any(getattr(meta, "extra_json_schema", None) == _DATE_TIME for meta in metas):
        return True
    if metas:
        return _is_moment(get_args(its)[0])
    return get_origin(its) in (Union, UnionType) and any(map(_is_moment, get_args(its)))


def fields_words(lists: Lists) -> str:
    """The fields of --format, for --help."""
    fields = dict.fromkeys(name for document_name in lists.rows for name in fields_of(row_of(document(document_name))))
    words = _("Fields of --format: {fields}. {{title:.30}} takes at most 30 cells.", fields=", ".join(fields))
    return "\n".join(wrap(words, _WIDTH))


def row_of(its: Any) -> type:
    """The rows of a document that is a list; else the document."""
    row: type = get_args(its)[0] if get_origin(its) is list else its
    return row
