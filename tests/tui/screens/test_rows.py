"""Lists with rows of two lines and date headings: the cursor goes from row to row, whatever stands between them."""

import random
from datetime import UTC, datetime
from itertools import pairwise, product

import numpy as np
import pytest
from msgspec.structs import replace
from textual.events import MouseDown, MouseMove, MouseUp

from player.feeds.check import decide
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.player import Player
from player.settings import Appearance, Settings
from tests.tui.alone import text_of
from tests.tui.screens.test_changed_settings import change
from tests.tui.stage import QUIET, Stage, opened, stocked, stocked_player


async def everything(stage: Stage) -> None:
    await stage.press(*stage.way_to(ViewName.ALL), "l", "g")


def has_headings(stage: Stage) -> bool:
    return bool(stage.episodes._lines._headings)


def line_of(stage: Stage, words: str) -> int:
    """Of the list, the line with these words, counted from its top."""
    left, right = stage.episodes.region.x, stage.episodes.region.right
    return next(at for at, line in enumerate(stage.lines()) if words in line[left:right]) - stage.episodes.region.y


async def test_keys_step_over_headings_and_the_mouse_rests_on_rows_alone() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        episodes, count = stage.episodes, stage.episodes.row_count()
        assert line_of(stage, "Today") == 0
        assert line_of(stage, "Compiler collectives") == 1
        assert line_of(stage, "▎PyTorch Developer Podcast · 16m") == 2
        await stage.press("j")
        assert (episodes.cursor, stage.title) == (1, "TORCH_TRACE and tlparse")
        for words in ("Yesterday", "This week"):
            for line in (line_of(stage, words), line_of(stage, words) - 1):
                await stage.pilot.click("#episodes", offset=(4, line))
                assert episodes.cursor == 1, "neither on a heading nor on the gap above it"
        await stage.pilot.click("#episodes", offset=(4, line_of(stage, "Higher order") + 1))
        assert stage.title == "Higher order operators", "the second line of a row"
        await stage.press("k", "k", "k", "k")
        assert (episodes.cursor, episodes.scroll_offset.y) == (0, 0)

        await stage.press("V", "j", "j")
        assert stage.shows("3 selected"), "rows, and no headings"
        await stage.pilot.click("#episodes", offset=(4, line_of(stage, "Compiler")), shift=True)
        assert episodes.selected == range(1)

        await stage.press("escape", "G")
        assert episodes.cursor == count - 1
        assert episodes.rows_in_sight.stop == count
        assert episodes.scroll_offset.y == episodes.max_scroll_y
        assert episodes.virtual_size.height > 2 * count, "two lines each, and headings"
        await stage.press("g", "ctrl+d")
        assert 4 < episodes.cursor < episodes.size.height // 3
        assert episodes.cursor in episodes.rows_in_sight
        for _page in range(20):
            await stage.press("ctrl+d")
            top = episodes._lines.top_of(episodes.cursor) - episodes.scroll_offset.y
            assert 0 <= top < episodes.size.height - 1, "both of its lines are in sight"
        await stage.press(*["k"] * 12)
        head = episodes._lines.head_of(episodes.cursor) - episodes.scroll_offset.y
        assert head >= 0, "with the heading above it"

        assert has_headings(stage)
        await stage.press("slash", *"com", "enter")
        await stage.until(lambda: stage.shows("matches"), "the filter")
        assert not has_headings(stage)
        await stage.press(*stage.way_to(ViewName.IN_PROGRESS), "l")
        assert not has_headings(stage), "the order tells otherwise"
        assert episodes._lines.height == 2


async def test_the_setting_decides_and_otherwise_the_size_of_the_list() -> None:
    async with stocked((120, 40), settings=with_rows("one")) as stage:
        await everything(stage)
        assert stage.episodes._lines.height == 1
        await the_cursor_goes_to_places(stage)
        for rows, size, height in (("auto", (80, 13), 1), ("auto", (80, 24), 2), ("two", (80, 24), 2)):
            await stage.resize(*size)
            await change(stage, with_rows(rows), "appearance.rows")
            assert stage.episodes._lines.height == height, (rows, size)
        await stage.resize(120, 40)
        await stage.press("g")
        await the_cursor_goes_to_places(stage)


def with_rows(rows: str) -> Settings:
    return replace(QUIET, appearance=Appearance(rows=rows))


async def the_cursor_goes_to_places(stage: Stage) -> None:
    """On the screen, whatever rows and headings take."""
    episodes, height = stage.episodes, stage.episodes.size.height
    for _page in range(4):
        places = []
        top = episodes.scroll_offset.y
        for share in (0.0, 0.5, 1.0):
            episodes.move_on_screen(share)
            assert episodes.scroll_offset.y == top
            assert episodes.cursor in episodes.rows_in_sight
            places.append(episodes._lines.top_of(episodes.cursor) - top)
        assert places[0] < height // 3 < places[1] < 2 * height // 3 < places[2]
        episodes.center()
        place = episodes._lines.top_of(episodes.cursor) - episodes.scroll_offset.y
        assert abs(place + episodes._lines.height / 2 - height / 2) <= 1.5
        episodes.keep_cursor_in_sight()


@pytest.mark.long
async def test_rows_of_two_lines_are_dragged_by_rows() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        await stage.press("e", "j", "e", "j", "e")
        await stage.press(*stage.way_to(ViewName.QUEUE), "l", "g")
        await stage.until(lambda: stage.episodes.row_count() == 3, "the queue")
        first = stage.title
        for event, line in ((MouseDown, 0), (MouseMove, 3), (MouseUp, 3)):
            await stage.pilot._post_mouse_events([event], "#episodes", (6, line), button=1)
        await stage.until(lambda: stage.episodes.cursor == 1, "the row one further down")
        assert stage.title == first


def lengths(count: int, *quantiles: tuple[float, int]) -> list[int]:
    """So many lengths, spread as the quantiles say."""
    shares, letters = zip(*quantiles, strict=True)
    return [round(float(one)) for one in np.interp((np.arange(count) + 0.5) / count, shares, letters)]


TITLES = lengths(120, (0, 6), (0.5, 31), (0.75, 42), (0.9, 57), (0.95, 68), (1, 110))
PODCASTS = lengths(12, (0, 5), (0.5, 18), (0.75, 31), (0.9, 41), (1, 60))
"""Of 1,564 titles of 18 public feeds, and of the titles of podcasts."""


def shelf_of_real_lengths() -> Player:
    """12 podcasts of 10 episodes each, all of them new and half of them queued, with titles of real lengths."""
    player = stocked_player()
    library, draw = player.library, random.Random(1)
    for podcast in library.podcasts.all():
        library.podcasts.remove(podcast.id)

    def title(letters: int) -> str:
        return "".join(draw.choice("aeinrst ") for _ in range(letters - 2)).replace(" ", "m").join(("E", "d"))

    drawn = draw.sample(TITLES, len(TITLES))
    for number, letters in enumerate(PODCASTS):
        podcast = library.podcasts.add(f"https://{number}.example/feed", title(letters))
        items = tuple(
            FeedEpisode(
                guid=str(at), title=title(one), url=f"https://media.example/{number}/{at}.mp3", media_type="audio/mpeg",
                published=datetime(2026, 11, 20 - at, 12, tzinfo=UTC), duration_ms=3_600_000,
            )
            for at, one in enumerate(drawn[10 * number : 10 * number + 10])
        )  # fmt: skip
        library.podcasts.apply(podcast.id, Feed(title=podcast.title, episodes=items), FeedState(), decide)
    ids = [EpisodeId(one) for one in library.episodes.ids(View.of(ViewName.ALL))]
    library.inbox.add(ids)
    library.queue.add_last(ids[::2])
    return player


async def test_most_titles_are_whole_at_the_sizes_that_terminals_open_with() -> None:
    async with opened(shelf_of_real_lengths(), (120, 30)) as stage:
        for size in ((120, 30), (80, 24)):
            await stage.resize(*size)
            await stage.press("h", "h")
            shown = "\n".join(line[: stage.sidebar.size.width + 1] for line in stage.lines())
            podcasts = [one.title for one in stage.library.podcasts.all()]
            if size == (120, 30):
                assert sum(title in shown for title in podcasts) >= 0.75 * len(podcasts)
                assert all(title[:20] in shown for title in podcasts)
            for name in (ViewName.NEW, ViewName.QUEUE, ViewName.ALL):
                await stage.press(*stage.way_to(name), "l", "g")
                rows, count = stage.episodes, stage.episodes.row_count()
                seen = text_of(rows)
                while rows.cursor < count - 1:
                    await stage.press("ctrl+d")
                    seen += text_of(rows)
                ids = await rows.ids_of(range(count))
                titles = {one.title for one in stage.library.episodes.rows(ids)}
                assert len(titles) == count
                rows_seen = [f"{line[2:].rstrip()}{below.strip()}" for line, below in pairwise(seen)]
                whole = sum(any(title in row for row in rows_seen) for title in titles) / len(titles)
                assert whole >= (0.9 if size == (120, 30) else 0.85), (name, size, whole)


async def test_after_a_key_for_several_rows_the_cursor_is_on_the_row_after_them() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        await stage.press("g", "j", "j", "j")
        following = stage.title
        for act, keys in product("eEs", (("V", "j", "j"), ("j", "j", "V", "k", "k"))):
            await stage.press("g", *keys, act)
            assert (stage.episodes.cursor, stage.title) == (3, following), (act, keys)
            await stage.until(lambda: "U undoes" in stage.news, "what was done, and how it is undone")
            await stage.press("U")
            await stage.until(lambda: stage.news.startswith("Undone"), "its undoing")

        await stage.press(*stage.way_to(ViewName.NEW), "l", "g")
        assert stage.episodes.row_count() >= 5
        await stage.press("j", "j", "j")
        following = stage.title
        await stage.press("g", "V", "j", "j", "x")
        after = (0, following)
        await stage.until(lambda: (stage.episodes.cursor, stage.title) == after, "the row after those dismissed")
