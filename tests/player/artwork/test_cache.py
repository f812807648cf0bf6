"""Covers on disk: no more than fit, the ones shown longest ago leave first."""

import os
from pathlib import Path

from player.artwork.cache import CachedCover, CoverCache


def cover(number: int, size: int = 1000) -> CachedCover:
    return CachedCover(f"https://example.org/{number}", bytes(size), "tag", "", 5.0)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_what_is_put_is_found_by_another_run(tmp_path: Path) -> None:
    CoverCache(tmp_path / "covers").put(cover(1))
    assert CoverCache(tmp_path / "covers").get("https://example.org/1") == cover(1)
    assert CoverCache(tmp_path / "covers").get("https://example.org/2") is None


def test_it_never_holds_more_than_its_limit(tmp_path: Path) -> None:
    cache = CoverCache(tmp_path / "covers", limit=10_000)
    for number in range(30):
        cache.put(cover(number))
        assert size_of(tmp_path / "covers") <= 10_000
    assert cache.get("https://example.org/29") is not None
    assert cache.get("https://example.org/0") is None


def test_what_was_shown_lately_stays(tmp_path: Path) -> None:
    cache = CoverCache(tmp_path / "covers", limit=10_000)
    for number in range(9):
        cache.put(cover(number))
        os.utime(cache._path(cover(number).url), (number, number))
    assert cache.get("https://example.org/0") is not None
    cache.put(cover(9))
    cache.put(cover(10))
    assert cache.get("https://example.org/0") is not None
    assert cache.get("https://example.org/1") is None


def test_broken_files_and_disks_are_an_empty_cache(tmp_path: Path) -> None:
    cache = CoverCache(tmp_path)
    cache.put(cover(1))
    cache._path(cover(1).url).write_bytes(b"\x93garbage")
    assert cache.get(cover(1).url) is None
    cache.put(cover(2, 3 * 1024 * 1024))
    assert cache.get(cover(2).url) is None
    nowhere = CoverCache(tmp_path / "file" / "covers")
    (tmp_path / "file").write_text("")
    nowhere.put(cover(3))
    assert nowhere.get(cover(3).url) is None
