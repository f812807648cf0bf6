"""Rows say what becomes of a download without being read again, and are drawn anew a few times a second at most."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from player.model.downloads import DownloadEntry, DownloadSnapshot, DownloadState, Progress
from player.model.episode import Episode, EpisodeId
from player.player import Player
from tests.tui.controllers.fake import FakeMain, FakePlayer, episode
from tui.controllers.keeping import DownloadList, RowBytesController
from tui.drawing.episode_rows import NOTHING, RowBytes, signs_of
from tui.look.glyphs import ASCII, UNICODE


class FakeNetwork:
    offline = False

    def has(self, one: Episode) -> bool:
        return one.downloaded


class Rows:
    def __init__(self) -> None:
        self.drawn = 0
        self.ui = FakeMain()
        self.player = FakePlayer()
        self.snapshot = DownloadSnapshot()
        self.player.network = FakeNetwork()  # type: ignore[attr-defined]
        self.player.downloads = cast(Any, self)
        self.seen: list[DownloadSnapshot] = []
        self.ui.in_front = [cast(Any, self)]
        downloads = cast(DownloadList, SimpleNamespace(moved=self.seen.append))
        self.came = 0
        self.controller = RowBytesController(cast(Player, self.player), self.ui, downloads, self._comes)

    def _comes(self) -> None:
        self.came += 1

    def refresh_changed(self) -> None:
        self.drawn += 1

    def put(self, state: DownloadState, done: int = 0) -> None:
        entry = DownloadEntry(EpisodeId(1), "T", "P", state, "manual", datetime.now(UTC), Progress(done, 200))
        self.__dict__["snapshot"] = lambda: DownloadSnapshot((entry,))
        self.controller.downloads_moved()


def test_a_download_has_its_mark_and_percent_until_it_is_here() -> None:
    rows = Rows()
    rows.put(DownloadState.RUNNING, 90)
    assert rows.controller.of(episode(1)) == RowBytes(DownloadState.RUNNING, 45)
    assert rows.controller.of(episode(2)) == NOTHING
    rows.put(DownloadState.DONE)
    rows.ui.tickers[0].tick()
    assert rows.controller.of(episode(1)) == NOTHING


def test_a_hundred_events_are_two_drawings() -> None:
    rows = Rows()
    for done in range(100):
        rows.put(DownloadState.RUNNING, done)
    assert (rows.drawn, rows.ui.tickers[0].runs) == (1, True)
    rows.ui.tickers[0].tick()
    assert (rows.drawn, rows.came) == (2, 1), "numbers are counted again for another episode, not for its progress"
    rows.ui.tickers[0].tick()
    assert (rows.drawn, rows.ui.tickers[0].runs, len(rows.seen)) == (2, False, 2)


def test_offline_what_is_not_here_is_marked() -> None:
    rows = Rows()
    rows.player.network.offline = True  # type: ignore[attr-defined]
    assert rows.controller.of(episode(1)).missing
    assert not rows.controller.of(replace(episode(1), downloaded=True)).missing


def test_every_state_has_a_glyph_of_its_own() -> None:
    states = (DownloadState.RUNNING, DownloadState.WAITING, DownloadState.PAUSED, DownloadState.FAILED)
    for glyphs in (UNICODE, ASCII):
        signs = [signs_of(RowBytes(state), glyphs, 0)[0][0] for state in states]
        signs += [signs_of(RowBytes(missing=True), glyphs, 0)[0][0], glyphs.downloaded, glyphs.queued, glyphs.star]
        assert len(set(signs)) == len(signs)
    assert signs_of(RowBytes(DownloadState.RUNNING, 7), UNICODE, 10) == [("⇣", "title")]
    assert signs_of(RowBytes(DownloadState.RUNNING, 7), UNICODE, 40) == [("⇣7%", "title")]
