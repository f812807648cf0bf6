"""The cover of what plays, as a file for other programs."""

from pathlib import Path

from player.artwork.artwork import Arts
from player.artwork.cache import CachedCover, CoverCache
from player.artwork.cover_file import CoverFile
from player.artwork.picture import CoverArt
from player.model.episode import Episode
from player.model.podcast import PodcastId
from tests.player.integrations.fake_session import EPISODE


class _Arts(Arts):
    """Without a library."""

    def __init__(self, *images: str) -> None:
        self._images = images

    def read(self, episode: Episode) -> CoverArt | None:
        return CoverArt(PodcastId(1), episode.podcast, "", self._images) if self._images else None


def test_it_is_the_first_that_is_on_this_disk_and_only_one_is_kept(tmp_path: Path) -> None:
    covers, folder = CoverCache(tmp_path / "covers"), tmp_path / "shown"
    assert CoverFile(folder, covers, _Arts("https://a.example/", "https://b.example/")).address(EPISODE) == ""
    covers.put(CachedCover("https://b.example/", b"a picture"))
    file = CoverFile(folder, covers, _Arts("https://a.example/", "https://b.example/"))
    first = file.address(EPISODE)
    assert first.startswith("file:///")
    assert Path(first.removeprefix("file://")).read_bytes() == b"a picture"
    assert file.address(EPISODE) == first
    covers.put(CachedCover("https://a.example/", b"another"))
    second = file.address(EPISODE)
    assert second != first
    assert [path.read_bytes() for path in folder.iterdir()] == [b"another"]
    assert [path.stat().st_mode & 0o777 for path in folder.iterdir()] == [0o600]


def test_there_is_none_without_a_library_or_a_disk(tmp_path: Path) -> None:
    covers = CoverCache(tmp_path / "covers")
    covers.put(CachedCover("https://a.example/", b"a picture"))
    assert CoverFile(tmp_path / "shown", covers, _Arts()).address(EPISODE) == ""
    (tmp_path / "file").touch()
    assert CoverFile(tmp_path / "file", covers, _Arts("https://a.example/")).address(EPISODE) == ""
