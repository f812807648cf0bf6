"""An episode's bytes, read through the callbacks that libvlc calls."""

import ctypes
from concurrent.futures import ThreadPoolExecutor

from player.playback.vlc.byte_source import ByteSource
from tests.player.playback.support import DEADLINE_S, HeldMedia, silence


def test_a_read_that_waits_for_bytes_ends_at_once_when_it_is_given_up_as_do_all_later_ones() -> None:
    media = HeldMedia(silence(1), 1_000)
    source = ByteSource(media)
    _open, read, _seek, _close = source._callbacks
    buffer = ctypes.create_string_buffer(2_000)
    with ThreadPoolExecutor(1) as libvlc:
        try:
            assert libvlc.submit(read, None, buffer, 2_000).result(DEADLINE_S) == 1_000
            assert buffer.raw[:1_000] == silence(1)[:1_000]
            waiting = libvlc.submit(read, None, buffer, 2_000)
            assert media.reading.wait(DEADLINE_S)
            source.give_up()
            assert waiting.result(DEADLINE_S) == -1
            assert libvlc.submit(read, None, buffer, 2_000).result(DEADLINE_S) == -1
        finally:
            media.close()
