"""Addresses of local files, and what of all that can be typed is one."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.links.addresses import belongs_to, file_address, looks_like_path, path_of, typed_path
from player.links.urls import web_address


@given(st.binary(min_size=1, max_size=60).filter(lambda name: not {b"/", b"\0"} & {bytes([one]) for one in name}))
def test_any_name_a_disk_can_have_survives_the_way_to_an_address_and_back(name: bytes) -> None:
    path = Path(os.fsdecode(b"/books/" + name))
    if name in (b".", b".."):
        return
    address = file_address(path)
    assert address.isascii()
    assert address.isprintable()
    assert path_of(address) == path
    assert path_of(file_address(path, 1764392000)) == path
    assert file_address(path, 1) != file_address(path, 2)


@pytest.mark.parametrize(
    "address",
    ["https://example.com/a", "file:a", "file://host/a", "file:///a/../b", "file:///a/%2e%2e/b", "file:///a%00b"],
)
def test_only_absolute_addresses_without_tricks_are_paths(address: str) -> None:
    with pytest.raises(ValueError, match="not the address"):
        path_of(address)


def test_a_podcast_of_local_audio_has_its_own_files_and_no_others() -> None:
    assert belongs_to("file:///books/Foo/1.mp3", "file:///books/Foo")
    assert belongs_to("file:///books/Foo/disc%201/1.mp3", "file:///books/Foo")
    assert belongs_to("file:///books/one.m4b", "file:///books/one.m4b")
    assert not belongs_to("file:///books/Foobar/1.mp3", "file:///books/Foo")
    assert not belongs_to("file:///books/Foo/../../etc/passwd", "file:///books/Foo")
    assert not belongs_to("file:///books/Foo/%2e%2e/secret.mp3", "file:///books/Foo")


@pytest.mark.parametrize(
    "podcast", ["https://example.com/feed", "", "earmark:welcome", "http://file:///", "radio:file:///"]
)
def test_a_podcast_from_the_network_has_no_local_files(podcast: str) -> None:
    assert not belongs_to("file:///books/Foo/1.mp3", podcast)
    assert web_address("file:///books/Foo/1.mp3", podcast) == ""


@pytest.mark.parametrize(
    "text", ["/a", "~/a", "~", "./a", "../a", "..", "file:///a", " /a ", "'/a b'", '"/a b"', "file:/a"]
)
def test_what_looks_like_a_path(text: str) -> None:
    assert looks_like_path(text)


@pytest.mark.parametrize("text", ["example.com", "https://a/b", "history of rome", "a/b", "", "feed:x", "'tis", ".com"])
def test_what_does_not(text: str) -> None:
    assert not looks_like_path(text)
    assert typed_path(text) is None


def test_paths_are_meant_as_shells_and_terminals_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = tmp_path / "My Book"
    book.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    escaped = str(book).replace(" ", "\\ ")
    for text in (
        str(book),
        f"'{book}'",
        escaped,
        "~/My Book",
        "./My Book",
        f"{book}/",
        file_address(book),
        "./My Book/",
    ):
        assert typed_path(text) == book, text
    assert typed_path("file:/a%20b") == Path("/a b")
    assert typed_path("file://localhost/a") == Path("/a")


def test_a_name_that_has_a_backslash_is_itself(tmp_path: Path) -> None:
    odd = tmp_path / "a\\ b"
    odd.mkdir()
    assert typed_path(str(odd)) == odd
