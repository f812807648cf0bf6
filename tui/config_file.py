"""config.toml as the app and its commands see it: mistakes in it that only the screen knows, and what was chosen in the
app instead."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from player import regular_file
from player.paths import Paths
from player.playback.outputs import REMEMBERED_AS, OutputChoice, SoundOutput
from player.settings import Settings
from player.settings_file import LARGEST, Problem, Read, parse_settings, read_settings
from player.text.sentences import _
from player.text.typed_names import suggestion
from tui.chosen import chosen_in


def problems_of(paths: Paths, text: str | None = None) -> list[Problem]:
    """In the order of their lines. `text` is what is to become of the file; else it is read."""
    path = paths.settings
    read = read_settings(path) if text is None else parse_settings(path, text)
    found = list(read.problems)
    if not read.broken:
        found += _lines(path, text, [*_keys(read), *_themes(read.settings, paths), *_hooks(read.settings)])
    return sorted(found, key=lambda problem: problem.line or 0)


def mistake_in(paths: Paths, name: str, text: str) -> str:
    """What is wrong with that setting in the text of a file; "" for nothing."""
    return next((one.what for one in problems_of(paths, text) if one.name == name), "")


Found = list[tuple[tuple[str, ...], str]]


def _keys(read: Read) -> Found:
    if not read.settings.keys:
        return []
    from tui.actions.remapping import with_problems
    from tui.actions.table import ACTIONS

    return [(("keys", one.name), one.what) for one in with_problems(read.settings.keys, ACTIONS)[1]]


def _themes(settings: Settings, paths: Paths) -> Found:
    from tui.look.built_in import BUILT_IN
    from tui.look.own_themes import own_themes

    looks = settings.appearance
    known = ["auto", *BUILT_IN, *own_themes(paths.themes).themes]
    return [
        (("appearance", name), _("There is no theme “{name}”.", name=one[:40]) + suggestion(one, known))
        for name, one in (("theme", looks.theme), ("dark", looks.dark), ("light", looks.light))
        if one not in known
    ]


def _hooks(settings: Settings) -> Found:
    if not settings.hooks.programs:
        return []
    from player.integrations.hooks.program_runner import problems

    return [(("hooks", name), what) for name, what in problems(settings.hooks).items()]


def _lines(path: Path, text: str | None, found: Found) -> list[Problem]:
    if not found:
        return []
    from player.toml import places

    there = places(regular_file.read_text(path, LARGEST) if text is None else text)
    return [Problem(".".join(name), there.line_of(name), what) for name, what in found]


CHOICES = {"appearance.theme": "theme", "reading.width": "reading_width"}
"""By the settings for which the app remembers another value, the keys of these values."""
CHOSEN = (*CHOICES, "audio.output", "audio.device")
"""What can be chosen in the app, until the value in config.toml is another."""


def remembered_as(name: str) -> str:
    """The key under which the library's state has what was chosen instead of a setting of CHOSEN."""
    return CHOICES.get(name, REMEMBERED_AS)


def applied(remembered: Mapping[str, str], name: str, value: Any, settings: Settings) -> Any:
    """What was chosen in the app instead of `value`, that of config.toml; `remembered` is the library's state."""
    if name in CHOICES:
        return type(value)(chosen_in(remembered.get(CHOICES[name], ""), str(value)))
    if name in CHOSEN:
        choice = OutputChoice(SoundOutput(settings.audio.output, settings.audio.device))
        choice.restore(remembered.get(REMEMBERED_AS))
        return getattr(choice.now, name.rpartition(".")[2])
    return value
