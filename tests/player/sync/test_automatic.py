"""Whole Earmarks that sync through a folder, as they run."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.events import Notice, PodcastRemoved
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import Cause
from player.paths import Paths
from player.player import Player
from player.sync import synchroniser
from player.sync.folder.folder_target import join_folder
from player.sync.ways import way_of
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.tui.stage import QUIET


class Earmarks:
    """Each in a home of its own, with the same podcast."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, Player] = {}
        self.events: dict[str, list[object]] = {}

    def paths(self, name: str) -> Paths:
        return Paths.of({"EARMARK_HOME": str(self.folder / name)})

    def start(self, name: str, *, account: bool = True) -> Player:
        player = Player(self.paths(name), QUIET)
        player.open()
        self.running[name] = player
        if player.library.podcasts.by_url(URL) is None:
            apply_feed(player.library, player.library.podcasts.add(URL, "A show"), *map(episode, range(3)))
        if account and player.library.syncing.account() is None:
            self.set_up(name, player.library)
        self.events[name] = []
        player.bus.subscribe(object, self.events[name].append)
        player.start()
        return player

    def set_up(self, name: str, library: Library) -> None:
        (self.folder / "shared").mkdir(exist_ok=True)
        join_folder(self.folder / "shared", self.paths(name).sync_folder)
        account = way_of("folder").account(str(self.folder / "shared"), "", f"{name}-1", name)
        library.syncing.set_account(account)

    def sync(self, name: str) -> None:
        player = self.running[name]
        begun = player.services.sync.status.under_way
        assert player.services.sync.now() == ""
        wait_until(lambda: player.services.sync.status.rounds > begun, "a round")
        assert player.services.sync.status.state.what == ""

    def stop(self, name: str) -> None:
        self.running.pop(name).close()

    def notices(self, name: str) -> list[str]:
        return [one.text for one in self.events[name] if isinstance(one, Notice)]


@pytest.fixture
def earmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Earmarks]:
    monkeypatch.setattr(synchroniser, "GATHER_S", 0.01)
    made = Earmarks(tmp_path)
    yield made
    for name in list(made.running):
        made.stop(name)


def first(player: Player) -> EpisodeId:
    return player.library.episodes.find("Episode 0").id


def hear(player: Player, position_ms: int) -> None:
    player.library.progress.save(first(player), position_ms, None, datetime.now(UTC))


def position(player: Player) -> int:
    found = player.library.progress.position(first(player))
    return found.position_ms if found else 0


def test_what_is_paused_in_one_moves_to_where_the_other_was_and_back_with_a_key(earmarks: Earmarks) -> None:
    laptop = earmarks.start("laptop")
    laptop.library.progress.make_last(first(laptop))
    earmarks.stop("laptop")
    laptop = earmarks.start("laptop")
    wait_until(lambda: laptop.services.sync.status.rounds, "the first round")
    phone = earmarks.start("phone")
    hear(phone, 600_000)
    earmarks.sync("phone")
    earmarks.sync("laptop")
    wait_until(lambda: laptop.status.position_ms == 600_000, "the phone's position")
    assert earmarks.notices("laptop")[-1] == "Moved to 10:00, where phone was"
    laptop.session.undo_jump().result(10)
    assert laptop.status.position_ms == 0


def test_what_is_heard_before_the_end_is_sent_at_the_end_and_comes_with_the_next_start(earmarks: Earmarks) -> None:
    laptop = earmarks.start("laptop")
    wait_until(lambda: laptop.services.sync.status.rounds, "the first round")
    hear(laptop, 90_000)
    earmarks.stop("laptop")
    phone = earmarks.start("phone")
    wait_until(lambda: phone.services.sync.status.rounds, "the first round")
    assert position(phone) == 90_000


def test_podcasts_come_and_go_and_what_went_can_be_brought_back(earmarks: Earmarks) -> None:
    laptop, phone = earmarks.start("laptop"), earmarks.start("phone")
    laptop.library.podcasts.add("http://127.0.0.1:9/feed.xml", "Another show")
    for name in ("laptop", "phone"):
        earmarks.sync(name)
    wait_until(lambda: phone.library.podcasts.by_url("http://127.0.0.1:9/feed.xml"), "the subscription")
    old = phone.library.podcasts.by_url(URL)
    assert old is not None
    laptop.remove(laptop.library.podcasts.by_url(URL).id).result(10)  # type: ignore[union-attr]
    for name in ("laptop", "phone"):
        earmarks.sync(name)
    wait_until(lambda: phone.library.podcasts.by_url(URL) is None, "the unsubscription")
    wait_until(lambda: PodcastRemoved(old.id, Cause.SYNC) in earmarks.events["phone"], "the word of it")
    for name in ("phone", "laptop"):
        earmarks.sync(name)
    assert laptop.library.podcasts.by_url(URL) is None
    phone.acts.undo().result(10)
    for name in ("phone", "laptop"):
        earmarks.sync(name)
    wait_until(lambda: laptop.library.podcasts.by_url(URL), "the podcast that was brought back")


def test_an_account_that_another_process_sets_up_counts_at_once(earmarks: Earmarks) -> None:
    laptop = earmarks.start("laptop", account=False)
    assert laptop.services.sync.is_settled, "nothing is waited for"
    assert laptop.services.sync.now().startswith("Syncing isn't set up.")
    earmarks.set_up("laptop", laptop.library)
    earmarks.sync("laptop")


def test_without_an_account_a_start_loads_nothing_that_syncs(paths: Paths) -> None:
    script = """
import sys
from player.paths import Paths
from player.player import Player
from tests.tui.stage import QUIET
player = Player(Paths.of(), QUIET)
player.open()
player.start()
player.close()
print(*sorted(name for name in sys.modules if name.startswith(("player.sync", "player.merging", "player.library.syn"))))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    light = {"player.sync", "player.sync.automatic", "player.library.syncing", "player.library.syncing.waiting"}
    assert set(done.stdout.split()) <= light
