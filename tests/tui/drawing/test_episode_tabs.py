"""A tab of an episode's page fetches what the feed names for it, and says “none” only where that is known."""

import json

import pytest

from tests.loopback import LoopbackServer
from tests.tui.stage import Stage, stocked
from tui.drawing.episode_tabs import TabWord, tab_line

CHAPTERS = json.dumps(
    {"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Opening"}, {"startTime": 60, "title": "Middle"}]}
).encode()
TRANSCRIPT = b"WEBVTT\n\n00:00.000 --> 00:02.000\nHello from number %d.\n"


def episode(server: LoopbackServer, number: int, *, chapters: str = "", transcript: str = "") -> str:
    named = ""
    if chapters:
        named += f'<podcast:chapters url="{server.url(chapters)}" type="application/json+chapters"/>'
    if transcript:
        named += f'<podcast:transcript url="{server.url(transcript)}" type="text/vtt"/>'
    return (
        f"<item><title>Loop {number}</title><guid>{number}</guid>"
        f'<enclosure url="https://media.example/{number}.mp3" type="audio/mpeg" length="1"/>'
        f"<pubDate>Mon, {number:02} Jun 2026 10:00:00 +0000</pubDate>{named}</item>"
    )


def feed(*items: str) -> bytes:
    namespace = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    return f"<rss version='2.0' {namespace}><channel><title>Loop</title>{''.join(items)}</channel></rss>".encode()


def asked(server: LoopbackServer, path: str) -> bool:
    return any(request.path == path for request in server.seen)


async def subscribed(stage: Stage, url: str, title: str) -> None:
    stage.player.add(url).result(10)
    await stage.until(lambda: stage.title == title and stage.filled, "the new podcast")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (60, "Notes   Chapters 12   Transcript   Bookmarks 3"),
        (44, "Notes   Chapters   Transcript   Bookmarks"),
        (38, "Notes  Chapters  Transcript  Bookmarks"),
        (35, "Notes Chapters Transcript Bookmarks"),
        (34, "Notes  Chapters  Transcript  …"),
        (29, "Notes  Chapters  …"),
        (16, "…  Chapters  …"),
    ],
)
def test_where_tabs_have_little_room_their_numbers_go_first_then_those_far_from_the_chosen_one(
    columns: int, line: str
) -> None:
    words = [("notes", "Notes", 0), ("chapters", "Chapters", 12), ("transcript", "Transcript", 0)]
    pieces = tab_line([TabWord(*one) for one in (*words, ("bookmarks", "Bookmarks", 3))], "chapters", columns, "…")
    assert "".join(piece.text for piece in pieces) == line
    assert [piece.href for piece in pieces if piece.role == "tab-on"] == ["earmark:tab/chapters"]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The listener reads what a digit opened before pressing another key, so the digit is no count of that key."""
    monkeypatch.setattr("tui.actions.keys._AGAIN_S", 0.0)


@pytest.mark.usefixtures("unhurried")
async def test_a_transcript_that_stays_open_is_fetched_for_the_next_episode_too(server: LoopbackServer) -> None:
    for number in (1, 2):
        server.page(f"/{number}.vtt", TRANSCRIPT % number, "text/vtt")
    items = [episode(server, number, transcript=f"/{number}.vtt") for number in (1, 2)]
    url = server.page("/feed.xml", feed(*items))
    async with stocked() as stage:
        await subscribed(stage, url, "Loop 2")
        await stage.press("3")
        await stage.until(lambda: stage.shows("Hello from number 2."), "the first transcript")
        await stage.press("J")
        await stage.until(lambda: stage.shows("Hello from number 1."), "the next transcript")


@pytest.mark.long
@pytest.mark.usefixtures("unhurried")
async def test_the_page_over_the_whole_screen_fetches_the_next_transcript_too(server: LoopbackServer) -> None:
    for number in (1, 2):
        server.page(f"/{number}.vtt", TRANSCRIPT % number, "text/vtt")
    items = [episode(server, number, transcript=f"/{number}.vtt") for number in (1, 2)]
    url = server.page("/feed.xml", feed(*items))
    async with stocked((80, 24)) as stage:
        await subscribed(stage, url, "Loop 2")
        await stage.press("v", "3")
        await stage.until(lambda: stage.shows("Hello from number 2."), "the first transcript")
        await stage.press("J")
        await stage.until(lambda: stage.shows("Hello from number 1."), "the next transcript")


@pytest.mark.usefixtures("unhurried")
async def test_chapters_that_the_feed_names_are_a_tab_before_they_are_here_and_are_fetched_with_it(
    server: LoopbackServer,
) -> None:
    server.page("/3.json", CHAPTERS, "application/json")
    named = [episode(server, 3, chapters="/3.json"), episode(server, 2, chapters="/gone.json"), episode(server, 1)]
    url = server.page("/feed.xml", feed(*named))
    async with stocked() as stage:
        await subscribed(stage, url, "Loop 3")
        assert stage.shows("Notes   Chapters")
        assert not asked(server, "/3.json")
        await stage.press("2")
        await stage.until(lambda: stage.shows("1:00  Middle"), "the chapters")
        assert "no chapters" not in stage.news.lower()

        await stage.press("1", "J")
        await stage.until(lambda: stage.title == "Loop 2" and stage.filled, "the next episode")
        await stage.press("2")
        await stage.until(lambda: stage.shows("(404)"), "why its chapters can't be fetched")

        await stage.press("1", "J")
        await stage.until(lambda: stage.title == "Loop 1" and stage.filled, "the one without chapters")
        await stage.press("2")
        assert stage.news == "No chapters known yet. The audio may contain some: they appear when it plays."


@pytest.mark.long
async def test_chapters_that_turn_out_to_be_none_lead_back_to_the_notes(server: LoopbackServer) -> None:
    hidden = {"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Opening", "toc": False}]}
    server.page("/1.json", json.dumps(hidden).encode(), "application/json")
    url = server.page("/feed.xml", feed(episode(server, 1, chapters="/1.json")))
    async with stocked() as stage:
        await subscribed(stage, url, "Loop 1")
        await stage.press("2")
        await stage.until(lambda: stage.news.startswith("No chapters known yet"), "the answer")
        assert stage.screen.page.tab == "notes"
