"""The queue: adding, removing and moving episodes, and how long it lasts."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime

from msgspec.structs import replace

from player.library.listening.queue import QueueLeft, QueueOrder, moved
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import ACTIVE, PlaybackStatus
from player.player import Player
from player.text.sentences import _, mark, plural, translate
from tui.controllers.lists.list import ListController, ListKind
from tui.controllers.lists.selection import EpisodeTargets, Selection, Targets
from tui.controllers.ui import LibraryReader, Ticker, Ui, after, say_after
from tui.drawing import labels
from tui.drawing.phrases import queue_facts


class QueueController:
    """Adds episodes to the queue, which is a verdict about new ones."""

    def __init__(self, player: Player, ui: Ui, targets: EpisodeTargets) -> None:
        self._player = player
        self._ui = ui
        self._targets = targets

    def add(self) -> None:
        """Adds the episodes to the end."""
        self._targets.episodes(self._add)

    def add_next(self) -> None:
        self._targets.episodes(self._add_next)

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
        """Adds an episode of another list than the screen's, to the head (`first`) or the end. `put` shows the episode
        in that list, `say` reports the outcome."""
        put(replace(episode, queued=True))
        if first:
            words = self._next_words([episode.id])
            self._after(self._player.acts.queue_next([episode.id]), lambda _moved: words, say)
        else:
            adding = self._player.acts.queue_last([episode.id])
            self._after(adding, self._said_of([episode.id]), say)

    def _show_queued(self, targets: Targets, adding: "Future[list[EpisodeId]]") -> None:
        if targets.episode is not None:
            self._targets.put(replace(targets.episode, queued=True))
        self._targets.decided(targets.ids, adding)

    def _next_words(self, ids: Sequence[EpisodeId]) -> str:
        status = self._player.status
        if status.state in ACTIVE and status.episode and list(ids) == [status.episode.id]:
            return _("Playing now")
        words = plural(len(ids), "Plays next", "{n:,} episodes play next")
        undo = _("{key} undoes", key=self._ui.key_of("undo"))
        return words if len(ids) == 1 else f"{words} {self._ui.glyphs.dot} {undo}"

    def _said_of(self, ids: Sequence[EpisodeId]) -> Callable[[list[EpisodeId]], str]:
        """Returns a function that reports the added episodes. It runs on the library's writing thread, where it may
        read the queue but not use the screen."""
        dot, undo = self._ui.glyphs.dot, _("{key} undoes", key=self._ui.key_of("undo"))

        def said(added: list[EpisodeId]) -> str:
            if len(ids) == 1:
                queue = list(self._player.library.queue.ids())
                if ids[0] not in queue:  # it has left the library meanwhile
                    return ""
                done = _("Queued") if added else _("Already in the queue")
                return f"{done} {dot} {labels.ordinal(queue.index(ids[0]) + 1)}"
            if not added:
                return _("All are in the queue already")
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
        """Says `words` once the change is on disk; they may read the library. A failure is reported elsewhere."""

        def read() -> str:
            return "" if act.cancelled() or act.exception() else words(act.result())

        def told(message: str) -> None:
            if message:
                (say or self._ui.say)(message)

        after(self._ui, self._player.acts.then(read), told)


_SORTED = {
    QueueOrder.OLDEST: mark("The oldest plays first now"),
    QueueOrder.NEWEST: mark("The newest plays first now"),
    QueueOrder.PODCAST: mark("Sorted by podcast"),
    QueueOrder.SHORTEST: mark("The shortest plays first now"),
    QueueOrder.LONGEST: mark("The longest plays first now"),
}


_CLOCK_S = 15.0
"""How often the time at which the queue ends is updated: while nothing plays, it ends later and later."""


class QueueHeading:
    """The heading of the queue: how long it lasts. `read` sums up the durations in the library; the position of the
    playing episode comes from the playback status, so that nothing is read during playback. `changed` is called when
    the heading may have changed."""

    now: Callable[[], datetime] = staticmethod(datetime.now)

    def __init__(self, player: Player, ui: Ui, reader: LibraryReader, changed: Callable[[], None]) -> None:
        self._player = player
        self._ui = ui
        self._reader = reader
        self._changed = changed
        self._status = player.status
        self._left: QueueLeft | None = None
        """The episodes and time left in the queue; None while another list is shown."""
        self._reading_besides: EpisodeId | None = None
        self._clock: Ticker | None = None

    def read(self) -> QueueLeft:
        """Reads the episodes and time left in the queue, on the thread that reads lists. Raises LibraryError."""
        return self._player.library.queue.left(self._status.heard)

    def show(self, left: QueueLeft | None) -> None:
        """Shows the episodes and time `left` in the queue; None: another list is shown."""
        self._left = left
        if left is not None:
            self._reading_besides = left.besides
            self._clock = self._clock or self._ui.every(_CLOCK_S, self._changed)
            self._clock.resume()
        elif self._clock is not None:
            self._clock.pause()

    def follow(self, status: PlaybackStatus) -> None:
        """Updates the playing episode and its position."""
        self._status = status
        if self._left is None:
            return
        if (heard := status.heard) not in (self._left.besides, self._reading_besides):
            self._reading_besides = heard
            self._ui.in_background(self._read_again, "left")
        self._changed()

    async def _read_again(self) -> None:
        left = await self._reader.read(self.read)
        if left is not None and self._left is not None:
            self.show(left)
            self._changed()

    def facts(self, rows: int, *, more: bool) -> tuple[str, ...]:
        """The facts for a list with that many rows; () while another list is shown."""
        if (left := self._left) is None or not rows:
            return ()
        status, lasts_ms, unknown = self._status, left.ms / self._status.speed, left.unknown
        heard = left.besides is not None and left.besides == status.heard
        if heard and status.duration_ms is None:
            unknown += 1
        elif heard and status.duration_ms is not None:
            lasts_ms += status.until_ms(status.duration_ms)
        coming, dot = rows - left.has_besides, self._ui.glyphs.dot
        return queue_facts(coming, int(lasts_ms), unknown, self.now(), dot, plays=left.has_besides, more=more)


class QueueList(ListKind):
    """Rows are moved at once on the screen, and then in the library."""

    view_name = ViewName.QUEUE
    all_queued = stays_whole = True
    plays_on = False

    def __init__(self, lists: ListController, selection: Selection) -> None:
        super().__init__(lists)
        self._selection = selection
        self.heading = QueueHeading(self.player, self.ui, lists.reader, lists.show_head)

    @property
    def _is_whole(self) -> bool:
        return self.is_shown and self.draggable(self.lists.view)

    def draggable(self, view: View) -> bool:
        return not view.title

    def read_besides(self, view: View) -> QueueLeft | None:
        return None if view.title else self.heading.read()

    def show(self, besides: object) -> None:
        self.heading.show(besides if isinstance(besides, QueueLeft) else None)

    def hide(self) -> None:
        self.heading.show(None)

    def facts(self, rows: int, *, more: bool) -> tuple[str, ...]:
        return self.heading.facts(rows, more=more)

    # -- rows -------------------------------------------------------------------------------------------------

    def move(self, by: int) -> bool:
        if not self._is_whole or self._selection.in_sidebar or self._selection.on_page:
            return False
        self._move(by)
        return True

    def delete(self) -> bool:
        if self._selection.in_sidebar:
            return False
        self.take_out()
        return True

    def order(self) -> bool:
        self.sort()
        return True

    def move_down(self) -> None:
        self._move(1)

    def move_up(self) -> None:
        self._move(-1)

    def _move(self, by: int) -> None:
        if self._is_whole:
            self._selection.episodes(lambda targets: self._move_rows(targets, by), goes_on=False)
        else:
            self.ui.say(_("Rows can only be moved in the queue, with no filter"))

    def _move_rows(self, targets: Targets, by: int) -> None:
        before = self.rows.ids()
        after = moved(list(before), targets.ids, by)
        if after == before:
            self.ui.say(_("Last in the queue") if by > 0 else _("First in the queue"))
        else:
            self.lists.reorder(after, self.player.acts.move_in_queue(targets.ids, by))

    def dropped(self, episode_id: EpisodeId, by: int) -> None:
        """A row was dragged to its new place, where the list shows it already."""
        self.lists.reorder(self.rows.ids(), self.player.acts.move_in_queue([episode_id], by))

    def take_out(self) -> None:
        self._selection.episodes(self._take_out)

    def _take_out(self, targets: Targets) -> None:
        removing = self.player.acts.unqueue(targets.ids)
        if self.is_shown:
            gone = set(targets.ids)
            self.lists.reorder([one for one in self.rows.ids() if one not in gone], removing)
        say_after(self.ui, removing, self._taken_out)

    def _taken_out(self, ids: list[EpisodeId]) -> str:
        if not ids:
            return _("Not in the queue")
        words = plural(len(ids), "Taken out of the queue", "{n:,} episodes taken out of the queue")
        return f"{words} {self._back()}"

    # -- the whole queue --------------------------------------------------------------------------------------

    def sort(self) -> None:
        """Asks for the order."""
        from tui.dialogs.queue_order import QueueOrderScreen

        self.ui.push(QueueOrderScreen(), self._order_chosen)

    def _order_chosen(self, answer: str | None) -> None:
        whole = {"shuffle": self.shuffle, "mix": self.mix, "clear": self.clear}
        if answer in whole:
            whole[answer]()
        elif answer:
            order = QueueOrder(answer)
            self._reordered(self.player.acts.sort_queue(order), translate(_SORTED[order]))

    def shuffle(self) -> None:
        self._reordered(self.player.acts.shuffle_queue(), _("Shuffled"))

    def mix(self) -> None:
        self._reordered(self.player.acts.mix_queue(), _("Podcasts take turns now"))

    def clear(self) -> None:
        def cleared(ids: list[EpisodeId]) -> str:
            if not ids:
                return _("The queue is empty already")
            words = plural(len(ids), "Queue cleared: {n:,} episode", "Queue cleared: {n:,} episodes")
            return f"{words} {self._back()}"

        say_after(self.ui, self.player.acts.clear_queue(), cleared)

    def _reordered(self, act: "Future[list[EpisodeId]]", words: str) -> None:
        def done(ids: list[EpisodeId]) -> str:
            return f"{words} {self._back()}" if ids else _("The queue is in that order already")

        say_after(self.ui, act, done)

    def _back(self) -> str:
        return f"{self.ui.glyphs.dot} {_('{key} undoes', key=self.ui.key_of('undo'))}"
