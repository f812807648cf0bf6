"""`earmark complete SHELL KIND WORD`: what the completions of shells ask, on a key. Not in --help.

Prints a name on each line, quoted as that shell needs it; nothing where there is nothing to offer. Never fails, and
never writes anything but that.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tui.cli.completing.quoting import Typed, in_bash, typed

_MUCH = 1_000
"""Characters of a word that is typed."""


def complete(arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> int:
    """For what follows `earmark complete`; the exit code, 0."""
    with suppress(ValueError, OSError):
        shell, kind, *words = arguments
        _print(_lines(shell, kind, "".join(words)[:_MUCH], environ))
    return 0


def _lines(shell: str, kind: str, word: str, environ: Mapping[str, str]) -> list[str]:
    """Raises ValueError for what no script of ours asks."""
    so_far = Typed(word) if shell == "zsh" else typed(word)
    if so_far is None:
        return []
    names = _names(kind, so_far.text, environ)
    if shell == "bash":
        return [in_bash(name, so_far.quote) for name in spelled([name for name, _about in names], so_far.text)]
    if shell not in ("zsh", "fish"):
        raise ValueError(shell)
    plain = spelled([name for name, _about in names], so_far.text)
    return [f"{name}\t{about}" if about else name for name, (_name, about) in zip(plain, names, strict=True)]


def _names(kind: str, beginning: str, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    if kind == "theme":
        return [(name, "") for name in theme_names(_folders(environ)[1] / "themes", beginning)]
    from player.library.completion_names import KINDS, named

    if kind not in KINDS:
        raise ValueError(kind)
    return [(one.name, one.about) for one in named(_folders(environ)[0] / "library.db", kind, beginning)]


def theme_names(folder: Path, beginning: str) -> Sequence[str]:
    """Those that `earmark themes --template` takes: the listener's own, then those that come with Earmark."""
    from tui.look.built_in import ANSI, ANSI_LIGHT, BUILT_IN

    own: list[str] = []
    with suppress(OSError):
        own = sorted(file.stem for file in folder.glob("*.toml"))
    names = dict.fromkeys([*own, *(name for name in BUILT_IN if name not in (ANSI, ANSI_LIGHT))])
    return [name for name in names if name.startswith(beginning) and name.isprintable() and not name.startswith("-")]


def spelled(names: Sequence[str], beginning: str) -> list[str]:
    """Shells put in what all names begin with. Where they differ there in case or accents, they begin with what was
    typed, lest a letter gets lost: names are found whatever their case."""
    if len({name[: len(beginning)] for name in names}) < 2:
        return list(names)
    return [beginning + name[len(beginning) :] for name in names]


def _folders(environ: Mapping[str, str]) -> tuple[Path, Path]:
    """Those of data and settings, as in `player/paths.py`, without what that has to load where it isn't needed."""
    if home := environ.get("EARMARK_HOME"):
        root = Path(home).expanduser().absolute()
        return root / "data", root / "config"
    system: str = sys.platform
    if system == "linux":
        data = environ.get("XDG_DATA_HOME", "").strip() or "~/.local/share"
        config = environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
        return Path(data).expanduser() / "earmark", Path(config).expanduser() / "earmark"
    from player.paths import Paths

    paths = Paths.of(environ)
    return paths.data, paths.config


def _print(lines: Sequence[str]) -> None:
    """In UTF-8 whatever the locale: a name that is changed is no name."""
    text = "".join(f"{line}\n" for line in lines)
    with suppress(OSError, ValueError):
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
