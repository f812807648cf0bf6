"""One hint at a time: a key that was never used and would have helped."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from player.player import Player
from player.text.sentences import _, translate
from tui.actions.action import Action

BETTER: Mapping[str, str] = {
    "queue": "queue_next", "dismiss": "select", "played": "select", "seek_forward": "seek_forward_far",
    "seek_back": "seek_back_far", "bookmark": "bookmark_note", "faster": "normal_speed", "read": "next_episode",
}  # fmt: skip
"""By an action that is done again and again, the one that does it at once, or goes on from it."""
_OFTEN = 6
"""After so many times in one run."""
_REMEMBERED = "tips"


class Tips:
    """Each tip is given once. `say` shows it."""

    def __init__(self, player: Player, say: Callable[[str], object]) -> None:
        self._player = player
        self._say = say
        self._done: Counter[str] = Counter()

    def did(self, action_id: str, actions: Sequence[Action], key_of: Callable[[str], str]) -> None:
        """Counts what the listener does. `actions` have the listener's keys."""
        if action_id in BETTER.values():
            self._forget(action_id)
            return
        better = BETTER.get(action_id)
        if better is None:
            return
        self._done[action_id] += 1
        action = next((one for one in actions if one.id == better), None)
        if self._done[action_id] < _OFTEN or action is None or not action.keys or better in self._known:
            return
        self._forget(better)
        self._say(_("Tip: {key} – {title}", key=key_of(better), title=translate(action.title)))

    @property
    def _known(self) -> Sequence[str]:
        return self._player.remembered(_REMEMBERED).split()

    def _forget(self, action_id: str) -> None:
        """There is no need any more to tell of this action."""
        if action_id not in (known := self._known):
            self._player.remember(_REMEMBERED, " ".join([*known, action_id]))
