"""`earmark:` addresses: what they ask for is read, and whatever is none is refused with a sentence."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.links.addresses import LONGEST, BadAddress, EarmarkAddress, Verb, parse, written

SITE, FEED = "https://a.example/", "https://example.org/feed?a=1&b=ü"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("earmark://play?feed=https%3A%2F%2Fa.example%2F&guid=x%20y", EarmarkAddress(Verb.PLAY, SITE, "x y")),
        ("earmark://play?feed=https://a.example/&t=1m30s", EarmarkAddress(Verb.PLAY, SITE, at_ms=90_000)),
        ("EARMARK://Show/?feed=http://a.example/", EarmarkAddress(Verb.SHOW, "http://a.example/")),
        ("earmark:subscribe?feed=https://a.example/feed&later=1", EarmarkAddress(Verb.SUBSCRIBE, "https://a.example/feed")),
        ("earmark://subscribe?feed=https://a.example/&guid=x&t=3", EarmarkAddress(Verb.SUBSCRIBE, "https://a.example/")),
    ],
)  # fmt: skip
def test_what_is_asked_for(text: str, address: EarmarkAddress) -> None:
    assert parse(text) == address


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("https://example.org/", "That isn't an earmark: address."),
        ("", "That isn't an earmark: address."),
        ("earmark://delete?feed=x", "An earmark: address can't “delete”. There are play, show, subscribe."),
        ("earmark://subscibe?feed=x", "An earmark: address can't “subscibe”. Did you mean “subscribe”?"),
        ("earmark://play", "That address names no feed."),
        ("earmark://play/more?feed=https://a.example/", "An earmark: address can't “play”."),
        ("earmark://subscribe?feed=file:///etc/passwd", "The feed in that address isn't an http or https URL."),
        ("earmark://subscribe?feed=javascript:alert(1)", "The feed in that address isn't an http or https URL."),
        ("earmark://subscribe?feed=%2Fetc%2Fpasswd", "The feed in that address isn't an http or https URL."),
        ("earmark://play?feed=https://a.example/&t=soon", "The time in that address can't be used: "),
        ("earmark://play?feed=https://a.example/&feed=https://b.example/", "That address has the same part twice."),
        ("earmark://play?feed=https://a.example/&guid=%1b[31m", "That address contains a control character."),
        ("earmark://play?feed=https://a.example/&guid=%E2%80%AE", "That address contains a control character."),
        ("earmark://play?feed=https://a.example/\n", "That address contains a space or a control character."),
        ("earmark://play?feed=https://a.example/&guid=%FF", "That address can't be read."),
        ("earmark://[?feed=https://a.example/", "That address can't be read."),
        ("earmark://play?feed=https://a.example/" + "x" * LONGEST, "That address is too long."),
        ("earmark://play?feed=https://a.example/&guid=" + "x" * 3_000, "That address is too long."),
        ("earmark://play?" + "&".join(f"a{n}=1" for n in range(50)), "That address can't be read."),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadAddress) as raised:
        parse(text)
    assert str(raised.value).startswith(sentence)


_LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])


@given(st.sampled_from(list(Verb)), st.text(_LETTERS, max_size=50), st.integers(1, 9_999))
def test_what_is_written_is_read(verb: Verb, guid: str, seconds: int) -> None:
    address = EarmarkAddress(
        verb, FEED, "" if verb is Verb.SUBSCRIBE else guid, seconds * 1000 if verb is Verb.PLAY else None
    )
    assert parse(written(address)) == address


@given(st.text(max_size=100))
def test_nothing_else_is_raised(text: str) -> None:
    for one in (text, f"earmark:{text}", f"earmark://play?{text}", f"earmark://play?feed=https://a.example/{text}"):
        with suppress(BadAddress):
            parse(one)
