"""The podcasts among the results of a search."""

from msgspec.structs import replace

from player.model.podcast import Podcast, PodcastId
from tests.tui.alone import Alone, text_of
from tui.widgets.search_results import FoundPodcasts

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
