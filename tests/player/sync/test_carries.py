"""What the ways to sync are said to carry before they are loaded is what they carry."""

from player.model.syncing.targets import TargetKind
from player.sync.carries import CARRIES
from player.sync.folder.folder_target import FolderTarget
from player.sync.gpodder.target import GpodderTarget
from player.sync.nextcloud.target import NextcloudTarget


def test_the_table_says_what_the_targets_say() -> None:
    assert {
        TargetKind.GPODDER: GpodderTarget.carries,
        TargetKind.NEXTCLOUD: NextcloudTarget.carries,
        TargetKind.FOLDER: FolderTarget.carries,
    } == CARRIES
