"""From folders and settings to an exit code: the library is opened, the app runs, both are closed.

The library opens in a thread while Python loads the app, which takes longer; reading a disk needs no Python.
"""

import logging
import sys
from collections.abc import Sequence
from concurrent.futures import wait

from player.errors import DamagedLibrary, EarmarkError
from player.library import damage_of
from player.paths import Paths
from player.player import Player
from player.processes.threads import on_own_thread
from player.settings import Settings
from player.text.sentences import _
from tui.framework import gc_tuning
from tui.framework.left_out import COMMAND_PALETTE, HASHES_OF_OPENSSL, TLS, left_out, missing
from tui.shutdown import Shutdown, say_where_it_plays
from tui.terminal.capabilities import quiet_stderr
from tui.terminal.last_frame import LastFrame

log = logging.getLogger(__name__)

_OPENING_S = 0.25
"""A library that takes longer to open is waited for by the app itself, which answers keys meanwhile."""
_OPENING_COVERED_S = 1.0
"""The same while the last frame is shown, which the app would replace by saying that it waits."""

_SWITCH_S = 0.0005
"""How long a thread that computes keeps the others waiting. Python's own 5 ms, several times a key, are felt."""

_SAVE_S = 1.0


def run_app(
    paths: Paths,
    settings: Settings,
    shutdown: Shutdown | None = None,
    *,
    problems: Sequence[str] = (),
    last_frame: LastFrame | None = None,
    mini: bool = False,
    address: str = "",
) -> int:
    """Opens the library and the app, and closes both; returns the exit code. `problems` of the settings are shown.

    Raises AlreadyRunning or LibraryError where there is nothing to show, and whatever bug ended the app. Where damage
    of the library is behind it, the app begins anew: what to do about that is asked then.
    """
    try:
        return _run_once(paths, settings, shutdown, problems, last_frame, mini=mini, address=address)
    except Exception as error:
        if isinstance(error, EarmarkError) and not isinstance(error, DamagedLibrary):
            raise
        if not paths.library.exists() or damage_of(paths) is None:
            raise
        log.warning("the library is damaged, which ended the app", exc_info=error)
    return _run_once(paths, settings, shutdown, problems, last_frame, mini=mini, address=address)


def _run_once(
    paths: Paths,
    settings: Settings,
    shutdown: Shutdown | None,
    problems: Sequence[str],
    last_frame: LastFrame | None,
    *,
    mini: bool,
    address: str,
) -> int:
    sys.setswitchinterval(_SWITCH_S)
    player = Player(paths, settings)
    damaged: DamagedLibrary | None = None
    gc_tuning.share_heaps()
    opening = on_own_thread(player.open, "earmark-open")

    with left_out(COMMAND_PALETTE), missing(TLS), missing(HASHES_OF_OPENSSL):
        import hashlib  # noqa: F401 - needed soon, and then without OpenSSL

        from tui.app import EarmarkApp

    wait([opening], _OPENING_COVERED_S if last_frame is not None and last_frame.is_shown else _OPENING_S)
    if opening.done():
        try:
            opening.result()
        except DamagedLibrary as error:
            damaged = error
    try:
        with quiet_stderr(paths.log):
            app = EarmarkApp(
                player,
                damaged=damaged,
                opening=None if opening.done() else opening,
                settle=gc_tuning.settle,
                shutdown=shutdown,
                problems=problems,
                last_frame=last_frame,
                mini=mini,
                address=address,
            )
            code = app.run(mouse=settings.mouse.enabled) or app.return_code or 0
        if app.bug is not None:
            player.save_position(_SAVE_S)
            app.bug.add_note(_("Your position is saved."))
            raise app.bug
        if app.refused is not None:
            raise app.refused
        return code
    finally:
        player.close()
        if last_frame is not None:
            last_frame.save()
        if player.claim.is_gone:
            say_where_it_plays(player.status)
