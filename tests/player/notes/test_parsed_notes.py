"""Notes that are parsed once, whoever needs them, and however many at the same time."""

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from player.chapters.texts import read_notes_chapters
from player.notes import Block, parse, parsed, read_notes
from player.notes.episode_links import links
from player.notes.parse import _Remembered

LONG = "".join(f"<p>Line {number} of <b>many</b></p>" for number in range(2_000))


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text has been parsed, or begun to be."""
    return counted(monkeypatch)


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    found: Counter[str] = Counter()
    read = parse.read_in_parts

    def counting(text: str, *how: int) -> Iterator[list[Block]]:
        found[text] += 1
        return read(text, *how)

    monkeypatch.setattr("player.notes.parse.read_in_parts", counting)
    monkeypatch.setattr("player.notes.parse.read_in_parts", counting)
    return found


def test_what_is_parsed_in_parts_is_what_is_parsed_at_once() -> None:
    assert parsed(LONG).whole() == read_notes(LONG)
    assert parsed("").whole() == read_notes("")


def test_links_and_chapters_share_one_parse(parses: Counter[str]) -> None:
    notes = "<p>0:00 One<br>1:00 Two<br>2:00 Three</p><a href='https://a.example'>A</a> of this test alone"
    assert links(parsed(notes).whole()).pages
    assert len(read_notes_chapters(notes, 600_000)) == 3
    assert len(read_notes_chapters(notes, 600_000)) == 3
    assert parses == {notes: 1}


def test_several_threads_that_need_the_same_notes_parse_them_once(parses: Counter[str]) -> None:
    text = LONG + "<p>for several threads</p>"
    whole: list[int] = []
    threads = [threading.Thread(target=lambda: whole.append(len(parsed(text).whole().blocks))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert whole == [2_001] * 4
    assert parses == {text: 1}


def test_what_is_there_already_can_be_shown_before_the_rest() -> None:
    notes = parsed(LONG + "<p>for the first lines</p>")
    assert len(notes.so_far) == 0
    assert notes.advance()
    first = notes.so_far
    assert 0 < len(first) < 200
    assert notes.whole().blocks[: len(first)] == tuple(first)
    assert not notes.advance()


def test_notes_that_changed_are_other_notes() -> None:
    assert parsed("<p>One</p>").whole() != parsed("<p>Two</p>").whole()


def test_only_the_latest_texts_are_remembered() -> None:
    texts = _Remembered()
    first, big = texts.of("first"), texts.of("x" * 600_000)
    assert texts.of("x" * 600_000) is big
    assert texts.of("first") is not first
    for number in range(50):
        texts.of(str(number))
    assert len(texts._texts) <= 32
    assert texts._characters == sum(map(len, texts._texts))
