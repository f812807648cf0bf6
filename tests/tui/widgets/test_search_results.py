"""The podcasts among the results of a search, and the lines of hits among the episodes."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.model.podcast import Podcast, PodcastId
from tests.quick import examples
from tests.tui.alone import Alone, text_of
from tui.drawing.episode_rows import Line
from tui.widgets.search_results import FoundPodcasts, _Lines

ALPHA = Podcast(PodcastId(1), "http://h/1", "Alpha", unplayed_count=3)
BETA = Podcast(PodcastId(2), "http://h/2", "Beta")


async def test_each_podcast_has_its_name_and_what_is_unplayed_and_a_change_of_that_is_drawn() -> None:
    rows = FoundPodcasts()
    async with Alone(rows).run_test(size=(60, 6)) as pilot:
        for alpha, facts in ((ALPHA, ["3", "unplayed"]), (replace(ALPHA, unplayed_count=0), [])):
            rows.show_podcasts((alpha, BETA), (), 0)
            await pilot.pause()
            shown = [line.split() for line in text_of(rows)]
            assert shown == [["Alpha", "podcast", *(["·", *facts] if facts else [])], ["Beta", "podcast"]]


@given(st.integers(0, 9), st.lists(st.integers(1, 4), max_size=9), st.integers(0, 9), st.integers(1, 2))
@settings(max_examples=examples(300), deadline=None)
def test_hits_have_as_many_lines_as_they_need(above: int, hits: list[int], below: int, height: int) -> None:
    heights = [*[height] * above, *hits, *[height] * below]
    count = len(heights)
    lines = _Lines(count, height, above, hits)
    expected = [Line(row, part) for row, parts in enumerate(heights) for part in range(parts)]
    assert len(lines) == len(expected)
    assert [lines.at(line) for line in range(len(lines))] == expected
    assert [lines.top_of(row) for row in range(count)] == [expected.index(Line(row, 0)) for row in range(count)]
    assert [lines.height_of(row) for row in range(count)] == heights
    assert lines.at(len(lines)).row == count
