"""config.toml as typed settings. Each field's docstring is its documentation."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, ClassVar, get_type_hints

from msgspec import Meta, Struct, field

from player.model.downloads import NAME_TEMPLATE, DownloadRules
from player.model.effects import NOT_LEVELED, Boost, Trim
from player.model.listening import TEMPLATE
from player.model.playback import MOST_MINUTES
from player.text import sentences
from player.text.durations import parse_time

HOOKS = (
    "started", "paused", "resumed", "finished", "left", "seeked", "new_episode", "downloaded", "bookmarked",
)  # fmt: skip
"""The settings in [hooks] that are programs."""


class AtRestart:
    """Marks a setting that takes effect at a restart: it is read once, or the terminal is set up with it."""


class OneOf(Struct, frozen=True):
    """Marks a setting that is one of these words, of the modules in the package `folder`, or of what `more` finds."""

    words: tuple[str, ...]
    folder: str = ""
    more: Callable[[], tuple[str, ...]] = tuple
    title: Callable[[str], str] = str
    """What a word is called on the screen."""

    @property
    def choices(self) -> tuple[str, ...]:
        found = iter_modules(import_module(self.folder).__path__) if self.folder else ()
        return (*self.words, *sorted(one.name for one in found), *self.more())


class Playback(Struct, frozen=True):
    """[playback]"""

    engine: Annotated[str, OneOf(("vlc", "silent")), AtRestart] = "vlc"
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


class Background(Struct, frozen=True):
    """[background]"""

    ends_after: str = "30m"
    """When a player without a screen ends by itself: after so much TIME without sound, downloads and refreshes.
    `never`: only when told to."""
    on_close: Annotated[str, OneOf(("quit", "detach"))] = "quit"
    """What closing the terminal does while something plays: `quit`, or `detach`: play on in the background."""


def ends_after_s(text: str) -> float | None:
    """`background.ends_after` in seconds; None for never. Raises ValueError."""
    return None if text.strip().lower() == "never" else parse_time(text) / 1000


class Queue(Struct, frozen=True):
    """[queue]"""

    interrupted: bool = True
    """Whether an episode that you leave for another after half a minute goes to the head of the queue."""
    played_within: str = "30"
    """An episode that you leave so close to its end counts as played: TIME. `0`: only one heard to its end does."""


class Audio(Struct, frozen=True):
    """[audio]"""

    output: str = ""
    """Where the sound goes: libvlc's name for an output, like `pulse` or `alsa`; or `chromecast` or `dlna`, for one on
    the network. Empty: the first that works."""
    device: str = ""
    """A device of that output, by the name the output gives it; or the ID of a device on the network. Both are in
    `earmark output --json`. Empty: its default device."""
    network: bool = True
    """Whether Chromecasts and DLNA devices on the local network are looked for while the list of outputs is open (the
    extra earmark[cast])."""
    level: str = NOT_LEVELED
    """Play all episodes equally loud: a loudness in LUFS like `-16`, or `off`. Lower numbers are quieter."""
    boost: Annotated[str, OneOf(tuple(Boost))] = Boost.OFF
    """Make voices clearer: `off`, `gentle` or `strong`. Less rumble, clearer consonants, soft words closer to loud
    ones."""
    trim: Annotated[str, OneOf(tuple(Trim))] = Trim.OFF
    """Shorten pauses: `off`, `gentle` (those over 0.9 s to 0.4 s) or `strong` (those over 0.5 s to 0.2 s)."""
    mono: bool = False
    """Play both channels on both sides, for one ear or one loudspeaker."""


class Appearance(Struct, frozen=True):
    """[appearance]"""

    language: Annotated[str, OneOf((sentences.AUTO,), more=sentences.languages, title=sentences.name_of), AtRestart] = (
        sentences.AUTO
    )
    """The language of the app and of what commands print: `auto` (as LANGUAGE or LANG say), `en`, `de`, `es`, `fr`, or
    one that you have added to the data folder. JSON, the names of commands and exports stay English."""
    theme: str = "auto"
    """A theme by name (`earmark themes` lists them), or `auto`: `dark` or `light`, as the terminal's background is."""
    dark: str = "ink"
    light: str = "paper"
    """The themes that `auto` stands for."""
    motion: bool = True
    """false: nothing moves or blinks but what says something, like the position of what plays."""
    ascii: Annotated[bool, AtRestart] = False
    """Draw with ASCII characters only, for fonts that lack the others."""
    screen_reader: Annotated[bool, AtRestart] = False
    """Lines of words for a screen reader or a braille display, with the terminal's cursor on the selected row."""
    hyperlinks: Annotated[str, OneOf(("auto", "always", "never")), AtRestart] = "auto"
    """Whether links are clickable in the terminal itself (OSC 8): `always`, `never`, or `auto` (where supported)."""
    rows: Annotated[str, OneOf(("auto", "one", "two"))] = "auto"
    """Lines of an episode's row: `one`, `two` where podcasts are mixed, or `auto` (two where one leaves titles less
    than 40 columns and they need more, and in a high list of mixed podcasts)."""
    art: Annotated[str, OneOf(("auto", "kitty", "sixel", "blocks", "off")), AtRestart] = "auto"
    """Covers: `auto` (what the terminal can), `kitty`, `sixel`, `blocks`, `off`. ASCII, no colour: initials."""
    waveform: bool = True
    """Whether the bar shows how loud the episode is, measured from cached audio; on terminals of 100 x 40 and more."""
    title: bool = True
    """Whether the title of the terminal's window or tab says what is playing."""
    bidi: Annotated[str, OneOf(("auto", "always", "never")), AtRestart] = "auto"
    """Whether to put Hebrew and Arabic in reading order: `always`, `never`, or `auto` (unless the terminal does it)."""


class Mouse(Struct, frozen=True):
    """[mouse]"""

    enabled: Annotated[bool, AtRestart] = True
    """Whether Earmark gets clicks, drags and the wheel. false: they are the terminal's own, to select and copy."""


class Feeds(Struct, frozen=True):
    """[feeds]"""

    refresh_on_start: bool = True
    """Whether to check for new episodes when the app opens."""
    refresh_minutes: int = 60
    """How often to check for new episodes while the app is open, in minutes. 0: only when asked."""
    comments: bool = True
    """Whether to show the comments on an episode: the replies to the post that its feed names, asked of that post's
    server when you open their tab."""


class Inbox(Struct, frozen=True):
    """[inbox]"""

    enabled: bool = True
    """Collect new episodes in the list New until you have decided about each. false: there is no such list."""


class Media(Struct, frozen=True):
    """[media]"""

    cache_limit: str = "2 GB"
    """How much played audio to cache on disk: 500 MB, 2 GB, 1.5 GiB. Episodes in progress are never evicted."""
    downloads: str = ""
    """The folder for downloaded episodes; a relative one is below your home folder. Empty: `episodes` in the data
    folder."""


class Downloads(DownloadRules, frozen=True):
    """[downloads]"""

    name: str = NAME_TEMPLATE
    """The name of a file in the downloads folder, without its suffix; a slash begins a folder. It can contain
    {podcast}, {title}, {date}, {year}, {season}, {episode} (its number) and {guid}."""
    tags: bool = True
    """Write title, podcast, date, cover and chapters into downloaded files that lack them."""
    at_once: Annotated[int, Meta(ge=1, le=10)] = 2
    """How many episodes to download at the same time."""
    transcripts: bool = False
    """Write transcripts that have timestamps beside downloaded files: `episode.vtt` beside `episode.mp3`."""


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
    fetch: Annotated[str, OneOf(("opened", "new", "all"))] = "opened"
    """Whose transcripts to fetch, so that searches find what is said: `opened` (episodes that you open, play or
    download), `new` (new episodes as well), or `all` (all episodes of your podcasts)."""


class Transcribe(Struct, frozen=True):
    """[transcribe]"""

    command: tuple[str, ...] = ()
    """A program of yours and its arguments, run without a shell to make transcripts: `["whisper-cli", "-m",
    "~/models/ggml-base.bin", "-l", "{language}", "-t", "{threads}", "-ojf", "-of", "{out}", "{audio}"]`. It reads the
    WAV file {audio} and writes VTT, SRT, JSON or text to {out}, with or without an ending, or prints it. {language} is
    `auto` if none is set."""
    url: str = ""
    """A server of the OpenAI form that makes transcripts: `http://127.0.0.1:8000`. The audio is sent to it."""
    model: str = ""
    """The model to ask that server for; or for `whisper`, a model that is on this disk: its name, its folder, or the
    installed Python package that contains it."""
    engine: Annotated[str, OneOf(("",), "player.transcribing.engines")] = ""
    """Which of them makes transcripts: `command`, `server`, or `whisper` (faster-whisper, the extra earmark[whisper]).
    Empty: the first of `command` and `url` that is set."""
    language: str = ""
    """The language that is spoken: `en`, `pt-BR`. Empty: it is recognised, episode by episode."""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """How many processor threads to use. 0: half of them."""
    on_battery: bool = False
    """Whether to make transcripts while this computer runs on its battery."""


class Summarise(Struct, frozen=True):
    """[summarise]"""

    command: tuple[str, ...] = ()
    """A program of yours and its arguments, run without a shell by `earmark summarise`: `["llm", "-m", "qwen2.5", "-s",
    "Summarise this podcast episode in ten sentences."]`. It is given the transcript with times on its standard input,
    and prints a summary in Markdown, or chapters in JSON."""


class Video(Struct, frozen=True):
    """[video]"""

    player: str = "mpv"
    """The program that shows videos, run without a shell: `mpv`, which tells Earmark where you left the video, or
    another with its arguments, like `vlc --start-time={start} {url}`. {start} is the second to start at, {socket} a
    path for mpv's `--input-ipc-server`, with which other programs can tell Earmark the position as well."""


class Reading(Struct, frozen=True):
    """[reading]"""

    width: int = 76
    """The width of the page that `v` opens, in columns. A width chosen there holds until this line changes."""


class BookmarksFile(Struct, frozen=True):
    """[bookmarks]"""

    file: str = ""
    """A Markdown file that each bookmark is appended to, like `~/notes/podcasts.md`. Empty: none."""
    template: str = TEMPLATE
    """What is appended. It can contain {moment} (the time, with a link to it, and the end of a clip), {time},
    {length} (of a clip), {link}, {date}, {episode}, {podcast}, {chapter}, {line} (of the transcript) and {note}; a line
    in which all of its are empty is left out."""


class DirectorySettings(Struct, frozen=True):
    """[directories]: what concerns all directories. `section_kind` has what each of them adds."""

    WORDS: ClassVar[Mapping[str, str]] = {}
    """The documentation of settings that were added, each with those before it."""
    SECRET: ClassVar[frozenset[str]] = frozenset()

    ask: tuple[str, ...]
    country: str = ""
    """Whose charts and search results to show: `US`, `DE`. Empty: the country of this computer."""


class Sleep(Struct, frozen=True):
    """[sleep]"""

    from_: str = ""
    """From this time of day (`23:00`) until `to`, a sleep timer starts by itself with the first sound. Empty: never."""
    to: str = "06:00"
    """The time of day at which those hours end."""
    minutes: Annotated[int, Meta(ge=1, le=MOST_MINUTES)] = 30
    """How long that timer runs."""


class Notifications(Struct, frozen=True):
    """[notifications]"""

    new_episodes: bool = False
    live: bool = False
    next: bool = False
    downloads: bool = False
    trouble: bool = False
    """Whether to notify of new episodes, of live shows that have begun, of what plays next by itself, of downloads that
    are finished, and of what can't be played or downloaded, while the app isn't in focus. Through the desktop, or the
    terminal."""


class Hooks(Struct, frozen=True):
    """[hooks]"""

    started: tuple[str, ...] = ()
    paused: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    seeked: tuple[str, ...] = ()
    """A program of yours and its arguments, run without a shell when an episode is started, paused, resumed, heard to
    its end, left before it, or jumped in: `["~/bin/now-playing", "--started"]`. `[]`: none."""
    new_episode: tuple[str, ...] = ()
    downloaded: tuple[str, ...] = ()
    bookmarked: tuple[str, ...] = ()
    """The same for each episode that a feed brings, each that was downloaded, and each bookmark."""
    seconds: Annotated[int, Meta(ge=1, le=300)] = 10
    """How long a program may run. Then it is killed, with all that it has started."""

    @property
    def programs(self) -> dict[str, tuple[str, ...]]:
        """By setting: those that are set."""
        words = {name: getattr(self, name) for name in HOOKS}
        return {name: program for name, program in words.items() if program}


class Desktop(Struct, frozen=True):
    """[desktop]"""

    media_keys: bool = True
    """Whether media keys, headsets and the desktop's panel control Earmark (MPRIS2; Linux)."""
    next: Annotated[str, OneOf(("episode", "chapter", "jump"))] = "episode"
    previous: Annotated[str, OneOf(("episode", "chapter", "jump"))] = "episode"
    """What their keys for next and previous do: another `episode`, another `chapter`, or a `jump` as long as the seek
    keys' (`chapter` jumps where there are none)."""
    pause_for_others: bool = False
    """Whether to pause when another player starts. Only you resume."""
    pause_unplugged: bool = True
    """Whether to pause when headphones are unplugged, or what the sound goes to is disconnected, where PulseAudio or
    PipeWire tells (Linux). Only you resume."""


class Settings(Struct, frozen=True):
    playback: Playback = field(default_factory=Playback)
    background: Background = field(default_factory=Background)
    queue: Queue = field(default_factory=Queue)
    audio: Audio = field(default_factory=Audio)
    appearance: Appearance = field(default_factory=Appearance)
    mouse: Mouse = field(default_factory=Mouse)
    feeds: Feeds = field(default_factory=Feeds)
    inbox: Inbox = field(default_factory=Inbox)
    media: Media = field(default_factory=Media)
    downloads: Downloads = field(default_factory=Downloads)
    video: Video = field(default_factory=Video)
    reading: Reading = field(default_factory=Reading)
    sleep: Sleep = field(default_factory=Sleep)
    chapters: Chapters = field(default_factory=Chapters)
    transcripts: Transcripts = field(default_factory=Transcripts)
    transcribe: Transcribe = field(default_factory=Transcribe)
    summarise: Summarise = field(default_factory=Summarise)
    bookmarks: BookmarksFile = field(default_factory=BookmarksFile)
    directories: DirectorySettings | None = None
    """None: nothing is set. The defaults are in the directories' modules, which a start doesn't load."""
    hooks: Hooks = field(default_factory=Hooks)
    desktop: Desktop = field(default_factory=Desktop)
    notifications: Notifications = field(default_factory=Notifications)
    keys: dict[str, str] = field(default_factory=dict)
    """[keys]: action id = "key" or "key,other key" or "g g"; preset = "full" (a key for what is rarer, too), "vim",
    "emacs", "castero" or "newsboat"."""


@cache
def _hints(kind: type[Struct]) -> Mapping[str, Any]:
    """By the names in config.toml, as they are marked."""
    return {name.rstrip("_"): hint for name, hint in get_type_hints(kind, include_extras=True).items()}


def marks_of(name: str) -> tuple[Any, ...]:
    """What stands in the `Annotated` of a setting: `AtRestart`, `OneOf`, or `Meta` with bounds."""
    section, _, own = name.partition(".")
    kind = section_kind(section)
    return getattr(_hints(kind).get(own), "__metadata__", ()) if kind is not None else ()


def section_kind(name: str) -> type[Struct] | None:
    """The struct of a section that there is; None for one whose names the listener chooses."""
    if name == "directories":
        kind: type[Struct] = import_module("player.directory.adapters").settings_kind()
        return kind
    hint = _hints(Settings)[name]
    return hint if isinstance(hint, type) and issubclass(hint, Struct) else None


def section_of(settings: Settings, name: str) -> Any:
    """A section with the defaults for what isn't set. Raises AttributeError for one that there isn't."""
    found = getattr(settings, name)
    return section_kind(name)() if found is None else found  # type: ignore[misc]  # has a struct
