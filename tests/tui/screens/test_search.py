"""ctrl+f: searching everything as one types."""

from datetime import UTC, datetime

import pytest

from player.events import AttachmentsChanged
from player.library import Attachment, AttachmentKind
from player.library.search import query
from player.model.episode import Episode
from player.model.playback import ACTIVE
from tests.quick import mostly_long
from tests.tui.alone import text_of
from tests.tui.stage import Stage, stocked
from tui.screens.search import SearchScreen
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
        await stage.press(*"aotind")
        assert titles(screen) == ["AOTInductor"]
        assert text_of(screen.told) == ["1 match"]
        rows = screen.query_one(FoundList)
        bold = [one.text for one in rows.render_line(0) if one.style and one.style.bold and one.style.color]
        assert "AOTInductor" in bold
        await stage.press(*["backspace"] * 6, *"xyzzy")
        assert titles(screen) == []
        assert stage.shows("No results")
        await stage.press(*["backspace"] * 5, *"inductor")
        assert len(titles(screen)) > 1
        assert text_of(screen.told) == [f"{len(titles(screen))} matches"]


async def test_before_anything_is_typed_it_names_every_filter_as_one_can_type_it() -> None:
    async with stocked() as stage:
        hint = " ".join(text_of((await searched(stage, "")).told))
        assert {one.partition(":")[0] for one in hint.split() if ":" in one} == {*query.FILTERS} - {"podcast-id"}
        assert not stage.library.search.find(f"{hint} ", 10).problems


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


async def test_the_row_under_the_cursor_stands_out() -> None:
    async with stocked() as stage:
        rows = (await searched(stage, "inductor")).query_one(FoundList)
        first, second = ({one.style.bgcolor for one in rows.render_line(at) if one.style} for at in (0, 1))
        assert len(first) == len(second) == 1
        assert first != second


async def test_enter_goes_to_the_episode_in_its_podcast() -> None:
    async with stocked(show="Changelog") as stage:
        screen = await searched(stage, "compiled autograd")
        assert titles(screen)[0] == "Compiled autograd"
        await stage.press("enter")
        await stage.until(lambda: stage.title == "Compiled autograd", "the cursor on it")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.title == "PyTorch Developer Podcast"
        assert stage.focus == "episodes"


async def test_enter_goes_there_within_the_same_podcast_and_ends_its_filter() -> None:
    async with stocked() as stage:
        await stage.press("slash", *"inductor", "enter")
        await searched(stage, "cuda graph trees")
        await stage.press("enter")
        await stage.until(lambda: stage.title == "CUDA graph trees", "the cursor on it")
        assert stage.episodes.row_count() > 20


async def test_arrows_move_while_one_types_and_the_words_stand_in_the_notes_below() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "notes ")
        assert screen.query_one(FoundList).cursor == 0
        await stage.press("down", "down", "up")
        assert screen.query_one(FoundList).cursor == 1
        assert stage.shows("Notes of")
        await stage.press("pagedown")
        assert screen.query_one(FoundList).cursor > 5
        await stage.press("escape")
        assert stage.ready
        await stage.press("ctrl+f")
        assert isinstance(stage.app.screen, SearchScreen)
        assert stage.app.screen.text == "notes "


@pytest.mark.long
async def test_filters_and_what_is_not_understood() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "is:starred ")
        assert len(titles(screen)) >= 3
        await stage.press(*["backspace"] * 11, *"is:wet x")
        assert stage.shows("Unknown filter")


@pytest.mark.long
async def test_tab_puts_the_best_first() -> None:
    async with stocked() as stage:
        screen = await searched(stage, "compiled ")
        assert stage.shows("sort by relevance")
        await stage.press("tab")
        assert stage.shows("sort by date")
        assert titles(screen)


async def test_it_fits_the_smallest_terminal() -> None:
    async with stocked((40, 12)) as stage:
        screen = await searched(stage, "inductor")
        assert titles(screen)
        assert stage.shows("Inductor")


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
    episode = stage.library.episodes.find(title)
    starts = [f"{61 * at // 60:02}:{61 * at % 60:02}.000" for at in range(len(lines) + 1)]
    cues = [f"{start} --> {end}\n{line}\n" for start, end, line in zip(starts, starts[1:], lines, strict=False)]
    body = "\n".join(["WEBVTT\n", *cues]).encode()
    one = Attachment(AttachmentKind.TRANSCRIPT, "https://example.org/said.vtt", body, "text/vtt", "en")
    stage.library.attachments.put(episode.id, one, datetime.now(UTC))
    return episode


async def test_what_is_said_is_found_and_enter_plays_it_at_that_second() -> None:
    async with stocked() as stage:
        episode = hears(stage, "Compiled autograd", "Welcome.", "We saw walruses on the beach.", "Not seals.")
        screen = await searched(stage, "walrus")
        assert titles(screen) == ["Compiled autograd"]
        assert stage.shows("1:01 We saw walruses on the beach. Not seals.")
        assert stage.shows("enter play from 1:01   ctrl+g show in list   esc close")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state in ACTIVE, "it playing")
        assert stage.player.status.episode is not None
        assert stage.player.status.episode.id == episode.id
        assert stage.player.status.position_ms == 61_000
        await stage.until(lambda: stage.title == "Compiled autograd", "the cursor on it")


async def test_one_may_go_to_it_without_hearing_it() -> None:
    async with stocked() as stage:
        hears(stage, "Compiled autograd", "We saw walruses.")
        await searched(stage, "walrus")
        await stage.press("ctrl+g")
        await stage.until(lambda: stage.title == "Compiled autograd", "the cursor on it")
        assert stage.player.status.state not in ACTIVE


async def test_what_is_written_and_said_is_gone_to() -> None:
    async with stocked() as stage:
        hears(stage, "Compiled autograd", "We talk about compiled autograd.")
        screen = await searched(stage, "compiled autograd ")
        assert stage.shows("enter show in list")
        await stage.press(*["backspace"] * 18, *"in:transcript", "space", *"autograd")
        assert titles(screen) == ["Compiled autograd"]
        assert stage.shows("enter play from 0:00")


async def test_a_transcript_that_comes_can_be_found_by_itself() -> None:
    async with stocked() as stage:
        assert stage.library.search.catch_up()
        episode = hears(stage, "Compiled autograd", "We saw walruses.")
        stage.player.bus.publish(AttachmentsChanged(episode.id))
        await stage.until(lambda: len(stage.library.search.find("walruses ", 5).ids) == 1, "it being read")


# -- the cursor -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", mostly_long([((120, 40),), ((40, 12),), ((80, 24),), ((50, 15),)], quick=2))
async def test_the_cursor_has_its_bar_in_sight(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        screen = await searched(stage, "inductor")
        (row,) = [line for line in stage.lines() if titles(screen)[0][:5] in line and "▌" in line]
        assert row.index("▌") < row.index(titles(screen)[0][:5])
        await stage.press("down")
        assert any("▌" in line and titles(screen)[1][:8] in line for line in stage.lines())


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


async def test_what_was_looked_for_may_come_after_the_search_was_closed() -> None:
    async with stocked() as stage:
        await stage.press("ctrl+f")
        screen = stage.app.screen
        assert isinstance(screen, SearchScreen)
        await stage.press("escape")
        await stage.until(lambda: not screen.is_attached, "the end of the search")
        screen._look_into(None)
