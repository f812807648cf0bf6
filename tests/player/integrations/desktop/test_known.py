"""What the library knows for a desktop."""

from player.integrations.desktop.media_keys import episode_at, track_of
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from tests.player.library.helpers import URL, apply_feed, episode


def test_an_address_is_an_episodes_audio_or_a_podcasts_feed(library: Library) -> None:
    podcast = library.podcasts.add(URL)
    apply_feed(library, podcast, episode(1), episode(2))
    newest = library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))[0]
    other = next(one for one in library.episodes.ids(View.of(ViewName.PODCAST, podcast.id)) if one != newest)
    assert episode_at(library, library.episodes.get(EpisodeId(other)).url) == other
    assert episode_at(library, URL) == newest
    assert episode_at(library, "https://nobody.example/") is None
    assert episode_at(library, "'; DROP TABLE episodes; --") is None


def test_the_comment_is_the_beginning_of_the_notes_as_text(library: Library) -> None:
    podcast = library.podcasts.add(URL)
    apply_feed(library, podcast, episode(1, notes="<p>All <b>about</b> it.</p>" + "<p>more</p>" * 10_000))
    row = library.episodes.get(EpisodeId(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))[0]))
    art, comment = track_of(library, lambda _episode: "file:///cover.jpg", row)
    assert art == "file:///cover.jpg"
    assert comment.startswith("All about it. more more")
    assert len(comment) <= 400


def test_a_library_that_cannot_be_read_says_nothing(library: Library) -> None:
    podcast = library.podcasts.add(URL)
    apply_feed(library, podcast, episode(1))
    row = library.episodes.get(EpisodeId(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))[0]))
    library.close()
    assert track_of(library, lambda _episode: "", row) == ("", "")
