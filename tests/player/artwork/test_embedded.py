"""Pictures in audio files are covers where there are no others, and a hostile file is one without a picture."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutagen import id3

from player.artwork.artwork import Arts
from player.artwork.picture import IN_AUDIO, LARGEST, art_of
from player.downloads.tags import Picture, Tags, write_tags
from player.library import Library
from player.links.addresses import file_address
from player.media.formats.sniff import HEAD, sniff
from player.model.podcast import PodcastId
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.artwork.images import BLUE, RED, claims, close, halves, mean
from tests.player.artwork.test_pictures import DAY_S, FEED, SHAPE, World
from tests.player.downloads.sound import KINDS, recorded
from tests.player.library.helpers import apply_feed, episode
from tests.player.media.sounds import mp3


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "covers")
    yield made
    made.close()


def shown(world: World, file: Path, *images: str) -> bool:
    """Whether the cover is the one of `halves`, red and blue."""
    found = world.pictures.ask(art_of(PodcastId(1), "A", FEED, *images, audio=file_address(file)), SHAPE).result(20)
    if found is None:
        return False
    line = found.quarters[: 3 * 2 * SHAPE.columns]
    return close(mean(line[: len(line) // 2]), RED) and close(mean(line[len(line) // 2 :]), BLUE)


def tagged(file: Path, *pictures: tuple[int, str, bytes]) -> Path:
    """An MP3 with pictures, each of a kind and a media type."""
    file.write_bytes(mp3(20))
    tags = id3.ID3()
    for kind, media_type, data in pictures:
        tags.add(id3.APIC(encoding=3, mime=media_type, type=kind, desc=str(kind), data=data))
    tags.save(file)
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_shows_its_picture(kind: str, world: World, tmp_path: Path) -> None:
    source, part = tmp_path / "source", tmp_path / "a file: with spaces"
    source.write_bytes(recorded(kind))
    form = sniff(source.read_bytes()[:HEAD])
    assert not shown(world, source)
    if write_tags(source, part, form, Tags(picture=Picture("image/png", halves()))):
        assert shown(world, part)
        part.unlink()
        assert shown(world, part), "it is cached"


def test_the_front_cover_is_preferred(world: World, tmp_path: Path) -> None:
    back = halves(mode="L")
    pictures = ((4, "image/png", back), (3, "image/png", halves()), (0, "image/png", back))
    assert shown(world, tagged(tmp_path / "a.mp3", *pictures))


def test_it_comes_after_the_images_that_the_podcast_names(world: World, tmp_path: Path, server: LoopbackServer) -> None:
    file = tagged(tmp_path / "a.mp3", (3, "image/png", halves()))
    grey = server.page("/grey.png", halves(mode="L"), "image/png")
    assert not shown(world, file, grey)
    assert shown(world, file, server.page("/none.png", b"<html>", "text/html"))


def test_a_file_that_has_changed_is_read_again_after_a_week(world: World, tmp_path: Path) -> None:
    file = tagged(tmp_path / "a.mp3", (3, "image/png", halves(mode="L")))
    assert not shown(world, file)
    tagged(file, (3, "image/png", halves()))
    world.now += 8 * DAY_S
    assert not shown(world, file), "the old one, while it is asked whether that is still the newest"
    end = time.monotonic() + 20
    while not shown(world, file):
        assert time.monotonic() < end


def test_no_feed_can_name_a_picture_in_a_file(tmp_path: Path) -> None:
    named = IN_AUDIO + file_address(tmp_path / "a.mp3")
    assert art_of(PodcastId(1), "A", FEED, named, "https://a.example/a.png", named).images == (
        "https://a.example/a.png",
    )


def test_a_hostile_file_is_one_without_a_picture(world: World, tmp_path: Path) -> None:
    good = tagged(tmp_path / "good.mp3", (3, "image/png", halves()))
    cut = tmp_path / "cut.mp3"
    cut.write_bytes(good.read_bytes()[:600])
    noise = tmp_path / "noise.flac"
    noise.write_bytes(b"fLaC" + os.urandom(4000))
    fifo = tmp_path / "fifo.mp3"
    os.mkfifo(fifo)
    hostile = [
        tagged(tmp_path / "link.mp3", (3, "-->", b"file:///etc/passwd")),
        tagged(tmp_path / "bomb.mp3", (3, "image/png", claims(65_000, 65_000))),
        tagged(tmp_path / "large.mp3", (3, "image/png", halves() + bytes(LARGEST))),
        tagged(tmp_path / "words.mp3", (3, "image/png", b"GIF89a no picture")),
        cut, noise, fifo, tmp_path, tmp_path / "missing.mp3",
    ]  # fmt: skip
    for file in hostile:
        assert not shown(world, file), file
    assert shown(world, good)


def test_an_episode_has_the_picture_of_its_download_or_of_its_own_file_in_a_local_folder(paths: Paths) -> None:
    library = Library(paths)
    library.open()
    arts = Arts(library)

    def images(feed: str, audio: str, downloaded: Path | None = None) -> tuple[str, ...]:
        (one,) = apply_feed(library, library.podcasts.add(feed, "A show"), episode(1, url=audio)).new
        if downloaded:
            library.downloads.put(one, downloaded)
        art = arts.read(library.episodes.get(one))
        assert art is not None
        return art.images

    file = "file:///music/show/a%20b.mp3"
    assert images("file:///music/show", file) == (IN_AUDIO + file,)
    assert images("https://a.example/1", "https://a.example/1.mp3", Path("/music/a ß.mp3")) == (
        f"{IN_AUDIO}file:///music/a%20%C3%9F.mp3",
    )
    assert images("https://a.example/2", "https://a.example/2.mp3") == ()
    assert images("https://a.example/3", file) == (), "a feed that names a file of this computer"
    assert images("file:///music/other", file) == ()
    library.close()
