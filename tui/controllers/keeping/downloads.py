"""The Downloads view: what is on its way and what is here; paused, retried, moved, cancelled and deleted by keys."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import date

from player.errors import EarmarkError
from player.library import Listing
from player.model.downloads.download import DownloadEntry, DownloadSnapshot, DownloadState
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.deleting import DownloadDeletion, free_space
from tui.controllers.lists.selection import Selection, Targets
from tui.controllers.ui import Ui
from tui.drawing import downloads
from tui.widgets.episode_list import EpisodeList
from tui.widgets.rows.download_rows import DownloadRows, shape_of

log = logging.getLogger(__name__)

ReadListing = Callable[[View, Callable[[], bool]], Listing]
"""Reads the list of a view, unless it is cancelled."""

_MOVABLE = (DownloadState.RUNNING, DownloadState.WAITING)


class DownloadsController:
    """`others` reads the lists of other views. `here` is the view that is shown, `reload` reads it again, and `changed`
    is called when its heading may say something else."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        rows: EpisodeList,
        selection: Callable[[], Selection],
        *,
        others: ReadListing,
        here: Callable[[], View],
        reload: Callable[[], None],
        changed: Callable[[], None],
        today: Callable[[], date],
    ) -> None:
        self._player = player
        self._ui = ui
        self._rows = rows
        self._selection = selection
        self._others = others
        self._here = here
        self._reload = reload
        self._heading_changed = changed
        self._today = today
        self._snapshot = DownloadSnapshot()
        self._entries: dict[EpisodeId, DownloadEntry] = {}
        self._deletion = DownloadDeletion(player, ui)
        self._count = self._size = 0
        self._free: int | None = None
        self._why: dict[EpisodeId, str] = {}

    @property
    def is_shown(self) -> bool:
        return self._here().name is ViewName.DOWNLOADS

    @property
    def is_on_its_way(self) -> bool:
        """Whether the row under the cursor is a download that isn't here yet."""
        listing = self._rows.listing if self.is_shown else None
        return isinstance(listing, DownloadRows) and listing.entry_at(self._rows.cursor) is not None

    # -- what is shown ----------------------------------------------------------------------------------------

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        """That of any view. Reads the library, on the thread that reads lists."""
        found = self._others(view, cancelled)
        if view.name is not ViewName.DOWNLOADS:
            return found
        library = self._player.library
        known = {one.episode_id: one for one in library.downloads.all()}
        self._size = sum(one.size or 0 for one in known.values())
        self._free = free_space(next((one.path for one in known.values()), self._player.paths.data))
        snapshot = self._player.network.downloads()
        self._take(snapshot)
        self._count = len(found)
        return DownloadRows(
            _queued(snapshot),
            found,
            known,
            lambda episode_id: self._why.get(episode_id, ""),
            view.title,
            self._today,
            lambda episode_id: self._entries.get(episode_id),
            held=lambda: self._player.network.offline,
        )

    def shown(self) -> None:
        """The list is shown: then it is read why each download is here."""
        if self.is_shown and self._count and self._player.network.is_built:
            self._ui.in_background(self._explain, "why downloads")

    async def _explain(self) -> None:
        try:
            explained = await asyncio.to_thread(self._player.services.rules.explain)
        except EarmarkError as error:
            log.warning("why downloads are here can't be read: %s", error)
            return
        self._why = {episode_id: words.sentence for episode_id, words in explained.items()}
        self._rows.refresh_changed()

    def moved(self, snapshot: DownloadSnapshot) -> None:
        """Downloads began or ended, wait, or have come further."""
        self._take(snapshot)
        if not self.is_shown:
            return
        listing = self._rows.listing
        if not isinstance(listing, DownloadRows) or listing.shape != shape_of(
            [one for one in _queued(snapshot) if one.episode_id in {row.episode_id for row in listing.queued}]
            if self._here().title
            else _queued(snapshot)
        ):
            self._reload()
        self._heading_changed()

    def facts(self) -> tuple[str, ...]:
        """The heading, while the view is shown; () in other views."""
        if not self.is_shown:
            return ()
        dot = self._ui.glyphs.dot
        if on_their_way := downloads.queue_facts(self._snapshot, dot):
            return on_their_way
        return downloads.here_facts(self._count, self._size, self._free, dot) if self._count else ()

    @property
    def trouble(self) -> str:
        """What holds downloads up, and the key to act; "" for nothing, and in other views."""
        if not self.is_shown:
            return ""
        keys = {
            "pause": self._ui.key_of("pause_download"),
            "pause_all": self._ui.key_of("pause_downloads"),
            "offline": self._ui.key_of("offline"),
        }
        return downloads.trouble(self._snapshot, keys, offline=self._player.network.offline)

    def _take(self, snapshot: DownloadSnapshot) -> None:
        self._snapshot = snapshot
        self._entries = {one.episode_id: one for one in snapshot.entries}

    # -- keys -------------------------------------------------------------------------------------------------

    @property
    def takes_keys(self) -> bool:
        """Whether keys are meant for the rows of this view."""
        selection = self._selection()
        return self.is_shown and not selection.in_sidebar and not selection.on_page

    def pause(self) -> None:
        """Pauses those that run or wait; where none does, resumes or retries them. In other lists too."""
        self._selection().episodes(self._pause)

    def _pause(self, targets: Targets) -> None:
        entries = self._of(targets)
        if not entries:
            self._ui.say(_("Not being downloaded. {key} downloads an episode.", key=self._ui.key_of("download")))
            return
        ids = [one.episode_id for one in entries]
        if pausing := [one.episode_id for one in entries if one.state in _MOVABLE and not one.problem]:
            self._player.downloads.pause(pausing)
            self._ui.say(plural(len(pausing), "Download paused", "{n:,} downloads paused"))
        else:
            self._player.downloads.retry(ids)
            self._ui.say(plural(len(ids), "Downloading again", "Downloading {n:,} episodes again"))

    def pause_all(self) -> None:
        """Pauses all downloads, or resumes them."""
        if self._player.network.downloads().paused:
            self._player.downloads.resume()
            self._ui.say(_("Downloads resumed"))
        else:
            self._player.downloads.pause()
            self._ui.say(_("All downloads paused. {key} resumes them.", key=self._ui.key_of("pause_downloads")))

    def retry_all(self) -> None:
        """Those that failed, or wait for another attempt."""
        self._player.downloads.retry()
        self._ui.say(_("Retrying the downloads that failed"))

    def move(self, by: int) -> bool:
        """Moves the rows of the queue; False where keys aren't meant for them."""
        if not self.takes_keys:
            return False
        listing = self._rows.listing
        if isinstance(listing, DownloadRows) and listing.entry_at(self._rows.cursor) is None:
            return False
        self._selection().episodes(lambda targets: self._move(targets, by), goes_on=False)
        return True

    def _move(self, targets: Targets, by: int) -> None:
        ids = [one.episode_id for one in self._of(targets)]

        def moved(ended: "Future[bool]") -> None:
            if not ended.cancelled() and ended.exception() is None and not ended.result():
                self._ui.call_later(self._ui.say, _("Last download") if by > 0 else _("First download"))

        if ids:
            self._player.downloads.move(ids, by).add_done_callback(moved)

    def delete(self) -> bool:
        """Cancels what is on its way and deletes what is here, without asking; False where keys aren't meant for these
        rows."""
        if not self.takes_keys:
            return False
        self._selection().episodes(self._delete)
        return True

    def _delete(self, targets: Targets) -> None:
        cancelled = [one.episode_id for one in self._of(targets)]
        deleted = [one for one in targets.ids if one not in set(cancelled)]
        if cancelled:
            self._player.downloads.cancel(cancelled)
        if deleted:
            self._deletion.delete(deleted)
        elif cancelled:
            words = plural(len(cancelled), "Download cancelled", "{n:,} downloads cancelled")
            again = _("{key} downloads again", key=self._ui.key_of("download"))
            self._ui.say(f"{words} {self._ui.glyphs.dot} {again}")

    def _of(self, targets: Targets) -> list[DownloadEntry]:
        """The downloads under way among these episodes."""
        self._take(self._player.network.downloads())
        found = (self._entries.get(one) for one in targets.ids)
        return [one for one in found if one is not None and one.state is not DownloadState.DONE]


def _queued(snapshot: DownloadSnapshot) -> Sequence[DownloadEntry]:
    return [one for one in snapshot.entries if one.state is not DownloadState.DONE]
