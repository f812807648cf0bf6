"""All settings with their words: for the documentation, the commented template and `earmark config`."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_type_hints

from msgspec import Struct

from player.settings import Settings

SECRET = frozenset({"directories.podcast_index_key", "directories.podcast_index_secret"})
"""What isn't listed: a listing may go into a report."""


class Documented(Struct, frozen=True):
    """Settings of one section with one sentence about them all, by their names in config.toml (`from`)."""

    section: str
    names: tuple[str, ...]
    words: str


@cache
def documented() -> tuple[Documented, ...]:
    """In the order of the code. `words` is "" for those without a docstring. [keys] has no names."""
    found: list[Documented] = []
    of_settings = dict(_own_words(Settings))
    for section, kind in sections().items():
        if kind is None:
            found.append(Documented(section, (), of_settings.get(section, "")))
        else:
            found += [Documented(section, tuple(map(in_file, names)), words) for names, words in _groups(kind)]
    return tuple(found)


@cache
def sections() -> Mapping[str, type[Struct] | None]:
    """The struct of each section; None for one whose names the listener chooses."""
    hints = get_type_hints(Settings)
    kinds = {name: hints[name] for name in Settings.__struct_fields__}
    return {name: kind if isinstance(kind, type) and issubclass(kind, Struct) else None for name, kind in kinds.items()}


def names() -> tuple[str, ...]:
    """All settings, as `playback.seek_back`; without those in [keys]."""
    return tuple(f"{one.section}.{name}" for one in documented() for name in one.names)


def value_of(settings: Settings, name: str) -> Any:
    """What that setting is. Raises KeyError for a name that there isn't."""
    section, _, own = name.partition(".")
    within = getattr(settings, section, None) if section in sections() else None
    if isinstance(within, Mapping):
        return within[own]
    if within is None or in_code(own) not in within.__struct_fields__ or own != in_file(own):
        raise KeyError(name)
    return getattr(within, in_code(own))


def kind_of(name: str) -> Any:
    """The type of a setting that there is: bool, int, str, a tuple or a dict of them."""
    section, _, own = name.partition(".")
    kind = sections()[section]
    return str if kind is None else get_type_hints(kind)[in_code(own)]


def in_file(field: str) -> str:
    """`from` can't be a field's name in Python."""
    return field.rstrip("_")


def in_code(name: str) -> str:
    return f"{name}_" if name == "from" else name


def _groups(kind: type[Struct]) -> Iterator[tuple[list[str], str]]:
    """The fields in their order, in groups: a docstring is about all fields between the one before and itself."""
    words = {name: text for base in kind.__mro__ if base not in (object, Struct) for name, text in _own_words(base)}
    group: list[str] = []
    for name in kind.__struct_fields__:
        group.append(name)
        if name in words:
            yield group, words[name]
            group = []
    if group:
        yield group, ""


def _own_words(kind: type) -> Iterator[tuple[str, str]]:
    """The fields of this class that a docstring follows, with it. None where the source isn't there."""
    try:
        (body,) = (one for one in ast.parse(inspect.getsource(kind)).body if isinstance(one, ast.ClassDef))
    except (OSError, TypeError):
        return
    for field, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        ):
            yield field.target.id, " ".join(after.value.value.split())
