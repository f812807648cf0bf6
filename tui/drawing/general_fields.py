"""The settings of config.toml as fields: first those that people change, then all others by their names in the file."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Meta

from player.configuration import changing
from player.configuration.catalogue import at_restart, documented, is_secret, names, value_of, with_value
from player.settings import OneOf, Settings, marks_of
from player.settings_file import is_program, is_time
from player.text.cleaning import clean_line
from player.text.durations import in_words, parse_time, units
from player.text.sentences import _, mark, plural, translate
from tui.drawing.cells import cut
from tui.drawing.fields import Field, Group

_COMMON = (
    (mark("Playback"), mark("Jumps, pauses, and the sleep timer."), {
        "playback.seek_back": mark("Jump back"),
        "playback.seek_forward": mark("Jump forward"),
        "playback.rewind": mark("Rewind after a pause"),
        "queue.played_within": mark("Near the end counts as played"),
        "chapters.skip": mark("Skip chapters titled"),
        "desktop.pause_unplugged": mark("Unplugged headphones pause"),
        "background.on_close": mark("When the terminal closes"),
        "sleep.from": mark("Sleep timer at night from"),
    }),
    (mark("Sound"), mark("How loud and how clear episodes are."), {
        "audio.level": mark("Level all episodes to (LUFS)"),
        "audio.boost": mark("Voice boost"),
        "audio.trim": mark("Trim pauses"),
    }),
    (mark("New episodes"), mark("When to check for them, and where they appear."), {
        "feeds.refresh_on_start": mark("Check at the start"),
        "feeds.refresh_minutes": mark("Check every (minutes)"),
        "inbox.enabled": mark("Collect in New"),
        "notifications.new_episodes": mark("Notify of new episodes"),
    }),
    (mark("Downloads"), mark("What is kept on this disk, and for how long."), {
        "downloads.newest": mark("Auto-download per podcast"),
        "downloads.delete_played": mark("Delete after playing"),
        "downloads.limit": mark("Space for auto-downloads"),
        "media.cache_limit": mark("Space for played audio"),
        "media.downloads": mark("Folder"),
    }),
    (mark("Appearance"), mark("How the screen looks."), {
        "appearance.language": mark("Language"),
        "appearance.theme": mark("Theme"),
        "appearance.rows": mark("Lines of an episode"),
        "appearance.art": mark("Covers"),
        "appearance.waveform": mark("Waveform in the bar"),
        "appearance.motion": mark("Animations"),
    }),
)  # fmt: skip
"""What people change first, each with its title on the screen."""
_THEMES = ("appearance.theme", "appearance.dark", "appearance.light")
_LONGEST_DEFAULT = 40
_MOST_FOUND = 5
_Ladder = tuple[tuple[int, int], ...]
_SECONDS: _Ladder = ((3600, 3600), (600, 300), (60, 30), (10, 5), (0, 1))
_NUMBERS: _Ladder = ((120, 60), (10, 5), (0, 1))
"""The step from each number on, the largest first."""


def general_groups(themes: Sequence[str]) -> tuple[Group[Settings], ...]:
    """All settings of config.toml, each in one group. `themes` are the names of all themes."""
    common = {name: title for _title, _words, titles in _COMMON for name, title in titles.items()}
    about = {f"{one.section}.{name}": one.words for one in documented() for name in one.names}
    made = {name: _field(name, common.get(name, name), about[name], themes) for name in names()}
    groups = [Group(title, words, tuple(made.pop(name) for name in titles)) for title, words, titles in _COMMON]
    rest = mark("All others, by their names in config.toml.")
    return (*groups, Group(mark("All settings"), rest, tuple(made.values()), folded=True))


def settings_found(words: str) -> list[tuple[str, str]]:
    """The names and titles of the settings that these words find: the first ones, those with the words in their titles
    before those with the words in their descriptions."""
    fields = [field for group in general_groups(()) for field in group.found(words)]
    fields.sort(key=lambda one: not one.has(words))
    return [(one.name, translate(one.title)) for one in fields[:_MOST_FOUND]]


def words_of(value: Any) -> list[str]:
    """A value in the words of `earmark config set`."""
    if isinstance(value, tuple):
        return list(value) or [""]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def _field(name: str, title: str, words: str, themes: Sequence[str]) -> Field[Settings]:
    default = value_of(Settings(), name)
    choices = _choices(name, default, themes)
    later = _(" It takes effect when Earmark is restarted.") if at_restart(name) else ""
    usual = cut(_shown(name, Settings()), _LONGEST_DEFAULT)
    about = f"{translate(words).replace('`', '')}{later} " + _("({name}, default: {value})", name=name, value=usual)
    return Field(
        name,
        title,
        lambda settings: _text(name, value_of(settings, name)),
        partial(_shown, name),
        lambda settings, text: with_value(settings, name, changing.typed(name, _words(name, text))),
        _stepped(name, default, choices),
        _text(name, default),
        about,
        is_choice=bool(choices),
        is_secret=is_secret(name),
    )


def _choices(name: str, default: Any, themes: Sequence[str]) -> Sequence[Any]:
    if isinstance(default, bool):
        return (True, False)
    if name in _THEMES:
        return ("auto", *themes) if name == _THEMES[0] else themes
    found = _one_of(name)
    return found.choices if found is not None else ()


def _one_of(name: str) -> OneOf | None:
    return next((one for one in marks_of(name) if isinstance(one, OneOf)), None)


def _text(name: str, value: Any) -> str:
    """As it is typed: lists with commas, programs as in a shell, line breaks as `\\n`."""
    if isinstance(value, tuple):
        return shlex.join(value) if is_program(name) else ", ".join(value)
    if isinstance(value, Mapping):
        return plural(len(value), "{n} entry", "{n} entries") if value else ""
    return words_of(value)[0].replace("\n", "\\n")


def _words(name: str, text: str) -> list[str]:
    default = value_of(Settings(), name)
    if isinstance(default, tuple):
        split = shlex.split(text) if is_program(name) else map(str.strip, text.split(","))
        return list(filter(None, split)) or [""]
    return [text.replace("\\n", "\n") if "\n" in str(default) else text]


def _shown(name: str, settings: Settings) -> str:
    value = value_of(settings, name)
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if value and is_secret(name):
        return _("(set)")
    if is_time(name):
        return in_words(parse_time(value))
    found = _one_of(name)
    return clean_line(found.title(value) if found is not None else _text(name, value)) or "–"


def _stepped(name: str, default: Any, choices: Sequence[Any]) -> Callable[[Settings, int], Settings] | None:
    bounds = next((one for one in marks_of(name) if isinstance(one, Meta)), Meta(ge=0))

    def step(settings: Settings, by: int) -> Settings:
        value = value_of(settings, name)
        if choices:
            value = choices[(choices.index(value) + by) % len(choices) if value in choices else 0]
        elif isinstance(value, int):
            least, most = int(bounds.ge or 0), bounds.le
            value = max(least, _next(value, by, _NUMBERS))
            value = value if most is None else min(int(most), value)
        else:
            ms = _next(parse_time(value) // 1000, by, _SECONDS) * 1000
            value = default if ms == parse_time(default) else units(ms)
        return with_value(settings, name, value)

    return step if choices or isinstance(default, int) or is_time(name) else None


def _next(number: int, by: int, ladder: _Ladder) -> int:
    """The next round number, upwards or downwards."""
    if by < 0:
        step = next(step for least, step in ladder if number > least or not least)
        return max(0, (number - 1) // step * step)
    step = next(step for least, step in ladder if number >= least)
    return (number // step + 1) * step
