"""What the arguments of commands name: files, episodes, podcasts and so on, for completions and `earmark --spec`."""

from argparse import Action
from collections.abc import Callable, Iterable, Sequence

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


def kind_of(action: Action) -> str | None:
    """None for what is typed freely, or has choices."""
    if action.choices is not None or action.nargs == 0:
        return None
    for option in action.option_strings:
        if option in _BY_OPTION:
            return _BY_OPTION[option]
    return _BY_METAVAR.get(action.metavar if isinstance(action.metavar, str) else "")


def offer(action: Action, words: Callable[[], Iterable[str]]) -> None:
    """Shells offer these words; anything else may be typed as well, unless the command refuses it."""
    action.offered = words  # type: ignore[attr-defined]


def offer_after(action: Action, word: str, words: Iterable[str]) -> None:
    """Once `word` stands on the line, shells offer these words in place of names."""
    action.offered_after = word, tuple(words)  # type: ignore[attr-defined]


def words_after(action: Action) -> tuple[str, tuple[str, ...]] | None:
    """What was said by `offer_after`."""
    found: tuple[str, tuple[str, ...]] | None = getattr(action, "offered_after", None)
    return found


def words_of(action: Action) -> Sequence[str]:
    """What was said by `offer`."""
    offered: Callable[[], Iterable[str]] = getattr(action, "offered", tuple)
    return tuple(offered())
