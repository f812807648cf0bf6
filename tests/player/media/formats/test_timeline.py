"""Which byte is which moment: exact where the frames between are there, guessed beyond, and exact again in time."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.errors import MediaError
from player.media.formats.mpeg import FrameRun
from player.media.formats.timeline import Cut, Timeline, timeline_of
from player.model.episode import BytePosition
from tests.player.media.sounds import adts, flac_head, id3v2, mp3, noise

FRAME_MS = 1152 * 1000 / 44100
FRAME = 417
MINUTE = 60_000
EARLY_MS = 17 * FRAME_MS


def vbr(frames: int) -> bytes:
    """Frames of 128 kbit/s, and from the middle on of 320: the mean of the first half is wrong for the second."""
    half = frames // 2
    thick = b"\xff\xfb\xe0\x00" + bytes(1040)
    return mp3(half) + thick * (frames - half)


def with_xing(body: bytes, frames: int) -> bytes:
    """With the table of an encoder that knows: a hundred points, each a 256th of the bytes."""
    positions = [FRAME + at for at in FrameRunOf(body).bytes]
    size = FRAME + len(body)
    table = bytes(min(255, positions[frames * part // 100] * 256 // size) for part in range(100))
    header = b"Xing" + struct.pack(">III", 7, frames, size) + table
    first = b"\xff\xfb\x90\x00" + bytes(32) + header
    return first + bytes(FRAME - len(first)) + body


class FrameRunOf:
    def __init__(self, data: bytes) -> None:
        run = FrameRun("mp3", 0)
        run.advance(lambda offset, count: data[offset : offset + count], len(data))
        self.bytes = [run.byte(index) for index in range(run.count)]


class Bytes:
    """A file whose bytes come when they are waited for, from the offset asked for on; `available` is what has come."""

    def __init__(self, data: bytes, *spans: tuple[int, int]) -> None:
        self.data = data
        self.spans = list(spans)
        self.asked: list[int] = []

    def available(self, offset: int, count: int) -> bytes:
        ends = [end for start, end in self.spans if start <= offset < end]
        return self.data[offset : min(offset + count, max(ends, default=0))]

    def read(self, offset: int, count: int) -> bytes:
        if not self.available(offset, 1) and offset < len(self.data):
            self.asked.append(offset)
            self.spans.append((offset, offset + 20_000))
        return self.available(offset, count)

    def timeline(self, form: str = "mp3", start: int = 0) -> Timeline:
        made = timeline_of(form, self.read, self.available, len(self.data), start)
        assert made is not None
        return made

    def give(self) -> None:
        self.spans.append((0, len(self.data)))


def cut(timeline: Timeline, file: Bytes, position_ms: int, nearby: BytePosition | None = None) -> Cut:
    return timeline.cut(position_ms, nearby, file.read, seekable=True)


def duration_of(timeline: Timeline) -> tuple[int, bool]:
    found = timeline.duration()
    assert found is not None
    return found


def counted(timeline: Timeline) -> None:
    for _ in range(1000):
        timeline.count()


@pytest.mark.parametrize("position_ms", [0, 1, 25_000, 60_000, 119_999])
def test_where_all_is_there_the_cut_is_exact_and_never_late(position_ms: int) -> None:
    file = Bytes(vbr(9000))
    file.give()
    found = cut(file.timeline(), file, position_ms)
    assert found.exact
    assert position_ms - EARLY_MS < found.position_ms <= position_ms
    assert file.data[found.byte : found.byte + 2] == b"\xff\xfb"
    assert found.byte in (index := FrameRunOf(file.data).bytes)
    assert found.position_ms == pytest.approx(index.index(found.byte) * FRAME_MS)


def test_raw_aac_is_cut_as_well() -> None:
    file = Bytes(adts(5000))
    file.give()
    found = cut(file.timeline("aac"), file, 30_000)
    frame_ms = 1024 * 1000 / 44100
    assert found.byte % 100 == 0
    assert 30_000 - 3 * frame_ms < found.position_ms <= 30_000
    assert found.position_ms == pytest.approx(found.byte // 100 * frame_ms)


def test_the_start_waits_for_nothing_but_the_first_frames_behind_a_big_cover() -> None:
    cover = id3v2(5_000_000)
    file = Bytes(cover + mp3(3000))
    found = cut(file.timeline(start=len(cover)), file, 0)
    assert found == Cut(len(cover), 0.0, exact=True)
    assert sum(end - start for start, end in file.spans) < 60_000


def test_garbage_in_front_has_no_time() -> None:
    file = Bytes(noise(5000) + mp3(3000))
    assert cut(file.timeline(), file, 0) == Cut(5000, 0.0, exact=True)


def test_an_encoders_header_frame_is_not_played() -> None:
    file = Bytes(with_xing(vbr(6000), 6000))
    assert cut(file.timeline(), file, 0) == Cut(FRAME, 0.0, exact=True)


def test_beyond_what_is_there_a_place_is_guessed_and_the_bytes_before_it_are_not_waited_for() -> None:
    file = Bytes(mp3(9000), (0, 50_000))
    found = cut(file.timeline(), file, 180_000)
    assert not found.exact
    assert found.byte == pytest.approx(180_000 / FRAME_MS * FRAME, abs=3 * FRAME)
    assert sum(end - start for start, end in file.spans) < 200_000


def test_a_table_makes_the_guess_good() -> None:
    frames = FrameRunOf(body := vbr(9000)).bytes
    found = {}
    for name, data in (("with", with_xing(body, 9000)), ("without", body)):
        file = Bytes(data, (0, 50_000))
        guess = cut(file.timeline(), file, 200_000)
        offset = FRAME if name == "with" else 0
        true_ms = frames.index(guess.byte - offset) * FRAME_MS
        found[name] = abs(true_ms - guess.position_ms)
    assert found["with"] < 2_500 < 20_000 < found["without"]


def test_a_guess_becomes_exact_when_the_bytes_between_are_there() -> None:
    file = Bytes(vbr(9000), (0, 50_000))
    timeline = file.timeline()
    found = cut(timeline, file, 200_000)
    guessed = timeline.position_after(found, 300)
    assert not guessed.exact
    file.give()
    counted(timeline)
    known = timeline.position_after(found, 300)
    assert known.exact
    assert known.byte == guessed.byte
    frames = FrameRunOf(file.data).bytes
    assert known.position_ms == pytest.approx(frames.index(found.byte) * FRAME_MS + 300, abs=1)
    assert abs(known.position_ms - guessed.position_ms) > 10_000


def test_a_place_saved_while_guessed_is_found_again_by_its_byte() -> None:
    first = Bytes(vbr(9000), (0, 50_000))
    timeline = first.timeline()
    left = timeline.position_after(cut(timeline, first, 200_000), 300)
    again = Bytes(first.data, (0, 50_000), (left.byte - 100_000, left.byte + 100_000))
    timeline = again.timeline()
    found = cut(timeline, again, left.position_ms, left)
    assert left.position_ms - EARLY_MS < found.position_ms <= left.position_ms
    assert 0 <= left.byte - found.byte < 18 * 1044
    assert not found.exact


def test_a_known_place_needs_no_counting_and_stays_known() -> None:
    data = vbr(9000)
    byte = FrameRunOf(data).bytes[7000]
    left = BytePosition(round(7000 * FRAME_MS), byte, len(data), exact=True)
    file = Bytes(data, (0, 50_000))
    timeline = file.timeline()
    found = cut(timeline, file, left.position_ms, left)
    assert found.exact
    assert 0 <= byte - found.byte < 18 * 1044
    assert sum(end - start for start, end in file.spans) < 200_000


def test_five_seconds_before_a_place_are_counted_from_there() -> None:
    data = vbr(9000)
    byte = FrameRunOf(data).bytes[7000]
    # The position is wrong by minutes, as a guess may be; the five seconds are right all the same.
    left = BytePosition(60 * MINUTE, byte, len(data), exact=False)
    file = Bytes(data, (0, 50_000))
    found = cut(file.timeline(), file, 60 * MINUTE - 5_000, left)
    frames = FrameRunOf(data).bytes
    back = (7000 - frames.index(found.byte)) * FRAME_MS
    assert 5_000 <= back < 5_000 + EARLY_MS


@pytest.mark.parametrize("nearby", [
    BytePosition(10_000, 3_000_000 // FRAME * FRAME, 1, exact=True),
    BytePosition(10_000, 3_000_001, 9000 * FRAME, exact=True),
])  # fmt: skip
def test_a_byte_position_of_another_file_is_not_believed(nearby: BytePosition) -> None:
    data = mp3(9000)
    file = Bytes(data)
    file.give()
    found = cut(file.timeline(), file, 10_000, nearby)
    assert found.byte == pytest.approx(10_000 / FRAME_MS * FRAME, abs=18 * FRAME)


def test_a_place_beyond_the_end_is_the_end() -> None:
    whole = Bytes(mp3(9000) + b"TAG" + bytes(125))
    whole.give()
    found = cut(whole.timeline(), whole, 3_600_000)
    assert found.exact
    assert found.position_ms == pytest.approx(9000 * FRAME_MS - 500, abs=EARLY_MS)
    partly = Bytes(mp3(9000) + bytes(200_000), (0, 50_000))
    found = cut(partly.timeline(), partly, 3_600_000)
    assert not found.exact
    assert FRAME * 8000 < found.byte < FRAME * 9000


def test_a_server_without_ranges_is_waited_for() -> None:
    file = Bytes(mp3(3000))
    timeline = timeline_of("mp3", file.read, file.available, None)
    assert timeline is not None
    found = timeline.cut(30_000, None, file.read, seekable=False)
    assert found.exact
    assert 30_000 - EARLY_MS < found.position_ms <= 30_000
    assert timeline.duration() is None


def test_the_duration_is_a_guess_until_all_is_counted() -> None:
    file = Bytes(vbr(9000), (0, 50_000))
    timeline = file.timeline()
    guessed, exact = duration_of(timeline)
    assert guessed == pytest.approx(len(file.data) / FRAME * FRAME_MS, rel=0.01)
    assert not exact
    file.give()
    counted(timeline)
    assert duration_of(timeline) == (round(9000 * FRAME_MS), True)


def test_a_table_tells_the_duration_sooner() -> None:
    file = Bytes(with_xing(vbr(9000), 9000), (0, 50_000))
    assert duration_of(file.timeline()) == (round(9000 * FRAME_MS), False)


@pytest.mark.parametrize("data", [flac_head(44100), noise(600_000), b""])
def test_other_files_have_no_timeline(data: bytes) -> None:
    file = Bytes(data)
    file.give()
    assert timeline_of("flac", file.read, file.available, len(data)) is None
    if data[:4] != b"fLaC":
        assert timeline_of("mp3", file.read, file.available, len(data)) is None


def test_an_error_of_the_bytes_is_passed_on() -> None:
    file = Bytes(mp3(9000), (0, 50_000))
    timeline = file.timeline()

    def broken(offset: int, count: int) -> bytes:
        raise MediaError(f"nothing at {offset}, not one of {count}")

    with pytest.raises(MediaError):
        timeline.cut(180_000, None, broken, seekable=True)


@given(st.integers(1, 300), st.lists(st.integers(1, 5000), max_size=40), st.binary(max_size=900))
def test_counting_in_pieces_is_counting_at_once(frames: int, pieces: list[int], tail: bytes) -> None:
    data = mp3(frames) + tail
    at_once, in_pieces = FrameRun("mp3", 0), FrameRun("mp3", 0)
    at_once.advance(lambda offset, count: data[offset : offset + count], len(data))
    there = 0
    for piece in [*pieces, len(data)]:
        there = min(len(data), there + piece)
        in_pieces.advance(lambda offset, count, there=there: data[offset : min(offset + count, there)], len(data))  # type: ignore[misc]
    assert in_pieces.ended(len(data))
    assert [in_pieces.byte(index) for index in range(in_pieces.count)] == [
        at_once.byte(index) for index in range(at_once.count)
    ]
