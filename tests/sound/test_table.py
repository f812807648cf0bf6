"""What is heard is what is shown, in every kind of file: at the start, after jumps and a power cut, at double speed."""

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.sound.files import KINDS
from tests.sound.places import COLUMNS, measure, row
from tests.sound.sound_server import SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.timeout(120)]


USUAL = ("mp3 vbr",)


@pytest.mark.parametrize(
    "kind", [kind if kind in USUAL else pytest.param(kind, marks=pytest.mark.long) for kind in KINDS]
)
def test_what_is_heard_is_what_is_shown(kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths) -> None:
    errors = measure(kind, sound, server, paths)
    assert errors.good, dict(zip(COLUMNS, row(kind, errors)[1:], strict=True))
