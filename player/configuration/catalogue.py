"""All settings with their documentation, for the manual and a new config.toml; and when a changed setting takes
effect."""

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from textwrap import wrap
from typing import Any, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from player.settings import AtRestart, Settings, marks_of, section_kind, section_of
from player.text.sentences import _, translate
from player.toml import written

_STATEMENT = re.compile(r'^ {4}(?:(?P<name>\w+)|"""(?P<words>.*?)""")', re.MULTILINE | re.DOTALL)


class Documented(Struct, frozen=True):
    """Settings of one section with one sentence about them all, by their names in config.toml (`from`); translators
    find it."""

    section: str
    names: tuple[str, ...]
    words: str


@cache
def documented() -> tuple[Documented, ...]:
    """In the order of the code. `words` is "" for settings without a docstring. [keys] has no names."""
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
    """The struct of each section; None for a section whose names the listener chooses."""
    return {name: section_kind(name) for name in Settings.__struct_fields__}


def is_secret(name: str) -> bool:
    """Whether its value isn't listed, because a listing may go into a bug report."""
    section, _, own = name.partition(".")
    return own in getattr(sections().get(section), "SECRET", ())


def names() -> tuple[str, ...]:
    """All settings, as `playback.seek_back`; without the entries of [keys]."""
    return tuple(f"{one.section}.{name}" for one in documented() for name in one.names)


def value_of(settings: Settings, name: str) -> Any:
    """The value of that setting. Raises KeyError if there is no such setting."""
    section, _, own = name.partition(".")
    within = section_of(settings, section) if section in sections() else None
    if isinstance(within, Mapping):
        return within[own]
    if within is None or in_code(own) not in within.__struct_fields__ or own != in_file(own):
        raise KeyError(name)
    return getattr(within, in_code(own))


def with_value(settings: Settings, name: str, value: Any) -> Settings:
    """The settings with another value for an existing one."""
    section, _, own = name.partition(".")
    return replace(settings, **{section: replace(section_of(settings, section), **{in_code(own): value})})


def kind_of(name: str) -> Any:
    """The type of an existing setting: bool, int, str, a tuple or a dict of them."""
    section, _, own = name.partition(".")
    kind = sections()[section]
    return str if kind is None else get_type_hints(kind)[in_code(own)]


def in_file(field: str) -> str:
    """`from` can't be a field's name in Python."""
    return field.rstrip("_")


def in_code(name: str) -> str:
    return f"{name}_" if name == "from" else name


def _groups(kind: type[Struct]) -> Iterator[tuple[list[str], str]]:
    """The fields in their order, in groups: a docstring documents all fields between the previous docstring and
    itself."""
    words = {name: text for base in kind.__mro__ if base not in (object, Struct) for name, text in _own_words(base)}
    words |= getattr(kind, "WORDS", {})
    group: list[str] = []
    for name in kind.__struct_fields__:
        group.append(name)
        if name in words:
            yield group, words[name]
            group = []
    if group:
        yield group, ""


def _own_words(kind: type) -> Iterator[tuple[str, str]]:
    """The fields of this class that are followed by a docstring, with it. None if the source isn't available. Found by
    their indentation: several threads may ask at once, on which Python 3.11's parser fails (gh-106905)."""
    try:
        source = inspect.getsource(sys.modules[kind.__module__])
    except (OSError, TypeError):
        return
    body = re.search(rf"^class {kind.__name__}\b.*?(?=^[^\s)]|\Z)", source, re.MULTILINE | re.DOTALL)
    field = ""
    for one in _STATEMENT.finditer(body[0] if body else ""):
        if one["name"]:
            field = one["name"]
        elif field:
            yield field, " ".join(one["words"].split())


def at_restart(name: str) -> bool:
    """Whether a change of this setting waits for a restart. All others apply at once, or to the next thing of their
    kind: the next start, the next page, the next download."""
    return AtRestart in marks_of(name)


def changes(before: Settings, after: Settings) -> tuple[str, ...]:
    """The settings that differ, in the order of the code; `keys` for any of [keys]."""
    differ = [name for name in names() if value_of(before, name) != value_of(after, name)]
    return (*differ, "keys") if before.keys != after.keys else tuple(differ)


def waiting(changed: tuple[str, ...]) -> tuple[str, ...]:
    """The settings that take effect at a restart."""
    return tuple(name for name in changed if at_restart(name))


_WIDTH = 100


def template() -> str:
    """TOML that sets nothing. A line that begins with `#` and no space is a setting with its default."""
    lines = _comment(
        _("Earmark's settings. Remove the # before a setting to change it; all of them are optional."),
        _("TIME is seconds (90), 1:30, 1:02:03 or 1h2m3s. Check the file with: earmark config check"),
    )
    defaults, section = Settings(), ""
    tables: list[str] = []
    for one in documented():
        if one.section != section:
            lines += [*tables, "", f"[{one.section}]"]
            section, tables = one.section, []
        values = [(name, value_of(defaults, f"{section}.{name}")) for name in one.names]
        if not values:
            lines += [*_comment(translate(one.words), _("earmark keys lists the actions.")), '#play = "enter"']
        elif isinstance(values[0][1], dict):  # a section with its own header must come last
            tables += ["", *_comment(translate(one.words)), f"#[{section}.{one.names[0]}]"]
        else:
            lines += _comment(translate(one.words))
            if any(at_restart(f"{section}.{name}") for name in one.names):
                lines += _comment(_("It takes effect when Earmark is restarted."))
            lines += [f"#{name} = {written(value)}" for name, value in values]
    return "\n".join([*lines, *tables, ""])


def _comment(*paragraphs: str) -> list[str]:
    return [f"# {line}" for words in paragraphs for line in wrap(words, _WIDTH, break_on_hyphens=False)]
