"""One hint at a time: what was never used and would have helped."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from player.errors import EarmarkError
from player.model.effects import level_of
from player.model.episode import Episode
from player.player import Player
from player.text.sentences import _, translate
from tui.actions.action import Action
from tui.controllers.ui import Ui

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


_APART_DB = 6
_LEAST_MS = 30_000
"""So much of an episode tells how loud it is."""
_LEVEL_OFFERED = "level_offered"


class LouderTip:
    """Tells once that podcasts can be levelled, when one is much louder or quieter than the one before. `suggest` shows
    the tip."""

    def __init__(self, player: Player, ui: Ui, suggest: Callable[[str], None]) -> None:
        self._player = player
        self._ui = ui
        self._suggest = suggest

    def measured(self) -> None:
        """The episode that plays has been measured, or more of it."""
        episode = self._player.session.status.episode
        off = level_of(self._player.settings.audio.level) is None
        if episode is not None and off and not self._player.remembered(_LEVEL_OFFERED):
            self._ui.in_background(partial(self._compare, episode), "level-tip")

    async def _compare(self, episode: Episode) -> None:
        louder_db = await asyncio.to_thread(self._louder_db, episode)
        if abs(louder_db) < _APART_DB or self._player.remembered(_LEVEL_OFFERED):
            return
        self._player.remember(_LEVEL_OFFERED, "yes")
        by = round(abs(louder_db))
        if louder_db > 0:
            words = _("This podcast is {by} dB louder", by=by)
        else:
            words = _("This podcast is {by} dB quieter", by=by)
        key = self._ui.key_of("help")
        self._suggest(f"{words} {self._ui.glyphs.dot} " + _("{key} “level” makes all equally loud", key=key))

    def _louder_db(self, episode: Episode) -> float:
        """Than the last episode of another podcast; 0 if that isn't known."""
        from player.measuring.kinds.loudness import MEASUREMENT as LOUDNESS

        own = self._player.services.measuring.known(episode.id, LOUDNESS)
        try:
            before = self._player.library.loudness.before(episode.podcast_id)
        except EarmarkError:
            return 0.0
        if own is None or own.lufs is None or own.heard_ms < _LEAST_MS or before is None:
            return 0.0
        return own.lufs - before
