"""`comments`."""

from player.library import Library
from tests.fediverse import serve, status
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

NAMESPACE = b'xmlns:podcast="https://podcastindex.org/namespace/1.0"'


def subscribe(earmark: Earmark, server: LoopbackServer, *tags: str) -> None:
    """To a podcast whose newest episode, “Rain”, has these tags."""
    body = feed("Slow Radio", "Rain", "Wind").replace(b"<rss", b"<rss " + NAMESPACE, 1)
    body = body.replace(b"<item>", b"<item>" + "".join(tags).encode(), 1)
    assert earmark("add", server.page("/feed", body)).code == 0


def post_tag(address: str, protocol: str = "activitypub") -> str:
    return f'<podcast:socialInteract protocol="{protocol}" uri="{address}"/>'


def test_the_thread_is_printed_indented_and_content_warnings_are_folded(
    earmark: Earmark, server: LoopbackServer
) -> None:
    warned = status(3, 2, "<p>Hidden</p>", spoiler_text="The end")
    post = serve(server, status(1, None, "<p>Out now</p>"), status(2, 1, "<p>Great</p>"), warned)
    subscribe(earmark, server, post_tag(post))
    ended = earmark("comments", "Rain")
    author = "Ada :verified: @ada@other.example"
    lines = [line.partition("  2")[0].rstrip() if author not in line else f"{line.partition(author)[0]}{author}"
             for line in ended.out.splitlines()]  # fmt: skip
    assert lines == [
        author, "Out now", "", f"  {author}", "  Great", "", f"    {author}", "    Content warning: The end",
    ]  # fmt: skip
    assert ended.err.endswith("2 comments · 127.0.0.1\n")
    assert "    Hidden\n" in earmark("comments", "Rain", "--warned").out


def test_as_json_each_comment_has_its_depth_and_plain_text(earmark: Earmark, server: LoopbackServer) -> None:
    post = serve(server, status(1, replies_count=9), status(2, 1, "<p>See <b>this</b></p>"))
    subscribe(earmark, server, post_tag(post))
    said = earmark("comments", "Rain", "--json").json
    assert (said["url"], said["more"], said["post"]["depth"]) == (post, True, 0)
    assert said["comments"] == [
        {
            "author": "Ada :verified:", "handle": "@ada@other.example", "url": "https://other.example/@ada/2",
            "published": "2026-11-03T18:05:12Z", "depth": 1, "text": "See this", "warning": "", "sensitive": False,
            "attached": [],
        }
    ]  # fmt: skip


def test_without_comments_that_can_be_read_there_is_a_sentence(
    earmark: Earmark, server: LoopbackServer, library: Library
) -> None:
    subscribe(earmark, server, post_tag("https://x.example/1", "twitter"),
              '<podcast:chat protocol="irc" server="irc.example.org" space="#show"/>')  # fmt: skip
    ended = earmark("comments", "Rain")
    assert (ended.code, ended.err) == (1, "earmark: “Rain” has no comments that Earmark can read.\n")
    assert "Comments: https://x.example/1\nChat: irc://irc.example.org/show\n" in earmark("show", "Rain").out
    said = earmark("show", "Rain", "--json").json
    assert (said["comments"], said["chat"]) == ("https://x.example/1", "irc://irc.example.org/show")
    assert library.podcasts.all()


def test_an_episode_that_wants_none_has_none(earmark: Earmark, server: LoopbackServer) -> None:
    subscribe(earmark, server, post_tag("https://social.example/@show/1"),
              '<podcast:socialInteract protocol="disabled"/>')  # fmt: skip
    assert earmark("comments", "Rain").code == 1
    assert earmark("show", "Rain", "--json").json["comments"] == ""
