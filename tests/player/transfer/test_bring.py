"""What another app knew, previewed and brought into the library."""

from contextlib import closing
from datetime import UTC, datetime

import pytest

from player.events import ListsChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import Order
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignList, ForeignPodcast, Queued, SavedAt
from player.model.podcast_settings import PodcastSettings
from player.net.credentials import Credentials
from player.paths import Paths
from player.player import Player
from player.transfer.bring import MOST_PODCASTS, bring, episodes_report, fill, preview
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.tui.cli.conftest import feed
from tests.tui.stage import QUIET

MADE = ForeignLibrary(
    "AntennaPod",
    "3110000",
    (
        ForeignPodcast(
            URL,
            "A show",
            tags=("Tech",),
            settings=PodcastSettings(speed=1.5),
            episodes=(
                ForeignEpisode("guid-0", played=True),
                ForeignEpisode("guid-1", position=SavedAt(5_000)),
                ForeignEpisode("guid-2", starred=True, queued=Queued(0)),
            ),
        ),
        ForeignPodcast("https://me:pass%20word@locked.example/feed", "Locked"),
        ForeignPodcast("https://tried.example/feed", subscribed=False, episodes=(ForeignEpisode("x", played=True),)),
    ),
    ("Something is missing.",),
)


@pytest.fixture
def logins(paths: Paths) -> Credentials:
    return Credentials(paths.logins, _NoKeyring())


class _NoKeyring:
    def store(self, server: str, password: str) -> bool:
        return False

    def find(self, server: str) -> str | None:
        return None

    def forget(self, server: str) -> None:
        return None


def test_a_preview_says_what_comes_and_what_does_not(library: Library) -> None:
    library.podcasts.add(URL)
    found = preview(library, MADE)
    assert found.summary == "2 podcasts, 1 already here; 1 played, 1 position, 1 star, queue of 1"
    assert found.words.startswith("From AntennaPod: 2 podcasts, 1 already here;")
    assert found.left_out == (
        "Something is missing.",
        "1 podcast isn't imported: you weren't subscribed to it.",
    )
    assert [one.url for one in library.podcasts.all() if "locked" in one.url] == []


def test_what_was_only_tried_comes_if_it_is_subscribed_to_here(library: Library, logins: Credentials) -> None:
    tried = library.podcasts.add("https://tried.example/feed")
    assert preview(library, MADE).podcasts == 3
    bring(library, MADE, logins)
    ids = apply_feed(library, tried, episode(0, guid="x")).new
    assert [row.played for row in library.episodes.rows(ids)] == [True]


def test_podcasts_settings_and_episodes_come_together(library: Library, logins: Credentials) -> None:
    arrived = bring(library, MADE, logins)
    podcast = library.podcasts.find(URL)
    assert (podcast.title, podcast.tags) == ("A show", ("Tech",))
    assert library.podcast_settings.get(podcast.id).speed == 1.5
    assert (len(arrived.subscribed.added), arrived.episodes.waiting) == (2, 3)
    apply_feed(library, podcast, *(episode(number) for number in range(4)))
    waiting = library.incoming.waiting(arrived.episodes.act_id)
    assert episodes_report(arrived, waiting) == "Imported what AntennaPod knew of 3 episodes."
    again = bring(library, MADE, logins)
    assert episodes_report(again, 0) == "Everything about its episodes was already imported."


def test_settings_that_are_here_stay(library: Library, logins: Credentials) -> None:
    podcast = library.podcasts.add(URL)
    library.podcast_settings.set(podcast.id, PodcastSettings(gain_db=3.0))
    bring(library, MADE, logins)
    assert library.podcast_settings.get(podcast.id) == PodcastSettings(gain_db=3.0)


def test_logins_never_go_into_the_library(library: Library, logins: Credentials, paths: Paths) -> None:
    bring(library, MADE, logins)
    assert logins.find("https://locked.example/feed") == ("me", "pass word")
    assert library.podcasts.find("Locked").url == "https://locked.example/feed"
    for file in (paths.library, paths.library.with_name(f"{paths.library.name}-wal")):
        assert not file.exists() or b"pass%20word" not in file.read_bytes()


def test_a_feed_with_and_without_a_login_in_its_address_is_one(library: Library, logins: Credentials) -> None:
    twice = (
        ForeignPodcast("https://me:secret@a.example/feed", episodes=(ForeignEpisode("guid-0", played=True),)),
        ForeignPodcast("https://a.example/feed", episodes=(ForeignEpisode("guid-1", played=True),)),
    )
    assert bring(library, ForeignLibrary("App", podcasts=twice), logins).episodes.waiting == 2
    podcast = library.podcasts.find("https://a.example/feed")
    apply_feed(library, podcast, *(episode(number) for number in range(3)))
    assert library.podcasts.get(podcast.id).unplayed_count == 1


def test_a_login_that_is_here_stays(library: Library, logins: Credentials) -> None:
    logins.remember("https://locked.example/feed", "me", "newer")
    bring(library, MADE, logins)
    assert logins.find("https://locked.example/feed") == ("me", "newer")


def test_what_fails_leaves_nothing(library: Library, logins: Credentials, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_more: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("player.library.incoming.write", fail)
    before = library.podcasts.all()
    with pytest.raises(RuntimeError):
        bring(library, MADE, logins)
    assert library.podcasts.all() == before
    assert library.incoming.waiting() == 0


def test_the_episode_in_the_player_follows_an_import_and_its_undo(paths: Paths) -> None:
    player = Player(paths, QUIET)
    player.open()
    try:
        shown = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), episode(1)).new[0]
        player.library.progress.save(shown, 2_000, None, datetime(2026, 1, 1, tzinfo=UTC))
        player.library.progress.make_last(shown)
        player.start()
        wait_until(lambda: player.status.position_ms == 2_000, "the last episode")
        there = ForeignEpisode("guid-1", position=SavedAt(600_000), changed_at=datetime.now(UTC))
        player.bring(ForeignLibrary("AntennaPod", "1", (ForeignPodcast(URL, "A show", episodes=(there,)),))).result(20)
        wait_until(lambda: player.status.position_ms == 600_000, "the imported position")
        player.acts.undo().result(20)
        wait_until(lambda: player.status.position_ms == 2_000, "the position from before")
    finally:
        player.close()
    with closing(Library(paths)) as after:
        after.open()
        saved = after.progress.position(shown)
        assert saved is not None
        assert saved.position_ms == 2_000


def test_lists_come_with_the_podcasts_that_are_here(library: Library, logins: Credentials) -> None:
    other = "https://other.example/feed"
    many = tuple(f"https://{number}.example/" for number in range(MOST_PODCASTS + 1))
    by_hand = tuple((feed, ForeignEpisode(f"guid-{number}")) for feed, number in ((URL, 2), ("no", 0), (URL, 1)))
    lists = (
        ForeignList("Some", True, ("http://EXAMPLE.org/feed.xml/", "https://tried.example/feed"), order=Order.OLDEST),
        ForeignList("All", True, order=Order.NEWEST),
        ForeignList("Others", True, ("https://tried.example/feed",)),
        ForeignList("Many", True, many),
        ForeignList("By hand", episodes=by_hand),
    )
    feeds = (URL, other, "https://tried.example/feed")
    podcasts = tuple(ForeignPodcast(feed, subscribed=feed in (URL, other)) for feed in feeds)
    read = ForeignLibrary("Overcast", podcasts=podcasts, lists=lists)
    found = preview(library, read)
    assert (found.lists, found.summary) == (3, "2 podcasts; 3 lists")
    assert found.left_out[:2] == (
        f"1 smart list of more than {MOST_PODCASTS} podcasts isn't imported.",
        "1 list isn't imported: none of its podcasts is.",
    )
    library.lists.add("Some", "is:starred")
    arrived = bring(library, read, logins)
    rain = library.podcasts.find(URL)
    apply_feed(library, rain, *(episode(number) for number in range(4)))
    assert (arrived.lists, fill(library, arrived.playlists)) == (3, 0)
    here = {one.title: one for one in library.lists.all()}
    assert here["Some"].query == "is:starred", "a list of the listener's stays"
    assert here["Some (2)"].query == f"podcast-id:{rain.id} is:unplayed sort:oldest"
    assert here["All"].query == "is:unplayed sort:newest"
    rows = library.episodes.rows([EpisodeId(one) for one in library.lists.episodes(here["By hand"].id)])
    assert [one.guid for one in rows] == ["guid-2", "guid-1"]
    assert (bring(library, read, logins).lists, len(library.lists.all())) == (0, 4)


def test_the_app_fills_a_playlist_once_its_feed_is_read(paths: Paths, server: LoopbackServer) -> None:
    url = server.page("/rain", feed("Rain", "Two", "One"))
    there = ForeignEpisode("Rain-One")
    read = ForeignLibrary(
        "Overcast", podcasts=(ForeignPodcast(url),), lists=(ForeignList("Later", episodes=((url, there),)),)
    )
    player = Player(paths, QUIET)
    player.open()
    try:
        player.start()
        changed: list[ListsChanged] = []
        player.bus.subscribe(ListsChanged, changed.append)
        player.bring(read).result(20)
        later = player.library.lists.find("Later")
        (one,) = player.library.episodes.rows([EpisodeId(one) for one in player.library.lists.episodes(later.id)])
        assert (one.title, len(changed)) == ("One", 2), "shown at once, and when it is filled"
    finally:
        player.close()
