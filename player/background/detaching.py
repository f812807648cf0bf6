"""Hands what plays here to a background player that is started for it."""

import secrets
import time
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import suppress

from player.background.command_line import earmark_command
from player.background.launching import launch
from player.model.playback import ACTIVE
from player.player import Player
from player.processes.threads import on_own_thread
from player.text.sentences import mark, translate

_LOOK_S = 0.02
_LATE = mark("The background player didn't start in time.")
TAKE_OVER = "--take-over"
"""The option of `earmark play --headless` after which the word stands that the giver expects to hear."""


def taking_over(word: str) -> list[str]:
    """The arguments of `earmark` for a player that takes over from the Earmark that expects `word`, which may begin
    with a hyphen."""
    return ["play", "--headless", f"{TAKE_OVER}={word}"]


class Detaching:
    """Of one player, which has been started. One at a time."""

    def __init__(self, player: Player, command: Sequence[str] = ()) -> None:
        """`command` starts this Earmark."""
        self._player = player
        self._command = list(command) or earmark_command()

    @property
    def plays(self) -> bool:
        """Whether there is anything to hand over."""
        return self._player.status.state in ACTIVE

    def run(self, timeout_s: float) -> str | None:
        """Returns None once the sound is in the background for good, where QuitAsked has been published; or a sentence
        that says why it plays on here. Waits, at most `timeout_s`."""
        claim = self._player.claim
        giver = self._player.services.giver
        deadline = time.monotonic() + timeout_s
        if giver.expects:  # it is under way already, and the terminal is closed meanwhile
            while giver.expects and not claim.is_gone and time.monotonic() < deadline:
                time.sleep(_LOOK_S)
            return None if claim.is_gone else translate(_LATE)
        word = secrets.token_urlsafe(16)
        giver.expect(word)
        command = [*self._command, *taking_over(word)]
        launched = on_own_thread(lambda: launch(command, self._player.paths.log, timeout_s), "earmark-detach")
        while not claim.is_gone and not launched.done() and time.monotonic() < deadline:
            with suppress(TimeoutError):
                wait([launched], _LOOK_S)
        giver.expect(None)
        if claim.is_gone:
            return None
        if launched.done() and (problem := launched.result().problem) is not None:
            return problem
        return translate(_LATE)
