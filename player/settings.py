"""config.toml as typed settings. Each field's docstring is its documentation."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from player.text.durations import parse_time
from player.text.sentences import _
from player.text.sizes import parse_size


@dataclass(frozen=True, slots=True)
class Playback:
    """[playback]"""

    engine: str = "vlc"
    """`vlc`, or `silent`: a clock without sound."""
    seek_back: str = "15"
    seek_forward: str = "30"
    seek_back_far: str = "60"
    seek_forward_far: str = "60"
    """How far the seek keys jump, as TIME."""
    rewind_after_pause: str = "5m"
    rewind: str = "3"
    """After a pause longer than the first, playing goes on earlier by the second. TIME."""
    rewind_after_day: str = "24h"
    rewind_long: str = "10"
    """The same for long pauses."""


@dataclass(frozen=True, slots=True)
class Audio:
    """[audio]"""

    output: str = ""
    """Where sound goes: libvlc's name of an output, like `pulse` or `alsa`; empty: the first that works."""
    device: str = ""
    """A device of that output, by its name there; empty: the one the output is set to."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """[appearance]"""

    theme: str = "ink"
    """`ink` (dark) or `paper` (light)."""
    ascii: bool = False
    """Plain letters instead of the glyphs, for fonts that lack them."""
    hyperlinks: str = "auto"
    """Whether the terminal itself may open the links of notes (OSC 8): `always`, `never`, or where it seems able to."""


@dataclass(frozen=True, slots=True)
class Feeds:
    """[feeds]"""

    refresh_on_start: bool = True
    refresh_minutes: int = 60
    """How often to look for new episodes while the app is open; 0: never."""


@dataclass(frozen=True, slots=True)
class Media:
    """[media]"""

    cache_limit: str = "2 GB"
    """How much of what was played is kept on disk: 500 MB, 2 GB, 1.5 GiB. What is in progress stays in any case."""
    downloads: str = ""
    """The folder for downloaded episodes; empty: `episodes` in the data folder."""


@dataclass(frozen=True, slots=True)
class Chapters:
    """[chapters]"""

    skip: tuple[str, ...] = ()
    """Chapters whose title has one of these words are stepped over: `["Sponsor", "Ad"]`."""
    skip_in: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """[chapters.skip_in]: "Title of a show" = words for that show, instead of those above; `[]`: none."""


@dataclass(frozen=True, slots=True)
class Transcripts:
    """[transcripts]"""

    language: str = ""
    """The one you read, where an episode has several: `en`, `pt-BR`; empty: that of this computer."""


@dataclass(frozen=True, slots=True)
class Reading:
    """[reading]"""

    width: int = 76
    """Columns of text of the page that `v` opens; the keys that change it are remembered."""


@dataclass(frozen=True, slots=True)
class Settings:
    playback: Playback = field(default_factory=Playback)
    audio: Audio = field(default_factory=Audio)
    appearance: Appearance = field(default_factory=Appearance)
    feeds: Feeds = field(default_factory=Feeds)
    media: Media = field(default_factory=Media)
    reading: Reading = field(default_factory=Reading)
    chapters: Chapters = field(default_factory=Chapters)
    transcripts: Transcripts = field(default_factory=Transcripts)
    keys: dict[str, str] = field(default_factory=dict)
    """[keys]: action id = "key" or "key,other key"."""


_LANGUAGE = re.compile("[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_TIMES = {name for name in Playback.__dataclass_fields__ if name != "engine"}
_CHOICES = {"engine": ("vlc", "silent"), "theme": ("ink", "paper"), "hyperlinks": ("auto", "always", "never")}


class Loaded(NamedTuple):
    """`problems`: a sentence for each mistake in the file, which costs that setting alone."""

    settings: Settings
    problems: tuple[str, ...] = ()


def load_settings(path: Path) -> Loaded:
    """The settings in `path`; the defaults where there is no such file, or for what has a mistake. Never raises."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Loaded(Settings())
    except UnicodeDecodeError:
        return _unreadable(path, _("it isn't UTF-8 text"))
    except OSError as error:
        return _unreadable(path, error.strerror or _("disk error"))
    import tomllib  # most have no such file

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _unreadable(path, _("it contains a mistake: {error}", error=error))
    problems: list[str] = []
    settings: Settings = _build(Settings, table, "", problems)
    return Loaded(settings, tuple(_("In {file}, {problem}", file=path, problem=problem) for problem in problems))


def suggestion(name: str, known: Iterable[str]) -> str:
    """` Did you mean “pause”?`, where a name is like one of those."""
    from difflib import get_close_matches  # whoever makes no mistake needs none

    near = get_close_matches(name, list(known), 1)
    return _(" Did you mean “{name}”?", name=near[0]) if near else ""


def _unreadable(path: Path, why: str) -> Loaded:
    return Loaded(
        Settings(),
        (_("Can't read the settings in {file}: {reason}. Earmark uses its defaults.", file=path, reason=why),),
    )


def _build(kind: type[Any], table: dict[str, Any], where: str, problems: list[str]) -> Any:
    """What `table` says of a section, or of all of them, on top of the defaults."""
    hints = get_type_hints(kind)
    defaults = kind()
    values: dict[str, Any] = {}
    known = [item.name for item in fields(kind)]
    for name, value in table.items():
        if name not in known:
            what = (
                _("there is no setting “{name}”.", name=f"{where}{name}")
                if where
                else _("there is no section [{name}].", name=name)
            )
            problems.append(what + suggestion(name, known))
            continue
        values[name] = _value(hints[name], value, getattr(defaults, name), f"{where}{name}", problems)
    return kind(**values)


def _value(hint: Any, value: Any, default: Any, where: str, problems: list[str]) -> Any:
    """The value, or the default, and a problem more."""
    if is_dataclass(hint) and isinstance(hint, type):
        if isinstance(value, dict):
            return _build(hint, value, f"{where}.", problems)
        problems.append(_("“{name}” must be a section, [{name}].", name=where))
        return default
    if get_origin(hint) is dict:
        if isinstance(value, dict):
            kept = {name: _entry(get_args(hint)[1], one, f"{where}.{name}", problems) for name, one in value.items()}
            return {name: one for name, one in kept.items() if one is not None}
        problems.append(_("“{name}” must be a section, [{name}].", name=where))
        return default
    try:
        return _checked(hint, value, where)
    except ValueError as error:
        problems.append(f"{str(error).rstrip('.')}. {_instead(default)}")
        return default


def _entry(hint: Any, value: Any, where: str, problems: list[str]) -> Any:
    """One of a section whose names are the listener's own; None with a problem more."""
    try:
        return _checked(hint, value, where)
    except ValueError as error:
        problems.append(_("{problem}. It has no effect.", problem=str(error).rstrip(".")))
        return None


def _instead(default: Any) -> str:
    shown = str(default).lower() if isinstance(default, bool) else default
    return _("Earmark uses {value} instead.", value=shown) if shown not in ("", ()) else _("It has no effect.")


def _checked(hint: Any, value: Any, where: str) -> Any:
    """The value as its setting has it. Raises ValueError, whose sentence names the setting."""
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError(_('“{name}” must be a list of words in quotes, e.g. ["Sponsor"]', name=where))
        return tuple(value)
    name = where.rpartition(".")[2]
    try:
        if name in _TIMES:
            parse_time(str(value))
            return str(value)
        if name == "cache_limit":
            parse_size(str(value))
            return str(value)
    except ValueError as error:
        raise ValueError(_("“{name}” can't be used: {error}", name=where, error=error)) from error
    if name == "language" and value and not _LANGUAGE.fullmatch(str(value)):
        raise ValueError(_("“{name}” must be a language like en or pt-BR, not {value!r}", name=where, value=value))
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ValueError(
            _(
                "“{name}” must be one of {choices}, not {value!r}",
                name=where,
                choices=", ".join(_CHOICES[name]),
                value=value,
            )
        )
    if type(value) is not hint:
        raise ValueError(_("“{name}” must be {kind}, not {value!r}", name=where, kind=_kind(hint), value=value))
    return value


def _kind(hint: Any) -> str:
    return {bool: _("true or false"), int: _("a whole number"), str: _("text in quotes")}[hint]
