"""config.toml read into settings. A mistake costs only the setting that it is in."""

import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

from player import regular_file
from player.links.urls import split_login, web_address
from player.model.downloads import NAME_FIELDS, RULES_WRITTEN
from player.model.effects import level_of
from player.model.listening import TEMPLATE_FIELDS
from player.settings import HOOKS, OneOf, Playback, Settings, ends_after_s, marks_of, section_kind, section_of
from player.text.durations import parse_time
from player.text.sentences import _
from player.text.sizes import parse_size
from player.text.typed_names import suggestion

LARGEST = 1_000_000
"""The most bytes of config.toml."""
_LANGUAGE, _COUNTRY = re.compile("[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*"), re.compile("[A-Za-z]{2}")
_SPOKEN = ("transcripts.language", "transcribe.language")
_HOUR = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)
_TIMES = {*(name for name in Playback.__struct_fields__ if name != "engine"), "played_within"}
_FIELDS = {
    "bookmarks.template": TEMPLATE_FIELDS,
    "downloads.name": NAME_FIELDS,
    "video.player": ("url", "start", "socket"),
}
"""The fields that templates can contain."""


class Loaded(NamedTuple):
    """`problems`: a sentence for each mistake in the file. Only settings with a mistake are ignored."""

    settings: Settings
    problems: tuple[str, ...] = ()


class Problem(NamedTuple):
    """`name` is the setting's (`playback.seek_back`), "" for the whole file; `line` is None if there is none."""

    name: str
    line: int | None
    what: str


class Read(NamedTuple):
    """`broken`: no part of the file can be used."""

    settings: Settings
    problems: tuple[Problem, ...] = ()
    broken: bool = False


def load_settings(path: Path) -> Loaded:
    """The settings in `path`, with defaults for missing or wrong values. Never raises."""
    read = read_settings(path)
    return Loaded(read.settings, tuple(sentence(path, problem) for problem in read.problems))


def sentence(path: Path, problem: Problem) -> str:
    """A sentence that also says where the problem is."""
    if not problem.name:
        return problem.what
    if problem.line is None:
        return _("In {file}, {problem}", file=path, problem=problem.what)
    return _("In line {line} of {file}, {problem}", line=problem.line, file=path, problem=problem.what)


def read_settings(path: Path, before: Settings | None = None) -> Read:
    """Like `load_settings`. A wrong value stays as it was `before`. Never raises."""
    try:
        text = regular_file.read_text(path, LARGEST)
    except FileNotFoundError:
        return Read(Settings())
    except UnicodeDecodeError:
        return _unreadable(path, _("it isn't UTF-8 text"), before)
    except OSError as error:
        return _unreadable(path, error.strerror or _("disk error"), before)
    return parse_settings(path, text, before)


def parse_settings(path: Path, text: str, before: Settings | None = None) -> Read:
    """The same for the text of a file."""
    import tomllib  # most people have no config.toml

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _unreadable(path, _("it contains a mistake: {error}", error=error), before, _line_in(str(error), text))
    found: Found = []
    settings: Settings = _build(Settings, table, "", found, before or Settings())
    if not found:
        return Read(settings)
    from player.toml import places

    there = places(text)
    problems = [Problem(".".join(name), there.line_of(name), what) for name, what in found]
    return Read(settings, tuple(problems))


def _line_in(error: str, text: str) -> int:
    """The line that the parser names; at the end of the file it names none."""
    line = re.search(r"at line (\d+)", error)
    return int(line[1]) if line else text.rstrip().count("\n") + 1


def _unreadable(path: Path, why: str, before: Settings | None, line: int | None = None) -> Read:
    if before is None:
        what = _("Can't read the settings in {file}: {reason}. Earmark uses its defaults.", file=path, reason=why)
    else:
        what = _("Can't read the settings in {file}: {reason}. All stay as they were.", file=path, reason=why)
    return Read(before or Settings(), (Problem("", line, what),), broken=True)


def is_time(name: str) -> bool:
    """Whether that setting is a TIME."""
    return name.rpartition(".")[2] in _TIMES


def is_program(name: str) -> bool:
    """Whether that setting is a program with its arguments."""
    section, _dot, own = name.partition(".")
    return name in ("transcribe.command", "summarise.command") or (section == "hooks" and own in HOOKS)


Found = list[tuple[tuple[str, ...], str]]
"""The names of settings with mistakes, and what is wrong with each."""


def _build(kind: type[Any], table: dict[str, Any], where: str, problems: Found, before: Any) -> Any:
    """One section, or all of Settings: the values in `table`, and defaults for the rest. A wrong value stays as it was
    `before`."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    names = {name.rstrip("_"): name for name in kind.__struct_fields__}  # `from` can't be a field's name in Python
    for name, value in table.items():
        if name not in names:
            what = (
                _("there is no setting “{name}”.", name=f"{where}{name}")
                if where
                else _("there is no section [{name}].", name=name)
            )
            problems.append(((*_split(where), name), what + suggestion(name, names)))
            continue
        own = names[name]
        if kind is not Settings:
            values[own] = _value(hints[own], value, getattr(before, own), f"{where}{name}", problems)
        elif value != {}:  # a header with nothing below it loads no directories
            section = _value(section_kind(own) or hints[own], value, section_of(before, own), name, problems)
            if section != section_of(Settings(), own):
                values[own] = section
    return kind(**values)


def _split(where: str) -> tuple[str, ...]:
    return tuple(filter(None, where.split(".")))


def _value(hint: Any, value: Any, before: Any, where: str, problems: Found) -> Any:
    """The value; or the value `before`, with a sentence added to `problems`."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        if isinstance(value, dict):
            return _build(hint, value, f"{where}.", problems, before)
        problems.append(((where,), _("“{name}” must be a section, [{name}].", name=where)))
        return before
    if get_origin(hint) is dict:
        if isinstance(value, dict):
            entries = {name: _entry(get_args(hint)[1], one, where, name, problems) for name, one in value.items()}
            return {name: one for name, one in entries.items() if one is not None}
        problems.append((_split(where), _("“{name}” must be a section, [{name}].", name=where)))
        return before
    try:
        return checked(hint, value, where)
    except ValueError as error:
        problems.append((_split(where), f"{str(error).rstrip('.')}. {_instead(before)}"))
        return before


def _entry(hint: Any, value: Any, where: str, name: str, problems: Found) -> Any:
    """An entry of a section whose names the listener chooses; None, with a sentence in `problems`, if it's wrong."""
    try:
        return checked(hint, value, f"{where}.{name}")
    except ValueError as error:
        what = _("{problem}. It has no effect.", problem=str(error).rstrip("."))
        problems.append(((*_split(where), name), what))
        return None


def _instead(default: Any) -> str:
    if isinstance(default, str) and "\n" in default:
        return _("Earmark uses its own instead.")
    if isinstance(default, tuple):
        default = ", ".join(default)
    shown = str(default).lower() if isinstance(default, bool) else default
    return _("Earmark uses {value} instead.", value=shown) if shown != "" else _("It has no effect.")


def checked(hint: Any, value: Any, where: str) -> Any:
    """The TOML value in its setting's type. Raises ValueError with a sentence that names the setting."""
    if is_program(where):
        return _program(value, where)
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError(_('“{name}” must be a list of words in quotes, e.g. ["Sponsor"]', name=where))
        if where == "directories.ask":
            known = section_of(Settings(), "directories").ask
            if unfit := [word for word in value if word not in known]:
                known = ", ".join(known)
                raise ValueError(
                    _("“{name}” can contain {choices}, but not {value!r}", name=where, choices=known, value=unfit[0])
                )
        return tuple(value)
    if isinstance(value, str) and "\0" in value:
        raise ValueError(_("“{name}” can't contain a null character", name=where))
    name = where.rpartition(".")[2]
    try:
        if is_time(where):
            parse_time(str(value))
            return str(value)
        if where == "background.ends_after":
            ends_after_s(str(value))
            return str(value)
        if where == "audio.level":
            level_of(str(value))
            return str(value)
        if name == "cache_limit":
            parse_size(str(value))
            return str(value)
        if where == "video.player" and not shlex.split(str(value)):
            raise ValueError(_("it names no program"))
        if where in RULES_WRITTEN:
            RULES_WRITTEN[where](str(value))
            return str(value)
    except ValueError as error:
        raise ValueError(_("“{name}” can't be used: {error}", name=where, error=error)) from error
    if where in ("sleep.from", "sleep.to") and not _HOUR.fullmatch(str(value)) and (value or name == "to"):
        raise ValueError(_('“{name}” must be a time of day like "23:00", not “{value}”', name=where, value=value))
    marks = marks_of(where)
    if type(value) is int and (bounds := next((one for one in marks if isinstance(one, Meta)), None)):
        least, most = bounds.ge or 0, bounds.le or 0
        if not least <= value <= most:
            raise ValueError(
                _(
                    "“{name}” must be between {least} and {most}, not {value!r}",
                    name=where,
                    least=least,
                    most=most,
                    value=value,
                )
            )
    if where in _SPOKEN and value and not _LANGUAGE.fullmatch(str(value)):
        raise ValueError(_("“{name}” must be a language like en or pt-BR, not {value!r}", name=where, value=value))
    if where in _FIELDS and (unknown := set(re.findall(r"\{(\w*)\}", str(value))) - {*_FIELDS[where]}):
        raise ValueError(
            _(
                "“{name}” can't contain {unknown}",
                name=where,
                unknown=", ".join(f"{{{one}}}" for one in sorted(unknown)),
            )
        )
    if where.startswith("directories."):
        return _of_directories(hint, value, where)
    if where == "transcribe.url" and value and not _is_bare_url(value):
        raise ValueError(_("“{name}” must be a URL like http://127.0.0.1:8000, without a password", name=where))
    choices = next((one.choices for one in marks if isinstance(one, OneOf)), ())
    if choices and value not in choices:
        raise ValueError(
            _(
                "“{name}” must be one of {choices}, not {value!r}",
                name=where,
                choices=", ".join(filter(None, choices)),
                value=value,
            )
        )
    if type(value) is not hint:
        raise ValueError(_("“{name}” must be {kind}, not {value!r}", name=where, kind=_kind(hint), value=value))
    return value


def _program(value: Any, where: str) -> tuple[str, ...]:
    """A program and its arguments. Whether the program exists is checked when Earmark starts."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError(
            _('“{name}” must be a program and its arguments, e.g. ["~/bin/program", "argument"]', name=where)
        )
    if any("\0" in word for word in value):
        raise ValueError(_("“{name}” can't contain a null character", name=where))
    if value and ("/" in value[0] or not value[0]) and not value[0].startswith(("/", "~/")):
        raise ValueError(
            _(
                "“{name}” must begin with a program's name, or a path from / or ~/, not “{value}”",
                name=where,
                value=value[0],
            )
        )
    if where == "transcribe.command" and value and not any("{audio}" in word for word in value[1:]):
        raise ValueError(_("“{name}” needs an argument with {audio}, the file to read", name=where, audio="{audio}"))
    return tuple(value)


def _of_directories(hint: Any, value: Any, where: str) -> Any:
    """Like `checked`. No sentence contains a secret, whatever is wrong with it."""
    name = where.rpartition(".")[2]
    if type(value) is not hint:
        raise ValueError(_("“{name}” must be {kind}", name=where, kind=_kind(hint)))
    if name == "country" and value and not _COUNTRY.fullmatch(value):
        raise ValueError(_("“{name}” must be a country like US or DE, not {value!r}", name=where, value=value))
    if name.endswith("_url") and not web_address(value):
        raise ValueError(_("“{name}” must be a URL that starts with https:// or http://", name=where))
    return value.upper() if name == "country" else value


def _is_bare_url(value: Any) -> bool:
    """Whether it is a URL without a name and password in it."""
    return isinstance(value, str) and bool(web_address(value)) and split_login(value)[1] is None


def _kind(hint: Any) -> str:
    return {bool: _("true or false"), int: _("a whole number"), str: _("text in quotes")}[hint]
