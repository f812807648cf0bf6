"""What tags say; and a sound is the same whatever they say."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.sources.local.file_tags import FileTags, audio_id, read_tags
from tests.player.chapters.audio import encoded
from tests.player.media.sounds import wav
from tests.player.sources.books import m4b, mp3, tag


def read(file: Path) -> FileTags:
    return read_tags(str(file), lambda: None)


def test_tags_of_an_mp3(tmp_path: Path) -> None:
    file = mp3(tmp_path / "a.mp3", title="One", album="Book", artist="Who", track="3/12", disc="2", comment="About it")
    found = read(file)
    assert found[:5] == ("One", "Book", "Who", 2, 3)
    assert found.notes == "About it"
    assert found.duration_ms is not None
    assert abs(found.duration_ms - 10_000) < 200


def test_tags_of_an_m4b(tmp_path: Path) -> None:
    found = read(m4b(tmp_path / "a.m4b", "1", "2", title="One", album="Book", artist="Who"))
    assert found[:3] == ("One", "Book", "Who")
    assert found.duration_ms is not None
    assert abs(found.duration_ms - 10_000) < 200


def test_other_formats_have_lengths_too(tmp_path: Path) -> None:
    for name, data in (("a.opus", encoded("opus", "x")), ("a.wav", wav(10))):
        (tmp_path / name).write_bytes(data)
        found = read(tmp_path / name)
        assert found.duration_ms is not None, name
        assert abs(found.duration_ms - 10_000) < 200, name


def test_control_characters_in_tags_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = mp3(tmp_path / "a.mp3", title="\x1b]0;gotcha\x07One\nTwo", album="\u202eBook", comment="\x1b[2Jfine\ntext")
    found = read(file)
    assert (found.title, found.album) == ("]0;gotchaOne Two", "Book")
    assert found.notes == "[2Jfine\ntext"


@pytest.mark.parametrize("number", ["0", "-1", "x", "", "9" * 5000, "1.5", "٣"])
def test_numbers_that_are_none_are_left_out(tmp_path: Path, number: str) -> None:
    assert read(mp3(tmp_path / "a.mp3", track=number, disc=number)).track is None


def test_the_same_sound_is_known_whatever_its_name_and_tags(tmp_path: Path) -> None:
    file = mp3(tmp_path / "a.mp3", "one")
    before = read(file).audio
    file = file.rename(tmp_path / "b.mp3")
    tag(file, {"title": "Another", "comment": "x" * 5000}, b"y" * 200_000)
    assert read(file).audio == before
    assert read(mp3(tmp_path / "c.mp3", "two")).audio != before


def test_the_same_sound_in_an_m4b(tmp_path: Path) -> None:
    plain, tagged = m4b(tmp_path / "a.m4b", "1", "2"), m4b(tmp_path / "b.m4b", "1", "2", title="x" * 400)
    assert read(plain).audio == read(tagged).audio
    assert plain.stat().st_size != tagged.stat().st_size or plain.read_bytes() != tagged.read_bytes()


def test_a_cover_beyond_all_measure_costs_the_tags_and_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.sources.local.file_tags._MOST_READ", 1024**2)
    file = mp3(tmp_path / "a.mp3", "one", title="One")
    before = read(file)
    tag(file, {}, b"y" * 2 * 1024**2)
    assert read(file) == FileTags(audio=before.audio)


def test_what_is_no_audio_or_cannot_be_read_has_no_tags(tmp_path: Path) -> None:
    (tmp_path / "a.mp3").write_text("hello")
    (tmp_path / "empty.m4b").write_bytes(b"")
    assert read(tmp_path / "a.mp3")._replace(audio="") == FileTags()
    assert read(tmp_path / "empty.m4b")._replace(audio="") == FileTags()
    assert read(tmp_path / "missing.mp3") == FileTags()
    assert read(tmp_path) == FileTags()


_WHOLE = {"mp3": encoded("mp3", "a", "b"), "m4a": encoded("m4a", "a", "b"), "opus": encoded("opus", "a", "b")}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(sorted(_WHOLE)),
    damage=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=20),
)
def test_a_damaged_file_never_raises(tmp_path: Path, kind: str, damage: list[tuple[int, int]]) -> None:
    data = bytearray(_WHOLE[kind])
    for at, value in damage:
        data[at % len(data)] = value
    file = tmp_path / f"damaged.{kind}"
    file.write_bytes(data)
    found = read(file)
    assert found.duration_ms is None or found.duration_ms >= 0


class Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, at: int, count: int) -> bytes:
        assert at >= 0
        return self._data[at : at + count]


@given(st.binary(max_size=400))
def test_any_bytes_have_an_id(data: bytes) -> None:
    head = b"\0\0\0\x20ftyp" + data
    for some in (data, head, b"ID3" + data, b"fLaC" + data):
        assert audio_id(Bytes(some).read, len(some)).startswith("audio:")
