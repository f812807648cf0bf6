"""config.toml as typed settings. Each field's docstring is its documentation."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct, field

from player.links.urls import web_address
from player.model.bookmark import TEMPLATE, TEMPLATE_FIELDS
from player.model.downloads.download import NAME_FIELDS, NAME_TEMPLATE
from player.model.downloads.rule_settings import MOST_NEWEST, RULES_WRITTEN, DownloadRules
from player.model.sleep import MOST_MINUTES
from player.text.durations import parse_time
from player.text.sentences import _
from player.text.sizes import parse_size

DIRECTORIES = ("apple", "fyyd", "gpodder", "podcastindex")


class Playback(Struct, frozen=True):
    """[playback]"""

    engine: str = "vlc"
    """`vlc`, or `silent`: a clock without sound."""
    seek_back: str = "15"
    seek_forward: str = "30"
    seek_back_far: str = "60"
    seek_forward_far: str = "60"
    """How far the seek keys jump: TIME, as seconds (`15`), `1:30` or `1m30s`."""
    rewind_after_pause: str = "5m"
    rewind: str = "3"
    """After a pause longer than `rewind_after_pause`, playback resumes `rewind` earlier. Both are TIME."""
    rewind_after_day: str = "24h"
    rewind_long: str = "10"
    """The same after a longer pause."""


class Queue(Struct, frozen=True):
    """[queue]"""

    interrupted: bool = True
    """Whether an episode that you leave for another after half a minute goes to the head of the queue."""
    played_within: str = "30"
    """An episode that you leave so close to its end counts as played: TIME. `0`: only one heard to its end does."""


class Audio(Struct, frozen=True):
    """[audio]"""

    output: str = ""
    """Where the sound goes: libvlc's name for an output, like `pulse` or `alsa`. Empty: the first that works."""
    device: str = ""
    """A device of that output, by the name the output gives it. Empty: its default device."""


class Appearance(Struct, frozen=True):
    """[appearance]"""

    theme: str = "ink"
    """`ink` (dark) or `paper` (light)."""
    ascii: bool = False
    """Draw with ASCII characters only, for fonts that lack the others."""
    hyperlinks: str = "auto"
    """Whether links are clickable in the terminal itself (OSC 8): `always`, `never`, or `auto` (where supported)."""


class Feeds(Struct, frozen=True):
    """[feeds]"""

    refresh_on_start: bool = True
    refresh_minutes: int = 60
    """How often to check for new episodes while the app is open, in minutes. 0: only when asked."""


class Inbox(Struct, frozen=True):
    """[inbox]"""

    enabled: bool = True
    """Collect new episodes in the list New until you have decided about each. false: there is no such list."""


class Media(Struct, frozen=True):
    """[media]"""

    cache_limit: str = "2 GB"
    """How much played audio to cache on disk: 500 MB, 2 GB, 1.5 GiB. Episodes in progress are never evicted."""
    downloads: str = ""
    """The folder for downloaded episodes. Empty: `episodes` in the data folder."""


class Downloads(DownloadRules, frozen=True):
    """[downloads]"""

    name: str = NAME_TEMPLATE
    """The name of a file in the downloads folder, without its suffix; a slash begins a folder. It can contain
    {podcast}, {title}, {date}, {year}, {season}, {episode} (its number) and {guid}."""
    tags: bool = True
    """Write title, podcast, date, cover and chapters into downloaded files that lack them."""
    at_once: int = 2
    """How many episodes to download at the same time."""


class Chapters(Struct, frozen=True):
    """[chapters]"""

    skip: tuple[str, ...] = ()
    """Skip chapters whose title contains one of these words: `["Sponsor", "Ad"]`."""
    skip_in: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """[chapters.skip_in]: "Title of a podcast" = words for that podcast instead of those above; `[]`: skip nothing."""


class Transcripts(Struct, frozen=True):
    """[transcripts]"""

    language: str = ""
    """Which transcript to show where there are several: `en`, `pt-BR`. Empty: the language of this computer."""


class Reading(Struct, frozen=True):
    """[reading]"""

    width: int = 76
    """The width of the page that `v` opens, in columns. A width chosen there holds until this line changes."""


class BookmarksFile(Struct, frozen=True):
    """[bookmarks]"""

    file: str = ""
    """A Markdown file that each bookmark is appended to, like `~/notes/podcasts.md`. Empty: none."""
    template: str = TEMPLATE
    """What is appended. It can contain {moment} (the time, with a link to it), {time}, {link}, {date}, {episode},
    {podcast}, {chapter}, {line} (of the transcript) and {note}; a line in which all of its are empty is left out."""


class DirectorySettings(Struct, frozen=True):
    """[directories]"""

    ask: tuple[str, ...] = DIRECTORIES
    """Which directories to ask for podcasts. `podcastindex` is asked only with a key of your own."""
    country: str = ""
    """Whose charts and search results to show: `US`, `DE`. Empty: the country of this computer."""
    podcast_index_key: str = ""
    podcast_index_secret: str = ""
    """Your API key of Podcast Index and its secret, free of charge at https://api.podcastindex.org. `earmark find
    --sign-in` keeps them in the system's keyring instead."""
    apple_url: str = "https://itunes.apple.com"
    apple_charts_url: str = "https://rss.marketingtools.apple.com"
    fyyd_url: str = "https://api.fyyd.de"
    gpodder_url: str = "https://gpodder.net"
    podcast_index_url: str = "https://api.podcastindex.org"
    """Where the directories and Apple's charts are, in case one moves, or you use a server of your own."""


class Sleep(Struct, frozen=True):
    """[sleep]"""

    from_: str = ""
    """From this time of day (`23:00`) until `to`, a sleep timer starts by itself with the first sound. Empty: never."""
    to: str = "06:00"
    minutes: int = 30
    """How long that timer runs."""


class Settings(Struct, frozen=True):
    playback: Playback = field(default_factory=Playback)
    queue: Queue = field(default_factory=Queue)
    audio: Audio = field(default_factory=Audio)
    appearance: Appearance = field(default_factory=Appearance)
    feeds: Feeds = field(default_factory=Feeds)
    inbox: Inbox = field(default_factory=Inbox)
    media: Media = field(default_factory=Media)
    downloads: Downloads = field(default_factory=Downloads)
    reading: Reading = field(default_factory=Reading)
    sleep: Sleep = field(default_factory=Sleep)
    chapters: Chapters = field(default_factory=Chapters)
    transcripts: Transcripts = field(default_factory=Transcripts)
    bookmarks: BookmarksFile = field(default_factory=BookmarksFile)
    directories: DirectorySettings = field(default_factory=DirectorySettings)
    keys: dict[str, str] = field(default_factory=dict)
    """[keys]: action id = "key" or "key,other key"."""


_LANGUAGE = re.compile("[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_COUNTRY = re.compile("[A-Za-z]{2}")
_HOUR = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)
_TIMES = {*(name for name in Playback.__struct_fields__ if name != "engine"), "played_within"}
_BOUNDS = {"sleep.minutes": (1, MOST_MINUTES), "downloads.at_once": (1, 10)} | dict.fromkeys(
    ("downloads.newest", "downloads.inbox", "downloads.queue"), (0, MOST_NEWEST)
)
_FIELDS = {"bookmarks.template": TEMPLATE_FIELDS, "downloads.name": NAME_FIELDS}
"""What templates can contain."""
_CHOICES = {"engine": ("vlc", "silent"), "theme": ("ink", "paper"), "hyperlinks": ("auto", "always", "never")}


class Loaded(NamedTuple):
    """`problems`: a sentence for each mistake in the file. Only the setting with the mistake is ignored."""

    settings: Settings
    problems: tuple[str, ...] = ()


def load_settings(path: Path) -> Loaded:
    """The settings in `path`, with the defaults for what is missing or mistaken. Never raises."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Loaded(Settings())
    except UnicodeDecodeError:
        return _unreadable(path, _("it isn't UTF-8 text"))
    except OSError as error:
        return _unreadable(path, error.strerror or _("disk error"))
    import tomllib  # most people have no config.toml

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _unreadable(path, _("it contains a mistake: {error}", error=error))
    problems: list[str] = []
    settings: Settings = _build(Settings, table, "", problems)
    return Loaded(settings, tuple(_("In {file}, {problem}", file=path, problem=problem) for problem in problems))


def suggestion(name: str, known: Iterable[str]) -> str:
    """` Did you mean “pause”?` where a known name is similar, else ""."""
    from difflib import get_close_matches  # only needed after a mistake

    near = get_close_matches(name, list(known), 1)
    return _(" Did you mean “{name}”?", name=near[0]) if near else ""


def _unreadable(path: Path, why: str) -> Loaded:
    return Loaded(
        Settings(),
        (_("Can't read the settings in {file}: {reason}. Earmark uses its defaults.", file=path, reason=why),),
    )


def _build(kind: type[Any], table: dict[str, Any], where: str, problems: list[str]) -> Any:
    """One section, or all of Settings: what `table` sets, and the defaults for the rest."""
    hints = get_type_hints(kind)
    defaults = kind()
    values: dict[str, Any] = {}
    # `from` can't be a field's name in Python.
    names = {name.rstrip("_"): name for name in kind.__struct_fields__}
    known = list(names)
    for name, value in table.items():
        if name not in known:
            what = (
                _("there is no setting “{name}”.", name=f"{where}{name}")
                if where
                else _("there is no section [{name}].", name=name)
            )
            problems.append(what + suggestion(name, known))
            continue
        own = names[name]
        values[own] = _value(hints[own], value, getattr(defaults, own), f"{where}{name}", problems)
    return kind(**values)


def _value(hint: Any, value: Any, default: Any, where: str, problems: list[str]) -> Any:
    """The value; or the default, with a sentence added to `problems`."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        if isinstance(value, dict):
            return _build(hint, value, f"{where}.", problems)
        problems.append(_("“{name}” must be a section, [{name}].", name=where))
        return default
    if get_origin(hint) is dict:
        if isinstance(value, dict):
            entries = {name: _entry(get_args(hint)[1], one, f"{where}.{name}", problems) for name, one in value.items()}
            return {name: one for name, one in entries.items() if one is not None}
        problems.append(_("“{name}” must be a section, [{name}].", name=where))
        return default
    try:
        return _checked(hint, value, where)
    except ValueError as error:
        problems.append(f"{str(error).rstrip('.')}. {_instead(default)}")
        return default


def _entry(hint: Any, value: Any, where: str, problems: list[str]) -> Any:
    """An entry of a section whose names the listener chooses; None, with a sentence in `problems`, if it's wrong."""
    try:
        return _checked(hint, value, where)
    except ValueError as error:
        problems.append(_("{problem}. It has no effect.", problem=str(error).rstrip(".")))
        return None


def _instead(default: Any) -> str:
    if isinstance(default, str) and "\n" in default:
        return _("Earmark uses its own instead.")
    if isinstance(default, tuple):
        default = ", ".join(default)
    shown = str(default).lower() if isinstance(default, bool) else default
    return _("Earmark uses {value} instead.", value=shown) if shown != "" else _("It has no effect.")


def _checked(hint: Any, value: Any, where: str) -> Any:
    """The value in its setting's type. Raises ValueError with a sentence that names the setting."""
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError(_('“{name}” must be a list of words in quotes, e.g. ["Sponsor"]', name=where))
        if where == "directories.ask" and (unfit := [word for word in value if word not in DIRECTORIES]):
            known = ", ".join(DIRECTORIES)
            raise ValueError(
                _("“{name}” can contain {choices}, but not {value!r}", name=where, choices=known, value=unfit[0])
            )
        return tuple(value)
    name = where.rpartition(".")[2]
    try:
        if name in _TIMES:
            parse_time(str(value))
            return str(value)
        if name == "cache_limit":
            parse_size(str(value))
            return str(value)
        if where in RULES_WRITTEN:
            RULES_WRITTEN[where](str(value))
            return str(value)
    except ValueError as error:
        raise ValueError(_("“{name}” can't be used: {error}", name=where, error=error)) from error
    if where in ("sleep.from", "sleep.to") and not _HOUR.fullmatch(str(value)) and (value or name == "to"):
        raise ValueError(_('“{name}” must be a time of day like "23:00", not “{value}”', name=where, value=value))
    least, most = _BOUNDS.get(where, (0, 0))
    if most and type(value) is int and not least <= value <= most:
        raise ValueError(
            _(
                "“{name}” must be between {least} and {most}, not {value!r}",
                name=where,
                least=least,
                most=most,
                value=value,
            )
        )
    if name == "language" and value and not _LANGUAGE.fullmatch(str(value)):
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


def _of_directories(hint: Any, value: Any, where: str) -> Any:
    """Like `_checked`. A secret is in no sentence, whatever is wrong with it."""
    name = where.rpartition(".")[2]
    if type(value) is not hint:
        raise ValueError(_("“{name}” must be {kind}", name=where, kind=_kind(hint)))
    if name == "country" and value and not _COUNTRY.fullmatch(value):
        raise ValueError(_("“{name}” must be a country like US or DE, not {value!r}", name=where, value=value))
    if name.endswith("_url") and not web_address(value):
        raise ValueError(_("“{name}” must be a URL that starts with https:// or http://", name=where))
    return value.upper() if name == "country" else value


def _kind(hint: Any) -> str:
    return {bool: _("true or false"), int: _("a whole number"), str: _("text in quotes")}[hint]
