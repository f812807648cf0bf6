"""Transcripts beside the audio of a folder are the episodes' transcripts, as long as they are there."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.attachments.attachments import TRANSCRIPT_LIMIT, Attachments
from player.attachments.episode_transcripts import source_words
from player.events import Bus, PodcastRefreshed
from player.library import AttachmentKind, Library
from player.links.addresses import file_address
from player.media import MediaStore
from player.model.episode import EpisodeId, Transcript, TranscriptRef
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.library.search.test_transcript_index import found
from tests.player.sources.books import mp3
from tests.player.sources.local.test_local_audio import Shelf

DEADLINE_S = 30.0
SRT = "1\n00:00:01,000 --> 00:00:02,000\n{}\n"
WHISPER = '{"language": "en", "segments": [{"start": 1, "end": 2, "text": " From Whisper."}]}'
JUNK = [
    (b"\0\1\2\xff\xfe" * 1000, "talk.srt isn't a transcript. Earmark reads WebVTT, SubRip, JSON and plain text."),
    (b"", "talk.srt isn't a transcript. Earmark reads WebVTT, SubRip, JSON and plain text."),
    (
        b"x" * (TRANSCRIPT_LIMIT + 1),
        "talk.srt can't be read: File too large. Check the file, then refresh the podcast.",
    ),
]


class Desk:
    """A folder with `talk.mp3` that is a podcast, and the transcripts of its episodes."""

    def __init__(self, shelf: Shelf, paths: Paths) -> None:
        self.shelf = shelf
        self.folder = shelf.folder
        self.library = shelf.library
        self.bus = Bus()
        self.attachments = Attachments(shelf.library, MediaStore(paths), self.bus, language="en")
        mp3(self.folder / "talk.mp3")

    def put(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def add(self) -> EpisodeId:
        self.shelf.add()
        return self.id

    @property
    def id(self) -> EpisodeId:
        (found,) = (one.id for one in self.shelf.episodes() if one.title == "talk")
        return found

    def read(self) -> Transcript | None:
        """The transcript that is shown when the episode is opened."""
        self.attachments.fetch(self.id)
        return self.attachments.transcript(self.id)

    def said(self) -> str:
        transcript = self.read()
        return " ".join(line.text for line in transcript.lines) if transcript else ""

    def kept(self) -> list[str]:
        return [one.url for one in self.library.attachments.listed(self.id, AttachmentKind.TRANSCRIPT)]


@pytest.fixture
def desk(library: Library, paths: Paths, tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "Talks"
    folder.mkdir()
    desk = Desk(Shelf(library, folder), paths)
    yield desk
    desk.attachments.close()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("talk.srt", SRT.format("From a subtitle."), "From a subtitle."),
        ("talk.en.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nFrom VTT.\n", "From VTT."),
        ("talk.mp3.json", WHISPER, "From Whisper."),
        ("talk.txt", "Only notes, without a time.\n", "Only notes, without a time."),
    ],
)
def test_a_file_beside_the_audio_is_the_transcript_and_says_so(desk: Desk, name: str, text: str, said: str) -> None:
    desk.put(name, text)
    desk.add()
    transcript = desk.read()
    assert transcript is not None
    assert [line.text for line in transcript.lines] == [said]
    assert source_words(transcript.url) == f"{name} beside the audio"


def test_of_several_the_one_that_tells_most_is_taken_and_of_each_language_one(desk: Desk) -> None:
    desk.put("talk.txt", "Plain.")
    desk.put("talk.srt", SRT.format("A subtitle."))
    desk.put("talk.json", WHISPER)
    desk.put("talk.de.srt", SRT.format("Deutsch."))
    desk.add()
    assert desk.said() == "From Whisper."
    german = desk.attachments.transcript(desk.id, "de")
    assert german is not None
    assert german.lines[0].text == "Deutsch."
    assert len(desk.kept()) == 2
    desk.put("talk.json", '{"title": "About the talk"}')
    desk.shelf.refresh()
    assert desk.said() == "A subtitle."


def test_a_file_that_changes_is_read_again_and_one_that_goes_away_is_gone(desk: Desk) -> None:
    file = desk.put("talk.srt", SRT.format("Before."))
    episode_id = desk.add()
    assert desk.said() == "Before."
    desk.put("talk.srt", SRT.format("Corrected."))
    desk.shelf.refresh()
    assert desk.said() == "Corrected."
    assert len(desk.kept()) == 1
    file.unlink()
    desk.shelf.refresh()
    assert desk.id == episode_id
    assert desk.read() is None
    assert desk.attachments.transcripts(episode_id) == ()
    assert desk.kept() == []


def test_a_folder_that_is_away_keeps_its_transcripts(desk: Desk) -> None:
    desk.put("talk.srt", SRT.format("Kept."))
    desk.add()
    desk.said()
    desk.folder.rename(desk.folder.with_name("away"))
    assert desk.shelf.refresh().error is not None
    assert desk.said() == "Kept."


@pytest.mark.parametrize(("content", "sentence"), JUNK, ids=["binary", "empty", "too large"])
def test_what_is_no_transcript_says_so(desk: Desk, content: bytes, sentence: str) -> None:
    (desk.folder / "talk.srt").write_bytes(content)
    desk.add()
    assert desk.attachments.fetch(desk.id) == sentence
    assert desk.kept() == []


def test_a_file_that_was_exchanged_for_a_link_a_pipe_or_nothing_is_not_read(desk: Desk, tmp_path: Path) -> None:
    file = desk.put("talk.srt", SRT.format("A subtitle."))
    secret = tmp_path / "secret.srt"
    secret.write_text(SRT.format("A secret."))
    desk.add()
    file.unlink()
    assert desk.attachments.fetch(desk.id).startswith("talk.srt can't be read: No such file")
    file.symlink_to(secret)
    assert desk.attachments.fetch(desk.id).startswith("talk.srt can't be read: ")
    file.unlink()
    os.mkfifo(file)
    assert desk.attachments.fetch(desk.id) == (
        "talk.srt can't be read: Not a regular file. Check the file, then refresh the podcast."
    )
    assert desk.kept() == []


def test_a_feed_names_no_file_of_this_computer(library: Library, desk: Desk) -> None:
    secret = desk.put("talk.srt", SRT.format("A secret."))
    podcast = library.podcasts.add(URL, "A feed")
    (new,) = apply_feed(library, podcast, episode(0, transcripts=(TranscriptRef(file_address(secret)),))).new
    assert desk.attachments.fetch(new) == ""
    assert desk.attachments.transcript(new) is None


def test_files_are_read_after_a_refresh_without_being_opened_and_found_by_a_search(desk: Desk) -> None:
    desk.put("talk.srt", SRT.format("Marmalade."))
    mp3(desk.folder / "other.mp3")
    desk.put("other.srt", "")
    podcast = desk.shelf.add()
    desk.attachments.backlog.follow("opened")
    desk.bus.publish(PodcastRefreshed(podcast.id, changed=True))
    until(lambda: not desk.attachments.backlog._files.is_waited_for)
    assert len(desk.kept()) == 1
    assert found(desk.library, "marmalade") == ["talk"]
