"""What is said at the end of a round of syncing that was asked for."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.events import Bus, Notice, SyncChanged
from player.model.syncing import SyncStatus
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeUi
from tui.controllers.syncing import SyncNow


class BusyUi(FakeUi):
    """A screen that comes to what waits for it when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Callable[[], Any]] = []

    def call_later(self, callback: Callable[..., Any], *args: Any) -> None:
        self.waiting.append(lambda: callback(*args))


@pytest.mark.parametrize(("news", "said"), [(True, []), (False, ["Synced"])])
async def test_news_that_comes_before_the_screen_hears_of_the_end_is_not_replaced(news: bool, said: list[str]) -> None:
    ui, bus = BusyUi(), Bus()
    player = cast(Any, FakePlayer())
    player.bus = bus
    player.library = SimpleNamespace(syncing=SimpleNamespace(account=lambda: "an account"))
    player.services = SimpleNamespace(sync=SimpleNamespace(status=SyncStatus(rounds=3), now=lambda: ""))
    SyncNow(cast(Player, player), ui).begin()
    await ui.finish()

    bus.publish(SyncChanged(SyncStatus(rounds=4)))
    if news:
        bus.publish(Notice("Moved to 5:21, where the phone was"))
    bus.publish(SyncChanged(SyncStatus(rounds=4)))
    for call in ui.waiting:
        call()
    assert ui.messages[1:] == said
