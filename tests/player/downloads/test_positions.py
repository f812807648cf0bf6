"""A position is the same second before and after its episode becomes a file with tags, to the byte."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutagen.id3 import ID3

from player.attachments.fetch_queue import Fetcher
from player.downloads.making import FileMaker, FileRules
from player.downloads.tagger import ProcessTagger
from player.library import Library
from player.media import EpisodeMedia, MediaStore
from player.media.formats.mpeg import empty_tag, id3v2_size
from player.media.local_file import LocalMedia
from player.model.downloads import Original
from player.model.episode import BytePosition, Chapter, Chapters, ChapterSource, Episode
from player.paths import Paths
from player.playback.vlc.start_point import StartPoint, find_start
from player.processes.threads import CancelToken
from tests.loopback import LoopbackServer
from tests.player.downloads.sound import recorded
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually, fetchers, whole
from tests.quick import mostly_long

COVER = b"\x89PNG\r\n\x1a\n" + bytes(5_000)
CHAPTERS = Chapters((Chapter(0, "One"), Chapter(3_000, "Two")), ChapterSource.JSON)
TAGGED = ("mp3 id3v2.3", "mp3", "mp3 id3v2.4 id3v1")
SECONDS = 30


class House(NamedTuple):
    library: Library
    store: MediaStore
    maker: FileMaker
    server: LoopbackServer

    def add(self, body: bytes, **fields: object) -> Episode:
        podcast = self.library.podcasts.by_url(URL) or self.library.podcasts.add(URL, "A show")
        self.server.page("/cover.png", COVER, "image/png")
        item = episode(1, url=self.server.audio("/a", body), image_url=self.server.url("/cover.png"), **fields)
        (added,) = apply_feed(self.library, podcast, item).new
        return self.library.episodes.get(added)

    def download(self, one: Episode) -> tuple[Episode, Path]:
        path = self.maker.make(one, CancelToken())
        eventually(lambda: not fetchers())
        return self.library.episodes.get(one.id), path


@pytest.fixture
def house(paths: Paths, server: LoopbackServer) -> Iterator[House]:
    library = Library(paths)
    library.open()
    store = MediaStore(paths, downloaded=lambda one: library.downloads.get(one.id))
    tagger = ProcessTagger(library, lambda _: CHAPTERS, lambda: Fetcher(store.network, lambda _: None))
    yield House(library, store, FileMaker(library, store, FileRules(paths.data / "episodes"), tagger), server)
    library.close()


def start(media: EpisodeMedia, ms: int, nearby: BytePosition | None) -> StartPoint:
    return find_start(media, None, ms, nearby, None, lambda: False)


@pytest.mark.parametrize("kind", mostly_long(TAGGED))
def test_a_download_with_tags_is_read_as_the_bytes_that_were_cached(house: House, kind: str) -> None:
    body = recorded(kind, seconds=SECONDS)
    head = id3v2_size(body)
    one, path = house.download(house.add(body))
    written = path.read_bytes()
    assert ID3(path).getall("APIC")[0].data == COVER
    assert [str(chapter.sub_frames["TIT2"]) for chapter in ID3(path).getall("CHAP")] == ["One", "Two"]
    assert len(written) > len(body) + len(COVER)
    assert written[id3v2_size(written) :] == body[head:]
    media = house.store.open(one, lambda: None)
    assert isinstance(media, LocalMedia)
    assert media.size == len(body)
    assert whole(media) == empty_tag(head) + body[head:]
    assert media.format == "mp3"
    media.close()


@pytest.mark.parametrize("kind", mostly_long(TAGGED))
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("ms", mostly_long([16_234, 0, 28_000]))
def test_playing_begins_at_the_same_byte_before_and_after(house: House, kind: str, exact: bool, ms: int) -> None:
    body = recorded(kind, seconds=SECONDS)
    one = house.add(body)
    before = house.store.open(one, lambda: None)
    whole(before)
    truth = start(before, ms, None)
    assert truth.cut is not None
    # Where the listener is known by the byte alone: its time was a guess, two seconds wrong.
    guessed = ms if exact else ms + 2_000
    saved = BytePosition(guessed, truth.cut.byte, len(body), exact)
    begun = start(before, guessed, saved)
    before.close()
    eventually(lambda: not fetchers())

    one, _path = house.download(one)
    after = house.store.open(one, lambda: None)
    again = start(after, guessed, saved)
    assert begun.cut is not None
    assert again.cut is not None
    assert (again.position_ms, again.cut, again.first) == (begun.position_ms, begun.cut, begun.first)
    assert after.read(again.cut.byte, 5_000) == body[again.cut.byte :][:5_000]
    after.close()


@pytest.mark.parametrize("kind", ["m4a", "m4a index first", "opus", "vorbis", "flac"])
def test_formats_with_an_index_keep_their_length_and_find_positions_by_time(house: House, kind: str) -> None:
    body = recorded(kind)
    one = house.add(body)
    before = house.store.open(one, lambda: None)
    whole(before)
    eventually(lambda: before.duration_ms)
    length = before.duration_ms
    before.close()
    eventually(lambda: not fetchers())
    one, path = house.download(one)
    assert path.read_bytes() != body
    after = house.store.open(one, lambda: None)
    assert (after.duration_ms, start(after, 4_321, None).position_ms) == (length, 4_321)
    after.close()


def test_deleting_the_download_leads_back_to_the_same_bytes(house: House) -> None:
    body = recorded("mp3 id3v2.3", seconds=SECONDS)
    one, path = house.download(house.add(body))
    path.unlink()
    house.library.downloads.remove(one.id)
    media = house.store.open(house.library.episodes.get(one.id), lambda: None)
    assert (media.size, whole(media)) == (len(body), body)
    media.close()
    eventually(lambda: not fetchers())


def test_tags_that_others_write_move_nothing_either(house: House) -> None:
    body = recorded("mp3", seconds=SECONDS)
    one, path = house.download(house.add(body))
    tags = ID3(path)
    tags.delall("APIC")
    tags.save(padding=lambda _: 0)
    assert path.stat().st_size < len(body) + len(COVER)
    media = house.store.open(one, lambda: None)
    assert isinstance(media, LocalMedia)
    assert whole(media) == body
    media.close()


@given(head=st.integers(0, 3_000), tag=st.integers(0, 3_000), offset=st.integers(0, 9_000), count=st.integers(0, 9_000))
def test_every_part_of_the_view_is_the_originals(
    tmp_path_factory: pytest.TempPathFactory, head: int, tag: int, offset: int, count: int
) -> None:
    head, tag = (0 if size < 10 else size for size in (head, tag))
    audio = recorded("mp3")[:5_000]
    path = tmp_path_factory.getbasetemp() / "view"
    path.write_bytes(empty_tag(tag) + audio)
    media = LocalMedia(path, Original(head + len(audio), head))
    assert media.read(offset, count) == (empty_tag(head) + audio)[offset : offset + count]
    assert media.size == head + len(audio)
    assert not media.damaged(tag + len(audio))
    media.close()
