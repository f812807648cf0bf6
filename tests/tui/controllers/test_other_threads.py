"""What a controller says when the library has written: the screen is asked for nothing on the thread that writes."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread, current_thread, main_thread
from typing import Any, cast

import pytest

from player.model.episode import EpisodeId
from player.player import Player
from tests.tui.controllers.fake import FakeMain, FakePlayer
from tui.controllers.lists.queue import QueueController, QueueList
from tui.controllers.podcasts import ArrangingController
from tui.controllers.ui import say_after
from tui.look.glyphs import Glyphs


class ScreenThread(FakeMain):
    """Answers on the screen's thread alone, where what was asked for later is done when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.later: list[Callable[[], object]] = []

    def key_of(self, action_id: str) -> str:
        assert current_thread() is main_thread()
        return super().key_of(action_id)

    @property
    def glyphs(self) -> Glyphs:  # type: ignore[override]
        assert current_thread() is main_thread()
        return FakeMain().glyphs

    def call_later(self, callback: Callable[..., Any], *args: Any) -> object:
        self.later.append(lambda: callback(*args))
        return None


def arranged(ui: FakeMain, written: Future[Any]) -> None:
    controller = ArrangingController.__new__(ArrangingController)
    controller._ui = ui
    controller._say_after(written, lambda _ids: "Renamed")


def cleared(ui: FakeMain, written: Future[Any]) -> None:
    view = QueueList.__new__(QueueList)
    view.ui = ui
    say_after(ui, written, lambda _ids: f"Cleared {view._back()}")


def queued(ui: FakeMain, written: Future[Any]) -> None:
    controller = QueueController.__new__(QueueController)
    player = FakePlayer()

    def then(reading: Callable[[], str]) -> Future[str]:
        """On the thread that writes, after `written`."""
        read: Future[str] = Future()
        written.add_done_callback(lambda _written: read.set_result(reading()))
        return read

    player.acts.then = then  # type: ignore[method-assign]
    controller._ui, controller._player = ui, cast(Player, player)
    controller._after(written, controller._said_of([EpisodeId(1), EpisodeId(2)]))


@pytest.mark.parametrize("act", [arranged, cleared, queued])
def test_a_message_about_what_was_written_is_never_lost(act: Callable[[FakeMain, Future[Any]], None]) -> None:
    ui, written = ScreenThread(), Future[Any]()
    act(ui, written)
    thread = Thread(target=written.set_result, args=([EpisodeId(1)],))
    thread.start()
    thread.join()
    for one in ui.later:
        one()
    (message,) = ui.messages
    assert message.endswith("<undo> undoes")
