"""Whatever a listener does in whatever order, against a model: queue, marks and what is next are as they should be."""

import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ActKind
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.outcomes import Refused
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.up_next.commands import acts_of
from tests.player.playback.up_next.stage import LENGTH_MS, Stage

EPISODES = 6
one_of_them = st.integers(0, EPISODES - 1)
LONG_S, NEAR_MS, NEAR_END_MS = 31, 30_000, 20_000


class QueueMachine(RuleBasedStateMachine):
    """The model: `queue` and `played`, `tried` of the chain, and of the current episode whether it began `by_itself`,
    was `heard` for long and is `near_end`."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.library = Library(Paths.of({"EARMARK_HOME": self.folder.name}), backs_up=False)
        self.library.open()
        podcast = self.library.podcasts.add(URL, "A show")
        self.ids = apply_feed(self.library, podcast, *map(episode, range(EPISODES))).new
        self.stage = Stage(self.library)
        self.queue: list[EpisodeId] = []
        self.played: set[EpisodeId] = set()
        self.tried: set[EpisodeId] = set()
        self.by_itself = self.heard = self.near_end = False
        self.acts: list[tuple[set[EpisodeId], set[EpisodeId]]] = []
        """Of each act that can be undone, what was queued and played before it."""

    def teardown(self) -> None:
        self.stage.close()
        self.library.close()
        self.folder.cleanup()

    # -- what is done to the queue ----------------------------------------------------------------------------

    def act(self, queue: list[EpisodeId]) -> None:
        if queue != self.queue:
            self.acts.append((set(self.queue), set(self.played)))
        self.queue = queue

    @rule(number=one_of_them)
    def adds_last(self, number: int) -> None:
        one = self.ids[number]
        acts_of(self.stage).queue_last([one])
        self.act(self.queue if one in self.queue else [*self.queue, one])

    @rule(number=one_of_them)
    def adds_next(self, number: int) -> None:
        one = self.ids[number]
        acts_of(self.stage).queue_next([one])
        self.act([one, *(other for other in self.queue if other != one)])

    @precondition(lambda self: len(self.queue) > 1)
    @rule(number=one_of_them)
    def moves_up(self, number: int) -> None:
        row = number % len(self.queue)
        acts_of(self.stage).move_in_queue([self.queue[row]], -1)
        moved = list(self.queue)
        if row:
            moved[row - 1 : row + 1] = [moved[row], moved[row - 1]]
        self.act(moved)

    @rule()
    def clears(self) -> None:
        acts_of(self.stage).clear_queue()
        self.act([])

    @precondition(lambda self: self.acts)
    @rule()
    def undoes(self) -> None:
        reverted = acts_of(self.stage).undo().result()
        assert reverted is not None
        queued, played = self.acts.pop()
        members = set(self.queue)
        for one in reverted.episode_ids:
            if reverted.act.kind in (ActKind.SKIPPED, ActKind.PLAYED) and one not in played:
                self.played.discard(one)
            since = one in self.played and one not in played
            if one in queued and not since:
                members.add(one)
            else:
                members.discard(one)
        found = [EpisodeId(one) for one in self.stage.queue]
        assert set(found) == members
        self.queue = found

    # -- what is heard ----------------------------------------------------------------------------------------

    def begins(self, expected: EpisodeId, *, by_itself: bool) -> None:
        assert self.stage.playing == expected
        assert self.stage.state is PlaybackState.PLAYING
        self.by_itself, self.heard = by_itself, False
        self.stage.listen(2)
        self.stage.settle()
        self.near_end = LENGTH_MS - self.stage.status.position_ms <= NEAR_MS
        self.played.discard(expected)

    def leaves(self, *, skipped: bool) -> None:
        """The current episode, for another."""
        one, state = self.stage.playing, self.stage.state
        if one is None or state is PlaybackState.ENDED or (state is PlaybackState.ERROR and not skipped):
            return
        before = (set(self.queue), set(self.played))
        remaining = [other for other in self.queue if other != one]
        if self.near_end:
            if remaining != self.queue or one not in self.played:
                self.acts.append(before)
            self.queue = remaining
            self.played.add(one)
        elif skipped:
            self.act(remaining)
        elif self.heard and one not in self.queue:
            self.queue = [one, *self.queue]

    @rule(number=one_of_them)
    def plays(self, number: int) -> None:
        one = self.ids[number]
        if one != self.stage.playing:
            self.leaves(skipped=False)
            self.tried = set()
            self.stage.play(one)
            self.begins(one, by_itself=False)

    @precondition(lambda self: self.stage.state is PlaybackState.PLAYING)
    @rule()
    def listens(self) -> None:
        self.stage.listen(LONG_S)
        self.heard = True

    @precondition(lambda self: self.stage.state is PlaybackState.PLAYING)
    @rule()
    def comes_near_the_end(self) -> None:
        self.stage.move(LENGTH_MS - NEAR_END_MS)
        self.near_end = True

    @precondition(lambda self: self.stage.state is PlaybackState.PLAYING)
    @rule()
    def hears_the_end(self) -> None:
        one = self.stage.playing
        assert one is not None
        self.stage.finish()
        self.played.add(one)
        self.queue = [other for other in self.queue if other != one]
        self.goes_on()

    @precondition(lambda self: self.stage.state is PlaybackState.PLAYING)
    @rule()
    def meets_what_cannot_be_played(self) -> None:
        one = self.stage.playing
        assert one is not None
        self.stage.fail()
        self.stage.sound()
        if self.by_itself:
            self.tried.add(one)
            self.goes_on(but=one)
        else:
            assert (self.stage.playing, self.stage.state) == (one, PlaybackState.ERROR)

    def goes_on(self, but: EpisodeId | None = None) -> None:
        coming = [one for one in self.queue if one not in self.tried and one != but]
        if coming:
            self.begins(coming[0], by_itself=True)
        else:
            assert self.stage.state is (PlaybackState.ERROR if but else PlaybackState.ENDED)

    @rule()
    def skips(self) -> None:
        current = self.stage.playing
        coming = [one for one in self.queue if one != current]
        if not coming:
            assert isinstance(self.stage.skip(), Refused)
            self.tried = set()
            return
        self.leaves(skipped=True)
        self.tried = set()
        self.stage.skip()
        self.begins(coming[0], by_itself=True)

    # -- what ends ----------------------------------------------------------------------------------------------

    @rule(killed=st.booleans())
    def starts_again(self, killed: bool) -> None:
        self.stage.settle()
        if killed:
            self.stage.kill()
        else:
            self.stage.reopen()
        self.by_itself = self.heard = False
        self.tried = set()
        status = self.stage.status
        assert status.state in (PlaybackState.PAUSED, PlaybackState.ENDED, PlaybackState.STOPPED)
        self.near_end = False
        if status.state is PlaybackState.PAUSED:
            # Its length isn't known for sure before its bytes are read.
            self.stage.toggle()
            self.stage.listen(2)
            self.stage.settle()
            self.near_end = LENGTH_MS - self.stage.status.position_ms <= NEAR_MS
            assert self.stage.playing is not None
            self.played.discard(self.stage.playing)

    # -- what holds always --------------------------------------------------------------------------------------

    @invariant()
    def is_as_it_should_be(self) -> None:
        self.stage.settle()
        assert self.stage.queue == self.queue
        assert {one for one in self.ids if self.stage.played(one)} == self.played
        current = self.stage.playing
        coming = [one for one in self.queue if one != current and one not in self.tried]
        assert self.stage.next == (coming[0] if coming else None)


TestAnyOrder = QueueMachine.TestCase
TestAnyOrder.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)
