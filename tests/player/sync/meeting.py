"""A place in memory where devices meet: all that is sent comes to the others, unless a test says otherwise."""

import threading
from collections.abc import Sequence

from player.model.syncing import Action, Carried, Fact, Outgoing, Pulled, Pushed, SubscriptionChange
from player.sync.target import SyncError, SyncFailure

Said = Action | SubscriptionChange | Fact


class Meeting:
    """What was said, in the order of arrival."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.losses = 0
        self.known_losses: dict[object, int] = {}
        """By device, how many there were when it last sent something."""

    def forget(self) -> None:
        """Loses everything, which is noticed."""
        self.said, self.losses = [], self.losses + 1

    @property
    def actions(self) -> list[Action]:
        return [one for one in self.said if isinstance(one, Action)]

    @property
    def subscriptions(self) -> list[SubscriptionChange]:
        return [one for one in self.said if isinstance(one, SubscriptionChange)]


class MeetingTarget:
    """Implements SyncTarget. `trouble` is raised by every request; a `held` one waits until it is let go or aborted."""

    carries = frozenset(Carried)
    most_at_once = 30

    def __init__(self, meeting: Meeting, device: str = "", *, carries: frozenset[Carried] = frozenset(Carried)) -> None:
        self.meeting = meeting
        self._device: object = device or self
        self.carries = carries
        self.trouble: SyncError | None = None
        self.unread: tuple[str, ...] = ()
        self.pulls: list[tuple[str, bool]] = []
        self.pushes: list[Outgoing] = []
        self.asked = threading.Event()
        self.held = False
        self._go = threading.Event()
        self._aborted = False

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        self._answer()
        self.pulls.append((cursor, whole))
        losses, known = map(int, cursor.split()) if cursor else (self.meeting.losses, 0)
        whole = whole or not cursor or losses != self.meeting.losses
        new = self.meeting.said[0 if whole else known :]
        return Pulled(
            tuple(one for one in new if isinstance(one, Action)),
            tuple(one for one in new if isinstance(one, SubscriptionChange)),
            tuple(one for one in new if isinstance(one, Fact)),
            cursor=f"{self.meeting.losses} {len(self.meeting.said)}",
            is_whole=whole,
            forgotten=self.meeting.known_losses.get(self._device, self.meeting.losses) != self.meeting.losses,
            unread=self.unread,
        )

    def push(self, outgoing: Outgoing) -> Pushed:
        self._answer()
        self.pushes.append(outgoing)
        self.meeting.known_losses[self._device] = self.meeting.losses
        parts: Sequence[Sequence[tuple[int, Said]]] = (outgoing.actions, outgoing.subscriptions, outgoing.facts)
        for part in parts:
            assert len(part) <= self.most_at_once
            self.meeting.said += [said for _number, said in part if said not in self.meeting.said]
        return Pushed(sent=tuple(number for part in parts for number, _said in part))

    def abort(self) -> None:
        self._aborted = True
        self._go.set()

    def let_go(self) -> None:
        self.held = False
        self._go.set()

    def _answer(self) -> None:
        self.asked.set()
        if self.held:
            assert self._go.wait(30), "it was never let go"
        if self._aborted:
            self._aborted = False
            raise SyncError(SyncFailure.UNREACHABLE, "It was ended")
        if self.trouble is not None:
            raise self.trouble
