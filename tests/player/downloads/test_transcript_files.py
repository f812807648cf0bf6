"""Transcripts beside downloads: written if the setting says so, kept up to date, never in place of the listener's."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.downloads.files import delete, forget
from player.downloads.transcript_files import TranscriptFiles, write_beside
from player.events import AttachmentsChanged, Cause
from player.library import Attachment, AttachmentKind
from player.model.downloads import DownloadFinished
from player.model.episode import EpisodeId, Transcript, TranscriptLine
from player.paths import Paths
from player.transcripts import read_transcript
from tests.player.attachments.conftest import House
from tests.player.sources.local.test_transcripts import until

SPOKEN = Transcript((TranscriptLine("Hello there.", 1_000, 2_000, "Ada"),), "en")
ONE = EpisodeId(1)
MINE = "WEBVTT\n\n00:00.000 --> 00:01.000\nMine.\n"


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    path = tmp_path / "A show" / "Ep. 1.mp3"
    path.parent.mkdir()
    path.write_bytes(b"audio")
    return path


@pytest.fixture
def beside(audio: Path) -> Path:
    return audio.with_name("Ep. 1.vtt")


# -- a file ---------------------------------------------------------------------------------------------------


def test_it_has_the_name_of_the_audio_and_is_read_as_what_was_said(audio: Path, beside: Path) -> None:
    write_beside(ONE, audio, SPOKEN)
    assert read_transcript(beside.read_bytes()) == SPOKEN
    assert sorted(audio.parent.iterdir()) == [audio, beside]


def test_a_better_transcript_replaces_it_and_the_same_one_is_not_written_again(audio: Path, beside: Path) -> None:
    write_beside(ONE, audio, SPOKEN)
    before = beside.stat()
    write_beside(ONE, audio, SPOKEN)
    assert beside.stat().st_ino == before.st_ino
    write_beside(ONE, audio, Transcript((*SPOKEN.lines, TranscriptLine("More.", 3_000)), "en"))
    assert [line.text for line in read_transcript(beside.read_bytes()).lines] == ["Hello there.", "More."]


@pytest.mark.parametrize("transcript", [None, Transcript(), Transcript((TranscriptLine("Without times."),))])
def test_without_times_there_is_none(audio: Path, beside: Path, transcript: Transcript | None) -> None:
    write_beside(ONE, audio, transcript)
    assert not beside.exists()


def test_a_file_of_the_listener_s_is_neither_overwritten_nor_deleted(audio: Path, beside: Path) -> None:
    beside.write_text(MINE)
    write_beside(ONE, audio, SPOKEN)
    delete(audio, audio.parent.parent)
    assert beside.read_text() == MINE


def test_a_link_or_a_pipe_of_that_name_is_left_alone(audio: Path, beside: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.vtt"
    write_beside(ONE, audio, SPOKEN)
    beside.rename(elsewhere)
    beside.symlink_to(elsewhere)
    write_beside(ONE, audio, Transcript((TranscriptLine("Other.", 0),)))
    assert "Hello there." in elsewhere.read_text()
    beside.unlink()
    os.mkfifo(beside)
    write_beside(ONE, audio, SPOKEN)
    delete(audio)
    assert beside.is_fifo()


def test_it_is_deleted_with_the_audio_and_its_folder(audio: Path, beside: Path) -> None:
    write_beside(ONE, audio, SPOKEN)
    delete(audio, audio.parent.parent)
    assert not audio.parent.exists()


# -- by itself ------------------------------------------------------------------------------------------------


class Stage:
    """An episode that is downloaded, and its transcript in the library."""

    def __init__(self, house: House, audio: Path) -> None:
        self.house, self.audio = house, audio
        self.episode_id = house.add(0).id
        self.files = TranscriptFiles(house.library, house.attachments.transcript, house.bus)

    def download(self) -> None:
        self.house.library.downloads.put(self.episode_id, self.audio, size=5)
        self.house.bus.publish(DownloadFinished(self.episode_id, Cause.PERSON))

    def transcribe(self, words: str) -> None:
        body = f"WEBVTT\n\n00:01.000 --> 00:02.000\n{words}\n".encode()
        kept = Attachment(AttachmentKind.TRANSCRIPT, "https://a.example/t.vtt", body, "text/vtt", "en")
        self.house.library.attachments.put(self.episode_id, kept, datetime.now(UTC))
        self.house.bus.publish(AttachmentsChanged(self.episode_id))


@pytest.fixture
def stage(paths: Paths, audio: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr("player.downloads.transcript_files._QUIET_S", 0.0)
    made = Stage(House(paths), audio)
    yield made
    made.files.close()
    made.house.close()


def test_it_is_written_when_both_are_here_and_again_when_it_changes(stage: Stage, beside: Path) -> None:
    stage.files.follow(True)
    stage.download()
    stage.transcribe("First.")
    until(lambda: beside.exists() and "First." in beside.read_text())
    stage.transcribe("Second.")
    until(lambda: beside.exists() and "Second." in beside.read_text())


def test_what_was_downloaded_before_gets_one_when_the_setting_is_turned_on(stage: Stage, beside: Path) -> None:
    stage.download()
    stage.transcribe("First.")
    assert not stage.files._task.is_waited_for
    stage.files.follow(True)
    until(beside.exists)


def test_a_folder_that_cannot_be_written_is_told_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("player.downloads.transcript_files.put", refusing)
    stage.files.follow(True)
    stage.download()
    for words in ("First.", "Second."):
        stage.transcribe(words)
        until(lambda: not stage.files._task.is_waited_for)
    (notice,) = stage.house.notices
    assert notice == (
        f"The transcript of a download can't be written to {stage.audio.with_suffix('.vtt')}: Permission denied"
    )


def test_where_the_audio_was_deleted_by_hand_it_goes_too(stage: Stage, beside: Path) -> None:
    stage.files.follow(True)
    stage.download()
    stage.transcribe("First.")
    until(beside.exists)
    stage.audio.unlink()
    house = stage.house
    forget(house.library, house.bus, list(house.library.downloads.all()), stage.audio.parent.parent)
    assert not beside.exists()
