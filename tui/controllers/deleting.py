"""Deletes downloads without asking, because that can be undone; if the disk is nearly full, deletes them for good."""

import asyncio
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from player.errors import EarmarkError
from player.model.episode import EpisodeId
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.ui import Ui

_LITTLE = 1_000_000_000
"""With fewer free bytes than this, deleting makes room at once, and can't be undone."""


class DownloadDeletion:
    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._begun = 0

    def delete(self, ids: Sequence[EpisodeId]) -> None:
        """Deletes these downloads off the screen's thread, and says how to get them back."""
        self._begun += 1
        self._ui.in_background(partial(self._delete, ids), f"delete downloads {self._begun}")

    async def _delete(self, ids: Sequence[EpisodeId]) -> None:
        try:
            kept = await asyncio.to_thread(self._set_aside, ids)
        except EarmarkError as error:
            self._ui.notify(str(error), severity="error", markup=False)
            return
        if kept is None:
            ended = await asyncio.gather(
                *(asyncio.wrap_future(self._player.delete_download(one)) for one in ids), return_exceptions=True
            )
            if gone := sum(one is None for one in ended):  # the player has reported the failures
                self._say(gone, _("{key} downloads again", key=self._ui.key_of("download")))
        else:
            self._say(kept, _("{key} undoes", key=self._ui.key_of("undo")))

    def _set_aside(self, ids: Sequence[EpisodeId]) -> int | None:
        """Moves the downloads to where they can be restored from. Called in a thread. Returns how many were moved; None
        if the disk is nearly full."""
        found = (self._player.library.downloads.path(one) for one in ids)
        path = next((one for one in found if one is not None), None)
        free = free_space(path) if path is not None else None
        if free is not None and free < _LITTLE:
            return None
        return len(self._player.services.rules.delete(ids))

    def _say(self, count: int, offer: str) -> None:
        words = plural(count, "Download deleted", "{n:,} downloads deleted")
        self._ui.say(f"{words} {self._ui.glyphs.dot} {offer}")


def free_space(path: Path) -> int | None:
    """The free bytes on the disk of `path`, which may not exist yet; None if they can't be determined."""
    try:
        folder = next(one for one in (path, *path.parents) if one.is_dir())
        return shutil.disk_usage(folder).free
    except (OSError, StopIteration):
        return None
