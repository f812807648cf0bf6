"""Files get the tags that they lack, and their audio stays what it was."""

from pathlib import Path
from typing import Any

import mutagen
import pytest
from mutagen.id3 import ID3

from player.downloads.tags import Mark, Picture, Tags, write_tags
from player.media.formats.mpeg import id3v2_size
from player.media.formats.sniff import HEAD, sniff
from tests.player.chapters.audio import as_ffmpeg_reads
from tests.player.downloads.sound import KINDS, packets, recorded, samples

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
TAGS = Tags(
    "An episode: “çà”",
    "A show",
    "Somebody",
    "2026-03-01",
    Picture("image/png", PNG),
    (Mark(0, 2_000, "Begin"), Mark(2_000, 6_000, "Middle, end")),
)
WITH_CHAPTERS = [kind for kind in KINDS if "m4a" not in kind]


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / ".part"


def file_of(tmp_path: Path, kind: str, title: str = "") -> tuple[Path, str]:
    path = tmp_path / "source"
    path.write_bytes(recorded(kind, title))
    return path, sniff(path.read_bytes()[:HEAD])


def tag(path: Path, form: str, key: str) -> str:
    file: Any = mutagen.File(path)
    names = {
        "mp3": {"title": "TIT2", "album": "TALB", "artist": "TPE1"},
        "mp4": {"title": "\xa9nam", "album": "\xa9alb"},
    }
    found = file.tags.get(names.get(form, {}).get(key, key))
    return str(found[0]) if found else ""


@pytest.mark.parametrize("kind", KINDS)
def test_missing_tags_are_written_and_the_audio_is_the_same(tmp_path: Path, part: Path, kind: str) -> None:
    source, form = file_of(tmp_path, kind)
    before = source.read_bytes()
    assert write_tags(source, part, form, TAGS)
    assert source.read_bytes() == before
    assert (tag(part, form, "title"), tag(part, form, "album")) == (TAGS.title, TAGS.podcast)
    assert PNG in part.read_bytes() or form == "ogg"
    assert packets(part) == packets(source)
    assert samples(part) == samples(source)


@pytest.mark.parametrize("kind", WITH_CHAPTERS)
def test_chapters_are_read_by_others(tmp_path: Path, part: Path, kind: str) -> None:
    source, form = file_of(tmp_path, kind)
    assert write_tags(source, part, form, TAGS)
    assert as_ffmpeg_reads(part.read_bytes()) == [(0, "Begin"), (2_000, "Middle, end")]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mp3"])
def test_what_a_file_has_stays(tmp_path: Path, part: Path, kind: str) -> None:
    source, form = file_of(tmp_path, kind, "Its own title")
    assert write_tags(source, part, form, TAGS)
    assert (tag(part, form, "title"), tag(part, form, "album")) == ("Its own title", TAGS.podcast)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_lacks_nothing_is_not_copied(tmp_path: Path, part: Path, kind: str) -> None:
    source, form = file_of(tmp_path, kind)
    assert write_tags(source, part, form, TAGS)
    again = tmp_path / "again"
    assert not write_tags(part, again, form, TAGS)
    assert not again.exists()


@pytest.mark.parametrize(("kind", "version"), [("mp3 id3v2.3", (2, 3, 0)), ("mp3 id3v2.4 id3v1", (2, 4, 0))])
def test_a_tag_keeps_its_version_and_the_date_is_in_its_words(
    tmp_path: Path, part: Path, kind: str, version: tuple[int, ...]
) -> None:
    source, form = file_of(tmp_path, kind, "Its own title")
    assert write_tags(source, part, form, TAGS)
    written = ID3(part, translate=False)
    assert written.version == version
    dates = {name: str(written.get(name) or "") for name in ("TYER", "TDAT", "TDRC")}
    expected = {"TYER": "2026", "TDAT": "0103", "TDRC": ""} if version[1] == 3 else {"TYER": "", "TDAT": ""}
    assert dates == {"TDRC": "2026-03-01", **expected}


def test_an_mp3_ends_as_it_did_byte_by_byte(tmp_path: Path, part: Path) -> None:
    source, form = file_of(tmp_path, "mp3 id3v2.4 id3v1", "Its own title")
    assert write_tags(source, part, form, TAGS)
    before, after = source.read_bytes(), part.read_bytes()
    assert after[id3v2_size(after) :] == before[id3v2_size(before) :]


@pytest.mark.parametrize("form", ["wav", "matroska", "aac", "aiff"])
def test_other_formats_are_left_alone(tmp_path: Path, part: Path, form: str) -> None:
    source, _form = file_of(tmp_path, "mp3")
    assert not write_tags(source, part, form, TAGS)
    assert not part.exists()
