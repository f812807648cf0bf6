"""The library knows which episodes are downloaded, and forgets them with their podcast."""

from pathlib import Path

from player.library import Library
from player.model.episode import EpisodeId
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
