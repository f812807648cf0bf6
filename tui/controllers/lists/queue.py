"""The queue: episodes put in and taken out, moved in its view, and how long it lasts."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future

from msgspec.structs import replace

from player.errors import EarmarkError
from player.library.listening.queue import QueueOrder, moved
from player.model.episode import Episode, EpisodeId
from player.model.filters import ViewName
from player.model.playback import ACTIVE
from player.player import Player
from player.text.sentences import _, mark, plural, translate
from tui.controllers.lists.list import QUEUE, ListController
from tui.controllers.lists.marks import Decided
from tui.controllers.lists.selection import Selection, Targets
from tui.controllers.ui import Ui, say_after
from tui.drawing import labels
from tui.widgets.reorderable_list import ReorderableList


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


_SORTED = {
    QueueOrder.OLDEST: mark("The oldest plays first now"),
    QueueOrder.NEWEST: mark("The newest plays first now"),
    QueueOrder.PODCAST: mark("Sorted by podcast"),
    QueueOrder.SHORTEST: mark("The shortest plays first now"),
    QueueOrder.LONGEST: mark("The longest plays first now"),
}


class QueueView:
    """Rows move at once; what is written follows."""

    def __init__(
        self, player: Player, ui: Ui, lists: ListController, selection: Selection, rows: ReorderableList
    ) -> None:
        self._player = player
        self._ui = ui
        self._lists = lists
        self._selection = selection
        self._rows = rows

    @property
    def takes_moves(self) -> bool:
        """Whether the keys that move are meant for the rows of the queue: the whole of it has the focus."""
        return self._lists.view == QUEUE and not self._selection.in_sidebar and not self._selection.on_page

    @property
    def takes_delete(self) -> bool:
        return self._lists.view.name is ViewName.QUEUE and not self._selection.in_sidebar

    # -- rows -------------------------------------------------------------------------------------------------

    def move_down(self) -> None:
        self._move(1)

    def move_up(self) -> None:
        self._move(-1)

    def _move(self, by: int) -> None:
        if self._lists.view == QUEUE:
            self._selection.episodes(lambda targets: self._move_rows(targets, by), goes_on=False)
        else:
            self._ui.say(_("Rows can be moved in the queue, without a filter"))

    def _move_rows(self, targets: Targets, by: int) -> None:
        before = self._rows.ids()
        after = moved(list(before), targets.ids, by)
        if after == before:
            self._ui.say(_("Last in the queue") if by > 0 else _("First in the queue"))
        else:
            self._lists.reorder(after, self._player.acts.move_in_queue(targets.ids, by))

    def dropped(self, episode_id: EpisodeId, by: int) -> None:
        """A row was dragged, and stands there already."""
        self._lists.reorder(self._rows.ids(), self._player.acts.move_in_queue([episode_id], by))

    def take_out(self) -> None:
        self._selection.episodes(self._take_out)

    def _take_out(self, targets: Targets) -> None:
        removing = self._player.acts.unqueue(targets.ids)
        if self._lists.view.name is ViewName.QUEUE:
            gone = set(targets.ids)
            self._lists.reorder([one for one in self._rows.ids() if one not in gone], removing)
        say_after(self._ui, removing, self._taken_out)

    def _taken_out(self, ids: list[EpisodeId]) -> str:
        if not ids:
            return _("Not in the queue")
        words = plural(len(ids), "Taken out of the queue", "{n:,} episodes taken out of the queue")
        return f"{words} {self._back()}"

    # -- all of it --------------------------------------------------------------------------------------------

    def sort(self) -> None:
        """Asks how."""
        from tui.dialogs.queue_order import QueueOrderScreen

        self._ui.push(QueueOrderScreen(), self._order_chosen)

    def _order_chosen(self, answer: str | None) -> None:
        if answer in ("shuffle", "mix", "clear"):
            getattr(self, answer)()
        elif answer:
            order = QueueOrder(answer)
            self._reordered(self._player.acts.sort_queue(order), translate(_SORTED[order]))

    def shuffle(self) -> None:
        self._reordered(self._player.acts.shuffle_queue(), _("Shuffled"))

    def mix(self) -> None:
        self._reordered(self._player.acts.mix_queue(), _("Podcasts take turns now"))

    def clear(self) -> None:
        def cleared(ids: list[EpisodeId]) -> str:
            if not ids:
                return _("The queue is empty already")
            words = plural(len(ids), "Queue cleared: {n:,} episode", "Queue cleared: {n:,} episodes")
            return f"{words} {self._back()}"

        say_after(self._ui, self._player.acts.clear_queue(), cleared)

    def _reordered(self, act: "Future[list[EpisodeId]]", words: str) -> None:
        def done(ids: list[EpisodeId]) -> str:
            return f"{words} {self._back()}" if ids else _("The queue is in that order already")

        say_after(self._ui, act, done)

    def _back(self) -> str:
        return f"{self._ui.glyphs.dot} {_('{key} undoes', key=self._ui.key_of('undo'))}"
