"""Clips as files: whole or not at all, with words that fall where they are said."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.bookmarks import Here
from player.clips.clips import ClipError, ClipFile, Clips
from player.clips.words import edges_of, quotation, words_of
from player.media.available import AvailableBytes, in_file
from player.model.episode import Episode, SpokenWord, Transcript, TranscriptLine
from player.processes.threads import CancelToken
from player.transcripts.parse import read_transcript
from player.transcripts.write import as_vtt
from tests.player.clips.sound import decoded, place_ms
from tests.player.transcribing.spoken import talk
from tests.sound.files import file
from tests.tui.controllers.fake import episode as an_episode

SECONDS = 20
LINES = tuple(
    TranscriptLine(
        f"one{second} two{second} three{second}.",
        second * 1_000,
        second * 1_000 + 900,
        "Ada" if second % 2 else "Grace",
        (
            SpokenWord(0, second * 1_000),
            SpokenWord(len(f"one{second} "), second * 1_000 + 300),
            SpokenWord(len(f"one{second} two{second} "), second * 1_000 + 600),
        ),
    )
    for second in range(SECONDS)
)
WORDS = Transcript(LINES, "en")
UNTIMED = Transcript(tuple(replace(line, words=()) for line in LINES), "en")


@pytest.fixture
def rain() -> Episode:
    return replace(an_episode(1), title="Rain & *wind*", podcast="Slow Radio", link="https://user:secret@example.org/1")


def clips(data: bytes, tmp_path: Path, transcript: Transcript | None = None, *, here: int | None = None) -> Clips:
    """`here`: how many bytes of the audio are on this computer."""
    source = tmp_path / "source"
    source.write_bytes(data[:here])

    @contextmanager
    def available(_episode: Episode) -> Iterator[AvailableBytes | None]:
        with in_file(source) as found:
            yield found._replace(size=len(data))

    return Clips(available, lambda _episode: transcript)


def test_words_are_said_where_they_are_in_the_clip(rain: Episode, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp3"
    saved = clips(file("mp3", SECONDS), tmp_path, WORDS).save(Here(rain, 4_250, 5_300), ClipFile(path))
    assert saved.texts == (tmp_path / "clip.vtt", tmp_path / "clip.md")
    words = read_transcript(saved.texts[0].read_bytes(), "text/vtt")
    assert [line.text for line in words.lines] == [
        "two4 three4.", "one5 two5 three5.", "one6 two6 three6.", "one7 two7 three7.", "one8 two8 three8.", "one9 two9",
    ]  # fmt: skip
    assert [line.start_ms for line in words.lines] == [
        at_ms - saved.start_ms for at_ms in (4_300, 5_000, 6_000, 7_000, 8_000, 9_000)
    ]
    second = words.lines[1]
    assert second.words[1].start_ms == 5_300 - saved.start_ms
    whole, clip = decoded(file("mp3", SECONDS)), decoded(path)
    for line in words.lines[1:-1]:
        assert line.start_ms is not None
        said_ms = place_ms(clip, whole, saved.start_ms + line.start_ms, line.start_ms)
        assert said_ms == pytest.approx(int(line.text[3]) * 1_000, abs=30)


def test_a_quotation_names_its_source_and_links_to_the_second(rain: Episode) -> None:
    said = list(quotation(rain, words_of(WORDS, 4_250, 6_000), 4_250))
    assert said == [
        "> **Grace:** two4 three4.",
        ">",
        "> **Ada:** one5 two5 three5.",
        ">",
        "> — [Rain & \\*wind\\*](<https://example.org/1>), Slow Radio, [0:04](<https://example.org/1#t=4>)",
    ]
    nowhere = list(quotation(replace(rain, link="", url="file:///x.mp3", podcast=""), Transcript(), 4_250))
    assert nowhere == ["> — Rain & \\*wind\\*, 0:04"]


def test_a_line_without_times_of_words_is_in_the_clip_if_most_of_it_is() -> None:
    found = words_of(UNTIMED, 4_400, 9_500)
    assert [(line.text[:4], line.start_ms, line.end_ms) for line in found.lines] == [
        ("one4", 0, 500), ("one5", 600, 1_500), ("one6", 1_600, 2_500), ("one7", 2_600, 3_500), ("one8", 3_600, 4_500),
        ("one9", 4_600, 5_100),
    ]  # fmt: skip
    assert words_of(UNTIMED, 4_500, 5_000).lines == ()
    open_ended = Transcript((TranscriptLine("a", 1_000), TranscriptLine("b", 5_000)))
    assert [line.text for line in words_of(open_ended, 0, 4_900).lines] == ["a"]
    assert words_of(Transcript((TranscriptLine("no times"),)), 0, 9_000).lines == ()
    assert as_vtt(words_of(WORDS, 50_000, 60_000)) == "WEBVTT\nLanguage: en\n"


def test_edges_are_where_words_begin() -> None:
    assert edges_of(WORDS)[:4] == [0, 300, 600, 1_000]
    assert edges_of(UNTIMED)[:3] == [0, 1_000, 2_000]
    assert edges_of(Transcript((TranscriptLine("no times"),))) == []


def test_without_words_there_is_only_the_audio(rain: Episode, tmp_path: Path) -> None:
    for number, transcript in enumerate((None, Transcript(), Transcript((TranscriptLine("no times"),)))):
        saved = clips(talk("wav", 5), tmp_path, transcript).save(
            Here(rain, 1_000, 2_000), ClipFile(tmp_path / f"{number}.wav")
        )
        assert saved.texts == ()


def test_texts_of_the_listener_are_not_replaced(rain: Episode, tmp_path: Path) -> None:
    (tmp_path / "clip.md").write_text("mine")
    saved = clips(talk("wav", 5), tmp_path, WORDS).save(Here(rain, 1_000, 2_000), ClipFile(tmp_path / "clip.wav"))
    assert [one.name for one in saved.texts] == ["clip.vtt", "clip (2).md"]
    assert (tmp_path / "clip.md").read_text() == "mine"


def test_the_files_are_open_to_those_to_whom_new_files_are(rain: Episode, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    before = os.umask(0o027)
    try:
        saved = clips(talk("wav", 5), tmp_path, WORDS).save(Here(rain, 1_000, 2_000), ClipFile(tmp_path / "shared"))
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (saved.audio, *saved.texts)} == {0o640}


def test_of_a_part_that_is_here_a_clip_is_made(rain: Episode, tmp_path: Path) -> None:
    data = file("mp3", SECONDS)
    half = clips(data, tmp_path, here=len(data) // 2)
    assert half.save(Here(rain, 2_000, 3_000), ClipFile(tmp_path / "clip.mp3")).ended is False
    for name, start_ms in (("a.mp3", 8_500), ("b.mp3", 15_000), ("c.opus", 8_500), ("d.opus", 15_000)):
        with pytest.raises(ClipError, match=r"isn't on this computer\. Download the episode first"):
            half.save(Here(rain, start_ms, 3_000), ClipFile(tmp_path / name))
        assert not (tmp_path / name).exists()
    assert not list(tmp_path.glob(".earmark-*"))


def test_a_broken_file_is_said_to_be(rain: Episode, tmp_path: Path) -> None:
    with pytest.raises(ClipError, match=r"can't be read\. Its file may be broken"):
        clips(b"<html>Not found</html>" * 100, tmp_path).save(Here(rain, 0, 3_000), ClipFile(tmp_path / "clip.mp3"))
    with pytest.raises(ClipError, match="ends before 0:30"):
        clips(talk("mp3", 5), tmp_path).save(Here(rain, 30_000, 3_000), ClipFile(tmp_path / "clip.mp3"))
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["source"]


@pytest.mark.parametrize("name", ["clip.wav", "clip.mp3", "clip.opus"])
def test_a_full_disk_leaves_nothing_behind(rain: Episode, tmp_path: Path, name: str) -> None:
    """The limit on the size of files, which the process that cuts inherits, stands for the end of a disk."""
    saving = clips(talk("wav", 20), tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(ClipError, match=r"Can't write .*File too large"):
            saving.save(Here(rain, 0, 18_000), ClipFile(tmp_path / name))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["source"]


def test_one_that_is_given_up_leaves_nothing_behind(rain: Episode, tmp_path: Path) -> None:
    cancel = CancelToken()
    cancel.set()
    with pytest.raises(ClipError, match="wasn't saved"):
        clips(talk("wav", 5), tmp_path).save(Here(rain, 0, 3_000), ClipFile(tmp_path / "clip.wav"), cancel)
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["source"]


def test_only_a_file_that_may_be_replaced_is(rain: Episode, tmp_path: Path) -> None:
    path, other = tmp_path / "clip.wav", tmp_path / "other.wav"
    other.write_text("mine")
    path.symlink_to(other)
    saving = clips(talk("wav", 5), tmp_path)
    with pytest.raises(ClipError, match="already exists"):
        saving.save(Here(rain, 0, 3_000), ClipFile(path))
    assert other.read_text() == "mine"
    saving.save(Here(rain, 0, 3_000), ClipFile(path, replaces=True))
    assert path.is_symlink()
    assert len(decoded(other)) == 3 * 24_000
