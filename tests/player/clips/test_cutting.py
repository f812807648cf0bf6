"""Clips of every format: as long as they should be, and beginning with the sound that is there in the episode."""

import base64
import io
from functools import cache
from pathlib import Path
from typing import Any

import av
import pytest
from mutagen import flac, id3, mp4, oggopus
from mutagen.mp3 import MP3

from player.clips.cutting import Cut, Problem, Wanted, filler
from player.downloads.tags import Tags
from player.media.formats.mpeg import mp3_frame, reservoir
from tests.player.clips.sound import (
    Samples,
    clipped,
    decoded,
    encoded,
    heard_by_libvlc,
    place_ms,
    samples_of,
)
from tests.player.downloads.sound import recorded
from tests.quick import mostly_long
from tests.sound.files import file
from tests.sound.pitch import chained

SECONDS = 20
START_MS, END_MS = 12_340, 17_777
FRAME_MS = 30
"""How exact a copy is: half a frame at either edge, and the silent frame in front of MP3."""
MADE = {
    "mp3 44.1 kHz stereo": ("mp3", "libmp3lame", 44_100, "stereo", 128_000),
    "mp3 44.1 kHz mono, small frames": ("mp3", "libmp3lame", 44_100, "mono", 48_000),
    "mp3 48 kHz stereo, large frames": ("mp3", "libmp3lame", 48_000, "stereo", 320_000),
    "aac stereo": ("adts", "aac", 44_100, "stereo", 96_000),
    "m4a stereo": ("mp4", "aac", 44_100, "stereo", 96_000),
    "opus stereo": ("ogg", "libopus", 48_000, "stereo", 96_000),
    "flac stereo": ("flac", "flac", 44_100, "stereo", 0),
    "wav stereo": ("wav", "pcm_s16le", 44_100, "stereo", 0),
    "ogg flac": ("ogg", "flac", 44_100, "stereo", 0),
    "webm": ("webm", "libopus", 48_000, "mono", 64_000),
}
ENDINGS = {
    "mp3": ".mp3", "mp3 vbr": ".mp3", "mp3 vbr without xing": ".mp3", "mp3 vbr with vbri": ".mp3",
    "mp3 behind a 3 MB cover": ".mp3", "mp3 behind garbage": ".mp3", "mp3 with tags at its end": ".mp3",
    "mp3 44.1 kHz stereo": ".mp3", "mp3 44.1 kHz mono, small frames": ".mp3", "mp3 48 kHz stereo, large frames": ".mp3",
    "m4a": ".m4a", "m4a index in front": ".m4a", "m4a stereo": ".m4a", "aac": ".aac", "aac stereo": ".aac",
    "opus": ".opus", "opus stereo": ".opus", "webm": ".opus", "vorbis": ".ogg",
    "flac": ".flac", "flac stereo": ".flac", "ogg flac": ".flac", "wav": ".wav", "wav stereo": ".wav",
}  # fmt: skip


@cache
def episode(kind: str) -> tuple[bytes, Samples]:
    data = encoded(*MADE[kind], SECONDS) if kind in MADE else file(kind, SECONDS)
    return data, decoded(data)


@pytest.mark.parametrize("kind", ENDINGS)
def test_audio_as_it_is_begins_and_ends_between_two_frames(kind: str, tmp_path: Path) -> None:
    data, whole = episode(kind)
    path = tmp_path / "clip"
    made = clipped(data, Wanted(START_MS, END_MS), path)
    assert (made.problem, made.ending) == (Problem.NONE, ENDINGS[kind])
    assert not made.encoded
    assert made.start_ms == pytest.approx(START_MS, abs=FRAME_MS)
    assert made.end_ms == pytest.approx(END_MS, abs=FRAME_MS)
    clip = decoded(path)
    assert len(clip) / 24 == pytest.approx(made.end_ms - made.start_ms, abs=FRAME_MS)
    # The first 100 ms behind what a decoder needs to be in the swing, and what is in the middle.
    for at_ms in (25, 2_000):
        assert place_ms(clip, whole, made.start_ms + at_ms, at_ms, 100) == pytest.approx(
            made.start_ms + at_ms, abs=FRAME_MS
        )


@pytest.mark.parametrize("ending", [".opus", ".mp3"])
@pytest.mark.parametrize("kind", mostly_long([kind for kind in ENDINGS if kind != "mp3"] + ["mp3"], quick=4))
def test_encoded_anew_it_is_exact_to_the_sample(kind: str, ending: str, tmp_path: Path) -> None:
    data, whole = episode(kind)
    path = tmp_path / "clip"
    made = clipped(data, Wanted(START_MS, END_MS, ending, exact=True), path)
    assert (made.problem, made.ending, made.encoded) == (Problem.NONE, ending, True)
    with av.open(str(path)) as container:
        rate = container.streams.audio[0].sample_rate
    assert abs(samples_of(path) - (END_MS - START_MS) * rate / 1000) <= 1
    # The container of videos counts in milliseconds.
    assert place_ms(decoded(path), whole, START_MS) == pytest.approx(START_MS, abs=8 if kind == "webm" else 0.05)


@pytest.mark.parametrize("kind", ["flac", "wav", "flac stereo", "wav stereo", "ogg flac"])
def test_nothing_is_lost_of_audio_without_loss(kind: str, tmp_path: Path) -> None:
    data, _whole = episode(kind)
    path = tmp_path / "clip"
    clipped(data, Wanted(START_MS, END_MS), path)

    def raw(source: Any) -> bytes:
        with av.open(source) as container:
            assert isinstance(container, av.container.InputContainer)
            return b"".join(frame.to_ndarray().T.tobytes() for frame in container.decode(audio=0))

    assert raw(str(path)) in raw(io.BytesIO(data))


@pytest.mark.parametrize("kind", mostly_long(ENDINGS, quick=3))
def test_a_clip_from_the_very_beginning_and_one_to_the_very_end(kind: str, tmp_path: Path) -> None:
    data, whole = episode(kind)
    first, last = tmp_path / "first", tmp_path / "last"
    made = clipped(data, Wanted(0, 3_000), first)
    assert made.start_ms == pytest.approx(0, abs=10)
    assert place_ms(decoded(first), whole, 500, 500) == pytest.approx(500, abs=FRAME_MS)
    made = clipped(data, Wanted(17_000, 99_000), last)
    assert made.end_ms == pytest.approx(len(whole) / 24, abs=60)
    assert place_ms(decoded(last), whole, 17_500, 500) == pytest.approx(17_500, abs=FRAME_MS)


@pytest.mark.parametrize(
    "kind", mostly_long(["mp3 vbr without xing", "m4a", "opus", "flac", "mp3", "vorbis", "wav"], quick=4)
)
def test_libvlc_plays_a_clip_as_it_plays_any_file(kind: str, tmp_path: Path) -> None:
    data, whole = episode(kind)
    made = clipped(data, Wanted(START_MS, END_MS), tmp_path / "clip")
    path = (tmp_path / "clip").rename(tmp_path / f"clip{made.ending}")
    original = tmp_path / f"whole{made.ending}"
    original.write_bytes(data)
    length, clip = heard_by_libvlc(path)
    # libvlc's own demuxers leave out the first packets of any Ogg or MP4 that they write to a file; raw AAC has no
    # length.
    left_out_ms = place_ms(heard_by_libvlc(original)[1], whole, 1_000, 1_000) - 1_000
    assert place_ms(clip, whole, made.start_ms + 500, 500) == pytest.approx(
        made.start_ms + 500 + max(0, left_out_ms), abs=FRAME_MS
    )
    if made.ending != ".aac":
        # Of MP3, libvlc counts the frames of the header and of the reservoir; of Opus, it leaves out the first packets.
        tolerance_ms = {".opus": 100, ".mp3": 60}.get(made.ending, FRAME_MS)
        assert length == pytest.approx(made.end_ms - made.start_ms, abs=tolerance_ms)


@pytest.mark.parametrize("kind", ["opus", "vorbis", "ogg flac"])
def test_each_link_of_a_chained_file_is_cut_where_it_is_heard(kind: str, tmp_path: Path) -> None:
    data = chained(kind, 8, 12)
    whole = decoded(file("wav", SECONDS))
    for start_ms, end_ms in ((2_340, 6_777), (10_340, 14_777)):
        made = clipped(data, Wanted(start_ms, end_ms), tmp_path / "clip")
        assert not made.encoded
        assert made.end_ms - made.start_ms == pytest.approx(end_ms - start_ms, abs=FRAME_MS)
        found = place_ms(decoded(tmp_path / "clip"), whole, made.start_ms + 100, 100)
        assert found == pytest.approx(made.start_ms + 100, abs=FRAME_MS)


def test_a_clip_across_two_links_is_encoded_anew_or_refused(tmp_path: Path) -> None:
    data = chained("opus", 8, 12)
    assert clipped(data, Wanted(6_000, 10_000, ".mp3"), tmp_path / "clip").encoded
    clip, whole = decoded(tmp_path / "clip"), decoded(file("wav", SECONDS))
    assert len(clip) == pytest.approx(4_000 * 24, abs=2)
    for at_ms in (0, 1_500, 2_500, 3_700):
        assert place_ms(clip, whole, 6_000 + at_ms, at_ms) == pytest.approx(6_000 + at_ms, abs=1)
    assert clipped(data, Wanted(6_000, 10_000, ".wav"), tmp_path / "other") == Cut(problem=Problem.OTHER_CODEC)


def test_an_ending_says_whether_the_audio_can_stay_as_it_is(tmp_path: Path) -> None:
    mp3, m4a, aac = episode("mp3")[0], episode("m4a stereo")[0], episode("aac stereo")[0]
    path = tmp_path / "clip"
    assert clipped(mp3, Wanted(0, 1_000, ".m4a"), path) == Cut(ending=".mp3", problem=Problem.OTHER_CODEC)
    assert clipped(mp3, Wanted(0, 1_000, ".mp3"), path).encoded is False
    assert clipped(mp3, Wanted(0, 1_000, ".ogg"), path).encoded is True
    assert clipped(mp3, Wanted(0, 1_000, exact=True), path).ending == ".opus"
    for data, ending in ((m4a, ".aac"), (aac, ".m4a")):
        made = clipped(data, Wanted(START_MS, END_MS, ending), path)
        assert (made.ending, made.encoded) == (ending, False)
        assert place_ms(decoded(path), decoded(data), START_MS + 100, 100) == pytest.approx(START_MS + 100, abs=25)


def test_what_is_no_audio_is_said_to_be_unreadable(tmp_path: Path) -> None:
    for data in (b"not audio" * 1_000, b"OggS" + bytes(5_000), b"\xff\xfb" * 3_000, b"RIFF" + bytes(40)):
        assert clipped(data, Wanted(0, 1_000), tmp_path / "clip").problem in (Problem.UNREADABLE, Problem.BEYOND)
    cut_off = episode("m4a")[0][:30_000]
    assert clipped(cut_off, Wanted(0, 1_000), tmp_path / "clip").problem is Problem.UNREADABLE
    assert clipped(episode("mp3")[0], Wanted(30_000, 31_000), tmp_path / "clip").problem is Problem.BEYOND
    for ending in (".opus", ".mp3"):
        beyond = clipped(episode("opus")[0], Wanted(30_000, 31_000, ending, exact=True), tmp_path / "clip")
        assert beyond.problem is Problem.BEYOND


def test_damage_in_the_middle_costs_no_more_than_itself(tmp_path: Path) -> None:
    data = bytearray(episode("mp3 44.1 kHz stereo")[0])
    middle = len(data) * 15 // SECONDS
    data[middle : middle + 3_000] = bytes(3_000)
    made = clipped(bytes(data), Wanted(START_MS, END_MS), tmp_path / "clip")
    assert made.end_ms == pytest.approx(END_MS, abs=250)
    assert clipped(bytes(data), Wanted(START_MS, END_MS, ".opus", exact=True), tmp_path / "clip").encoded


@pytest.mark.parametrize("kind", ["mp3", "m4a", "opus", "flac"])
def test_tags_and_the_cover_are_kept_and_missing_ones_added(kind: str, tmp_path: Path) -> None:
    source, path = tmp_path / f"source.{kind}", tmp_path / "clip"
    source.write_bytes(recorded(kind, "" if kind == "mp3" else "Its own title"))
    cover = b"\xff\xd8\xff\xe0" + bytes(200)
    if kind == "mp3":
        tags = id3.ID3()
        tags.add(id3.TIT2(encoding=1, text=["Its own title"]))
        tags.add(id3.APIC(0, "image/jpeg", 3, "", cover))
        tags.add(id3.CHAP("c1", 0, 3_000, sub_frames=[id3.TIT2(encoding=1, text=["A chapter"])]))
        tags.save(source)
    elif kind == "m4a":
        there = mp4.MP4(source)
        there["covr"] = [mp4.MP4Cover(cover, imageformat=mp4.MP4Cover.FORMAT_JPEG)]
        there.save()
    else:
        picture = flac.Picture()
        picture.type, picture.mime, picture.data = 3, "image/jpeg", cover
        if kind == "flac":
            whole = flac.FLAC(source)
            whole.add_picture(picture)
            whole.save()
        else:
            ogg = oggopus.OggOpus(source)
            ogg["metadata_block_picture"] = [base64.b64encode(picture.write()).decode()]
            ogg.save()
    wanted = Wanted(1_000, 3_000, tags=Tags("Another title", "A podcast"))
    assert not clipped(source.read_bytes(), wanted, path).problem
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("clip")] == ["clip"]
    found: Any
    if kind == "mp3":
        found = MP3(path).tags
        texts = [str(found["TIT2"]), str(found["TALB"])]
        pictures = [one.data for one in found.getall("APIC")]
        assert not found.getall("CHAP")
    elif kind == "m4a":
        found = mp4.MP4(path)
        texts = [found["\xa9nam"][0], found["\xa9alb"][0]]
        pictures = [bytes(one) for one in found["covr"]]
    elif kind == "opus":
        found = oggopus.OggOpus(path)
        texts = [found["title"][0], found["album"][0]]
        pictures = [flac.Picture(base64.b64decode(found["metadata_block_picture"][0])).data]
    else:
        found = flac.FLAC(path)
        texts = [found["title"][0], found["album"][0]]
        pictures = [one.data for one in found.pictures]
    assert texts == ["Its own title", "A podcast"]
    assert pictures == [cover]


def test_a_filler_is_a_silent_frame_that_holds_what_the_next_one_needs() -> None:
    data = episode("mp3 44.1 kHz stereo")[0]
    with av.open(io.BytesIO(data)) as container:
        assert isinstance(container, av.container.InputContainer)
        frames = [bytes(packet) for packet in container.demux(audio=0) if packet.size]
    needy = next(frame for frame in frames[50:] if reservoir(frame)[0] > 100)
    needed = reservoir(needy)[0]
    before = bytes(range(256)) * 2
    made = filler(before, needy)
    found = mp3_frame(made)
    assert found is not None
    assert (found.size, found.rate) == (len(made), 44_100)
    assert reservoir(made)[0] == 0
    assert made.endswith(before[-needed:])
    assert filler(b"", b"no frame") == b""
