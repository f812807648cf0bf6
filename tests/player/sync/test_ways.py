"""The ways to sync: what they say of themselves is true, and nothing is loaded to hear it."""

import subprocess
import sys

import pytest

from player.model.syncing import Carried
from player.net.credentials import Credentials
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.sync_sentences import carried_words, not_carried_words
from player.sync.ways import WITHOUT_FACTS, Means, Way, ways


def test_they_stand_in_the_order_of_lists() -> None:
    assert [way.name for way in ways()] == ["gpodder", "nextcloud", "audiobookshelf", "folder"]


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.name)
def test_a_way_says_what_its_target_carries(way: Way, paths: Paths, network: NetworkLoop) -> None:
    account = way.account("https://there.example", "ann", "laptop-1", "laptop")
    target = way.target(account, Means(paths, lambda _address: None, network, Credentials(paths.logins)))
    assert way.carries == target.carries
    assert account.has_facts == bool(way.carries - WITHOUT_FACTS)


def test_no_target_and_no_network_is_loaded_to_hear_of_them() -> None:
    script = "import sys; from player.sync.ways import ways; assert ways(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    ours = {one for one in loaded if one.startswith("player.sync.")}
    folders = {f"player.sync.{way.name}" for way in ways()}
    assert ours == {"player.sync.ways", "player.sync.target", "player.sync.web", *folders}
    assert not [one for one in loaded if one.startswith(("player.net", "player.library", "sqlite3", "pycurl"))]


def test_played_and_unplayed_are_said_together() -> None:
    assert carried_words(WITHOUT_FACTS) == "positions, played and unplayed, subscriptions"
    assert not_carried_words(frozenset(Carried)) == ""
    assert carried_words({Carried.PLAYED}) == "played"
    assert not_carried_words(set(Carried) - {Carried.UNPLAYED}) == "unplayed"
