"""The comments on an episode in the app, from a server of the fediverse on loopback."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from player.feeds.check import decide
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.player import Player
from tests.fediverse import asked, by, serve, status
from tests.loopback import LoopbackServer
from tests.tui.stage import QUIET, Stage, opened, stocked_player
from tui.screens.reading import ReadingScreen

REPLIES = (
    status(2, 1, "<p>Great, at 1:05</p>"),
    status(3, 2, "<p>I disagree</p>", **by("Grace", "grace")),
    status(4, 1, "<p>The butler did it</p>", spoiler_text="The end"),
)


def with_post(post: str, protocol: str = "activitypub", settings: object = QUIET) -> Player:
    """A player at the only episode of a podcast, which names a post."""
    player = stocked_player(settings=settings)  # type: ignore[arg-type]
    tags = {"socialInteract": [{"protocol": protocol, "uri": post}], "chat": {
        "protocol": "irc", "server": "irc.example.org", "space": "#show"}}  # fmt: skip
    item = FeedEpisode("g", "Talk", "https://media.example/t.mp3", "audio/mpeg", duration_ms=600_000, notes="<p>Hi</p>",
                       extra=json.dumps(tags))  # fmt: skip
    podcast = player.library.podcasts.add("https://talk.example/feed", "Talk show").id
    player.library.podcasts.apply(podcast, Feed("Talk show", episodes=(item.signed(),)), FeedState(), decide)
    return player


@asynccontextmanager
async def talk(player: Player, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    """The app at that episode, once its page is there."""
    async with opened(player, size) as stage:
        podcast = stage.library.podcasts.find("Talk show")
        stage.screen.show_list(View.of(ViewName.PODCAST, podcast.id))
        await stage.until(lambda: stage.title == "Talk" and stage.filled, "the episode")
        yield stage


async def comments_of(stage: Stage, text: str = "I disagree") -> None:
    await stage.press("6")
    await stage.until(lambda: stage.shows(text), text)


async def test_they_are_fetched_when_their_tab_is_opened_and_fetched_again_by_r(server: LoopbackServer) -> None:
    post = serve(server, status(1, None, "<p>New episode</p>", **by("The show", "show")), *REPLIES)
    async with talk(with_post(post)) as stage:
        assert stage.shows("Comments")
        assert asked(server) == []
        await comments_of(stage)
        assert stage.shows("Comments 3")
        assert stage.shows("3 comments · 127.0.0.1")
        assert stage.shows("6 fetches again")
        assert stage.shows("Grace  @grace@127.0.0.1")
        serve(server, status(1), *REPLIES, status(5, 1, "<p>Late to this</p>"))
        await stage.press("1", "6")
        assert len(asked(server)) == 2, "they are known"
        await stage.press("r")
        assert stage.news.startswith("Fetching the comments from 127.0.0.1")
        await stage.until(lambda: stage.shows("4 comments"), "the new one")


async def test_a_content_warning_is_opened_by_enter_and_a_reply_by_o(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens: list[str] = []
    monkeypatch.setattr("tui.screens.base.BaseScreen.open_link", lambda _self, address: opens.append(address))
    async with talk(with_post(serve(server, status(1), *REPLIES))) as stage:
        await comments_of(stage)
        await stage.press("G")
        assert stage.shows("shows the text")
        assert not stage.shows("The butler did it")
        await stage.press("enter")
        assert stage.shows("The butler did it")
        await stage.press("enter")
        assert not stage.shows("The butler did it")
        await stage.press("o", "k", "o", "g", "enter")
        assert opens == [f"https://other.example/@ada/{number}" for number in (4, 3, 1)]


async def test_a_long_thread_is_laid_out_aside_and_stays_while_a_text_is_opened(server: LoopbackServer) -> None:
    many = [status(number, 1, f"<p>Reply {number}</p>") for number in range(2, 60)]
    hidden = status(60, 1, "<p>The butler did it</p>", spoiler_text="The end", created_at="2026-01-01T00:00:00Z")
    async with talk(with_post(serve(server, status(1), *many, hidden))) as stage:
        await comments_of(stage, "59 comments")
        await stage.until(lambda: stage.shows("Content warning"), "the replies")
        for shown in (True, False):
            await stage.press("g", "j", "enter")
            assert stage.shows("59 comments"), "nothing flickers"
            await stage.until(lambda shown=shown: stage.shows("The butler did it") is shown, "the text")  # type: ignore[misc]


async def test_a_server_that_wants_a_login_is_a_sentence_and_o_still_opens_the_post(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens: list[str] = []
    monkeypatch.setattr("tui.screens.base.BaseScreen.open_link", lambda _self, address: opens.append(address))
    server.page("/api/v1/statuses/1", b"{}", "application/json", status=401)
    post = server.url("/@show/1")
    async with talk(with_post(post)) as stage:
        await comments_of(stage, "shows replies only to its")
        await stage.press("o")
        assert opens == [post]
        serve(server, status(1), *REPLIES)
        await stage.press("r")
        await stage.until(lambda: stage.shows("I disagree"), "the comments")


async def test_on_a_small_terminal_a_long_comment_is_read_line_by_line(server: LoopbackServer) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    post = serve(server, status(1), status(2, 1, f"<p>{words}</p>"), status(3, 1, "<p>The last</p>"))
    async with talk(with_post(post), (40, 12)) as stage:
        await stage.press("v", "6")
        await stage.until(lambda: stage.shows("comments"), "the comments")
        assert isinstance(stage.app.screen, ReadingScreen)
        seen = set[str]()
        for _press in range(60):
            seen |= {word for line in stage.lines() for word in line.split()}
            if stage.shows("The last"):
                break
            await stage.press("j")
        assert {f"word{number}" for number in range(60)} <= seen
        assert stage.shows("The last")


@pytest.mark.parametrize(
    ("on", "protocol", "words"),
    [
        (False, "activitypub", "Comments are off in the settings"),
        (True, "twitter", "This episode has no comments"),
    ],
)
async def test_without_comments_and_with_comments_off_there_is_no_tab(
    server: LoopbackServer, on: bool, protocol: str, words: str
) -> None:
    settings = replace(QUIET, feeds=replace(QUIET.feeds, comments=on))
    async with talk(with_post(serve(server, status(1), *REPLIES), protocol, settings)) as stage:
        await stage.press("6")
        assert stage.news == words
    assert asked(server) == []


async def test_the_post_and_the_chat_are_among_the_links(server: LoopbackServer) -> None:
    async with talk(with_post("https://x.example/1", "twitter")) as stage:
        await stage.press("o")
        assert stage.shows("Comments")
        assert stage.shows("x.example")
        assert stage.shows("Chat")
        assert stage.shows("irc.example.org")
    assert asked(server) == []
