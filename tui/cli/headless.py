"""`earmark play --headless`: the player without a screen, its lines on standard output, for as long as it runs."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from player.background import launching
from player.background.headless_player import Beginning, Begun, Headless, Waiting
from player.background.launching import wait_for_turn
from player.background.report_lines import LineWriter
from player.errors import AlreadyRunning, EarmarkError
from player.model.playback import Role
from player.player import Player
from player.text.sentences import _
from tui import logs
from tui.cli.command import Context
from tui.terminal.capabilities import quiet_stderr

log = logging.getLogger(__name__)

_FLUSH_S = 0.1


def run_headless(context: Context, beginning: Beginning, *, stays: bool = False, parent: int | None = None) -> int:
    """Its exit code. `parent`: a descriptor where somebody waits to be told how it began (`launching.py` of
    `player/background`); its lines go to the log then.

    One that `stays`, and that nobody started in the background, waits while another Earmark plays, also one that has
    taken the sound over. Raises what keeps it from opening.
    """
    _hold_standard_descriptors()
    logs.start(context.paths.log)
    if parent is not None:
        os.chdir("/")  # it keeps no folder from being unmounted
    with quiet_stderr(context.paths.log), _writing(sys.stdout) as said, _writing(sys.stderr) as complained:
        say = said.write if parent is None else log.info
        complain = (lambda sentence: complained.write(f"earmark: {sentence}")) if parent is None else log.warning

        def began(begun: Begun) -> None:
            if parent is not None:
                launching.tell_parent(parent, begun)

        while True:
            headless = Headless(
                Player(context.paths, Context(context.paths).settings, role=Role.BACKGROUND),
                beginning,
                say=say,
                complain=complain,
                started=launching.tell_systemd,
                began=began,
                stays=stays,
            )
            try:
                code = _run_once(headless)
            except EarmarkError as error:
                if parent is not None:
                    launching.tell_refusal(parent, error)
                if not (isinstance(error, AlreadyRunning) and stays and parent is None):
                    raise
                say(_("{problem}. This one waits for its turn.", problem=error.what))
            else:
                if not headless.is_gone or not stays or parent is not None:
                    return code
            launching.tell_systemd()
            beginning = Waiting()
            wait_for_turn(context.paths)


def _run_once(headless: Headless) -> int:
    headless.open()
    try:
        return headless.run()
    finally:
        headless.close()


@contextmanager
def _writing(stream: object) -> Iterator[LineWriter]:
    handle: int | None = None
    with suppress(OSError, ValueError, AttributeError):
        handle = stream.fileno()  # type: ignore[attr-defined]
    writer = LineWriter(handle)
    try:
        yield writer
    finally:
        writer.close(_FLUSH_S)


def _hold_standard_descriptors() -> None:
    """Where one of them is closed, the next file to be opened would get its number, and be written to as if it were
    that: the library, for one."""
    for handle in (0, 1, 2):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
