"""Deletes downloads without asking, as it can be undone; for good where the disk is nearly full."""

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
"""With fewer bytes free, what is deleted makes room at once: it can't be undone."""


class DownloadDeletion:
    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._begun = 0

    def delete(self, ids: Sequence[EpisodeId]) -> None:
        """Deletes these downloads off the screen's thread, and says what can be done about it."""
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
            if gone := sum(one is None for one in ended):  # of the others the player has said why
                self._say(gone, _("{key} downloads again", key=self._ui.key_of("download")))
        else:
            self._say(kept, _("{key} undoes", key=self._ui.key_of("undo")))

    def _set_aside(self, ids: Sequence[EpisodeId]) -> int | None:
        """In a thread. Returns how many downloads were set aside; None if the disk has no room for that."""
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
    """Free bytes on the disk of `path`, which may not exist yet; None where that can't be told."""
    try:
        folder = next(one for one in (path, *path.parents) if one.is_dir())
        return shutil.disk_usage(folder).free
    except (OSError, StopIteration):
        return None
