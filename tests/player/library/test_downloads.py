"""The library knows which episodes are downloaded, and forgets them with their podcast."""

from datetime import UTC, datetime
from pathlib import Path

from player.library import Library
from player.model.downloads import Download, Original
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

FILE = Path("/music/A show/2026 One.mp3")


def test_a_download_shows_in_its_row_and_tells_its_file(library: Library) -> None:
    one, two = apply_feed(library, library.podcasts.add(URL, "A show"), episode(1), episode(2)).new
    library.downloads.put(one, FILE)
    assert [row.downloaded for row in library.episodes.rows([one, two])] == [True, False]
    assert (library.downloads.path(one), library.downloads.path(two)) == (FILE, None)
    library.downloads.put(one, FILE.with_suffix(".m4a"))
    assert library.downloads.path(one) == FILE.with_suffix(".m4a")
    library.downloads.remove(one)
    assert not library.episodes.get(one).downloaded
    assert library.downloads.path(one) is None


def test_it_goes_with_its_podcast_whose_files_can_be_asked_for_before(library: Library) -> None:
    podcast = library.podcasts.add(URL, "A show")
    (one,) = apply_feed(library, podcast, episode(1)).new
    library.downloads.put(one, FILE)
    assert library.downloads.of_podcast(podcast.id) == [FILE]
    library.podcasts.remove(podcast.id)
    assert library.downloads.path(one) is None


def test_an_episode_that_is_gone_takes_no_download(library: Library) -> None:
    library.downloads.put(EpisodeId(999), FILE)
    assert library.downloads.path(EpisodeId(999)) is None


def test_a_download_says_when_why_how_large_and_what_it_was_before_tags(paths: Paths) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    library = Library(paths, now=lambda: now)
    library.open()
    one, two = apply_feed(library, library.podcasts.add(URL, "A show"), episode(1), episode(2)).new
    library.downloads.put(one, FILE, size=1_000, why="list:12", original=Original(900, 10))
    library.downloads.put(two, FILE.with_suffix(".m4a"), size=5)
    assert library.downloads.get(one) == Download(one, FILE, now, 1_000, "list:12", Original(900, 10))
    assert [one.why for one in library.downloads.all()] == ["list:12", "manual"]
    assert library.downloads.size() == 1_005
    library.downloads.remove(one)
    assert library.downloads.get(one) is None
    library.close()
