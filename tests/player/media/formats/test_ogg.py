"""Ogg files of several streams one after another: where each is, and how long all of them are."""

import struct
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.media.formats.audio_length import duration_ms
from player.media.formats.ogg import BEGINS, Chain
from player.model.episode import BytePosition

RATE = 48_000
SKIP = 312
_PAGE_MS = 1_000


def page(flags: int, granule: int, serial: int, number: int, body: bytes) -> bytes:
    table = bytes([255] * (len(body) // 255) + [len(body) % 255])
    return struct.pack("<4sBBqIIIB", b"OggS", 0, flags, granule, serial, number, 0, len(table)) + table + body


def opus(seconds: int, serial: int, *, bytes_a_page: int = 4_000, begun_s: int = 0) -> bytes:
    """A stream of empty packets. `begun_s`: it was recorded from that second on."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, SKIP, RATE, 0, 0)
    pages = [page(2, 0, serial, 0, head), page(0, 0, serial, 1, b"OpusTags" + bytes(8))]
    first = (1 if begun_s else 0), begun_s * RATE + (0 if begun_s else SKIP)
    for number in range(seconds + first[0]):
        granule = first[1] + (number + 1 - first[0]) * RATE
        pages.append(page(4 if number + 1 == seconds else 0, granule, serial, number + 2, bytes(bytes_a_page)))
    return b"".join(pages)


class File:
    def __init__(self, *links: bytes) -> None:
        self.data = b"".join(links)
        self.read_bytes = self.reads = 0

    def read(self, offset: int, count: int) -> bytes:
        data = self.data[offset : offset + count]
        self.reads += 1
        self.read_bytes += len(data)
        return data

    @property
    def length(self) -> int | None:
        return duration_ms(self.read, len(self.data), complete=True)


def test_one_stream_takes_no_search() -> None:
    file = File(opus(600, 1))
    chain = Chain(len(file.data))
    link = chain.link_at(500_000, None, file.read)
    assert link is not None
    assert (link.start, link.end, link.start_ms, link.ms) == (0, len(file.data), 0.0, 600_000.0)
    assert chain.duration() == (600_000, True)
    assert file.read_bytes < 400_000


@given(st.lists(st.tuples(st.integers(1, 400), st.integers(20, 9_000)), min_size=1, max_size=6), st.data())
def test_each_position_is_in_its_stream(lengths: Sequence[tuple[int, int]], data: st.DataObject) -> None:
    links = [opus(seconds, serial, bytes_a_page=size) for serial, (seconds, size) in enumerate(lengths, 7)]
    file = File(*links)
    whole_ms = sum(seconds for seconds, _size in lengths) * 1000
    assert file.length == whole_ms
    position = data.draw(st.integers(0, whole_ms - 1))
    link = Chain(len(file.data)).link_at(position, None, file.read)
    assert link is not None
    starts = [sum(map(len, links[:number])) for number in range(len(links))]
    times = [sum(seconds for seconds, _size in lengths[:number]) * 1000 for number in range(len(links))]
    number = max(index for index, ms in enumerate(times) if ms <= position)
    assert (link.start, link.start_ms, link.ms) == (starts[number], times[number], lengths[number][0] * 1000)


def test_far_jumps_read_little() -> None:
    file = File(*(opus(900, serial, bytes_a_page=12_000) for serial in range(4)))
    link = Chain(len(file.data)).link_at(3_500_000, None, file.read)
    assert link is not None
    assert link.start_ms == 2_700_000
    assert file.read_bytes < len(file.data) // 10


def test_the_length_is_a_guess_until_the_last_stream_is_found() -> None:
    file = File(opus(300, 1), opus(300, 2))
    chain = Chain(len(file.data))
    chain.link_at(0, None, file.read)
    length = chain.duration()
    assert length is not None
    assert not length[1]
    assert length[0] == pytest.approx(600_000, rel=0.01)
    chain.link_at(400_000, None, file.read)
    assert chain.duration() == (600_000, True)
    assert duration_ms(file.read, len(file.data), complete=False) is None


def test_what_comes_only_in_order_shows_its_streams_as_they_come() -> None:
    file = File(opus(30, 1), opus(40, 2))
    second = len(opus(30, 1))
    chain = Chain(None)
    first = chain.link_at(50_000, None, file.read)
    assert first is not None
    assert (first.start, first.end) == (0, None)
    ended = chain.ended(first, second, file.read)
    assert (ended.end, ended.ms) == (second, 30_000.0)
    following = chain.link_at(30_000, BytePosition(30_000, second, 0, exact=True), file.read)
    assert following is not None
    assert (following.start, following.start_ms, following.end) == (second, 30_000.0, None)


def test_a_recording_from_the_middle_of_a_stream_is_as_long_as_it_is() -> None:
    assert File(opus(60, 1, begun_s=3_600)).length == 60_000


@given(st.lists(st.sampled_from([BEGINS, b"OggS", opus(2, 1), opus(1, 2), opus(1, 1), b"\0" * 30, b"ID3"])))
def test_any_bytes_are_taken(parts: list[bytes]) -> None:
    file = File(b"OggS", *parts)
    length = file.length
    assert length is None or length >= 0
    chain = Chain(len(file.data))
    position, ends = 0, list[int]()
    for _ in range(20):
        link = chain.link_at(position, None, file.read)
        if link is None or chain.is_last(link) or link.end is None:
            break
        assert link.end > link.start
        ends.append(link.end)
        position = round(link.end_ms) + 1
