"""ctrl+f: searching everything as one types."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from player.events import AttachmentsChanged
from player.library import Attachment, AttachmentKind
from player.library.search import query
from player.library.search.search import EpisodeSearch, Found, Passage
from player.library.search.spoken_hits import SpokenHit
from player.model.episode import Episode, TranscriptRef
from player.model.playback import ACTIVE
from tests.loopback import Answer, LoopbackServer, Request
from tests.player.library.helpers import apply_feed, episode
from tests.tui.alone import text_of
from tests.tui.stage import Stage, stocked
from tui.drawing import cells
from tui.drawing.runs import Line
from tui.screens.search import SearchScreen
from tui.terminal import clipboard
from tui.widgets import search_results
from tui.widgets.search_results import FoundList


async def searched(stage: Stage, text: str) -> SearchScreen:
    """Opens the search and writes; returns when the answer is there."""
    assert stage.library.search.catch_up()
    await stage.press("ctrl+f")
    screen = stage.app.screen
    assert isinstance(screen, SearchScreen)
    await stage.write(text)
    return screen


def titles(screen: SearchScreen) -> list[str]:
    rows = screen.query_one(FoundList)
    return [row.title for row in (rows._rows.row_at(at) for at in range(rows.row_count())) if row]


async def test_it_finds_as_one_types_and_marks_the_words() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "")
        hint = " ".join(text_of(screen.told))
        assert {one.partition(":")[0] for one in hint.split() if ":" in one} == {*query.FILTERS} - {"podcast-id", "in"}
        assert not stage.library.search.find(f"{hint} ", 10).problems, "every filter as one can type it"
        await stage.press(*"aotind")
        assert titles(screen) == ["AOTInductor"]
        assert text_of(screen.told) == ["1 match in titles"]
        rows = screen.query_one(FoundList)
        bold = [one.text for one in rows.render_line(0) if one.style and one.style.bold and one.style.color]
        assert "AOTInductor" in bold
        await stage.press(*["backspace"] * 6, *"xyzzy")
        assert titles(screen) == []
        assert stage.shows("No results")
        await stage.press(*["backspace"] * 5, *"inductor")
        assert len(titles(screen)) > 1
        assert text_of(screen.told) == ["9 matches: 3 in titles, 6 in notes"]
        first, second = ({one.style.bgcolor for one in rows.render_line(at) if one.style} for at in (0, 2))
        assert len(first) == len(second) == 1
        assert first != second, "the row under the cursor stands out"
        await stage.press("ctrl+u")
        await stage.write("is:starred ")
        assert len(titles(screen)) >= 3
        await stage.press("ctrl+u")
        await stage.write("is:wet x")
        assert stage.shows("Unknown filter")


async def test_filters_are_completed_while_one_types() -> None:
    async with stocked() as stage:
        stage.library.shelf.set_tags(stage.library.podcasts.find("Changelog").id, ["Work"])
        screen = await searched(stage, "podcast:ch")
        await stage.until(lambda: screen.field._suggestion == "podcast:changelog", "the completion")
        await stage.press("right", "space", *"is:")
        assert text_of(screen.told)[0].startswith("is:unplayed  is:played  is:starred")
        await stage.press("right", "space", *"tag:")
        assert text_of(screen.told) == ["tag:Work"]
        await stage.press("right")
        assert screen.text == "podcast:changelog is:unplayed tag:Work"
        assert len(titles(screen)) == 9


async def test_enter_goes_to_the_episode_in_its_podcast() -> None:
    async with stocked(show="Changelog") as stage:
        screen = await searched(stage, "compiled autograd")
        assert titles(screen)[0] == "Compiled autograd"
        await stage.press("enter")
        await stage.until(lambda: stage.title == "Compiled autograd", "the cursor on it")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.title == "PyTorch Developer Podcast"
        assert stage.focus == "episodes"

        await stage.press("slash", *"inductor", "enter", "ctrl+f", "ctrl+u")
        await stage.write("cuda graph trees")
        await stage.press("enter")
        await stage.until(lambda: stage.title == "CUDA graph trees", "the cursor on it")
        assert stage.episodes.row_count() > 20, "the filter of the same podcast has ended"


async def test_arrows_move_while_one_types() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "notes ")
        assert screen.query_one(FoundList).cursor == 0
        await stage.press("down", "down", "up")
        assert screen.query_one(FoundList).cursor == 1
        await stage.press("pagedown")
        assert screen.query_one(FoundList).cursor > 5
        await stage.press("escape")
        assert stage.ready
        await stage.press("ctrl+f")
        again = stage.app.screen
        assert isinstance(again, SearchScreen)
        assert again.text == "notes "
        await stage.press("escape")
        await stage.until(lambda: not again.is_attached, "the end of the search")


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_each_row_has_its_excerpt_below_with_the_words_marked(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        screen = await searched(stage, "functional ")
        rows = screen.query_one(FoundList)
        for _ in range(2):
            lines = stage.lines_of(rows)
            assert [titles(screen)[at][:6] in lines[2 * at] for at in range(3)] == [True] * 3
            assert all("been made functional" in line for line in lines[1:6:2]), lines
            assert any("1h 06m" in line for line in lines) is (rows.size.width > 70), "titles need the room"
            marked = [one.text for one in rows.render_line(1) if one.style and one.style.bold and one.text.isalpha()]
            assert marked == ["functional"], "also without colours"
            await stage.resize(size[0] + 20, size[1])
            await stage.settle()


async def test_excerpts_stay_while_others_are_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked((80, 24)) as stage:
        screen = await searched(stage, "functional ")
        rows, go_on = screen.query_one(FoundList), threading.Event()
        passages = EpisodeSearch.passages

        def wait(search: EpisodeSearch, episodes: Sequence[Episode], found: Found, width: int) -> list[Passage]:
            go_on.wait(30)
            return passages(search, episodes, found, width)

        monkeypatch.setattr(EpisodeSearch, "passages", wait)
        await stage.pilot.press(*"mutations")
        await stage.until(lambda: rows._found.terms[-1].words == ("mutations",), "the results")
        assert screen.found.passage is None
        assert "been made functional" in stage.lines_of(rows)[1]
        go_on.set()
        await stage.settle()
        assert screen.found.passage is not None


async def test_only_the_excerpts_of_rows_in_sight_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked((80, 24)) as stage:
        asked: list[str] = []
        passages = EpisodeSearch.passages

        def count(search: EpisodeSearch, episodes: Sequence[Episode], found: Found, width: int) -> list[Passage]:
            asked.extend(one.title for one in episodes)
            return passages(search, episodes, found, width)

        monkeypatch.setattr(EpisodeSearch, "passages", count)
        screen = await searched(stage, "functional ")
        rows, found = screen.query_one(FoundList), titles(screen)
        seen = len(rows.rows_in_sight)
        assert asked == found[:seen]
        await stage.press("up", "down", "up")
        assert len(asked) == seen, "each once"
        await stage.press("pagedown")
        assert sorted(asked) == sorted({*asked}), "each once"
        assert {*asked} == {*found[: rows.rows_in_sight.stop]}


@pytest.mark.long
async def test_tab_puts_the_best_first() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "compiled ")
        assert stage.shows("sort by relevance")
        await stage.press("tab")
        assert stage.shows("sort by date")
        assert titles(screen)


@pytest.mark.long
async def test_what_cannot_be_found_yet_is_told() -> None:
    async with stocked() as stage:
        stage.player.services.index.close()
        stage.library._index.throw_away()
        await stage.press("ctrl+f", *"inductor")
        await stage.until(lambda: stage.shows("still being read"), "the count of what is left")


# -- what is said ---------------------------------------------------------------------------------------------


def hears(stage: Stage, title: str, *lines: str) -> Episode:
    """Keeps a transcript of it with a line every 61 seconds."""
    one = stage.library.episodes.find(title)
    starts = [f"{61 * at // 60:02}:{61 * at % 60:02}.000" for at in range(len(lines) + 1)]
    cues = [f"{start} --> {end}\n{line}\n" for start, end, line in zip(starts, starts[1:], lines, strict=False)]
    body = "\n".join(["WEBVTT\n", *cues]).encode()
    said = Attachment(AttachmentKind.TRANSCRIPT, "https://example.org/said.vtt", body, "text/vtt", "en")
    stage.library.attachments.put(one.id, said, datetime.now(UTC))
    return one


async def test_what_is_said_is_found_and_enter_plays_it_at_that_second() -> None:
    async with stocked() as stage:
        assert stage.library.search.catch_up()
        lines = ("We talk about compiled autograd.", "We saw walruses on the beach.", "Not seals.")
        talk = hears(stage, "Compiled autograd", *lines)
        stage.player.bus.publish(AttachmentsChanged(talk.id))
        await stage.until(lambda: len(stage.library.search.find("walruses ", 5).ids) == 1, "it being read by itself")
        screen = await searched(stage, "compiled autograd ")
        assert stage.shows("enter show in list"), "what is written too is gone to"
        await stage.press("ctrl+u")
        await stage.write("in:transcript autograd")
        assert titles(screen) == ["Compiled autograd"]
        assert stage.shows("enter play from 0:00")

        await stage.press("ctrl+u")
        await stage.write("walrus")
        assert titles(screen) == ["Compiled autograd"]
        assert stage.shows("1:01 We saw walruses on the beach. Not seals.")
        keys = "enter play from 1:01", "ctrl+l all hits", "ctrl+y quote", "esc close", "ctrl+g show in list"
        assert stage.shows("   ".join(keys))
        await stage.press("ctrl+g")
        await stage.until(lambda: stage.title == "Compiled autograd", "the cursor on it")
        assert stage.player.status.state not in ACTIVE, "without hearing it"
        await stage.press("ctrl+f", "enter")
        await stage.until(lambda: stage.player.status.state in ACTIVE, "it playing")
        assert stage.player.status.episode is not None
        assert stage.player.status.episode.id == talk.id
        assert stage.player.status.position_ms == 61_000


# -- the hits of an episode ------------------------------------------------------------------------------------

ZOO = (
    "Hello and welcome. Today we go to the zoo.", "The walruses are asleep.", "Then there are seals.",
    "A walrus eats", "fish every day.", "Nobody asked the walrus.", "That was it.",
)  # fmt: skip


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (60, 20)])
async def test_all_hits_of_an_episode_are_shown_with_the_sentences_around_them(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        hears(stage, "CUDA graph trees", *ZOO)
        hears(stage, "Compiled autograd", "A walrus, once.")
        screen = await searched(stage, "said:walrus* ")
        rows = screen.query_one(FoundList)
        assert titles(screen) == ["CUDA graph trees", "Compiled autograd"]
        assert stage.shows("ctrl+l all hits")
        await stage.press("ctrl+l")
        assert titles(screen) == ["CUDA graph trees"] * 4 + ["Compiled autograd"]
        shown = [line.strip("▌ \u2588") for line in stage.lines_of(rows)]
        assert shown[1] == "3 hits"
        text = " ".join(" ".join(shown[2:]).split())
        assert text.startswith("1:01 Today we go to the zoo. The walruses are asleep. Then there are seals.")
        assert "3:03 Then there are seals. A walrus eats fish every day. Nobody asked the walrus." in text
        bold = {one.text for y in range(3) for one in rows.render_line(y) if one.style and one.style.bold}
        assert "walruses" in bold
        assert stage.shows("ctrl+l hide hits")

        await stage.press("down", "down")
        assert screen.found.hit is not None
        assert screen.found.episode is not None
        assert screen.found.episode.title == "CUDA graph trees"
        assert screen.found.hit.text == "A walrus eats fish every day."
        assert stage.shows("enter play from 3:03")
        cursor = [line for line in stage.lines_of(rows) if line.startswith("▌")]
        assert "A walrus" in " ".join(cursor)
        await stage.press("down", "down")
        assert screen.found.hit is not None
        assert screen.found.hit.text == "A walrus, once.", "the next episode follows"
        await stage.press("ctrl+l")
        assert titles(screen) == ["CUDA graph trees", "Compiled autograd", "Compiled autograd"]
        await stage.press("ctrl+l")
        assert titles(screen) == ["CUDA graph trees", "Compiled autograd"]
        assert rows.cursor == 1


async def test_hits_that_would_be_out_of_sight_are_scrolled_to() -> None:
    async with stocked((80, 24)) as stage:
        podcast = stage.library.podcasts.add("http://zoo.example/feed", "Zoo")
        apply_feed(stage.library, podcast, *(episode(at, title=f"Day {at}.") for at in range(12)))
        for at in range(12):
            hears(stage, f"Day {at}.", *ZOO)
        screen = await searched(stage, "said:walrus* ")
        rows = screen.query_one(FoundList)
        last = len(rows.rows_in_sight) - 1
        await stage.press(*["down"] * last, "ctrl+l")
        lines = stage.lines_of(rows)
        assert any(f"Day {last}." in line for line in lines)
        assert any("Nobody asked the walrus." in line for line in lines), "the last hit is in sight"


async def test_enter_on_a_hit_plays_from_its_word() -> None:
    async with stocked() as stage:
        talk = hears(stage, "Compiled autograd", *ZOO)
        await searched(stage, "fish")
        assert stage.shows("enter play from 3:03"), "where its sentence begins"
        await stage.press("ctrl+l", "down", "enter")
        await stage.until(lambda: stage.player.status.state in ACTIVE, "it playing")
        assert stage.player.status.episode is not None
        assert stage.player.status.episode.id == talk.id
        assert stage.player.status.position_ms == 4 * 61_000, "fish is said in the line after that"


async def test_a_hit_is_copied_as_a_quotation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "programs", lambda _environ: [])
    async with stocked() as stage:
        talk = hears(stage, "Compiled autograd", *ZOO)
        screen = await searched(stage, "said:walrus ")
        await stage.press("ctrl+l", "down", "down", "ctrl+y")
        assert text_of(screen.told) == ["Copied as a quotation, with its link"]
        quote, source, link = stage.app.clipboard.split("\n")
        assert quote == "“Nobody asked the walrus.”"
        assert source == f"— Compiled autograd, {talk.podcast}, 5:05"
        assert link == f"{talk.url.replace(' ', '%20')}#t=305"
        await stage.press("up", "up", "ctrl+y")
        assert stage.app.clipboard.startswith("“A walrus eats fish every day.”"), "of an episode, its first hit"
        await stage.press("ctrl+u")
        await stage.write("inductor ")
        stage.app._clipboard = ""
        await stage.press("ctrl+y", "ctrl+l")
        assert stage.app.clipboard == ""
        assert screen.text == "inductor "
        assert not stage.shows("ctrl+y")


async def test_a_transcript_without_times_has_hits_too() -> None:
    async with stocked() as stage:
        talk = stage.library.episodes.find("Compiled autograd")
        said = Attachment(AttachmentKind.TRANSCRIPT, "https://a.example/t", b"Hello.\n\nA walrus.", "text/plain")
        stage.library.attachments.put(talk.id, said, datetime.now(UTC))
        screen = await searched(stage, "walrus ")
        await stage.press("ctrl+l", "down")
        assert stage.shows("▌  Hello. A walrus.")
        assert stage.shows("enter show in list")
        assert screen.found.hit is not None
        await stage.press("enter")
        await stage.until(lambda: stage.title == "Compiled autograd", "the cursor on it")
        assert stage.player.status.state not in ACTIVE


async def test_hits_are_hidden_by_another_search_and_stay_while_results_grow() -> None:
    async with stocked() as stage:
        hears(stage, "Compiled autograd", *ZOO)
        screen = await searched(stage, "walrus*")
        await stage.press("ctrl+l", "down", "down")
        hears(stage, "CUDA graph trees", "A walrus, once.")
        assert stage.library.search.catch_up()
        assert screen._question is not None
        screen._search(screen._question, again=True)
        await stage.settle()
        assert titles(screen).count("Compiled autograd") == 4
        assert "CUDA graph trees" in titles(screen)
        assert screen.found.hit is not None
        assert screen.found.hit.text == "A walrus eats fish every day.", "the cursor stays"
        await stage.write(" fish")
        assert titles(screen) == ["Compiled autograd"]


async def test_many_hits_are_bounded_and_drawn_only_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked((80, 24)) as stage:
        hears(stage, "Compiled autograd", *(f"Walrus {number}." for number in range(300)))
        screen = await searched(stage, "walrus ")
        await stage.press("ctrl+l")
        assert stage.shows("the first 100 hits")
        assert len(titles(screen)) == 101
        drawn: list[SpokenHit] = []

        def draw(hit: SpokenHit, *_: object) -> list[Line]:
            drawn.append(hit)
            return []

        monkeypatch.setattr(search_results, "hit_lines", draw)
        await stage.press("pagedown")
        stage.lines()
        assert len({hit.line for hit in drawn}) < 10


@pytest.mark.parametrize(
    ("line", "shown"), [("今日は雨の話をしました。", "今日は雨の話をしました。"), ("مرحبا بكم في الحلقة.", "ةقلحلا")]
)
async def test_hits_in_other_scripts(line: str, shown: str) -> None:
    async with stocked((80, 24)) as stage:
        hears(stage, "Compiled autograd", "Hello.", line, "Bye.")
        screen = await searched(stage, f'"{line}" ')
        await stage.press("ctrl+l", "down")
        assert stage.shows("1:01  ")
        assert shown in " ".join(stage.lines_of(screen.query_one(FoundList)))
        assert {cells.width(text) for text in stage.lines()} == {80}


async def test_the_heading_counts_matches_by_kind() -> None:
    async with stocked() as stage:
        for title in ("Compiled autograd", "CUDA graph trees"):
            hears(stage, title, "Inductor is spoken of.")
        screen = await searched(stage, "inductor ")
        assert text_of(screen.told) == ["11 matches: 3 in titles, 6 in notes, 2 in transcripts"]
        await stage.press("ctrl+u")
        await stage.write("changelog ")
        assert text_of(screen.told) == ["1 podcast · 10 matches: 9 in titles, 1 in notes"]
        await stage.press("ctrl+u")
        await stage.write("is:starred ")
        assert text_of(screen.told) == [f"{len(titles(screen))} matches"]


# -- transcripts that haven't been fetched --------------------------------------------------------------------

NUMBER = 12
SAID = b"WEBVTT\n\n01:01.000 --> 01:09.000\nWe saw walruses on the beach.\n"


def talks(stage: Stage, server: LoopbackServer, answer: Answer) -> None:
    """A podcast whose feed names a transcript of each episode."""
    answers = [server.answer(f"/{number}.vtt", answer) for number in range(NUMBER)]
    podcast = stage.library.podcasts.add("http://talks.example/feed", "Talks")
    refs = [(TranscriptRef(url, "text/vtt", "en"),) for url in answers]
    apply_feed(stage.library, podcast, *(episode(at, transcripts=ref) for at, ref in enumerate(refs)))


async def test_what_is_said_is_found_once_the_transcripts_are_fetched() -> None:
    go_on = threading.Event()

    def answer(request: Request) -> None:
        assert request.path in ("/0.vtt", "/1.vtt") or go_on.wait(30)
        request.reply(SAID, "text/vtt")

    with LoopbackServer() as server:
        async with stocked() as stage:
            talks(stage, server, answer)
            screen = await searched(stage, "walruses ")
            told = "12 transcripts not fetched yet · ctrl+f fetches them"
            assert text_of(screen.told) == [f"0 matches · {told}"]
            assert server.seen == []
            await stage.press("ctrl+u")
            await stage.write("walruses podcast:changelog ")
            await stage.until(lambda: text_of(screen.told) == ["0 matches"], "those podcasts have all of theirs")
            await stage.press("ctrl+u")
            await stage.write("walruses ")
            await stage.until(lambda: text_of(screen.told) == [f"0 matches · {told}"], "the count")

            await stage.press("ctrl+f")
            assert screen.text == "walruses "
            await stage.until(lambda: stage.shows("fetching transcripts: 2 of 12 · esc stops"), "the progress")
            await stage.until(lambda: len(titles(screen)) == 2, "the first results")
            await stage.press("down")
            under_cursor = screen.found.episode_id
            go_on.set()
            await stage.until(lambda: len(titles(screen)) == NUMBER, "all results")
            assert screen.found.episode_id == under_cursor
            await stage.until(lambda: text_of(screen.told) == ["12 matches in transcripts"], "the end")
            assert stage.shows("1:01 We saw walruses on the beach.")


async def test_escape_stops_fetching_before_it_closes_the_search() -> None:
    go_on = threading.Event()

    def answer(request: Request) -> None:
        go_on.wait(30)
        request.reply(SAID, "text/vtt")

    with LoopbackServer() as server:
        async with stocked() as stage:
            talks(stage, server, answer)
            screen = await searched(stage, "walruses ")
            await stage.press("ctrl+f")
            await stage.until(lambda: len(server.seen) == 1, "the first request")
            assert stage.shows("esc stop fetching")
            await stage.press("escape")
            assert stage.app.screen is screen
            await stage.until(lambda: stage.shows("12 transcripts not fetched yet"), "the count")
            go_on.set()
            await stage.until(lambda: stage.shows("11 transcripts not fetched yet"), "the one under way")
            assert len(server.seen) == 1
            await stage.press("escape")
            assert stage.ready


async def test_offline_no_transcripts_are_fetched() -> None:
    with LoopbackServer() as server:
        async with stocked() as stage:
            talks(stage, server, lambda request: request.reply(SAID, "text/vtt"))
            stage.player.network.choose(True)
            screen = await searched(stage, "walruses ")
            assert text_of(screen.told) == ["0 matches · 12 transcripts not fetched yet · offline"]
            await stage.press("ctrl+f")
            assert not stage.player.attachments.backlog.progress.under_way
            assert server.seen == []


# -- the cursor -----------------------------------------------------------------------------------------------


async def test_the_cursor_has_its_bar_in_sight() -> None:
    async with stocked((40, 12)) as stage:
        screen = await searched(stage, "inductor")
        assert stage.shows("Inductor")
        for size in ((40, 12), (120, 40), (80, 24), (50, 15)):
            await stage.resize(*size)
            (row,) = [line for line in stage.lines() if titles(screen)[0][:5] in line and "▌" in line]
            assert row.index("▌") < row.index(titles(screen)[0][:5]), size
            await stage.press("down")
            assert any("▌" in line and titles(screen)[1][:8] in line for line in stage.lines()), size
            await stage.press("up")


@pytest.mark.long
async def test_the_cursor_is_on_the_first_row_whatever_is_typed_until_it_is_moved() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "")
        rows = screen.query_one(FoundList)
        await stage.press("i")
        first = rows.episode_id
        await stage.press(*"nd")
        assert rows.listing.rank(first) != 0
        assert rows.cursor == 0
        await stage.press("down", "down")
        stays = rows.episode_id
        await stage.press(*"uctor")
        assert rows.episode_id == stays
        await stage.press(*["backspace"] * 8, *"ind")
        assert rows.cursor == 0
