"""Opens the library, runs the app, closes both, and returns the exit code.

The library opens in a thread while Python imports the app, which takes longer: waiting for the disk doesn't hold
Python's lock.
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
"""If the library takes longer to open, the app starts anyway and waits for it, so that keys are answered meanwhile."""
_OPENING_COVERED_S = 1.0
"""The same while the last frame is on the screen: the app would replace it with a message that it is waiting."""

_SWITCH_S = 0.0005
"""How long a computing thread may run before other threads get their turn. Python's default of 5 ms, several times per
key, is noticeable."""

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
    screen_reader: bool = False,
) -> int:
    """Opens the library and the app, and closes both. Returns the exit code, or `AGAIN`. `problems` of
    the settings are shown in the app.

    Raises AlreadyRunning or LibraryError if there is nothing to show, and any bug that ended the app. If a damaged
    library caused the error, the app starts again and asks what to do about it.
    """
    try:
        return _run_once(paths, settings, shutdown, problems, last_frame, mini, address, screen_reader)
    except Exception as error:
        if isinstance(error, EarmarkError) and not isinstance(error, DamagedLibrary):
            raise
        if not paths.library.exists() or damage_of(paths) is None:
            raise
        log.warning("the library is damaged, which ended the app", exc_info=error)
    return _run_once(paths, settings, shutdown, problems, last_frame, mini, address, screen_reader)


def _run_once(
    paths: Paths,
    settings: Settings,
    shutdown: Shutdown | None,
    problems: Sequence[str],
    last_frame: LastFrame | None,
    mini: bool,
    address: str,
    screen_reader: bool,
) -> int:
    sys.setswitchinterval(_SWITCH_S)
    player = Player(paths, settings)
    damaged: DamagedLibrary | None = None
    gc_tuning.share_heaps()
    opening = on_own_thread(player.open, "earmark-open")

    with left_out(COMMAND_PALETTE), missing(TLS), missing(HASHES_OF_OPENSSL):
        import hashlib  # noqa: F401 - needed soon; imported here, it doesn't load OpenSSL

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
                screen_reader=screen_reader,
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
