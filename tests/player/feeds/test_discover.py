"""The feeds that a web page names."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.feeds.subscribe import feed_links
from tests.player.feeds.parsing.making import feed_link, page

URL = "https://example.com/shows/one"


def test_links_are_absolute_and_in_order() -> None:
    found = feed_links(page(feed_link("/a.xml"), feed_link("b.xml"), feed_link("https://cdn.example/c")), URL)
    assert found == ("https://example.com/a.xml", "https://example.com/shows/b.xml", "https://cdn.example/c")


def test_a_base_counts() -> None:
    assert feed_links(page('<base href="https://other.example/x/">', feed_link("a.xml")), URL) == (
        "https://other.example/x/a.xml",
    )


def test_atom_counts_and_comments_come_last() -> None:
    links = (feed_link("/comments/feed"), feed_link("/a", "Comments"), feed_link("/b", kind="application/atom+xml"))
    found = feed_links(page(*links), URL)
    assert found == ("https://example.com/b", "https://example.com/comments/feed", "https://example.com/a")


@pytest.mark.parametrize(
    "link",
    [
        '<link rel="stylesheet" type="text/css" href="/a.css">', '<link rel="alternate" hreflang="de" href="/de">',
        '<link rel="alternate" type="application/json+oembed" href="/o">',
        feed_link("javascript:alert(1)"), feed_link(""),
        '<a rel="alternate" type="application/rss+xml" href="/a">',
    ],
)  # fmt: skip
def test_other_links_are_no_feeds(link: str) -> None:
    assert feed_links(page(link), URL) == ()


def test_names_may_be_written_in_any_case() -> None:
    link = '<LINK REL="Alternate" TYPE="Application/RSS+XML; charset=utf-8" HREF="/a">'
    assert feed_links(page(link), URL) == ("https://example.com/a",)


def test_a_page_never_leads_to_itself_and_to_no_more_than_ten_feeds() -> None:
    assert feed_links(page(feed_link(URL), *(feed_link(f"/{n}") for n in range(30))), URL) == tuple(
        f"https://example.com/{n}" for n in range(10)
    )


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_page_makes_it_fail(body: bytes) -> None:
    feed_links(body, URL)
    feed_links(b"<html><head>" + body + b"</head>", URL)


@pytest.mark.parametrize("unit", [b"<div>", b"<link ", b"<", b"<base href='/x'>", feed_link("/a").encode()])
def test_a_hostile_page_takes_no_long_time(unit: bytes) -> None:
    start = time.process_time()
    feed_links(unit * (1_000_000 // len(unit)), URL)
    assert time.process_time() - start < 3
