"""The side that plays: hands the sound over when asked, and takes it back if no other process plays it.

Which process has the sound is decided here, at a single point: when the receiver's message that it plays has been read.
Until then both processes hold the lock, so that at no moment a third process could take it, and if either of the two
ends, the other still has it.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from player.errors import ControlError, EarmarkError, PlaybackError
from player.integrations.handover.handover_messages import FORM, TAKEN_S, Handed, Lock, Offer, Reason, Step, Wire
from player.integrations.orders import HandOver, Machine
from player.model.playback import PlaybackStatus, Role
from player.playback.handover import Given
from player.text.sentences import _

if TYPE_CHECKING:
    from player.integrations.control_socket import ControlServer
    from player.playback.service import PlaybackService

log = logging.getLogger(__name__)

_WARMS_UP_S = 30.0
"""Seconds that a receiver may take between the offer and asking for the sound."""
_WRITTEN_S = 2.0


class Giver:
    """Gives away the sound of one process, which plays as `role`. `gone` is called, on a thread, once the sound is in
    another process for good."""

    def __init__(self, lock: Lock, role: Role, gone: Callable[[], None]) -> None:
        self._lock = lock
        self.role = role
        self._gone = gone
        self._parts: tuple[PlaybackService, Machine, ControlServer] | None = None
        self._one = threading.Lock()
        self._word: str | None = None
        self._kept: socket.socket | None = None
        self._closing = False
        self.given = False
        """Whether another process plays now."""

    @property
    def expects(self) -> bool:
        return self._word is not None

    def attach(self, session: "PlaybackService", machine: Machine, control: "ControlServer") -> None:
        self._parts = session, machine, control

    def expect(self, word: str | None) -> None:
        """A process that sends this word may take over, even from a screen. None: no word is accepted."""
        self._word = word

    def closing(self) -> None:
        """Earmark is ending: a sound on its way to another process isn't taken back."""
        self._closing = True

    def close(self) -> None:
        """Tells the receiver that everything in this process has ended, so that it may begin everything that only one
        process may do."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    # -- one conversation, on a thread of its client's -----------------------------------------------------------

    def serve(self, connection: socket.socket, asked: HandOver) -> None:
        """Raises ControlError if nothing is offered, OSError if the receiver is gone."""
        if self._parts is None or asked.step != Step.ASK:
            raise ControlError(_("Ask for an offer first: {example}", example='"step": "ask"'))
        self._check(asked)
        wire = Wire(connection)
        wire.answer(offer=self._offer(self._parts[0].status))
        try:
            wish = wire.receive(_WARMS_UP_S)
        except TimeoutError:
            wish = None
        if wish is None or wish[0].get("step") != Step.GIVE:
            raise BrokenPipeError
        if not self._one.acquire(blocking=False):
            raise ControlError(_("The sound is being handed over already"), reason=Reason.BUSY)
        try:
            self._hand_over(wire, connection, *self._parts)
        finally:
            self._one.release()

    def _check(self, asked: HandOver) -> None:
        if asked.form != FORM:
            what, advice = _("Another version of Earmark is running"), _("End it with: earmark quit")
            raise ControlError(what, advice, reason=Reason.VERSION)
        if self.given or self._closing:
            raise ControlError(_("Earmark is quitting"), _("Try again in a moment."), reason=Reason.ENDING)
        expected = self._word is not None and asked.word == self._word
        background = self.role is Role.BACKGROUND and asked.role != Role.BACKGROUND
        if not expected and not background:
            raise ControlError(_("Earmark is already running (PID {pid})", pid=os.getpid()), reason=Reason.STAYS)

    def _offer(self, status: PlaybackStatus) -> Offer:
        episode = status.episode
        return Offer(
            self.role, os.getpid(), episode.id if episode else None, status.state, status.position_ms,
            status.measured_at or time.monotonic(), status.speed, status.volume,
        )  # fmt: skip

    def _hand_over(
        self, wire: Wire, connection: socket.socket, session: "PlaybackService", machine: Machine, at: "ControlServer"
    ) -> None:
        try:
            given = session.handing.give()
        except PlaybackError as error:
            raise ControlError(str(error)) from error
        taken = False
        try:
            taken = self._offered(wire, given, machine, at)
        except (OSError, EarmarkError) as error:
            log.info("the sound wasn't handed over: %s", error or type(error).__name__)
        finally:
            if taken or self._closing:
                self._leave(wire, connection, given, told=taken)
            else:
                self._keep(wire, given, at)

    def _offered(self, wire: Wire, given: Given, machine: Machine, control: "ControlServer") -> bool:
        """Whether the receiver has confirmed in time that it plays."""
        offline, output = machine.offline, machine.output.now
        handed = Handed(
            given.memory,
            offline.by_hand,
            offline.only_here,
            output.output,
            output.device,
        )
        listener, lock = control.rest(), self._lock.share()
        if listener is None or lock is None:
            raise ControlError(_("Earmark is quitting"), reason=Reason.ENDING)
        wire.answer((lock, listener.fileno()), handed=handed)
        answer = wire.receive(TAKEN_S)
        return answer is not None and answer[0].get("step") == Step.TAKEN

    def _keep(self, wire: Wire, given: Given, control: "ControlServer") -> None:
        with suppress(OSError):  # a receiver that hangs reads this when it wakes up, and then falls silent
            wire.refuse(_("The sound was taken back, because nothing confirmed that it plays"), Reason.TAKEN_BACK)
        self._lock.keep()
        given.keep()
        control.go_on()

    def _leave(self, wire: Wire, connection: socket.socket, given: Given, *, told: bool) -> None:
        self.given = True
        written = given.written(_WRITTEN_S)
        if not written:
            log.error("what was heard last couldn't be written before the sound was handed over")
        given.leave()
        if told:
            self._kept = connection.dup()
            with suppress(OSError):  # the receiver holds the lock: it plays on, even if it can't read this
                wire.answer()
            self._gone()
