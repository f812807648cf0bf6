"""A name and a password reach their server and stand nowhere else: in no library, log, title or sentence."""

import base64
from pathlib import Path

import pytest

from player.errors import AlreadySubscribed, HttpFailure, MediaError
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.media import MediaStore
from player.model.episode import Episode
from player.model.filters import View
from player.net.credentials import Credentials
from player.paths import Paths
from tests.loopback import Answer, LoopbackServer, Request
from tests.player.media.conftest import eventually, fetchers, whole
from tests.player.media.sounds import mp3
from tui import logs

NAME, PASSWORD = "me@home", "open/sesame"
EXPECTED = "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
BODY = mp3(200)


class Members:
    """A server for members only, and what others were told by mistake."""

    def __init__(self, server: LoopbackServer) -> None:
        self.server = server
        self.strangers: list[str] = []
        audio = server.answer("/1.mp3", self._closed(lambda request: request.reply_ranges(BODY, "audio/mpeg")))
        feed = (
            '<rss version="2.0"><channel><item><title>One</title><guid>1</guid>'
            f'<enclosure url="{audio}" type="audio/mpeg" length="{len(BODY)}"/></item></channel></rss>'
        ).encode()
        self.feed = server.answer("/feed", self._closed(lambda request: request.reply(feed, "application/rss+xml")))
        self.address = self.feed.replace("http://", "http://me%40home:open%2Fsesame@")

    def _closed(self, answer: Answer) -> Answer:
        def closed(request: Request) -> None:
            if request.headers.get("Authorization") == EXPECTED:
                answer(request)
            else:
                request.reply(b"", "text/plain", status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})

        return closed


@pytest.fixture
def members(server: LoopbackServer) -> Members:
    return Members(server)


def only_episode(library: Library) -> Episode:
    (episode,) = [one for one in library.episodes.rows(library.episodes.ids(View())) if one.title == "One"]
    return episode


def test_a_login_in_an_address_opens_feed_and_episodes_and_is_kept_apart(
    members: Members, library: Library, paths: Paths
) -> None:
    logs.start(paths.log)
    podcast = Subscriber(library, Credentials(paths.logins)).add(members.address)
    assert podcast.url == members.feed
    assert podcast.title == "127.0.0.1"
    store = MediaStore(paths, login=Credentials(paths.logins).find)
    media = store.open(only_episode(library), lambda: None)
    assert whole(media) == BODY
    media.close()
    eventually(lambda: not fetchers())
    library.close()
    root = paths.data.parent
    assert [path for path in files(root) if holds_secret(path)] == [paths.logins]


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def holds_secret(path: Path) -> bool:
    data = path.read_bytes()
    return any(secret in data for secret in (b"sesame", base64.b64encode(b"me@home:open/sesame")))


def test_without_one_both_say_what_is_wanted(members: Members, library: Library, paths: Paths) -> None:
    with pytest.raises(HttpFailure, match="requires a username and password") as refused:
        Subscriber(library, Credentials(paths.logins)).add(members.feed)
    assert refused.value.status == 401
    Subscriber(library).add(members.address)
    media = MediaStore(paths).open(only_episode(library), lambda: None)
    with pytest.raises(MediaError, match=r"requires a username and password for the episode \(401\)"):
        media.read(0, 1)
    media.close()


def test_a_wrong_login_is_not_kept_and_its_password_is_in_no_sentence(
    members: Members, library: Library, paths: Paths
) -> None:
    with pytest.raises(HttpFailure) as refused:
        Subscriber(library, Credentials(paths.logins)).add(members.feed.replace("//", "//me:wrong-one@"))
    assert "wrong-one" not in str(refused.value)
    assert not paths.logins.exists()


def test_a_login_for_a_podcast_that_is_there_already_is_taken_in(
    members: Members, library: Library, paths: Paths
) -> None:
    Subscriber(library).add(members.address)
    with pytest.raises(AlreadySubscribed):
        Subscriber(library, Credentials(paths.logins)).add(members.address)
    assert Credentials(paths.logins).find(members.feed) == (NAME, PASSWORD)


def test_a_login_does_not_follow_a_redirect_to_another_server(members: Members, library: Library, paths: Paths) -> None:
    seen: list[str | None] = []

    def other(request: Request) -> None:
        seen.append(request.headers.get("Authorization"))
        request.reply_ranges(BODY, "audio/mpeg")

    with LoopbackServer() as stranger:
        target = stranger.answer("/1.mp3", other)
        members.server.answer(
            "/1.mp3", lambda request: request.reply(b"", "", status=302, headers={"Location": target})
        )
        Subscriber(library, Credentials(paths.logins)).add(members.address)
        media = MediaStore(paths, login=Credentials(paths.logins).find).open(only_episode(library), lambda: None)
        assert whole(media) == BODY
        media.close()
    assert seen == [None]
    eventually(lambda: not fetchers())


def test_a_redirect_to_a_server_with_a_login_of_its_own_gets_that(
    members: Members, library: Library, paths: Paths
) -> None:
    credentials = Credentials(paths.logins)
    credentials.remember(members.feed, NAME, PASSWORD)
    Subscriber(library, credentials).add(members.feed)
    episode = only_episode(library)
    with LoopbackServer() as prefix:
        url = prefix.answer("/t", lambda request: request.reply(b"", "", status=302, headers={"Location": episode.url}))
        moved = Episode(episode.id, episode.podcast_id, "Show", "One", guid="1", url=url)
        media = MediaStore(paths, login=credentials.find).open(moved, lambda: None)
        assert whole(media) == BODY
        assert prefix.seen[0].headers.get("Authorization") is None
        media.close()
    eventually(lambda: not fetchers())


def test_the_log_shows_no_address_with_a_login(paths: Paths) -> None:
    import logging

    logs.start(paths.log)
    logging.getLogger("x").error("libvlc: can't open %s", "http://me:sesame@example.com/live")
    try:
        raise ValueError("https://me:sesame@example.com")
    except ValueError as error:
        logs.crash(paths.log, error)
    assert "sesame" not in paths.log.read_text()
    assert paths.log.read_text().count("…@example.com") == 3
