"""The side that wants the sound: asks the Earmark that plays for it, and takes it over.

All slow work is done before asking for the sound. The giver is silent from then on until the receiver plays, which
takes a tenth of a second.
"""

import logging
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from player.errors import AlreadyRunning, ControlError
from player.integrations.client import connected
from player.integrations.handover.handover_messages import (
    FORM,
    GIVEN_S,
    Handed,
    Offer,
    Reason,
    Step,
    Wire,
    read_struct,
    refused,
)
from player.model.playback import Role
from player.text.sentences import _

log = logging.getLogger(__name__)

_OFFERED_S = 1.0
_YOURS_S = 3.0


class Lost(Exception):
    """The other process is gone."""


class Taker:
    """A connection to the Earmark that plays, which has offered the sound. Must be closed in any case."""

    def __init__(self, socket_path: Path, role: Role, word: str = "") -> None:
        """`word`: the word that a screen expects from the process that it has started to take over.

        Raises ControlError if no Earmark is running, or if it refuses, with a sentence of its own.
        """
        self._connection = connected(socket_path)
        self._wire = Wire(self._connection)
        try:
            self._wire.ask(Step.ASK, **{"as": role, "form": FORM, "word": word})
            answer = self._wire.receive(_OFFERED_S)
            if answer is None:
                raise ControlError(_("Earmark quit before it answered"))
            self.offer: Offer = read_struct(_answered(answer[0]).get("offer"), Offer)
        except BaseException as error:
            self._connection.close()
            if isinstance(error, OSError):
                raise ControlError(_("Earmark is running but isn't responding")) from error
            raise

    def take(self) -> tuple[Handed, int, socket.socket]:
        """Returns the session, the lock, and the control socket; the giver is silent now, and waits for `taken`.

        Raises Lost if the giver is gone, TimeoutError if it hangs, ControlError if it plays on.
        """
        document, handles = self._heard(Step.GIVE, GIVEN_S)
        try:
            handed: Handed = read_struct(_answered(document).get("handed"), Handed)
            if len(handles) != 2:
                raise ControlError(_("The running Earmark sent an unreadable answer"))
        except ControlError:
            for handle in handles:
                os.close(handle)
            raise
        lock, listener = handles
        os.set_inheritable(listener, False)
        return handed, lock, socket.socket(fileno=listener)

    def taken(self) -> None:
        """Tells the giver that the sound is heard here. Raises ControlError if the giver has taken it back."""
        try:
            _answered(self._heard(Step.TAKEN, _YOURS_S)[0])
        except (Lost, TimeoutError):
            log.info("the Earmark that played before is gone, or hangs")

    def failed(self) -> None:
        """Tells the giver that the sound isn't heard here and this process is silent: the sound is the giver's
        again."""
        with suppress(OSError):
            self._wire.ask(Step.FAILED)

    def wait_for_end(self, within_s: float) -> None:
        """Returns once everything in the giver has ended, or after `within_s`."""
        with suppress(OSError):
            while self._wire.receive(within_s) is not None:
                pass

    def close(self) -> None:
        self._wire.close_handles()
        self._connection.close()

    def _heard(self, step: Step, within_s: float) -> tuple[dict[str, Any], list[int]]:
        """Raises Lost, or TimeoutError if the giver hangs."""
        with suppress(BrokenPipeError, ConnectionResetError):  # the giver's last message is read all the same
            self._wire.ask(step)
        try:
            answer = self._wire.receive(within_s)
        except TimeoutError:
            raise
        except OSError as error:
            raise Lost from error
        if answer is None:
            raise Lost
        return answer


def take_over_from(socket_path: Path, role: Role, running: AlreadyRunning, word: str) -> Taker:
    """Raises AlreadyRunning if the Earmark that holds the lock doesn't offer the sound."""
    try:
        return Taker(socket_path, role, word)
    except ControlError as error:
        log.info("no sound is offered: %s", error)
        raise AlreadyRunning(str(error)) if error.reason == Reason.VERSION else running from error


def _answered(document: dict[str, Any]) -> dict[str, Any]:
    """Raises ControlError if the answer is a refusal."""
    if (error := refused(document)) is not None:
        raise error
    return document
