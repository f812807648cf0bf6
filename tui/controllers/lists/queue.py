"""Adds episodes to the queue and removes them, and reports the outcome in a few words."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future

from msgspec.structs import replace

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.model.playback import ACTIVE
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.lists.marks import Decided
from tui.controllers.lists.selection import Targets
from tui.controllers.ui import Ui
from tui.drawing import labels


class QueueController:
    """`episodes` calls its argument with the episodes that a key acts on; `put` shows a row in its new state. `decided`
    is called with the queued episodes: that is a verdict if they are new."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        episodes: Callable[[Callable[[Targets], object]], object],
        put: Callable[[Episode], None],
        *,
        decided: Decided = lambda _ids, _writing: None,
    ) -> None:
        self._player = player
        self._ui = ui
        self._episodes = episodes
        self._put = put
        self._decided = decided

    def add(self) -> None:
        """Adds to the end."""
        self._episodes(self._add)

    def add_next(self) -> None:
        self._episodes(self._add_next)

    def _add(self, targets: Targets) -> None:
        adding = self._player.acts.queue_last(targets.ids)
        self._show_queued(targets, adding)
        self._after(adding, self._said_of(targets.ids))

    def _add_next(self, targets: Targets) -> None:
        adding = self._player.acts.queue_next(targets.ids)
        self._show_queued(targets, adding)
        words = self._next_words(targets.ids)
        self._after(adding, lambda _moved: words)

    def add_found(
        self, episode: Episode, first: bool, put: Callable[[Episode], None], say: Callable[[str], object]
    ) -> None:
        """Adds an episode from another list than the screen's, to the head if it is to be the `first`, or else to the
        end: `put` shows it there, `say` reports the outcome."""
        put(replace(episode, queued=True))
        if first:
            words = self._next_words([episode.id])
            self._after(self._player.acts.queue_next([episode.id]), lambda _moved: words, say)
        else:
            adding = self._player.acts.queue_last([episode.id])
            self._after(adding, self._said_of([episode.id]), say)

    def _show_queued(self, targets: Targets, adding: "Future[list[EpisodeId]]") -> None:
        if targets.episode is not None:
            self._put(replace(targets.episode, queued=True))
        self._decided(targets.ids, adding)

    def _next_words(self, ids: Sequence[EpisodeId]) -> str:
        status = self._player.status
        if status.state in ACTIVE and status.episode and list(ids) == [status.episode.id]:
            return _("Playing now")
        words = plural(len(ids), "Plays next", "{n:,} episodes play next")
        undo = _("{key} undoes", key=self._ui.key_of("undo"))
        return words if len(ids) == 1 else f"{words} {self._ui.glyphs.dot} {undo}"

    def _said_of(self, ids: Sequence[EpisodeId]) -> Callable[[list[EpisodeId]], str]:
        """What is said of those that were added. It reads the queue on the thread that writes, and asks nothing of the
        screen there."""
        dot, undo = self._ui.glyphs.dot, _("{key} undoes", key=self._ui.key_of("undo"))

        def said(added: list[EpisodeId]) -> str:
            if len(ids) == 1:
                queue = list(self._player.library.queue.ids())
                if ids[0] not in queue:  # it has gone from the library meanwhile
                    return ""
                done = _("Queued") if added else _("Already in the queue")
                return f"{done} {dot} {labels.ordinal(queue.index(ids[0]) + 1)}"
            if not added:
                return _("All of them are in the queue already")
            done = plural(len(added), "{n:,} episode queued", "{n:,} episodes queued")
            there = len(ids) - len(added)
            already = f" {dot} {_('{n:,} already in the queue', n=there)}" if there else ""
            return f"{done}{already} {dot} {undo}"

        return said

    def _after(
        self,
        act: "Future[list[EpisodeId]]",
        words: Callable[[list[EpisodeId]], str],
        say: Callable[[str], object] | None = None,
    ) -> None:
        """Says `words` once the change is on disk. A failure is reported elsewhere."""

        def done(future: "Future[list[EpisodeId]]") -> None:
            try:
                message = words(future.result())
            except (EarmarkError, CancelledError):
                return
            self._ui.call_later(say or self._ui.say, message)

        act.add_done_callback(done)
