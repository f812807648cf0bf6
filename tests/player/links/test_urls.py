"""Addresses from outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.links.urls import link_at, openable, origin, web_address, without_secrets

BASE = "https://example.com/show/feed.xml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/a.mp3", "https://example.com/a.mp3"),
        ("HTTP://Example.com/a", "http://Example.com/a"),
        (" https://example.com/a b.mp3\n", "https://example.com/a%20b.mp3"),
        ("a.mp3", "https://example.com/show/a.mp3"),
        ("/a.mp3", "https://example.com/a.mp3"),
        ("//cdn.example.com/a.mp3", "https://cdn.example.com/a.mp3"),
        ("?page=2", "https://example.com/show/feed.xml?page=2"),
        ("https://user:secret@example.com/a", "https://user:secret@example.com/a"),
        ("https://[::1]:8080/a", "https://[::1]:8080/a"),
        ("http://bücher.example/ä.mp3", "http://bücher.example/ä.mp3"),
    ],
)
def test_an_address_is_made_absolute(text: str, expected: str) -> None:
    assert web_address(text, BASE) == expected


@pytest.mark.parametrize(
    "text",
    ["", "   ", "file:///etc/passwd", "javascript:alert(1)", "ftp://example.com/a", "data:audio/mpeg;base64,AAAA",
     "earmark:welcome/1", "http://", "http://[::1", "http://a:99999999/", "http://a:port/",
     "https://example.com/" + "a" * 9000, "mailto:me@example.com"],
)  # fmt: skip
def test_what_is_no_web_address_is_nothing(text: str) -> None:
    assert web_address(text, BASE) == ""


def test_without_a_base_a_relative_address_is_nothing() -> None:
    assert web_address("a.mp3") == ""


@given(st.text(max_size=200), st.sampled_from(["", BASE, "nonsense"]))
def test_no_address_raises_and_each_is_fit_to_be_shown(text: str, base: str) -> None:
    for made in (web_address(text, base), web_address(f"https://example.com/{text}", base)):
        assert made == "" or made.startswith(("http://", "https://"))
        assert not any(character in made for character in "\x1b\n\r\t\u202e\u2066 ")


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=50))
def test_cleaning_twice_changes_nothing(path: str) -> None:
    once = web_address(f"https://example.com/{path}")
    assert web_address(once) == once


def test_a_password_is_not_shown() -> None:
    assert without_secrets("https://me:secret@example.com/feed?x=@") == "https://example.com/feed?x=@"
    assert without_secrets("https://example.com") == "https://example.com"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://me:secret@Example.com/feed?x=1#y", "https://example.com"),
        ("https://example.com:443/feed", "https://example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://example.com:81/", "http://example.com:81"),
        ("https://example.com:80/", "https://example.com:80"),
        ("http://[::1]:8080/feed", "http://[::1]:8080"),
        ("ftp://example.com/", ""),
        ("http://example.com:port/", ""),
        ("https:///feed", ""),
    ],
)
def test_an_origin_is_scheme_host_and_a_port_that_is_not_the_usual_one(address: str, expected: str) -> None:
    assert origin(address) == expected


@pytest.mark.parametrize(
    ("address", "handed"),
    [
        ("https://example.org/ä?q=1&r=a b#x", "https://example.org/%C3%A4?q=1&r=a%20b#x"),
        ('HTTPS://example.org/`id`"$(id)\\', "https://example.org/%60id%60%22$(id)%5C"),
        ("mailto:a@example.org?subject=Hi&attach=/etc/passwd&bcc=x@y.z", "mailto:a@example.org?subject=Hi"),
        ("MAILTO:a@example.org", "mailto:a@example.org"),
        ("mailto:nobody", ""),
        ("--new-window", ""),
        ("-https://example.org/", ""),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("earmark:time/1", ""),
        ("", ""),
    ],
)
def test_only_addresses_that_can_do_no_harm_are_handed_on(address: str, handed: str) -> None:
    assert openable(address) == handed


@given(st.text(max_size=60))
def test_what_is_handed_on_is_an_address_of_plain_characters(text: str) -> None:
    for start in ("", "https://a.org/", "mailto:a@", "mailto:"):
        handed = openable(start + text)
        assert handed == "" or handed.startswith(("http://", "https://", "mailto:"))
        assert handed.isascii()
        assert not set(handed) & set(" \t\n\x1b\"'<>`\\") - {"'"}


@pytest.mark.parametrize(
    ("link", "there"),
    [
        ("https://example.org/12", "https://example.org/12#t=754"),
        ("https://example.org/12#", "https://example.org/12#t=754"),
        ("https://example.org/12#comments", "https://example.org/12#comments"),
        ("https://example.org/a.mp3?x=1&y=(2)", "https://example.org/a.mp3?x=1&y=(2)#t=754"),
        ("https://www.youtube.com/watch?v=abc", "https://www.youtube.com/watch?v=abc&t=754s"),
        ("https://youtu.be/abc", "https://youtu.be/abc?t=754s"),
        ("https://example.org/a b>c", "https://example.org/a%20b%3Ec#t=754"),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("https://[broken", ""),
        ("", ""),
    ],
)
def test_a_link_leads_to_the_second_where_it_can(link: str, there: str) -> None:
    assert link_at(link, 754_900) == there
    assert link_at(link, None) == (link.replace(" ", "%20").replace(">", "%3E") if there else "")
