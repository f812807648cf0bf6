"""The names of themes, without reading one."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tui.look.built_in import ANSI, ANSI_LIGHT, BUILT_IN


def theme_names(folder: Path, beginning: str) -> Sequence[str]:
    """Those that `earmark themes --template` takes: the listener's own, then those that come with Earmark."""
    own: list[str] = []
    with suppress(OSError):
        own = sorted(file.stem for file in folder.glob("*.toml"))
    names = dict.fromkeys([*own, *(name for name in BUILT_IN if name not in (ANSI, ANSI_LIGHT))])
    return [name for name in names if name.startswith(beginning) and name.isprintable() and not name.startswith("-")]
