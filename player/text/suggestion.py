"""What somebody may have meant by a name that nothing has."""

from collections.abc import Iterable

from player.text.sentences import _


def suggestion(name: str, known: Iterable[str]) -> str:
    """` Did you mean “pause”?` where a known name is similar, else ""."""
    from difflib import get_close_matches  # only needed after a mistake

    near = get_close_matches(name, list(known), 1)
    return _(" Did you mean “{name}”?", name=near[0]) if near else ""
