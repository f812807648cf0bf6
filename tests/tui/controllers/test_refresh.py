"""A refresh that was asked for: how far it is, how it is stopped, and what is said at its end."""

from concurrent.futures import Future
from typing import cast

from msgspec.structs import replace

from player.errors import LibraryBusy
from player.events import Cause, RefreshProgress
from player.feeds.refresh_summary import RefreshSummary
from player.model.podcast import PodcastId
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakePodcasts, FakeUi
from tui.controllers.refresh import RefreshController
from tui.dialogs.refreshed import RefreshedScreen

LOOP, GONE = PodcastId(1), PodcastId(2)


class Line:
    def __init__(self) -> None:
        self.words: list[str] = []

    def clear_flash(self) -> None:
        """Nothing is said here."""

    def show_progress(self, words: str) -> None:
        self.words.append(words)


class Refreshing:
    def __init__(self, here: PodcastId | None = None) -> None:
        self.ended: Future[RefreshSummary] = Future()
        self.player, self.ui, self.line = FakePlayer(refresh=self.ended, cancel_refresh=True), FakeUi(), Line()
        podcasts = FakePodcasts(here, Loop=LOOP, Gone=GONE)
        self.controller = RefreshController(cast(Player, self.player), self.ui, self.line, podcasts)


def test_the_podcast_that_the_key_means_is_refreshed_and_else_all() -> None:
    one, none = Refreshing(LOOP), Refreshing(None)
    one.controller.podcast()
    none.controller.podcast()
    one.controller.all()
    assert one.player.made == [("refresh", [LOOP]), ("refresh", None)]
    assert none.player.made == [("refresh", None)]


def test_how_far_it_is_comes_with_the_tick_and_goes_at_the_end() -> None:
    refreshing = Refreshing()
    refreshing.controller.all()
    refreshing.controller.moved(RefreshProgress(1, 4))
    (ticker,) = refreshing.ui.tickers
    assert (ticker.runs, refreshing.line.words) == (True, ["Refreshing"])
    ticker.tick()
    assert "3 left" in refreshing.line.words[-1]
    refreshing.controller.moved(RefreshProgress(4, 4, new=2))
    assert (ticker.runs, refreshing.line.words[-1]) == (False, "")
    assert refreshing.ui.messages == ["2 new episodes"]


def test_one_that_nobody_asked_for_and_that_brings_nothing_is_not_spoken_of() -> None:
    refreshing = Refreshing()
    refreshing.controller.moved(RefreshProgress(4, 4))
    assert refreshing.ui.messages == []


def test_the_end_of_an_automatic_one_is_not_taken_for_the_end_of_the_one_that_was_asked_for() -> None:
    refreshing = Refreshing()
    refreshing.controller.all()
    automatic = RefreshProgress(0, 1, cause=Cause.RULE, number=1)
    for progress in (automatic, replace(automatic, done=1)):
        refreshing.controller.moved(progress)
    assert refreshing.line.words[-1] == "Refreshing", "it hasn't begun yet"
    refreshing.controller.moved(RefreshProgress(1, 4, number=2))
    for number in (3, 4):
        refreshing.controller.moved(replace(automatic, number=number))
        refreshing.controller.moved(replace(automatic, number=number, done=1))
    assert refreshing.controller.under_way
    refreshing.ui.tickers[0].tick()
    assert "3 left" in refreshing.line.words[-1]
    assert refreshing.ui.messages == []
    refreshing.controller.moved(RefreshProgress(4, 4, number=2))
    assert (refreshing.line.words[-1], len(refreshing.ui.messages)) == ("", 1)


def test_what_is_left_of_two_that_run_at_once_is_counted_together() -> None:
    refreshing = Refreshing()
    refreshing.controller.moved(RefreshProgress(1, 4, number=1))
    refreshing.controller.moved(RefreshProgress(0, 2, number=2))
    refreshing.ui.tickers[0].tick()
    assert "5 left" in refreshing.line.words[-1]


def test_one_that_could_not_begin_leaves_nothing_in_the_footer() -> None:
    refreshing = Refreshing()
    refreshing.controller.all()
    refreshing.ended.set_exception(LibraryBusy("The library is busy"))
    assert refreshing.line.words == ["Refreshing", ""]


def test_escape_stops_one_that_is_under_way_and_only_that() -> None:
    refreshing = Refreshing()
    assert not refreshing.controller.stop()
    refreshing.controller.moved(RefreshProgress(1, 4))
    assert refreshing.controller.stop()
    assert refreshing.player.made == [("cancel_refresh",)]
    assert "Refresh stopped." in refreshing.ui.messages[0]


def test_what_failed_is_told_once_and_a_podcast_that_has_gone_meanwhile_is_not_in_it() -> None:
    refreshing = Refreshing(LOOP)
    refreshing.controller.podcast()
    failed = ((LOOP, "The server didn't answer."), (PodcastId(9), "Gone."))
    refreshing.ended.set_result(RefreshSummary(failed=failed))
    assert refreshing.ui.panels == [("Loop", "The server didn't answer.")]


def test_on_a_low_screen_the_reasons_after_the_first_are_counted() -> None:
    refreshing = Refreshing()
    refreshing.ui.rows = 10
    refreshing.controller.all()
    failed, reasons = ((LOOP, "No."), (GONE, "No.")), ((LOOP, "Timed out"), (GONE, "Not found"))
    refreshing.ended.set_result(RefreshSummary(failed=failed, reasons=reasons))
    ((title, words),) = refreshing.ui.panels
    assert title == "0 refreshed, 2 failed"
    assert words.splitlines()[1] == "1 more for another reason"


def test_what_failed_of_all_is_a_table_that_opens_when_it_is_asked_for_and_leads_to_a_podcast() -> None:
    refreshing = Refreshing()
    refreshing.controller.results()
    assert refreshing.ui.messages == [
        "Nothing new, and nothing failed, since Earmark started. <refresh_all> refreshes."
    ]
    refreshing.controller.all()
    failed, reasons = ((LOOP, "No."), (PodcastId(9), "Gone.")), ((LOOP, "Not found (404)"),)
    refreshing.ended.set_result(RefreshSummary(refreshed=199, failed=failed, reasons=reasons, news=((GONE, 2),)))
    assert not refreshing.ui.dialog
    assert refreshing.ui.panels == [
        ("199 refreshed, 1 failed", "Not found (404): Loop\nSelect one marked ! for details.")
    ]
    refreshing.controller.results()
    assert isinstance(refreshing.ui.dialog, RefreshedScreen)
    refreshing.ui.answer(LOOP)
    refreshing.ui.answer(None)
    assert refreshing.ui.podcasts == [LOOP]
