"""One key goes offline, then lists only what can be played, then goes online; the footer says what holds."""

from typing import cast

from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeUi
from tui.controllers.keeping import OfflineController


class FakeNetwork:
    def __init__(self) -> None:
        self.offline = self.by_hand = self.only_here = self.sync_needs_login = False
        self.sync_failures = 0

    def choose(self, offline: bool, *, only_here: bool = False) -> None:
        self.offline = self.by_hand = offline
        self.only_here = only_here


class Offline:
    def __init__(self) -> None:
        self.player, self.ui, self.network = FakePlayer(), FakeUi(), FakeNetwork()
        self.player.network = self.network  # type: ignore[attr-defined]
        self.standing = ""
        self.controller = OfflineController(cast(Player, self.player), self.ui, self.stand)

    def stand(self, words: str) -> None:
        self.standing = words

    def press(self) -> str:
        self.controller.toggle()
        self.controller.moved()
        return self.standing


def test_the_key_goes_round_and_says_what_the_next_press_does() -> None:
    offline = Offline()
    assert [offline.press() for _press in range(3)] == ["offline", "offline · playable only", ""]
    assert offline.ui.messages == [
        "Offline. Do it again to show only playable episodes.",
        "Only playable episodes are shown. Do it again to go online.",
        "Online",
    ]


def test_a_network_that_goes_and_comes_is_told_once_each() -> None:
    offline = Offline()
    for gone in (True, True, False, False):
        offline.network.offline = gone
        offline.controller.moved()
        assert offline.standing == ("no network" if gone else "")
    assert offline.ui.messages == ["No network: refreshes and downloads wait until it is back", "The network is back"]


def test_without_a_network_one_press_lists_what_can_be_played_and_the_next_tries_again() -> None:
    offline = Offline()
    offline.network.offline = True
    offline.controller.moved()
    assert offline.press() == "offline · playable only"
    assert offline.press() == ""


def test_syncing_that_keeps_failing_stands_there_until_it_goes_well_again() -> None:
    offline = Offline()
    stood = []
    for failures in (1, 2, 3, 4, 0):
        offline.network.sync_failures = failures
        offline.controller.moved()
        stood.append(offline.standing)
    assert stood == ["", "", "sync fails", "sync fails", ""]
    assert offline.ui.messages == []


def test_a_password_that_sync_needs_is_said_at_once_but_not_while_there_is_no_network() -> None:
    offline = Offline()
    offline.network.sync_failures, offline.network.sync_needs_login = 1, True
    offline.controller.moved()
    assert offline.standing == "sync: sign in again"
    offline.network.offline = True
    offline.controller.moved()
    assert offline.standing == "no network"
