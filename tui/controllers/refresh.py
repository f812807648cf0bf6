"""Refreshing feeds on request: the progress, and a summary of the outcome."""

from typing import Protocol

from player.events import Cause, RefreshProgress
from player.feeds.refresh_summary import RefreshSummary
from player.model.podcast import PodcastId
from player.player import Player
from player.text.sentences import _
from tui.controllers.lists.selection import PodcastTargets
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.ui import Ticker, after
from tui.drawing import labels

_PROGRESS_S = 0.25
"""How often the progress line is updated. Not more often, because the frame after an update, even a key's, waits up to
17 ms."""
_REASONS, _ROOMY = 3, 24
"""A panel shows this many reasons for failed feeds on a screen of at least `_ROOMY` rows; on a lower screen, only the
first."""


class ProgressLine(Protocol):
    """The progress line in the footer."""

    def clear_flash(self) -> None: ...

    def show_progress(self, words: str) -> None: ...


class RefreshController:
    def __init__(self, player: Player, ui: EpisodeUi, line: ProgressLine, podcasts: PodcastTargets) -> None:
        self._player = player
        self._ui = ui
        self._line = line
        self._podcasts = podcasts
        self._last = RefreshSummary()
        self._asked = False
        self._running: dict[int, RefreshProgress] = {}
        """By their numbers: an automatic refresh may run beside the one that was asked for."""
        self._ticks: Ticker | None = None

    @property
    def under_way(self) -> bool:
        return bool(self._running)

    # -- keys -------------------------------------------------------------------------------------------------

    def podcast(self) -> None:
        self.begin(self._podcasts.podcasts_here)

    def all(self) -> None:
        self.begin(None)

    def begin(self, podcast_ids: list[PodcastId] | None) -> None:
        self._asked = True
        self._line.clear_flash()
        self._line.show_progress(_("Refreshing"))

        after(self._ui, self._player.refresh(podcast_ids), self._keep, self._fail)

    def stop(self) -> bool:
        """Stops a refresh; False if there was none."""
        if not self.under_way or not self._player.cancel_refresh():
            return False
        self._asked = False
        self._ui.say(_("Refresh stopped. Progress is kept; the next refresh continues from here."))
        return True

    # -- events -----------------------------------------------------------------------------------------------

    def moved(self, progress: RefreshProgress) -> None:
        if self._ticks is None:
            self._ticks = self._ui.every(_PROGRESS_S, self._show_progress)
        if progress.done < progress.total:
            self._running[progress.number] = progress
            self._ticks.resume()
            return
        self._running.pop(progress.number, None)
        was_asked = self._asked and progress.cause is Cause.PERSON
        self._asked = self._asked and not was_asked
        if not self.under_way:
            self._show_none()
        if was_asked or progress.new:
            self._ui.say(labels.refresh_words(progress.new, progress.failed, self._ui.glyphs.dot))

    def _show_progress(self) -> None:
        if self.under_way:
            done = sum(one.done for one in self._running.values())
            total = sum(one.total for one in self._running.values())
            self._line.show_progress(labels.progress_words(done, total, self._ui.glyphs, self._ui.key_of))

    def _show_none(self) -> None:
        """One that was asked for is still to begin, or none."""
        if self._ticks is not None:
            self._ticks.pause()
        self._line.show_progress(_("Refreshing") if self._asked else "")

    def _fail(self) -> None:
        """A Notice says why."""
        self._asked = False
        if not self.under_way:
            self._show_none()

    def _keep(self, summary: RefreshSummary) -> None:
        """Reports failed feeds in a panel. The table of all results opens only by a key."""
        self._last = summary
        if summary.failed:
            self._tell_failed(summary)

    def results(self) -> None:
        """Opens the results of the last requested refresh."""
        from tui.dialogs.refreshed import RefreshedScreen, refreshed

        podcasts = refreshed(self._last, dict(self._podcasts.titles))
        if not podcasts:
            key = self._ui.key_of("refresh_all")
            self._ui.say(_("Nothing new, and nothing failed, since Earmark started. {key} refreshes.", key=key))
            return

        def chosen(podcast_id: PodcastId | None) -> None:
            if podcast_id is not None:
                self._ui.show_podcast(podcast_id)

        dialog = RefreshedScreen(podcasts, lambda one: self._player.refresh([one]), self._ui.key_of("refresh"))
        self._ui.push(dialog, chosen)

    def _tell_failed(self, summary: RefreshSummary) -> None:
        """Says which podcasts failed, and why."""
        titles, reasons = self._podcasts.titles, dict(summary.reasons)
        failed = [
            labels.FailedFeed(titles[one], sentence, reasons.get(one, ""))
            for one, sentence in summary.failed
            if one in titles
        ]
        if failed:
            most = _REASONS if self._ui.rows >= _ROOMY else 1
            title, words = labels.failure_words(failed, summary.refreshed, most)
            self._ui.notify(words, title=title, severity="warning", markup=False, timeout=10)
