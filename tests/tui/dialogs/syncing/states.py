"""The dialogs about syncing in the states that a listener sees, with long words in them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

from player.errors import EarmarkError
from player.events import SyncChanged
from player.model.syncing import KnownDevice, SyncAccount, SyncCounts, SyncState, SyncStatus
from player.sync.ways import Typed, way_of, ways
from tui.dialogs.dialog import Dialog
from tui.dialogs.syncing import (
    BrowserLoginScreen,
    FirstMergeScreen,
    RenameDeviceScreen,
    SyncScreen,
    TypedScreen,
    WaysScreen,
)
from tui.drawing.syncing import Standing

NOW = datetime(2026, 11, 23, 18, 0, tzinfo=UTC)
ACCOUNT = SyncAccount("gpodder", "https://podcasts.example.org", "ann", "laptop-1a2b3c", "laptop")
LINK = f"https://cloud.example.org/index.php/login/v2/flow/{'guyjGtcKPTKCi4epIRIupIexgJ8wNInM' * 4}"
PLAN = (
    "Here:",
    "  12 positions change:",
    "    A very long title [b]with markup[/b] that goes on: 12:34 → 56:12",
    "    漢字漢字の長い題名: 0:00 → 8:15",
    "    …",
    "  1 podcast is added:",
    "    The Long Walk",
    "To gpodder server https://podcasts.example.org as ann:",
    "  120 positions",
    "  48 subscriptions",
    "Syncs:",
    "  positions, played and unplayed, subscriptions",
    "Doesn't sync:",
    "  stars, the queue, bookmarks, the listening history, podcasts' settings",
)
FAILING = Standing(
    status=SyncStatus(
        ACCOUNT,
        rounds=3,
        state=SyncState(
            is_merged=True,
            succeeded_at=NOW - timedelta(hours=3),
            failed_at=NOW - timedelta(minutes=2),
            failure="not_a_server",
            what="podcasts.example.org sent a web page instead of data",
            advice="If this network requires you to sign in, do that first; otherwise check the server's address.",
            failures=4,
        ),
        counts=SyncCounts(outgoing=14, refused=1, unmatched=2),
        next_at=NOW + timedelta(minutes=8),
    ),
    carries=way_of("gpodder").carries,
    devices=(
        KnownDevice("laptop-1a2b3c", "laptop", NOW - timedelta(hours=3)),
        KnownDevice("phone", "Ann's phone", NOW - timedelta(hours=5)),
        KnownDevice("antennapod.x", "", NOW - timedelta(days=3)),
    ),
    refusals=("podcasts.example.org doesn't accept its address.",),
)
FINE = Standing(
    status=SyncStatus(ACCOUNT, rounds=1, state=SyncState(is_merged=True, succeeded_at=NOW - timedelta(minutes=4))),
    carries=way_of("gpodder").carries,
    devices=FAILING.devices,
)


class FixedSync:
    """As the app's, but always the same."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    def standing(self) -> Standing:
        return self._standing

    def now(self) -> str:
        return "Earmark is offline. It syncs when there is a network again."

    def follow(self, _changed: Callable[[SyncChanged], None]) -> Callable[[], None]:
        return lambda: None


def refusing(_typed: Typed) -> str:
    raise EarmarkError("podcasts.example.org doesn't accept this name and password", "Correct them.")


def browser_login() -> BrowserLoginScreen[str]:
    """Nobody signs in."""
    given_up = Event()

    def wait() -> str:
        given_up.wait(30)
        raise EarmarkError("Cancelled")

    return BrowserLoginScreen(LINK, wait, given_up.set)


def _cancelled() -> str:
    raise EarmarkError("Cancelled")


SYNCING: tuple[Callable[[], Dialog[Any]], ...] = (
    lambda: WaysScreen(ways()),
    lambda: TypedScreen(Typed("gpodder", "", "laptop"), refusing),
    lambda: BrowserLoginScreen(LINK, _cancelled),
    lambda: FirstMergeScreen(
        PLAN, lambda: ["Synced: 12 episodes changed, 1 podcast came."], FixedSync(FINE).follow, "U"
    ),
    lambda: SyncScreen(FixedSync(FAILING), lambda: NOW),
    lambda: RenameDeviceScreen("laptop"),
)
