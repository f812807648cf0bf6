"""`earmark complete SHELL KIND WORD`: what the completions of shells ask, on a key; what the arguments of commands
name; and the words of a shell. Not in --help.

Prints a name on each line, quoted as that shell needs it; nothing where there is nothing to offer. Never fails, and
never writes anything but that.
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from argparse import Action

KINDS = ("episode", "podcast", "tag", "list", "playlist", "theme")
"""What `earmark complete` knows the names of."""
_BY_METAVAR = {
    "FILE": "file",
    "EPISODE": "episode",
    "PODCAST": "podcast",
    "TAG": "tag",
    "LIST": "list",
    "PLAYLIST": "playlist",
}
_BY_OPTION = {"--list": "list", "--template": "theme", "--language": None}


def kind_of(action: "Action") -> str | None:
    """None for what is typed freely, or has choices."""
    if action.choices is not None or action.nargs == 0:
        return None
    for option in action.option_strings:
        if option in _BY_OPTION:
            return _BY_OPTION[option]
    return _BY_METAVAR.get(action.metavar if isinstance(action.metavar, str) else "")


def offer(action: "Action", words: Callable[[], Iterable[str]]) -> None:
    """Shells offer these words; anything else may be typed as well, unless the command refuses it."""
    action.offered = words  # type: ignore[attr-defined]


def offer_after(action: "Action", word: str, words: Iterable[str]) -> None:
    """Once `word` stands on the line, shells offer these words in place of names."""
    action.offered_after = word, tuple(words)  # type: ignore[attr-defined]


def words_after(action: "Action") -> tuple[str, tuple[str, ...]] | None:
    """What was said by `offer_after`."""
    found: tuple[str, tuple[str, ...]] | None = getattr(action, "offered_after", None)
    return found


def words_of(action: "Action") -> Sequence[str]:
    """What was said by `offer`."""
    offered: Callable[[], Iterable[str]] = getattr(action, "offered", tuple)
    return tuple(offered())


_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+%")
_IN_DOUBLE = frozenset('"$`\\')


class Typed(NamedTuple):
    """The text of a word as far as it is typed, and the quotation mark that is still open; "" for none."""

    text: str
    quote: str = ""


def typed(word: str) -> Typed | None:
    """What a word on the command line of bash or fish says. None for one that only the shell can read, or whose
    quotation mark opens in its middle: nothing can be put in there."""
    text, quote, opened_at = "", "", 0
    at = 0
    while at < len(word):
        letter = word[at]
        if quote == "'":
            if letter == "'":
                quote = ""
            else:
                text += letter
        elif letter == "\\":
            at += 1
            after = word[at : at + 1]
            text += after if not quote or after in _IN_DOUBLE else f"\\{after}"
        elif quote == '"':
            if letter == '"':
                quote = ""
            elif letter in "$`":
                return None
            else:
                text += letter
        elif letter in "'\"":
            quote, opened_at = letter, at
        elif letter in "$`":
            return None
        else:
            text += letter
        at += 1
    if quote and opened_at:
        return None
    return Typed(text, quote)


def in_bash(name: str, quote: str) -> str:
    """What is put after an open quotation mark, or as a word of its own. Readline closes the quotation unless its mark
    stands at the end already."""
    if quote == "'":
        text = name.replace("'", "'\\''")
    elif quote:
        # The history is looked up within these, too, and a backslash before its sign would stay.
        escaped = "".join(f"\\{letter}" if letter in _IN_DOUBLE else letter for letter in name)
        text = escaped.replace("!", '"\\!"')
    else:
        return "".join(letter if letter in _SAFE or not letter.isascii() else f"\\{letter}" for letter in name)
    return f"{text}{quote}" if text.endswith(quote) else text


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
