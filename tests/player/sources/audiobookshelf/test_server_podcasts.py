"""A server's podcasts are added, refreshed, played and downloaded like others, and its tokens go to no other server."""

import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.attachments.attachments import Attachments
from player.errors import AlreadySubscribed, FeedError, HttpFailure, MediaError, NotAFeed, SignInNeeded
from player.events import Bus
from player.feeds.opml import write_opml
from player.feeds.refresh import Refresher
from player.feeds.refresh_summary import RefreshSummary
from player.feeds.source import SeveralPodcasts
from player.feeds.subscribe import Subscriber
from player.integrations.json_api import episode_json, podcast_json
from player.library import Library
from player.links.addresses import audiobookshelf_address
from player.media import MediaStore
from player.model.filters import EpisodeFilter, View
from player.model.podcast import Podcast
from player.net.credentials import Credentials
from player.paths import Paths
from player.sources import all_pages, all_sources
from tests.audiobookshelf import BELOW, PASSWORD, TOKEN, USER, AudiobookshelfServer, Episode
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import eventually, whole
from tests.player.media.sounds import mp3
from tests.player.sources.audiobookshelf.conftest import episodes, signed_in
from tests.sync_servers.server import Refusal
from tui import logs

BODY, OTHER = mp3(300), mp3(400, seed=2)


@pytest.fixture
def episode(shelf: AudiobookshelfServer) -> Episode:
    return shelf.add_podcast("Casting Stones").add_episode("Amber", BODY, duration=600.5)


@pytest.fixture
def podcast(episode: Episode, subscriber: Subscriber, shelf: AudiobookshelfServer) -> Podcast:
    """The only one of the server."""
    return subscriber.add(signed_in(shelf.address))


def refreshed(library: Library, credentials: Credentials) -> RefreshSummary:
    sources = all_sources(credentials=credentials)
    return Refresher(library, Bus(), credentials=credentials.find, sources=sources).refresh()


def sentence(library: Library, podcast: Podcast) -> str:
    return library.podcasts.get(podcast.id).error or ""


# -- adding ---------------------------------------------------------------------------------------------------


def test_the_only_podcast_of_a_server_is_added_with_its_data(
    podcast: Podcast, episode: Episode, shelf: AudiobookshelfServer, library: Library
) -> None:
    item = episode.podcast.id
    assert podcast.url == f"audiobookshelf:{shelf.address}/item/{item}"
    assert (podcast.title, podcast.author) == ("Casting Stones", "The makers of Casting Stones")
    assert podcast.link == f"{shelf.address}/item/{item}"
    (one,) = episodes(library, podcast)
    assert (one.title, one.guid, one.duration_ms, one.size) == ("Amber", episode.guid, 600_500, len(BODY))
    assert one.published == datetime.fromtimestamp(episode.published_ms / 1000, UTC)
    assert library.episodes.notes(one.id) == "<p>Notes of Amber</p>"
    address = audiobookshelf_address(one.url)
    assert address is not None
    assert (address.server, address.item, address.episode) == (shelf.address, item, episode.id)


def test_the_enclosure_of_its_feed_is_kept_beside_the_guid(
    podcast: Podcast, episode: Episode, library: Library
) -> None:
    (one,) = episodes(library, podcast)
    assert json.loads(library.episodes.details(one.id).extra) == {
        "enclosures": [{"url": episode.enclosure, "type": "", "length": 0}]
    }


def test_without_a_login_the_server_that_requires_one_is_named(
    episode: Episode, subscriber: Subscriber, shelf: AudiobookshelfServer, library: Library
) -> None:
    with pytest.raises(SignInNeeded, match=r"127\.0\.0\.1 requires a login") as raised:
        subscriber.add(f"{shelf.address}/library/x")
    assert raised.value.server == f"{shelf.address}/library/x"
    with pytest.raises(SignInNeeded, match="refused the login"):
        subscriber.add(signed_in(shelf.address, password="wrong"))
    assert library.podcasts.all() == []


def test_several_podcasts_are_offered_and_subscriptions_are_marked(
    podcast: Podcast, subscriber: Subscriber, shelf: AudiobookshelfServer
) -> None:
    shelf.add_podcast("Second").add_episode("One", BODY)
    shelf.add_podcast("Third", shelf.add_library("More"))
    shelf.add_library("Books", "book")
    with pytest.raises(SeveralPodcasts, match=r"127\.0\.0\.1 has 3 podcasts") as raised:
        subscriber.add(shelf.address)
    assert [(one.title, one.episodes, one.place, one.known) for one in raised.value.offered] == [
        ("Casting Stones", 1, "Podcasts", True), ("Second", 1, "Podcasts", False), ("Third", 0, "More", False),
    ]  # fmt: skip
    added = subscriber.add(raised.value.offered[1].url)
    assert (added.title, added.episode_count) == ("Second", 1)
    with pytest.raises(AlreadySubscribed):
        subscriber.add(raised.value.offered[0].url)


def test_the_page_of_a_podcast_adds_that_podcast(
    podcast: Podcast, subscriber: Subscriber, shelf: AudiobookshelfServer
) -> None:
    second = shelf.add_podcast("Second")
    assert subscriber.add(f"{shelf.address}{BELOW}/item/{second.id}").title == "Second"


def test_an_api_key_takes_the_place_of_name_and_password(
    episode: Episode, subscriber: Subscriber, shelf: AudiobookshelfServer, library: Library, credentials: Credentials
) -> None:
    assert subscriber.add(signed_in(shelf.address, "", shelf.api_key())).title == "Casting Stones"
    assert refreshed(library, credentials).failed == ()


def test_a_server_without_podcasts_says_so(subscriber: Subscriber, shelf: AudiobookshelfServer) -> None:
    with pytest.raises(
        FeedError, match=r"Your account on 127\.0\.0\.1 has no podcasts\. Add podcasts on the server first"
    ):
        subscriber.add(signed_in(shelf.address))


@pytest.mark.parametrize("path", ["/books", "/a/b"])
def test_a_server_below_a_path_is_found(
    episode: Episode,
    subscriber: Subscriber,
    shelf: AudiobookshelfServer,
    library: Library,
    store: MediaStore,
    path: str,
) -> None:
    shelf.only_below = path
    podcast = subscriber.add(signed_in(f"{shelf.address}/"))
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()


def test_a_page_that_only_mentions_audiobookshelf_is_a_page_without_feeds(
    server: LoopbackServer, subscriber: Subscriber, shelf: AudiobookshelfServer
) -> None:
    page = server.page("/blog", b"<html><title>I love Audiobookshelf</title></html>", "text/html")
    with pytest.raises(NotAFeed, match="has no link to a podcast feed"):
        subscriber.add(page)
    other = server.page("/other", b"<html><title>Something else</title></html>", "text/html")
    asked = len(server.seen)
    with pytest.raises(NotAFeed, match="has no link to a podcast feed"):
        subscriber.add(other)
    assert [one.path for one in server.seen[asked:]] == ["/other"]


def test_a_redirect_to_another_host_gets_no_login(
    episode: Episode, subscriber: Subscriber, shelf: AudiobookshelfServer, server: LoopbackServer
) -> None:
    there = shelf.address.replace("127.0.0.1", "localhost")
    old = server.answer("/", lambda request: request.reply(b"", "", status=302, headers={"Location": f"{there}/"}))
    with pytest.raises(SignInNeeded, match="localhost requires a login"):
        subscriber.add(signed_in(old))
    assert not any(method == "POST" for method, _path in shelf.asked)
    assert all("Authorization" not in one.headers for one in shelf.http.seen)


# -- refreshing -----------------------------------------------------------------------------------------------


def test_a_refresh_adds_new_episodes_and_removes_deleted_untouched_ones(
    podcast: Podcast, episode: Episode, library: Library, credentials: Credentials
) -> None:
    episode.podcast.add_episode("Basalt", OTHER)
    assert refreshed(library, credentials).new == 1
    amber, basalt = sorted(episodes(library, podcast), key=lambda one: one.title)
    library.episodes.set_starred([amber.id], True)
    episode.podcast.episodes.clear()
    assert refreshed(library, credentials).failed == ()
    assert [one.id for one in episodes(library, podcast)] == [amber.id]
    assert basalt.id != amber.id


def test_an_unchanged_podcast_is_not_sent_again(
    podcast: Podcast, library: Library, credentials: Credentials, shelf: AudiobookshelfServer
) -> None:
    refreshed(library, credentials)
    before = len(shelf.http.seen)
    assert refreshed(library, credentials).refreshed == 1
    (request,) = shelf.http.seen[before:]
    assert request.headers["If-None-Match"]


def test_a_malformed_entry_loses_no_other_episode(
    podcast: Podcast, episode: Episode, library: Library, credentials: Credentials
) -> None:
    episode.podcast.add_episode("Basalt", OTHER)
    refreshed(library, credentials)
    episode.podcast.episodes.pop(0)
    episode.podcast.odd = [7, {"id": 5}, {"id": "x", "audioFile": []}, None]
    assert refreshed(library, credentials).failed == ()
    assert len(episodes(library, podcast)) == 2, "what can't be read may be the one that is missing"


def test_an_expired_token_is_renewed_during_a_refresh(
    podcast: Podcast, episode: Episode, library: Library, credentials: Credentials, shelf: AudiobookshelfServer
) -> None:
    shelf.later_s += 3601
    episode.podcast.add_episode("Basalt", OTHER)
    assert refreshed(library, credentials).new == 1
    assert shelf.renewals == 1


def test_when_renewal_is_refused_the_podcast_says_what_to_do_and_keeps_its_episodes(
    podcast: Podcast, library: Library, credentials: Credentials, shelf: AudiobookshelfServer
) -> None:
    shelf.end_sessions()
    shelf.later_s += 3601
    assert len(refreshed(library, credentials).failed) == 1
    assert sentence(library, podcast) == (
        "127.0.0.1 no longer accepts your login (401). Sign in again with the command “Sign in to a server”, or with:"
        " earmark login PODCAST"
    )
    assert len(episodes(library, podcast)) == 1


def test_a_podcast_that_the_server_lost_is_reported_and_kept(
    podcast: Podcast, library: Library, credentials: Credentials, shelf: AudiobookshelfServer
) -> None:
    shelf.podcasts.clear()
    refreshed(library, credentials)
    assert sentence(library, podcast).startswith("127.0.0.1 has no such podcast or episode (404). It may have been")
    assert len(episodes(library, podcast)) == 1


def test_a_pause_that_a_server_wants_is_kept(
    podcast: Podcast, library: Library, credentials: Credentials, shelf: AudiobookshelfServer
) -> None:
    shelf.busy.append(Refusal(429, "{}", **{"Retry-After": "3000"}))
    assert len(refreshed(library, credentials).failed) == 1
    asked = len(shelf.asked)
    assert refreshed(library, credentials).resting == 1
    assert len(shelf.asked) == asked


@pytest.mark.parametrize("body", [b"nonsense", b"{}", b'{"id":"x","mediaType":"podcast"}', b"<html>"])
def test_garbage_is_reported_and_loses_no_episode(
    podcast: Podcast, library: Library, credentials: Credentials, shelf: AudiobookshelfServer, body: bytes
) -> None:
    shelf.garbage["/api/items"] = body
    refreshed(library, credentials)
    assert sentence(library, podcast).startswith("127.0.0.1 sent a ")
    assert len(episodes(library, podcast)) == 1
    shelf.garbage.clear()
    assert refreshed(library, credentials).failed == ()
    assert sentence(library, podcast) == ""


# -- listening ------------------------------------------------------------------------------------------------


def test_audio_is_fetched_in_ranges_with_the_token_in_a_header(
    podcast: Podcast, episode: Episode, library: Library, store: MediaStore, shelf: AudiobookshelfServer
) -> None:
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    assert whole(media) == BODY
    assert media.seekable
    eventually(lambda: media.complete)
    media.close()
    fetched = [request for request in shelf.http.seen if "/file/" in request.path]
    assert fetched
    assert all(request.headers["Authorization"].startswith(f"Bearer {TOKEN}") for request in fetched)
    assert all(request.headers["Range"] for request in fetched)
    assert shelf.sent_tokens() == []


def test_a_replaced_file_is_found_at_its_new_inode(
    podcast: Podcast, episode: Episode, library: Library, store: MediaStore, shelf: AudiobookshelfServer
) -> None:
    episode.replace_file(OTHER)
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    assert whole(media) == OTHER
    media.close()


def test_another_episode_with_a_reused_inode_is_never_played_instead(
    podcast: Podcast, episode: Episode, library: Library, paths: Paths, credentials: Credentials,
    shelf: AudiobookshelfServer,
) -> None:  # fmt: skip
    """As after a move to another disk: the old address still answers, with another file."""
    size, wait = len(BODY), threading.Event()

    def part(request: Request) -> None:
        request.send_response(206)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("Content-Range", f"bytes 0-{size - 1}/{size}")
        request.send_header("Content-Length", str(size))
        request.end_headers()
        request.wfile.write(BODY[:50_000])
        request.wfile.flush()
        wait.wait(30)

    shelf.http.answers[episode.path] = part
    (one,) = episodes(library, podcast)
    store = MediaStore(paths, login=credentials.find, pages=all_pages(credentials))
    media = store.open(one, lambda: None)
    assert media.read(0, 1000) == BODY[:1000]
    media.close()
    eventually(lambda: list(paths.media.glob("*.json")))
    store.close()
    wait.set()
    (record,) = (path.read_text() for path in paths.media.glob("*.json"))
    assert "/file/" not in record
    shelf.http.answers.clear()
    other = episode.podcast.add_episode("Basalt", OTHER)
    other.ino, episode.ino = episode.ino, other.ino
    store = MediaStore(paths, login=credentials.find, pages=all_pages(credentials))
    media = store.open(one, lambda: None)
    assert not media.complete
    assert whole(media) == BODY
    media.close()
    store.close()


def test_a_token_that_expires_during_playback_is_renewed(
    podcast: Podcast, episode: Episode, library: Library, store: MediaStore, shelf: AudiobookshelfServer
) -> None:
    episode.audio = mp3(9000)
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    assert media.read(0, 1000)
    shelf.expire_access()
    assert media.read(len(episode.audio) - 1000, 1000) == episode.audio[-1000:]
    assert whole(media, step=500_000) == episode.audio
    media.close()


def test_when_renewal_is_refused_during_playback_the_listener_is_told_what_to_do(
    podcast: Podcast, library: Library, store: MediaStore, shelf: AudiobookshelfServer, credentials: Credentials
) -> None:
    shelf.end_sessions()
    shelf.later_s += 3601
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    with pytest.raises(MediaError, match=r"no longer accepts your login \(401\)\. Sign in again with the command"):
        media.read(0, 1)
    media.close()
    sources = all_sources(credentials=credentials)
    assert sources.server(one.url) == sources.server(podcast.url) == shelf.address
    assert sources.sign_in(one.url, USER, PASSWORD, store.network)
    again = store.open(one, lambda: None)
    assert whole(again) == BODY
    again.close()


def test_playing_an_episode_that_the_server_no_longer_has_says_so(
    podcast: Podcast, episode: Episode, library: Library, store: MediaStore
) -> None:
    episode.podcast.episodes.clear()
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    with pytest.raises(MediaError, match=r"127\.0\.0\.1 no longer has this episode\. Refresh the podcast\."):
        media.read(0, 1)
    media.close()


def test_playback_waits_for_a_server_that_is_down(
    podcast: Podcast, library: Library, store: MediaStore, shelf: AudiobookshelfServer
) -> None:
    (one,) = episodes(library, podcast)
    shelf.busy += [Refusal(503, ""), Refusal(503, "")]
    media = store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()


def test_closing_ends_a_fetch_that_waits_for_the_server(
    podcast: Podcast, library: Library, store: MediaStore, shelf: AudiobookshelfServer
) -> None:
    from tests.player.media.conftest import fetchers

    (one,) = episodes(library, podcast)
    shelf.holds.clear()
    media = store.open(one, lambda: None)
    eventually(fetchers)
    media.close()
    eventually(lambda: not fetchers())
    shelf.holds.set()


def test_chapters_come_from_the_server(
    shelf: AudiobookshelfServer, subscriber: Subscriber, library: Library, store: MediaStore
) -> None:
    listed = [{"id": 0, "start": 0, "end": 60.5, "title": "In"}, {"id": 1, "start": 60.5, "end": 90, "title": "Out"}]
    shelf.add_podcast("Chaptered").add_episode("One", BODY, chapters=listed)
    podcast = subscriber.add(signed_in(shelf.address))
    (one,) = episodes(library, podcast)
    attachments = Attachments(library, store, Bus())
    assert attachments.fetch(one.id) == ""
    assert [(found.start_ms, found.title) for found in attachments.chapters(one).listed] == [(0, "In"), (60_500, "Out")]
    attachments.close()


def test_the_cover_is_at_an_address_that_needs_no_login(
    shelf: AudiobookshelfServer, subscriber: Subscriber, episode: Episode
) -> None:
    episode.podcast.cover = b"\xff\xd8picture"
    podcast = subscriber.add(signed_in(shelf.address))
    assert podcast.image_url == f"{shelf.address}/api/items/{episode.podcast.id}/cover?width=800&format=jpeg"


def test_rules_download_its_episodes_which_do_not_count_as_playable_offline(podcast: Podcast, library: Library) -> None:
    (one,) = episodes(library, podcast)
    assert one.id in library.downloads.facts.candidates([one.id])
    assert one.id not in library.episodes.ids(View(filter=EpisodeFilter(here=frozenset())))
    assert one.id in library.episodes.ids(View(filter=EpisodeFilter(here=frozenset({one.id}))))


# -- secrets --------------------------------------------------------------------------------------------------


def test_tokens_are_stored_with_logins_and_nowhere_else(
    episode: Episode, subscriber: Subscriber, library: Library, store: MediaStore, shelf: AudiobookshelfServer,
    paths: Paths, credentials: Credentials,
) -> None:  # fmt: skip
    logs.start(paths.log)
    podcast = subscriber.add(signed_in(shelf.address))
    shelf.later_s += 3601
    (one,) = episodes(library, podcast)
    shelf.busy.append(Refusal(503, ""))
    media = store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()
    shelf.end_sessions()
    shelf.later_s += 3601
    refreshed(library, credentials)
    podcast = library.podcasts.get(podcast.id)
    shown = [
        json.dumps(podcast_json(podcast)),
        json.dumps(episode_json(one, {})),
        write_opml([podcast], datetime.now(UTC)),
    ]
    assert not any(TOKEN in text or "horse" in text for text in shown)
    assert podcast.url not in shown[2]
    library.close()
    found = [path for path in paths.data.parent.rglob("*") if path.is_file() and _has_secret(path)]
    assert found == [paths.logins]
    assert "fetching goes on" in paths.log.read_text()


def _has_secret(path: Path) -> bool:
    data = path.read_bytes()
    return TOKEN.encode() in data or b"horse" in data


def test_the_password_is_not_stored(podcast: Podcast, paths: Paths) -> None:
    assert b"horse" not in paths.logins.read_bytes()


def test_the_audio_of_a_server_that_redirects_it_elsewhere_is_asked_for_without_the_token(
    podcast: Podcast, episode: Episode, library: Library, store: MediaStore, shelf: AudiobookshelfServer,
    server: LoopbackServer,
) -> None:  # fmt: skip
    there = server.audio("/cdn.mp3", BODY).replace("127.0.0.1", "localhost")
    shelf.http.answers[episode.path] = lambda request: request.reply(b"", "", status=302, headers={"Location": there})
    (one,) = episodes(library, podcast)
    media = store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()
    assert server.seen
    assert all("Authorization" not in request.headers for request in server.seen)


def test_playing_without_a_login_says_that_one_is_required(episode: Episode, library: Library) -> None:
    address = f"audiobookshelf:http://127.0.0.1:9/item/{episode.podcast.id}"
    with pytest.raises(SignInNeeded):
        Subscriber(library, sources=all_sources()).add(address)
    with pytest.raises((HttpFailure, FeedError)):
        Subscriber(library, sources=all_sources()).add("audiobookshelf:nonsense")
