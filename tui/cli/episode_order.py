"""What `queue` and `playlist` have in common: episodes in an order of the listener's."""

from collections.abc import Callable, Sequence

from player.model.episode import EpisodeId
from player.text.sentences import _


def misuse(what: str, rest: Sequence[str]) -> str:
    """What is wrong with what follows WHAT; "" for nothing."""
    match what:
        case "new":
            return ""
        case "add" | "next" | "remove":
            return "" if rest else _("No episode is named")
        case "move":
            fits = len(rest) == 2 and rest[1].isascii() and rest[1].isdigit() and _rank(rest) > 0
            return "" if fits else _("Moving needs an episode and its new rank")
        case _:
            return _("Unexpected argument “{text}”", text=rest[0]) if rest else ""


def _rank(rest: Sequence[str]) -> int:
    return int(rest[1][:9])


def moved(
    ids: Callable[[], Sequence[int]],
    episode_id: EpisodeId,
    rest: Sequence[str],
    move: Callable[[int], object],
    absent: str,
) -> str:
    """Has `move` move the episode to the rank in `rest`, by so many rows; where it is then, or that it is `absent`."""
    order = list(ids())
    if episode_id not in order:
        return absent
    move(_rank(rest) - 1 - order.index(episode_id))
    return _("It is now number {n:,} of {total:,}.", n=list(ids()).index(episode_id) + 1, total=len(order))
