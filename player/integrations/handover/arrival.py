"""A sound that arrives: from the offer to the first sound here, and to the end of the process that it comes from."""

import logging
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.errors import AlreadyRunning, ControlError, EarmarkError
from player.integrations.handover.handover_messages import Handed, Lock, Offer
from player.integrations.handover.taker import Lost, Taker, take_over_from
from player.model.episode import Episode, EpisodeId
from player.model.playback import ACTIVE, PlaybackState, PlaybackStatus, Role
from player.playback.outputs import OutputChoice, SoundOutput
from player.text.sentences import _

if TYPE_CHECKING:
    from player.offline import OfflineMode
    from player.playback.service import PlaybackService

log = logging.getLogger(__name__)

_SOUNDS_S = 2.5
"""A giver that gets no answer continues by itself half a second later."""
_FREED_S = 2.0
_REST_S = 3.0
"""Seconds that the rest of the other process, such as its downloads, may take to end."""
_LOOK_S = 0.005


class Arrival:
    """The arrival of one sound. Nothing is held or changed before `begin`."""

    def __init__(self, taker: Taker, lock: Lock) -> None:
        self._taker = taker
        self._lock = lock

    @classmethod
    def announced(cls, socket_path: Path, lock: Lock, role: Role, running: AlreadyRunning, word: str) -> "Arrival":
        """Raises AlreadyRunning if the Earmark that holds the lock doesn't offer its sound."""
        return cls(take_over_from(socket_path, role, running, word), lock)

    @property
    def offer(self) -> Offer:
        """The episode and position at the time of the offer."""
        return self._taker.offer

    def expected(self, last: PlaybackStatus, rows: Callable[[list[EpisodeId]], Sequence[Episode]]) -> PlaybackStatus:
        """The status that is about to apply here, so that it can be shown at once; `last` is the status from the
        library."""
        offer = self.offer
        found = rows([offer.episode_id]) if offer.episode_id is not None else ()
        if not found:
            return last
        return replace(
            last, state=offer.state, episode=found[0], position_ms=offer.position_ms, duration_ms=found[0].duration_ms,
            approximate=found[0].duration_ms is not None, speed=offer.speed, volume=offer.volume, measured_at=offer.at,
        )  # fmt: skip

    def begin(self, session: "PlaybackService", offline: "OfflineMode", output: OutputChoice) -> socket.socket | None:
        """Starts the session with the sound, and returns once the sound is heard here for good. Returns the control
        socket, if it came with the sound.

        Raises AlreadyRunning if the sound continues in the other process; then this process is silent.
        """
        try:
            session.handing.warm_up()
            handed, handle, listener = self._taker.take()
        except Lost:
            self._inherit(session)
            return None
        except (EarmarkError, OSError) as error:
            raise self._refused(error) from error
        try:
            self._lock.adopt(handle)
            self._sound(session, handed, offline, output)
        except (EarmarkError, OSError) as error:
            _silence(session)
            self._taker.failed()
            listener.close()
            raise self._refused(error) from error
        session.handing.begin_saving()
        self._lock.own()
        return listener

    def wait_for_rest(self) -> None:
        """Waits until the other process has ended everything that only one process may do."""
        self._taker.wait_for_end(_REST_S)

    def close(self) -> None:
        self._taker.close()

    def _sound(self, session: "PlaybackService", handed: Handed, offline: "OfflineMode", output: OutputChoice) -> None:
        if handed.offline:
            offline.choose(True, only_here=handed.only_here)
        output.now = SoundOutput(handed.output, handed.device)
        session.handing.comes(handed.session)
        session.start()
        deadline = time.monotonic() + _SOUNDS_S
        wants_sound = handed.session.state is PlaybackState.PLAYING
        while wants_sound and (state := session.status.state) in ACTIVE and state is not PlaybackState.PLAYING:
            if time.monotonic() > deadline:
                raise ControlError(_("The sound didn't start in time"))
            time.sleep(_LOOK_S)
        status = session.status
        if status.state is PlaybackState.ERROR:
            raise ControlError(status.error or _("This can't be played."))
        self._taker.taken()

    def _inherit(self, session: "PlaybackService") -> None:
        """The other process died before it could hand anything over: the last position is the one in the library."""
        deadline = time.monotonic() + _FREED_S
        while True:
            try:
                self._lock.take()
                break
            except AlreadyRunning:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LOOK_S)
        session.start()
        if self.offer.state in ACTIVE and self.offer.episode_id is not None:
            session.play(self.offer.episode_id)  # according to the library, this may not even be the last episode yet

    def _refused(self, error: Exception) -> AlreadyRunning:
        reason = str(error) or type(error).__name__
        log.warning("the sound didn't come: %s", reason)
        return AlreadyRunning(
            _("The background player (PID {pid}) didn't hand over: {reason}", pid=self.offer.pid, reason=reason),
            _("End it with: earmark quit"),
        )


def _silence(session: "PlaybackService") -> None:
    """Silences the session at once, and for good. If the session's thread hangs, so does the sound."""
    try:
        session.handing.give().leave()
    except EarmarkError:
        log.warning("the session doesn't fall silent")
