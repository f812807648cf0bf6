"""config.toml as typed settings. Each field's docstring is its documentation."""

import re
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from player.errors import SettingsError
from player.sizes import parse_size
from player.times import parse_time


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


def load_settings(path: Path) -> Settings:
    """The settings in `path`; the defaults where there is no such file.

    Raises SettingsError naming the file, the key and what to do; the caller goes on with `Settings()`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"Can't read the settings in {path}: {error}", "Earmark goes on with its defaults."
        ) from error
    import tomllib  # most have no such file

    try:
        settings: Settings = _build(Settings, tomllib.loads(text), "")
        return settings
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise SettingsError(
            f"The settings in {path} have a mistake: {error}",
            "Mend the file; until then Earmark uses its defaults.",
        ) from error


def _build(kind: type[Any], table: dict[str, Any], where: str) -> Any:
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    known = {item.name for item in fields(kind)}
    for name, value in table.items():
        if name not in known:
            raise ValueError(f"there is no setting “{where}{name}”")
        values[name] = _value(hints[name], value, f"{where}{name}")
    return kind(**values)


def _value(hint: Any, value: Any, where: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, dict):
            raise ValueError(f"“{where}” must be a table, [{where}]")
        return _build(hint, value, f"{where}.")
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError(f'“{where}” must be a list of words in quotes, ["Sponsor"]')
        return tuple(value)
    if where == "keys":
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value.values()):
            raise ValueError(f"“{where}” must map names to keys in quotes")
        return dict(value)
    if get_origin(hint) is dict:
        if not isinstance(value, dict):
            raise ValueError(f"“{where}” must be a table, [{where}]")
        return {name: _value(get_args(hint)[1], one, f"{where}.{name}") for name, one in value.items()}
    name = where.rpartition(".")[2]
    if name in _TIMES:
        parse_time(str(value))
        return str(value)
    if name == "cache_limit":
        parse_size(str(value))
        return str(value)
    if name == "language" and value and not _LANGUAGE.fullmatch(str(value)):
        raise ValueError(f"“{where}” must be a language like en or pt-BR, not {value!r}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ValueError(f"“{where}” must be one of {', '.join(_CHOICES[name])}")
    wanted = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if type(value) not in wanted:
        raise ValueError(f"“{where}” must be {' or '.join(kind.__name__ for kind in wanted)}, not {value!r}")
    return value
