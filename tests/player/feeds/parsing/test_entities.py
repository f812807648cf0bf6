"""Entities of a feed's own: characters are read, bombs are refused, and nothing is fetched."""

import contextlib
import time

import pytest

from player.errors import NotAFeed
from player.feeds.parsing.parse import read_feed
from player.feeds.parsing.recoding import Harmful, resolved
from tests.player.feeds.parsing.making import item, rss

URL = "https://me:secret@example.com/show/feed.xml"
BOMB = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


def feed(doctype: str, title: str, broken: str = "") -> bytes:
    return rss(item(1), channel=f"<title>{title}</title>{broken}").replace(b"?><rss", f"?>{doctype}<rss".encode())


def refusal(body: bytes) -> str:
    with pytest.raises(NotAFeed) as caught:
        read_feed(body, "", URL)
    return str(caught.value)


@pytest.mark.parametrize("broken", ["", "<p>never closed"])
@pytest.mark.parametrize(
    ("declared", "written", "read"),
    [
        ('<!ENTITY nbsp "&#160;">', "A&nbsp;show", "A show"),
        ("<!ENTITY  mdash\n'&#x2014;' >", "A &mdash; show", "A — show"),
        ('<!ENTITY lt "&#38;#60;"><!ENTITY amp "&#38;#38;">', "A &amp; B &lt; C", "A & B < C"),
        ('<!-- <!ENTITY a "b"> --><!ENTITY hellip "...">', "A show&hellip;", "A show..."),
        ('<!ELEMENT rss ANY><!ATTLIST rss version CDATA "2.0"><!ENTITY ouml "ö">', "Sh&ouml;w", "Shöw"),
        ('<!ENTITY a "1"><!ENTITY a "2">', "&a;", "1"),
        ('<!ENTITY b "B">', "<![CDATA[&amp;b; &b;]]> &b;", "&b; &b; B"),
    ],
)
def test_entities_that_are_characters_are_read(declared: str, written: str, read: str, broken: str) -> None:
    assert read_feed(feed(f"<!DOCTYPE rss [{declared}]>", written, broken), "", URL).title == read


@pytest.mark.parametrize("before", ["", "<?xml version='1.0'?>\n<!-- <rss> -->\n", "<!-- > <a -->", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32"])
def test_bombs_are_refused_in_every_encoding(before: str, encoding: str) -> None:
    text = before + BOMB + "<rss version='2.0'><channel><title>&b;</title></channel></rss>"
    assert "declares XML entities" in refusal(text.encode(encoding))


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "aaaaaaaaaa">',
        '<!ENTITY a "a"><!ENTITY b "&a;&a;">',
        '<!ENTITY a "&#38;b;">',
        '<!ENTITY a "<b/>">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a "x">',
        '<!ENTITY % a SYSTEM "http://127.0.0.1:1/x"> %a;',
        '<!ENTITY a "&#160;"',
        '<!ENTITY a "&#160;">]><!DOCTYPE rss [<!ENTITY b "&a;&a;&a;">',
    ],
)
def test_any_other_entities_are_refused(declared: str) -> None:
    assert "declares XML entities" in refusal(feed(f"<!DOCTYPE rss [{declared}]>", "A &a; show"))


def test_entities_are_refused_where_only_the_loose_parser_sees_them() -> None:
    assert "declares XML entities" in refusal(b"<!ENTITY a 'aaaa'>" + rss(item(1)))


def test_notes_may_speak_of_entities() -> None:
    notes = "<description><![CDATA[<!DOCTYPE lolz [<!ENTITY lol 'lol'>]>]]></description>"
    assert read_feed(rss(item(1) + notes), "", URL).episodes


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE rss [" + b"<!--" * 500_000,
        b"<!DOCTYPE rss [" + b"<!ENTITY a 'a'>" * 100_000,
        b"<!DOCTYPE rss [<!ENTITY a 'a'>]><rss>" + b"&a;" * 500_000,
        b"<!DOCTYPE rss [<!ENTITY a 'a'>]><rss>" + b"<![CDATA[" * 200_000,
        b"<!DOCTYPE rss [<!ENTITY a 'a'>]><rss>" + b"<!--" * 500_000,
        b"<!DOCTYPE rss [<!ENTITY a '" + b"&#" * 800_000,
        b"<!DOCTYPE" + b" " * 2_000_000 + b"<!ENTITY",
        b"<?" * 900_000 + b"<!ENTITY",
    ],
)
def test_looking_for_them_takes_no_longer_than_the_feed_is_long(body: bytes) -> None:
    start = time.process_time()
    with contextlib.suppress(Harmful):
        resolved(body)
    assert time.process_time() - start < 3
