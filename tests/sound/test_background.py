"""`earmark play --detach` and `earmark quit`, heard at the sink: what was heard last is where the position is saved."""

import os
import signal
import time
from contextlib import suppress

import pytest

from player.integrations.client import request
from player.library import Library
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer
from tests.tui.cli.conftest import feed, own_logging
from tui.cli.main import main

pytestmark = [pytest.mark.sound, pytest.mark.long]

__all__ = ["own_logging"]

BLUR_S = 0.6
"""The tones can't be read to their very end, and the sink plays what it holds."""
MOST_DROPPED_S = 1.5
"""On a busy machine libvlc drops what it is too late to play at the start."""


def test_it_is_heard_from_where_it_was_told_until_it_is_quit(
    sound: SoundServer, server: LoopbackServer, paths: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    audio = server.audio("/tones.mp3", pitch_coded("mp3 vbr", 30))
    main(["add", server.page("/feed", feed("Tones", "All of them", audio=audio, duration="0:30"))])
    pid: int | None = None
    try:
        with sound.recording() as recording:
            assert main(["play", "--detach", "All of them", "--at", "5"]) == 0, capsys.readouterr().err
            pid = int(request(paths.socket, "status")["status"]["pid"])
            wait_until(lambda: request(paths.socket, "status")["status"]["position_ms"] > 7_000, "two seconds")
            assert main(["quit"]) == 0
            quit_at = time.monotonic()
            pid = None
    finally:
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    sounds = steady(heard(recording))
    places = [one.position_s for one in sounds if one.position_s is not None]
    assert -BLUR_S < places[0] - 5.0 < MOST_DROPPED_S
    assert sounds[-1].at < quit_at + 0.5
    library = Library(paths)
    library.open()
    saved = library.progress.position(library.episodes.find("All of them").id)
    library.close()
    assert saved is not None
    assert abs(saved.position_ms / 1000 - places[-1]) < BLUR_S
