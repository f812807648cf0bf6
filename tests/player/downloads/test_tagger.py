"""The process that writes tags harms nothing, whatever it is given."""

import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.attachments.fetch_queue import Fetcher
from player.downloads import tagger as module
from player.downloads.tagger import ProcessTagger
from player.downloads.tags import Mark, Picture
from player.library import Library
from player.model.episode import Chapter, Chapters, ChapterSource, Episode
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from tests.loopback import LoopbackServer
from tests.player.downloads.sound import recorded
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import noise


@pytest.fixture
def one(library: Library) -> Episode:
    (added,) = apply_feed(library, library.podcasts.add(URL, "A show"), episode(1)).new
    return library.episodes.get(added)


@pytest.fixture
def tagger(library: Library) -> ProcessTagger:
    network = NetworkLoop(5.0, 5.0)
    return ProcessTagger(library, lambda _: Chapters(), lambda: Fetcher(network, lambda _: None))


def written(tagger: ProcessTagger, one: Episode, folder: Path, form: str, body: bytes) -> bool:
    source, part = folder / "source", folder / ".part"
    source.write_bytes(body)
    tagged = tagger.write(one, source, form, part, CancelToken())
    assert part.exists() is tagged
    assert source.read_bytes() == body
    return tagged


BROKEN = {
    "half an index": ("mp4", recorded("m4a index first")[:300]),
    "a tag that lies": ("mp3", b"ID3\x04\0\0\x7f\x7f\x7f\x7f" + recorded("mp3")),
    "a cut page": ("ogg", recorded("opus")[:60]),
    "noise": ("flac", b"fLaC" + noise(5_000)),
    "no audio at all": ("mp4", b""),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_mutagen_cannot_handle_stays_as_it_is(
    tagger: ProcessTagger, one: Episode, tmp_path: Path, what: str
) -> None:
    assert not written(tagger, one, tmp_path, *BROKEN[what])


@pytest.mark.long
def test_a_tag_that_unpacks_to_gigabytes_ends_the_process_alone(
    tagger: ProcessTagger, one: Episode, tmp_path: Path
) -> None:
    packer, million = zlib.compressobj(1), bytes(1 << 20)
    packed = b"".join([*(packer.compress(million) for _ in range(600)), packer.flush()])
    length = 600 << 20 & 0x0FFFFFFF
    size = bytes(len(packed) + 4 >> shift & 0x7F for shift in (21, 14, 7, 0))
    plain = bytes(length >> shift & 0x7F for shift in (21, 14, 7, 0))
    frame = b"TXXX" + size + b"\0\x09" + plain + packed
    tag = b"ID3\x04\0\0" + bytes(len(frame) >> shift & 0x7F for shift in (21, 14, 7, 0)) + frame
    written(tagger, one, tmp_path, "mp3", tag + recorded("mp3"))


@pytest.mark.parametrize(("source", "comes"), [(ChapterSource.JSON, True), (ChapterSource.NOTES, False)])
def test_chapters_of_the_feed_come_with_their_ends_those_of_the_notes_do_not(
    library: Library, tagger: ProcessTagger, source: ChapterSource, comes: bool
) -> None:
    (added,) = apply_feed(library, library.podcasts.add(URL), episode(1, duration_ms=None)).new
    listed = (
        Chapter(0, "Begin"),
        Chapter(2_000, "Given", end_ms=3_000),
        Chapter(4_000, "Nonsense", end_ms=1_000),
        Chapter(5_000, "Hidden", hidden=True),
        Chapter(6_000, "Last\nof all"),
    )
    tagger._chapters = lambda _episode: Chapters(listed, source)
    marks = (Mark(0, 2_000, "Begin"), Mark(2_000, 3_000, "Given"), Mark(6_000, 6_000, "Last of all"))
    assert tagger._marks(library.episodes.get(added)) == (marks if comes else ())


def test_a_process_that_takes_too_long_is_ended(
    tagger: ProcessTagger, one: Episode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_STARTING_S", 0.0)
    monkeypatch.setattr(module, "_SLOWEST", 1 << 40)
    assert not written(tagger, one, tmp_path, "mp3", recorded("mp3"))


def test_a_cover_that_is_no_picture_or_cannot_be_had_is_left_out(
    library: Library, tagger: ProcessTagger, tmp_path: Path, server: LoopbackServer
) -> None:
    for number, url in enumerate((server.page("/cover", b"<html>"), server.url("/gone"), "file:///etc/passwd"), 2):
        podcast = library.podcasts.by_url(URL) or library.podcasts.add(URL, "A show")
        (added,) = apply_feed(library, podcast, episode(number, image_url=url)).new
        assert written(tagger, library.episodes.get(added), tmp_path, "mp3", recorded("mp3"))
        assert b"APIC" not in (tmp_path / ".part").read_bytes()
        (tmp_path / ".part").unlink()


def test_files_of_the_folder_it_is_started_in_are_not_imported(
    tagger: ProcessTagger, one: Episode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mutagen").mkdir()
    (tmp_path / "mutagen" / "__init__.py").write_text("raise SystemExit(0)")
    monkeypatch.chdir(tmp_path)
    assert written(tagger, one, tmp_path, "mp3", recorded("mp3"))
    assert (tmp_path / ".part").stat().st_size > len(recorded("mp3"))


def test_two_downloads_that_make_room_for_their_covers_at_once_both_get_them(
    tagger: ProcessTagger, library: Library, one: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    cover = Picture("image/png", b"cover")
    monkeypatch.setattr(ProcessTagger, "_fetched", lambda *_how: cover)
    details = library.episodes.details(one.id)
    found: list[Picture | None] = []

    class Slow(dict[str, Picture | None]):
        """Another thread looks at the same moment for what is to go."""

        def __iter__(self) -> Iterator[str]:
            iterator = super().__iter__()
            if not found:
                found.append(None)
                other = threading.Thread(target=lambda: found.append(tagger._picture(details, "other", CancelToken())))
                other.start()
                other.join(0.05)
                others.append(other)
            yield from iterator

    others: list[threading.Thread] = []
    tagger._pictures = Slow({str(number): cover for number in range(4)})
    assert tagger._picture(details, "mine", CancelToken()) == cover
    for other in others:
        other.join()
    assert found == [None, cover]
    assert list(tagger._pictures) == ["2", "3", "mine", "other"]
