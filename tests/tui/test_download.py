"""`d` downloads the episode under the cursor, and deletes the download; that can be undone."""

from player.events import PodcastAdded
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.tui.alone import real_app, screen_text, until


async def test_d_downloads_d_again_deletes_and_undo_brings_it_back(paths: Paths, server: LoopbackServer) -> None:
    async with real_app(paths) as (app, pilot):
        library = app.player.library
        item = episode(1, title="Fresh", url=server.audio("/1.mp3", mp3(500)))
        podcast = library.podcasts.add(URL, "A show")
        (added,) = apply_feed(library, podcast, item).new
        app.player.bus.publish(PodcastAdded(podcast.id))
        await until(pilot, lambda: "Fresh" in screen_text(app))
        await pilot.press("l", "g", "d")
        await until(pilot, lambda: library.episodes.get(added).downloaded)
        await until(pilot, lambda: "Downloaded “Fresh”" in screen_text(app))
        await pilot.press("d")
        await until(pilot, lambda: "Download deleted · U undoes" in screen_text(app))
        assert not library.episodes.get(added).downloaded
        assert library.downloads.path(added) is None
        await pilot.press("U")
        await until(pilot, lambda: library.episodes.get(added).downloaded)


async def test_downloads_stand_in_the_sidebar_from_the_first_that_is_asked_for(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        library = app.player.library
        podcast = library.podcasts.add(URL, "A show")
        apply_feed(library, podcast, episode(1, title="Fresh", url="http://127.0.0.1:9/1.mp3"))
        app.player.bus.publish(PodcastAdded(podcast.id))
        await until(pilot, lambda: "Fresh" in screen_text(app))
        assert "↓ Downloads" not in screen_text(app)
        app.player.network.choose(True)
        await pilot.press("l", "g", "d")
        await until(pilot, lambda: "↓ Downloads" in screen_text(app))
        await pilot.press("d")
        await until(pilot, lambda: "↓ Downloads" not in screen_text(app))


async def test_what_needs_no_download_says_so_and_leaves_nothing_behind(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        library = app.player.library
        await until(pilot, lambda: "1. Press play" in screen_text(app))
        await pilot.press("l", "g", "d")
        await until(pilot, lambda: "needs no download" in screen_text(app))
        assert library.downloads.queue.all() == []
        await until(pilot, lambda: "↓ Downloads" not in screen_text(app))
