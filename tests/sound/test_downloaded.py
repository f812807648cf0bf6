"""An episode that was left in its middle and downloaded since resumes at the same second, tags or not."""

import pytest
from mutagen import File

from player.library import Library
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.sound.files import KINDS
from tests.sound.places import NEAR_S, resumed_from_download
from tests.sound.sound_server import SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.long]

NOT_TAGGED = ("aac", "wav", "mp3 behind a 3 MB cover")
"""Formats without tags; and a file with two of them, one behind the other, which is left alone."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_place_is_the_same_before_and_after(
    kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths
) -> None:
    later_s = resumed_from_download(kind, sound, server, paths)
    assert abs(later_s) <= NEAR_S, later_s
    library = Library(paths)
    library.open()
    (download,) = library.downloads.all()
    library.close()
    if kind not in NOT_TAGGED:
        assert kind in str(File(download.path).tags)
