"""What is wrong with config.toml, as far as that can be told without starting: settings, keys, themes and programs."""

from pathlib import Path

from player import regular_file
from player.paths import Paths
from player.settings import Settings
from player.settings_file import LARGEST, Problem, Read, parse_settings, read_settings
from player.text.sentences import _
from player.text.suggestion import suggestion


def problems_of(paths: Paths, text: str | None = None) -> list[Problem]:
    """In the order of their lines. `text` is what is to become of the file; else it is read."""
    path = paths.settings
    read = read_settings(path) if text is None else parse_settings(path, text)
    found = list(read.problems)
    if not read.broken:
        found += _lines(path, text, [*_keys(read), *_themes(read.settings, paths), *_hooks(read.settings)])
    return sorted(found, key=lambda problem: problem.line or 0)


def in_words(problem: Problem) -> str:
    """`line 3: …`; without a line where there is none."""
    if problem.line is None or not problem.name:
        return problem.what
    return _("line {line}: {problem}", line=problem.line, problem=problem.what)


Found = list[tuple[tuple[str, ...], str]]


def _keys(read: Read) -> Found:
    if not read.settings.keys:
        return []
    from tui.actions.remapping import with_problems
    from tui.actions.table import ACTIONS

    return [(("keys", one.name), one.what) for one in with_problems(read.settings.keys, ACTIONS)[1]]


def _themes(settings: Settings, paths: Paths) -> Found:
    from tui.look.own_themes import own_themes
    from tui.look.palettes.catalogue import BUILT_IN

    looks = settings.appearance
    wanted = {"theme": looks.theme, "dark": looks.dark, "light": looks.light}
    if all(one in BUILT_IN or one == "auto" for one in wanted.values()):
        return []
    known = ["auto", *BUILT_IN, *own_themes(paths.themes).themes]
    return [
        (("appearance", name), _("There is no theme “{name}”.", name=one[:40]) + suggestion(one, known))
        for name, one in wanted.items()
        if one not in known
    ]


def _hooks(settings: Settings) -> Found:
    if not settings.hooks.programs:
        return []
    from player.integrations.hooks.programs import problems

    return [(("hooks", name), what) for name, what in problems(settings.hooks).items()]


def _lines(path: Path, text: str | None, found: Found) -> list[Problem]:
    if not found:
        return []
    from player.toml.places import places

    there = places(regular_file.read_text(path, LARGEST) if text is None else text)
    return [Problem(".".join(name), there.line_of(name), what) for name, what in found]
