"""Feeds that are made to do harm: a sentence each, in bounded memory and time."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from player.errors import FeedError, NoAudio, NotAFeed, TooLarge
from player.feeds.parsing.parse import read_feed
from player.feeds.parsing.parser_pool import ParserPool
from tests.player.feeds.parsing.making import AUDIO, item, rss

URL = "https://example.com/feed"
START = b'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>T</title>'
END = b"</channel></rss>"
MB = 1_000_000
ITEM = b"<item>" + AUDIO.encode() + b"</item>"


@pytest.fixture
def readers() -> Iterator[ParserPool]:
    made = ParserPool()
    yield made
    made.close()


def test_a_long_feed_is_read_elsewhere_as_it_is_here(readers: ParserPool) -> None:
    body = rss(*(item(number) + "<podcast:person>Ada</podcast:person>" for number in range(1_200)))
    assert len(body) > 100_000
    assert readers.read(body, "", URL) == read_feed(body, "", URL)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        pytest.param(lambda: START + b"<a>" * (20 * MB), "is broken and, at 60 MB, too large", id="60 MB of nesting"),
        pytest.param(lambda: b"\0" * 64 * MB, "There is no podcast feed at", id="zeros"),
        pytest.param(lambda: b"<" + b"\xff\xfe\x80" * (5 * MB), "too large to repair", id="no text in any encoding"),
        pytest.param(lambda: START + b"\0" * (4 * MB), "no episodes", id="NULs"),
        pytest.param(lambda: START + b"<?a " * MB, "no episodes", id="instructions without end"),
        pytest.param(lambda: START + ITEM * 900_000, "", id="a million items without an end"),
        pytest.param(
            lambda: START + b"<item>" + AUDIO.encode() * 800_000, "too large to repair", id="a million enclosures"
        ),
        pytest.param(
            lambda: b"<!DOCTYPE x [<!ENTITY a '&b;'>]>" + START + b" " * MB, "declares XML entities", id="entities"
        ),
        pytest.param(lambda: b"<html><body>" + b"<p>Hello</p>" * MB, "is a web page", id="a long page"),
    ],
)
def test_what_does_harm_is_a_sentence(readers: ParserPool, make: Callable[[], bytes], sentence: str) -> None:
    body, start = make(), time.monotonic()
    if sentence:
        with pytest.raises((NotAFeed, TooLarge, NoAudio), match=sentence):
            readers.read(body, "", URL)
    else:
        assert len(readers.read(body, "", URL).episodes) == 30_000
    assert time.monotonic() - start < 30


def test_a_feed_that_takes_too_long_is_given_up() -> None:
    with closing(ParserPool(seconds=1.0)) as readers, pytest.raises(TooLarge, match="took over 1 s"):
        readers.read(START + b"<item>" + AUDIO.encode() + b"<" * (15 * MB), "", URL)


def test_where_no_process_can_be_started_that_is_said_of_it(
    readers: ParserPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FeedError, match=r"for feeds can't be started: .* Close other programs, then try again\."):
        readers.read(START + ITEM * 3_000 + END, "", URL)


def test_a_feed_that_takes_too_much_memory_is_given_up_and_the_next_is_read(readers: ParserPool) -> None:
    with pytest.raises((TooLarge, NotAFeed)):
        readers.read(
            START + ITEM + b"<item><description>" + "😀".encode() * (15 * MB) + b"</description></item>" + END, "", URL
        )
    assert len(readers.read(START + ITEM * 3_000 + END, "", URL).episodes) == 3_000


def test_who_waits_for_a_reader_is_let_go_when_it_is_closed(readers: ParserPool) -> None:
    readers.close()
    with pytest.raises(FeedError, match="was cancelled"):
        readers.read(START + ITEM * 3_000 + END, "", URL)
