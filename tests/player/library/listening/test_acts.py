"""Acts that are undone and redone: what was before comes back, and nothing else."""

import tempfile
from typing import TypeAlias

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from player.library import Library
from player.library.listening.acts import MOST_KEPT
from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.listening import ActKind, Part
from player.model.podcast import Podcast
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

Ids: TypeAlias = tuple[EpisodeId, ...]


def _queue_last(library: Library, ids: Ids) -> None:
    with library.acts.recorded(ActKind.QUEUED, ids, Part.QUEUE, Part.INBOX):
        library.queue.add_last(ids)
        library.inbox.remove(ids)


def test_an_act_is_undone_and_redone(library: Library, ids: Ids) -> None:
    library.inbox.add(ids[:2])
    _queue_last(library, ids[:2])
    undone = library.acts.undo()
    assert undone
    assert (undone.act.kind, undone.act.count, undone.act.title) == (ActKind.QUEUED, 2, "Episode 0")
    assert undone.parts == {Part.QUEUE, Part.INBOX}
    assert list(library.queue.ids()) == []
    assert list(library.inbox.ids()) == list(ids[:2])
    assert library.acts.redo()
    assert list(library.queue.ids()) == list(ids[:2])
    assert list(library.inbox.ids()) == []
    assert library.acts.redo() is None


def test_an_act_that_changes_nothing_is_not_kept(library: Library, ids: Ids) -> None:
    _queue_last(library, ids)
    _queue_last(library, ids)
    library.acts.undo()
    assert library.acts.undo() is None


def test_undoing_leaves_alone_what_the_act_did_not_change(library: Library, ids: Ids) -> None:
    _queue_last(library, ids[:1])
    library.episodes.set_starred([ids[0]], True)
    library.acts.undo()
    assert library.episodes.get(ids[0]).starred


def test_after_another_act_nothing_can_be_redone(library: Library, ids: Ids) -> None:
    _queue_last(library, ids[:1])
    library.acts.undo()
    _queue_last(library, ids[1:2])
    assert library.acts.redo() is None


def test_a_cleared_queue_comes_back_in_its_order(library: Library, ids: Ids) -> None:
    library.queue.add_last(ids)
    library.queue.shuffle()
    before = [EpisodeId(one) for one in library.queue.ids()]
    with library.acts.recorded(ActKind.CLEARED, before, Part.QUEUE):
        library.queue.clear()
    library.acts.undo()
    assert list(library.queue.ids()) == before


def test_an_act_that_fails_leaves_nothing(library: Library, ids: Ids) -> None:
    try:
        with library.acts.recorded(ActKind.QUEUED, ids, Part.QUEUE):
            library.queue.add_last(ids)
            raise RuntimeError
    except RuntimeError:
        pass
    assert len(library.queue) == 0
    assert library.acts.last() is None


def test_what_is_gone_stays_gone(library: Library, podcast: Podcast, ids: Ids) -> None:
    _queue_last(library, ids)
    library.podcasts.remove(podcast.id)
    undone = library.acts.undo()
    assert undone
    assert undone.episode_ids == ()


def test_acts_survive_a_restart_and_only_the_last_are_kept(library: Library, ids: Ids) -> None:
    for number in range(MOST_KEPT + 5):
        with library.acts.recorded(ActKind.STARRED, ids[:1], Part.STARRED):
            library.episodes.set_starred(ids[:1], number % 2 == 0)
    library.close()
    library.open()
    undone = 0
    while library.acts.undo():
        undone += 1
    assert undone == MOST_KEPT


class UndoMachine(RuleBasedStateMachine):
    """Any acts, undone and redone in any number, against a list of all states there were."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.library = Library(Paths.of({"EARMARK_HOME": self.folder.name}))
        self.library.open()
        podcast = self.library.podcasts.add(URL, "A show")
        apply_feed(self.library, podcast, *map(episode, range(6)))
        self.ids = [EpisodeId(one) for one in self.library.episodes.ids(View.of(podcast_id=podcast.id))]
        self.library.inbox.add(self.ids)
        self.states = [self.state()]
        self.at = 0

    def state(self) -> object:
        rows = self.library.episodes.rows(self.ids)
        marks = [(row.played, row.starred) for row in rows]
        return marks, list(self.library.queue.ids()), list(self.library.inbox.ids())

    def done(self) -> None:
        if self.state() != self.states[self.at]:
            del self.states[self.at + 1 :]
            self.states.append(self.state())
            self.at += 1

    some = st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True)

    @rule(rows=some, where=st.sampled_from(["last", "next", "out"]))
    def queue(self, rows: list[int], where: str) -> None:
        ids = [self.ids[row] for row in rows]
        with self.library.acts.recorded(ActKind.QUEUED, [*ids, *self.queued()], Part.QUEUE, Part.INBOX):
            queue = self.library.queue
            {"last": queue.add_last, "next": queue.add_next, "out": queue.remove}[where](ids)
            self.library.inbox.remove(ids)
        self.done()

    @rule(rows=some, on=st.booleans())
    def mark(self, rows: list[int], on: bool) -> None:
        ids = [self.ids[row] for row in rows]
        with self.library.acts.recorded(ActKind.PLAYED, ids, Part.PLAYED, Part.QUEUE):
            self.library.episodes.set_played(ids, on)
            self.library.queue.remove(ids)
        self.done()

    @rule(row=st.integers(0, 5), by=st.integers(-3, 3))
    def move(self, row: int, by: int) -> None:
        with self.library.acts.recorded(ActKind.MOVED, self.queued(), Part.QUEUE):
            self.library.queue.move([self.ids[row]], by)
        self.done()

    @precondition(lambda self: self.at > 0)
    @rule()
    def undo(self) -> None:
        assert self.library.acts.undo()
        self.at -= 1

    @precondition(lambda self: self.at < len(self.states) - 1)
    @rule()
    def redo(self) -> None:
        assert self.library.acts.redo()
        self.at += 1

    @rule()
    def restart(self) -> None:
        self.library.close()
        self.library.open()

    def queued(self) -> list[EpisodeId]:
        return [EpisodeId(one) for one in self.library.queue.ids()]

    @invariant()
    def is_as_it_was(self) -> None:
        assert self.state() == self.states[self.at]

    def teardown(self) -> None:
        self.library.close()
        self.folder.cleanup()


TestUndo = UndoMachine.TestCase
TestUndo.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
