"""The rows of podcasts that directories have found."""

from datetime import UTC, date, datetime

from player.directory.directory import FoundPodcast
from player.model.podcast import PodcastId
from tests.tui.alone import Alone, text_of
from tui.drawing import cells
from tui.drawing.found_podcasts import identity
from tui.look.glyphs import UNICODE
from tui.widgets.found_rows import FoundRows

LOOP = FoundPodcast(
    "Loop", "Somebody", "https://example.com/loop", newest=datetime(2026, 3, 1, tzinfo=UTC), episode_count=1234,
    language="en-US",
)  # fmt: skip
RAIN = FoundPodcast(
    "雨の日", feed_url="https://example.com/rain", topics=("Weather", "Nature"), podcast_id=PodcastId(1)
)
WIND = FoundPodcast("Wind", "A name of more cells than its column has", "https://example.com/wind")


async def test_every_row_fills_its_cells_and_marks_what_is_subscribed_to_or_being_added() -> None:
    rows = FoundRows(lambda: date(2026, 5, 1))
    async with Alone(rows).run_test(size=(90, 6)) as pilot:
        rows.show_found([LOOP, RAIN, WIND], "Nothing found", adding={identity(WIND)})
        await pilot.pause()
        loop, rain, wind = text_of(rows)[:3]
        assert loop.startswith("▌  Loop ")
        assert loop.endswith(f" Somebody{' ' * 18}1 Mar   1,234  en")
        assert rain.startswith(f" {UNICODE.played} 雨の日 ")
        assert rain.endswith(" Weather"), "in place of an author"
        assert wind.startswith(f" {UNICODE.loading} Wind ")
        for width in range(3, 160):
            for row in range(3):
                pieces = rows.draw_row(row, width, at_cursor=False)
                assert sum(cells.width(piece.text) for piece in pieces) == width
