"""What is heard is what is shown, in every kind of file: at the start, after jumps and a power cut, at double speed."""

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.quick import mostly_long
from tests.sound.files import KINDS
from tests.sound.places import COLUMNS, EFFECTS, measure, row
from tests.sound.sound_server import SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.timeout(120)]


@pytest.mark.parametrize("kind", mostly_long(["mp3 vbr", *(kind for kind in KINDS if kind != "mp3 vbr")]))
def test_what_is_heard_is_what_is_shown(kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths) -> None:
    errors = measure(kind, sound, server, paths)
    assert errors.good, dict(zip(COLUMNS, row(kind, errors)[1:], strict=True))


@pytest.mark.parametrize("kind", mostly_long(["mp3 vbr", *(kind for kind in KINDS if kind != "mp3 vbr")]))
def test_with_all_effects_on_the_sound_it_is_just_as_exact(
    kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths
) -> None:
    errors = measure(kind, sound, server, paths, EFFECTS)
    assert errors.good, dict(zip(COLUMNS, row(kind, errors)[1:], strict=True))
