"""Chapters in MP3, MP4, Ogg and FLAC: as encoders write them, as the formats allow, and as broken files have them."""

import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.chapters.best import tidied
from player.chapters.file_bytes import FileBytes, NotHere
from player.chapters.in_file import read_file_chapters
from player.model.episode import Chapter
from player.text.cleaning import clean_line
from tests.player.chapters import audio
from tests.player.chapters.audio import (
    box,
    chapter_track,
    chpl,
    comments,
    encoded,
    flac,
    id3_chapter,
    id3_contents,
    id3_frame,
    id3_tag,
    ogg,
    text_sample,
)


def read(data: bytes) -> list[Chapter]:
    return list(tidied(read_file_chapters(FileBytes.of(data))))


def titles(data: bytes) -> list[str]:
    return [chapter.title for chapter in read(data)]


@pytest.mark.parametrize("kind", audio.ENCODED)
def test_what_ffmpeg_writes_is_read_as_ffmpeg_reads_it(kind: str) -> None:
    data = encoded(kind, "Öne", "Two “x”", "Three")
    assert [(one.start_ms, one.title) for one in read(data)] == audio.as_ffmpeg_reads(data)
    assert titles(data) == ["Öne", "Two “x”", "Three"]


@pytest.mark.parametrize("kind", audio.ENCODED)
def test_a_long_title_is_read_whole(kind: str) -> None:
    assert titles(encoded(kind, "One", "l" * 300, "Three")) == ["One", "l" * 300, "Three"]


# -- ID3 ------------------------------------------------------------------------------------------------------


def tag(*chapters: bytes, version: int = 4, contents: bytes = b"", flags: int = 0) -> bytes:
    frames = [id3_frame(b"CHAP", chapter, version) for chapter in chapters]
    if contents:
        frames.insert(0, id3_frame(b"CTOC", contents, version))
    return id3_tag(*frames, version=version, flags=flags)


@pytest.mark.parametrize("version", [3, 4])
def test_an_id3_chapter_has_a_title_an_end_and_a_link(version: int) -> None:
    picture = id3_frame(b"APIC", b"\0image/png\0\0\0" + bytes(3_000), version)
    raw = id3_chapter("a", 1_500, 4_000, b"\x03One", b"\0what\0https://example.org/1", version, picture)
    assert read(tag(raw, version=version)) == [Chapter(1_500, "One", 4_000, "https://example.org/1")]


@pytest.mark.parametrize(
    ("title", "url"),
    [
        (b"\0Caf\xe9\0", b"\0\0https://example.org/"),
        (b"\x01" + "Café\0".encode("utf-16"), b"\x01" + "ü\0".encode("utf-16") + b"https://example.org/"),
        (b"\x02" + "Café".encode("utf-16-be"), b"\x02\0\0https://example.org/"),
        (b"\x03" + "Café\0Other".encode(), b"\x03\0https://example.org/"),
    ],
)
def test_every_encoding_of_a_text_is_read(title: bytes, url: bytes) -> None:
    assert read(tag(id3_chapter("a", 0, 5, title, url))) == [Chapter(0, "Café", 5, "https://example.org/")]


def test_those_that_the_table_of_contents_leaves_out_are_hidden() -> None:
    chapters = [id3_chapter(name, at * 1_000, 0, b"\x03" + name.encode()) for at, name in enumerate("abc")]
    found = read(tag(*chapters, contents=id3_contents("toc", "c", "a", "gone")))
    assert [(one.title, one.hidden) for one in found] == [("a", False), ("b", True), ("c", False)]


def test_tables_of_contents_may_stand_in_one_another_and_in_a_ring() -> None:
    chapters = [id3_frame(b"CHAP", id3_chapter(name, at, 0, b"\x03" + name.encode())) for at, name in enumerate("abc")]
    inner = id3_frame(b"CTOC", id3_contents("inner", "b", "outer", flags=0))
    outer = id3_frame(b"CTOC", id3_contents("outer", "a", "inner"))
    found = read(id3_tag(inner, *chapters, outer))
    assert [(one.title, one.hidden) for one in found] == [("a", False), ("b", False), ("c", True)]


def test_more_chapters_than_a_table_can_list_are_all_seen() -> None:
    chapters = [id3_chapter(str(at), at, 0, b"\x03One") for at in range(300)]
    found = read(tag(*chapters, contents=id3_contents("toc", *map(str, range(255)))))
    assert sum(not one.hidden for one in found) == 300


def test_order_is_that_of_time() -> None:
    chapters = [id3_chapter(name, start, 0, b"\x03" + name.encode()) for name, start in (("b", 9), ("a", 2))]
    assert titles(tag(*chapters)) == ["a", "b"]


def test_a_chapter_counted_in_bytes_alone_is_left_out() -> None:
    assert read(tag(id3_chapter("a", 0xFFFFFFFF, 0xFFFFFFFF, b"\x03One"))) == []


def test_version_4_with_plain_sizes_is_read() -> None:
    raw = id3_chapter("a", 0, 9, b"\x03" + b"x" * 300)
    later = id3_frame(b"CHAP", id3_chapter("b", 5, 9, b"\x03Later"), plain_size=True)
    data = id3_tag(id3_frame(b"CHAP", raw, plain_size=True), later)
    assert [title[:5] for title in titles(data)] == ["xxxxx", "Later"]


@pytest.mark.parametrize("version", [3, 4])
def test_packed_frames_are_unpacked(version: int) -> None:
    content = audio.packed(id3_chapter("a", 0, 9, b"\x03One", version=version), version)
    flags = 0x80 if version == 3 else 0x09
    assert titles(id3_tag(id3_frame(b"CHAP", content, version, flags), version=version)) == ["One"]


def test_a_bomb_of_a_frame_is_not_blown_up() -> None:
    content = audio.packed(id3_chapter("a", 0, 9, b"\x03One") + bytes(60_000_000), 4)
    assert titles(id3_tag(id3_frame(b"CHAP", content, 4, 0x09))) == ["One"]


def test_encrypted_frames_are_left_out_and_grouped_ones_read() -> None:
    raw = id3_chapter("a", 0, 9, b"\x03One")
    assert titles(id3_tag(id3_frame(b"CHAP", raw, 4, 0x04))) == []
    assert titles(id3_tag(id3_frame(b"CHAP", b"\x05" + raw, 4, 0x40))) == ["One"]


def test_unsynchronised_tags_are_read() -> None:
    raw = id3_chapter("a", 0xFF00, 0xFFFF, b"\x01" + "Öne".encode("utf-16"))
    four = raw.replace(b"\xff", b"\xff\0")
    assert read(id3_tag(id3_frame(b"CHAP", four, 4, 0x02))) == [Chapter(0xFF00, "Öne", 0xFFFF)]
    three = id3_chapter("a", 0xFF00, 0xFFFF, b"\x01" + "Öne".encode("utf-16"), version=3)
    whole = id3_frame(b"CHAP", three, 3).replace(b"\xff", b"\xff\0")
    assert read(id3_tag(whole, version=3, flags=0x80)) == [Chapter(0xFF00, "Öne", 0xFFFF)]


@pytest.mark.parametrize(("version", "extended"), [(3, struct.pack(">I", 6) + bytes(6)), (4, b"\0\0\0\x06\x01\0")])
def test_an_extended_header_is_stepped_over(version: int, extended: bytes) -> None:
    frame = id3_frame(b"CHAP", id3_chapter("a", 0, 9, b"\x03One", version=version), version)
    assert titles(id3_tag(extended, frame, version=version, flags=0x40)) == ["One"]


def test_another_tag_may_stand_in_front() -> None:
    plain = id3_tag(id3_frame(b"TIT2", b"\x03Title"))
    assert titles(plain + tag(id3_chapter("a", 0, 9, b"\x03One"))) == ["One"]


def test_version_2_has_none() -> None:
    assert read(id3_tag(b"TT2\0\0\x02\0x", version=2)) == []


# -- MP4 ------------------------------------------------------------------------------------------------------

FTYP = box(b"ftyp", b"M4A \0\0\0\0")


@pytest.mark.parametrize("version", [0, 1])
def test_neros_list_is_read(version: int) -> None:
    moov = box(b"moov", chpl((0, "Öne".encode()), (61_500, b"Two"), version=version))
    assert read(FTYP + moov) == [Chapter(0, "Öne"), Chapter(61_500, "Two")]


def with_track(texts: list[bytes], **raw: int) -> bytes:
    samples = [text_sample(text) for text in texts]
    start = len(FTYP) + 8
    if raw.get("per_chunk", 1) > 1:
        offsets = [start]
    else:
        offsets = [start + sum(map(len, samples[:at])) for at in range(len(samples))]
    track = chapter_track(samples, [10] * len(samples), offsets, **raw)
    return FTYP + box(b"mdat", *samples) + box(b"moov", track, chpl((0, b"Worse")))


def test_a_track_of_texts_is_better_than_neros_list() -> None:
    data = with_track([b"One", "Zwö".encode("utf-16"), b""])
    assert read(data) == [
        Chapter(0, "One", 10_000),
        Chapter(10_000, "Zwö", 20_000),
        Chapter(20_000, "Chapter 3", 30_000),
    ]


def test_several_texts_may_stand_in_a_chunk() -> None:
    assert titles(with_track([b"One", b"Two", b"Three"], per_chunk=3)) == ["One", "Two", "Three"]


def test_a_track_that_begins_late_begins_late() -> None:
    assert [one.start_ms for one in read(with_track([b"One", b"Two"], delay_ms=2_500))] == [2_500, 12_500]


def test_wide_boxes_and_boxes_to_the_end_are_read() -> None:
    inside = chpl((0, b"One"))
    wide = struct.pack(">I4sQ", 1, b"moov", 16 + len(inside)) + inside
    assert titles(FTYP + wide) == ["One"]
    assert titles(FTYP + struct.pack(">I4s", 0, b"moov") + inside) == ["One"]


# -- Ogg and FLAC ---------------------------------------------------------------------------------------------

SAID = (
    "TITLE=x",
    "CHAPTER001=00:00:00.000",
    "CHAPTER001NAME=Öne",
    "chapter002=01:02:03.500",
    "Chapter002Name=Two",
    "CHAPTER002URL=https://example.org/2",
    "CHAPTER003NAME=Without a time",
    "CHAPTER004=soon",
)
THESE = [Chapter(0, "Öne"), Chapter(3_723_500, "Two", url="https://example.org/2")]


@pytest.mark.parametrize(
    "data",
    [
        ogg(b"OpusHead" + bytes(11), b"OpusTags" + comments(*SAID)),
        ogg(b"\x01vorbis" + bytes(23), b"\x03vorbis" + comments(*SAID) + b"\x01", b"\x05vorbis"),
        ogg(b"\x7fFLAC\x01\0\0\x01fLaC" + bytes(38), b"\x84\0\0\0" + comments(*SAID)),
        ogg(b"Speex   " + bytes(72), comments(*SAID)),
        ogg(b"OpusHead" + bytes(11), b"OpusTags" + comments("METADATA_BLOCK_PICTURE=" + "x" * 200_000, *SAID)),
        ogg(b"OpusHead" + bytes(11)) + ogg(b"other", serial=8) + ogg(b"OpusTags" + comments(*SAID)),
        flac((0, bytes(34)), (6, bytes(3_000)), (4, comments(*SAID))),
        id3_tag(id3_frame(b"TIT2", b"\x03x")) + flac((0, bytes(34)), (4, comments(*SAID))),
    ],
    ids=["opus", "vorbis", "flac in ogg", "speex", "behind a cover", "two streams", "flac", "flac behind a tag"],
)
def test_chapters_in_comments_are_read(data: bytes) -> None:
    assert read(data) == THESE


def test_comments_that_claim_more_than_there_are_end_with_the_bytes() -> None:
    data = ogg(b"OpusHead" + bytes(11), b"OpusTags" + comments(*SAID, count=2**32 - 1) + struct.pack("<I", 2**31))
    assert read(data) == THESE


# -- what isn't here, and what is broken ----------------------------------------------------------------------

WHOLE: dict[str, Callable[[], bytes]] = {
    "id3": lambda: tag(id3_chapter("a", 0, 9, b"\x03One"), contents=id3_contents("toc", "a")) + bytes(500),
    "mp4": lambda: with_track([b"One", b"Two"]),
    "ogg": lambda: ogg(b"OpusHead" + bytes(11), b"OpusTags" + comments(*SAID), bytes(500)),
    "flac": lambda: flac((0, bytes(34)), (4, comments(*SAID))) + bytes(500),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_of_which_a_part_is_here_says_all_or_that_it_does_not_know(kind: str) -> None:
    data = WHOLE[kind]()
    found: set[tuple[Chapter, ...] | None] = set()
    for here in range(len(data)):
        file = FileBytes(lambda offset, count, here=here: data[offset : min(offset + count, here)], len(data))  # type: ignore[misc]
        try:
            found.add(tuple(tidied(read_file_chapters(file))))
        except NotHere:
            found.add(None)
    assert found == {None, tuple(read(data))}, "never half of them"


def test_neros_list_will_do_while_the_texts_are_still_to_come() -> None:
    data = with_track([b"One", b"Two"])
    here = data.index(b"moov") - 4

    def behind(offset: int, count: int) -> bytes:
        return data[offset : offset + count] if offset >= here or offset + count <= len(FTYP) + 8 else b""

    assert [one.title for one in read_file_chapters(FileBytes(behind, len(data)))] == ["Worse"]


def test_without_a_known_length_it_is_not_known_where_an_index_stands() -> None:
    data = FTYP + box(b"moov", chpl((0, b"One")))
    with pytest.raises(NotHere):
        read_file_chapters(FileBytes(lambda offset, count: data[offset : offset + count], None))


@pytest.mark.parametrize("kind", WHOLE)
@given(data=st.data())
def test_no_broken_file_breaks_it(kind: str, data: st.DataObject) -> None:
    whole = bytearray(WHOLE[kind]())
    for _ in range(data.draw(st.integers(1, 8))):
        index = data.draw(st.integers(0, len(whole) - 1))
        whole[index] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]))
    whole = whole[: data.draw(st.integers(0, len(whole)))]
    found = read(bytes(whole))
    assert all(one.title == clean_line(one.title) and one.start_ms >= 0 for one in found)


@given(
    st.sampled_from([b"ID3\x04\0\0", b"ID3\x03\0\x80", b"OggS", b"fLaC", b"\0\0\0\x08ftyp"]), st.binary(max_size=300)
)
def test_no_bytes_break_it(head: bytes, rest: bytes) -> None:
    read(head + rest)


@pytest.mark.parametrize(
    "data",
    [
        FTYP + box(b"moov", *[box(b"trak", box(b"tref", *[box(b"chap")] * 50))] * 3_000),
        FTYP + box(b"free") * 500_000,
        id3_tag(*[id3_frame(b"TXXX", b"")] * 300_000),
        id3_tag(*[id3_frame(b"CHAP", id3_chapter(str(at), at, 0) + bytes(50)) for at in range(30_000)]),
        ogg(*[b"x"] * 1) * 200_000,
        flac(*[(1, b"")] * 100_000),
    ],
    ids=["boxes in boxes", "boxes", "frames", "chapters", "pages", "blocks"],
)
def test_no_heap_of_parts_keeps_it_for_long(data: bytes) -> None:
    looks = 0

    def counted(offset: int, count: int) -> bytes:
        nonlocal looks
        looks += 1
        return data[offset : offset + count]

    read_file_chapters(FileBytes(counted, len(data)))
    assert looks < 150_000
