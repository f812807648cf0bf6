"""What the ways to sync are said to carry before they are loaded is what they carry."""

from player.model.syncing import Carried
from player.sync.folder.folder_target import FolderTarget
from player.sync.gpodder.target import GpodderTarget
from player.sync.nextcloud.target import NextcloudTarget
from player.sync.ways import ways
from player.sync.words import carried_words, not_carried_words


def test_the_table_says_what_the_targets_say() -> None:
    assert {
        "gpodder": GpodderTarget.carries,
        "nextcloud": NextcloudTarget.carries,
        "folder": FolderTarget.carries,
    } == {way.name: way.carries for way in ways()}


def test_played_and_unplayed_are_said_together() -> None:
    assert carried_words(GpodderTarget.carries) == "positions, played and unplayed, subscriptions"
    assert not_carried_words(FolderTarget.carries) == ""
    assert carried_words({Carried.PLAYED}) == "played"
    assert not_carried_words(set(Carried) - {Carried.UNPLAYED}) == "unplayed"
