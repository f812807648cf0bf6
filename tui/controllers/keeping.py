"""Episodes on this computer: offline mode, the Downloads view, and the state of downloads in the rows of all lists."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from player.errors import EarmarkError
from player.library import Listing
from player.model.downloads import DownloadEntry, DownloadSnapshot, DownloadState, Work
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.deleting import DownloadDeletion, free_space
from tui.controllers.lists.list import ListController, ListKind
from tui.controllers.lists.selection import Selection, Targets
from tui.controllers.main_ui import MainUi
from tui.controllers.ui import Ticker, Ui, say_after
from tui.drawing import phrases
from tui.drawing.episode_rows import NOTHING, RowBytes
from tui.widgets.download_rows import DownloadRows, shape_of

_LASTING = 3
"""The footer reports that syncing fails after this many failures in a row, which take a minute and a half."""


class OfflineController:
    """`stand` shows words in the footer until they are replaced; "" removes them."""

    def __init__(self, player: Player, ui: Ui, stand: Callable[[str], None]) -> None:
        self._network = player.network
        self._ui = ui
        self._stand = stand
        self._was_gone = False

    def toggle(self) -> None:
        """Cycles through offline, offline with only playable episodes in the lists, and online."""
        if not self._network.offline:
            self._network.choose(True)
            self._ui.say(_("Offline. Do it again to show only playable episodes."))
        elif not self._network.only_here:
            self._network.choose(True, only_here=True)
            self._ui.say(_("Only playable episodes are shown. Do it again to go online."))
        else:
            self._network.choose(False)
            self._ui.say(_("Online"))

    @property
    def words(self) -> str:
        """The state for the footer; "" while Earmark is online, and syncing works or isn't set up."""
        if self._network.only_here:
            return _("offline {dot} playable only", dot=self._ui.glyphs.dot)
        if self._network.by_hand:
            return _("offline")
        return _("no network") if self._network.offline else self._sync_words

    @property
    def _sync_words(self) -> str:
        """Reports failures of syncing that last, not one that the next attempt may not repeat."""
        if self._network.sync_needs_login:
            return _("sync: sign in again")
        return _("sync fails") if self._network.sync_failures >= _LASTING else ""

    def show(self) -> None:
        """Shows the state in the footer, without a message about the change."""
        self._was_gone = self._network.offline and not self._network.by_hand
        self._stand(self.words)

    def moved(self) -> None:
        """Whether Earmark is offline, or whether syncing fails, may have changed."""
        was_gone = self._was_gone
        self.show()
        if self._was_gone and not was_gone:
            self._ui.say(_("No network: refreshes and downloads wait until it is back"))
        elif was_gone and not self._network.offline:
            self._ui.say(_("The network is back"))


log = logging.getLogger(__name__)

_MOVABLE = (DownloadState.RUNNING, DownloadState.WAITING)


class DownloadList(ListKind):
    """The Downloads view: downloads under way, and below them the downloaded episodes."""

    view_name = ViewName.DOWNLOADS
    stays_whole = True

    def __init__(self, lists: ListController, selection: Selection) -> None:
        super().__init__(lists)
        self._selection = selection
        self._snapshot = DownloadSnapshot()
        self._entries: dict[EpisodeId, DownloadEntry] = {}
        self._deletion = DownloadDeletion(self.player, self.ui)
        self._count = self._size = 0
        self._free: int | None = None
        self._why: dict[EpisodeId, str] = {}

    @property
    def is_on_its_way(self) -> bool:
        """Whether the row under the cursor is a download under way."""
        listing = self.rows.listing if self.is_shown else None
        return isinstance(listing, DownloadRows) and listing.entry_at(self.rows.cursor) is not None

    # -- contents ---------------------------------------------------------------------------------------------

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        found = super().listing(view, cancelled)
        library = self.player.library
        known = {one.episode_id: one for one in library.downloads.all()}
        self._size = sum(one.size or 0 for one in known.values())
        self._free = free_space(next((one.path for one in known.values()), self.player.paths.data))
        snapshot = self.player.network.downloads()
        self._take(snapshot)
        self._count = len(found)
        return DownloadRows(
            _queued(snapshot),
            found,
            known,
            lambda episode_id: self._why.get(episode_id, ""),
            view.title,
            self.lists.today,
            lambda episode_id: self._entries.get(episode_id),
            held=lambda: self.player.network.offline,
        )

    def shown(self, _listing: Listing) -> None:
        """Reads why each episode was downloaded, once the list is on the screen."""
        if self._count and self.player.network.is_built:
            self.ui.in_background(self._explain, "why downloads")

    async def _explain(self) -> None:
        try:
            explained = await asyncio.to_thread(self.player.services.rules.explain)
        except EarmarkError as error:
            log.warning("why downloads are here can't be read: %s", error)
            return
        self._why = {episode_id: words.sentence for episode_id, words in explained.items()}
        self.rows.refresh_changed()

    def moved(self, snapshot: DownloadSnapshot) -> None:
        """Downloads began, ended, wait, or made progress."""
        self._take(snapshot)
        if not self.is_shown:
            return
        listing = self.rows.listing
        if not isinstance(listing, DownloadRows) or listing.shape != shape_of(
            [one for one in _queued(snapshot) if one.episode_id in {row.episode_id for row in listing.queued}]
            if self.lists.view.title
            else _queued(snapshot)
        ):
            self.lists.load()
        self.lists.show_head()

    def facts(self, _rows: int, *, more: bool) -> tuple[str, ...]:  # noqa: ARG002 - as for every kind
        dot = self.ui.glyphs.dot
        if on_their_way := phrases.download_queue_facts(self._snapshot, dot):
            return on_their_way
        return phrases.here_facts(self._count, self._size, self._free, dot) if self._count else ()

    @property
    def trouble(self) -> str:
        keys = {
            "pause": self.ui.key_of("pause_download"),
            "pause_all": self.ui.key_of("pause_downloads"),
            "offline": self.ui.key_of("offline"),
        }
        return phrases.trouble(self._snapshot, keys, offline=self.player.network.offline)

    def _take(self, snapshot: DownloadSnapshot) -> None:
        self._snapshot = snapshot
        self._entries = {one.episode_id: one for one in snapshot.entries}

    # -- keys -------------------------------------------------------------------------------------------------

    @property
    def takes_keys(self) -> bool:
        """Whether keys act on the rows, because the list has the focus."""
        return not self._selection.in_sidebar and not self._selection.on_page

    def pause(self) -> None:
        """Pauses the selected downloads and transcripts that run or wait; if none of them does, resumes or retries
        them. Works in all lists."""
        self._selection.episodes(self._pause)

    def _pause(self, targets: Targets) -> None:
        entries = self._of(targets)
        if not entries:
            self.ui.say(_("Not being downloaded. {key} downloads an episode.", key=self.ui.key_of("download")))
            return
        ids = [one.episode_id for one in entries]
        if pausing := [one.episode_id for one in entries if one.state in _MOVABLE and not one.problem]:
            self.player.downloads.pause(pausing)
            if _are_transcripts(entries):
                self.ui.say(plural(len(pausing), "Transcript paused", "{n:,} transcripts paused"))
            else:
                self.ui.say(plural(len(pausing), "Download paused", "{n:,} downloads paused"))
        else:
            self.player.downloads.retry(ids)
            if _are_transcripts(entries):
                self.ui.say(plural(len(ids), "Transcribing again", "Transcribing {n:,} episodes again"))
            else:
                self.ui.say(plural(len(ids), "Downloading again", "Downloading {n:,} episodes again"))

    def pause_all(self) -> None:
        """Pauses all downloads, or resumes them."""
        if self.player.network.downloads().paused:
            self.player.downloads.resume()
            self.ui.say(_("Downloads resumed"))
        else:
            self.player.downloads.pause()
            self.ui.say(_("All downloads paused. {key} resumes them.", key=self.ui.key_of("pause_downloads")))

    def retry_all(self) -> None:
        """Retries the downloads that failed, or wait for another attempt."""
        self.player.downloads.retry()
        self.ui.say(_("Retrying the downloads that failed"))

    def move(self, by: int) -> bool:
        """Moves the selected downloads in their queue."""
        if not self.takes_keys:
            return False
        listing = self.rows.listing
        if isinstance(listing, DownloadRows) and listing.entry_at(self.rows.cursor) is None:
            return False
        self._selection.episodes(lambda targets: self._move(targets, by), goes_on=False)
        return True

    def _move(self, targets: Targets, by: int) -> None:
        ids = [one.episode_id for one in self._of(targets)]

        def words(moved: bool) -> str:
            return "" if moved else _("Last download") if by > 0 else _("First download")

        if ids:
            say_after(self.ui, self.player.downloads.move(ids, by), words)

    def delete(self) -> bool:
        """Cancels the selected downloads under way, and deletes the downloaded files, without asking."""
        if not self.takes_keys:
            return False
        self._selection.episodes(self._delete)
        return True

    def _delete(self, targets: Targets) -> None:
        entries = self._of(targets)
        cancelled = [one.episode_id for one in entries]
        deleted = [one for one in targets.ids if one not in set(cancelled)]
        if cancelled:
            self.player.downloads.cancel(cancelled)
        if deleted:
            self._deletion.delete(deleted)
        elif _are_transcripts(entries) and entries:
            self.ui.say(plural(len(cancelled), "Transcript cancelled", "{n:,} transcripts cancelled"))
        elif cancelled:
            words = plural(len(cancelled), "Download cancelled", "{n:,} downloads cancelled")
            again = _("{key} downloads again", key=self.ui.key_of("download"))
            self.ui.say(f"{words} {self.ui.glyphs.dot} {again}")

    def _of(self, targets: Targets) -> list[DownloadEntry]:
        """The downloads under way among these episodes."""
        self._take(self.player.network.downloads())
        found = (self._entries.get(one) for one in targets.ids)
        return [one for one in found if one is not None and one.state is not DownloadState.DONE]


def _are_transcripts(entries: Sequence[DownloadEntry]) -> bool:
    return all(one.work is Work.TRANSCRIPT for one in entries)


def _queued(snapshot: DownloadSnapshot) -> Sequence[DownloadEntry]:
    return [one for one in snapshot.entries if one.state is not DownloadState.DONE]


_EVERY_S = 0.35
"""Rows are drawn again at most this often."""


class RowBytesController:
    """Knows the state of downloads for the rows of all lists. It reads nothing: the state comes with the events of
    downloads. `downloads` is the Downloads view, which is updated too; `came` is called when other episodes than before
    are being downloaded."""

    def __init__(self, player: Player, ui: MainUi, downloads: DownloadList, came: Callable[[], object]) -> None:
        self._player = player
        self._ui = ui
        self._downloads, self._came = downloads, came
        self._known: dict[EpisodeId, RowBytes] = {}
        self._ticks: Ticker | None = None
        self._news = self._ticking = False

    def of(self, episode: Episode) -> RowBytes:
        found = self._known.get(episode.id, NOTHING)
        if self._player.network.offline and not self._player.network.has(episode):
            return RowBytes(found.state, found.percent, missing=True)
        return found

    def downloads_moved(self) -> None:
        """Downloads began, ended, wait, or made progress."""
        self._news = True
        if self._ticks is None:
            self._ticks = self._ui.every(_EVERY_S, self._tick)
        if not self._ticking:
            self._ticking = True
            self._tick()
            self._ticks.resume()

    def network_moved(self) -> None:
        """The set of episodes that can be played has changed: draws the rows again."""
        for rows in self._ui.episode_lists():
            rows.refresh_changed()

    def _tick(self) -> None:
        if not self._news:
            self._ticking = False
            if self._ticks is not None:
                self._ticks.pause()
            return
        self._news = False
        snapshot = self._player.downloads.snapshot()
        before = self._known.keys()
        downloads = [entry for entry in _queued(snapshot) if entry.work is Work.DOWNLOAD]
        self._known = {entry.episode_id: _bytes(entry) for entry in downloads}
        if before != self._known.keys():
            self._came()
        self._downloads.moved(snapshot)
        self.network_moved()


def _bytes(entry: DownloadEntry) -> RowBytes:
    part = entry.progress.part
    return RowBytes(entry.state, None if part is None else int(100 * part))
