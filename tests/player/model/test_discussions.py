"""The posts and the chat that a feed names for an episode."""

import json
from typing import Any

import pytest

from player.links.urls import openable
from player.model.episode import chat, discussions


def posts(*tags: dict[str, Any]) -> list[str]:
    return [one.url for one in discussions(json.dumps({"socialInteract": list(tags)}))]


def test_the_post_with_the_lowest_priority_comes_first_and_those_without_one_last() -> None:
    one, two, three = (f"https://social.example/@show/{number}" for number in (1, 2, 3))
    tags = (
        {"protocol": "activitypub", "uri": one},
        {"protocol": "activitypub", "uri": two, "priority": 2},
        {"protocol": "twitter", "uri": three, "priority": 1},
    )
    assert posts(*tags, tags[0]) == [three, two, one]
    assert posts({"protocol": "lightning", "uri": "lnurl1abc"}, {"protocol": "activitypub"}) == []
    assert discussions("") == ()


@pytest.mark.parametrize(
    ("tag", "address"),
    [
        (("irc", "irc.zeronode.net", "#show"), "irc://irc.zeronode.net/show"),
        (("irc", "irc.libera.chat:6697", "##c++"), "irc://irc.libera.chat:6697/%23%23c%2B%2B"),
        (("irc", "irc.example.com; rm -rf ~", "#show"), ""),
        (("xmpp", "jabber.example.com", "show@rooms.example.com"), "xmpp:show@rooms.example.com?join"),
        (("xmpp", "jabber.example.com", "show"), "xmpp:show@jabber.example.com?join"),
        (("xmpp", "jabber.example.com", "a b@c"), ""),
        (("matrix", "example.com", "#general:example.com"), "matrix:r/general:example.com"),
        (("matrix", "example.com", "!IdX7:example.com"), "matrix:roomid/IdX7:example.com"),
        (("matrix", "example.com", "general"), ""),
        (("nostr", "relay.example.com", "#show"), ""),
        (("discord", "https://discord.example/invite", ""), "https://discord.example/invite"),
        (("javascript", "javascript:alert(1)", ""), ""),
    ],
)
def test_a_chat_has_an_address_that_may_be_opened(tag: tuple[str, str, str], address: str) -> None:
    protocol, server, space = tag
    found = chat(json.dumps({"chat": {"protocol": protocol, "server": server, "space": space}}))
    assert found == address
    assert openable(found) == found


def test_without_an_address_of_its_own_a_chat_is_the_page_that_embeds_it() -> None:
    tag = {"protocol": "nostr", "server": "relay.example.com", "embedUrl": "https://chat.example/embed"}
    assert chat(json.dumps({"chat": tag})) == "https://chat.example/embed"
    assert chat("") == ""


@pytest.mark.parametrize(
    "address",
    ["irc://a.example/$(reboot)", "irc://a.example/x y", "xmpp:a@b.example?message;body=x", "matrix:u/me:a.example",
     "irc:a", "irc://a.example/\n--help"],
)  # fmt: skip
def test_other_addresses_of_these_schemes_are_never_opened(address: str) -> None:
    assert openable(address) == ""
