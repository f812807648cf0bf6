"""Signing in once; tokens that are renewed and sent to no other server; failures in sentences."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from player.audiobookshelf.answers import Listening
from player.audiobookshelf.client import Audiobookshelf, AudiobookshelfError, SignInWanted, server_address
from player.net.credentials import Credentials, Tokens
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.processes.threads import CancelToken
from tests.audiobookshelf import BELOW, PASSWORD, TOKEN, USER, AudiobookshelfServer, Episode, uuid
from tests.certificate import self_signed
from tests.loopback import LoopbackServer, secure
from tests.sync_servers.server import Refusal

HOUR_S = 3601.0


def refusal(client: Audiobookshelf) -> AudiobookshelfError:
    with pytest.raises(AudiobookshelfError) as raised:
        client.libraries()
    return raised.value


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("abs.example", "https://abs.example"),
        (" https://abs.example/ ", "https://abs.example"),
        ("http://abs.example:13378/audiobookshelf/", "http://abs.example:13378/audiobookshelf"),
        ("https://ann:pw@abs.example/login?x#y", "https://abs.example"),
        ("https://abs.example/audiobookshelf/library/ab-12/bookshelf", "https://abs.example/audiobookshelf"),
        ("https://abs.example/item/ab-12", "https://abs.example"),
        ("https://abs.example/api/libraries", "https://abs.example"),
        ("https://item/", "https://item"),
        ("HTTPS://Abs.Example:443/Audiobookshelf", "https://abs.example/Audiobookshelf"),
        ("http://[::1]:13378/item/ab-12", "http://[::1]:13378"),
        ("no address", ""),
        ("ftp://abs.example", ""),
    ],
)
def test_the_address_of_a_page_leads_to_its_server(typed: str, address: str) -> None:
    assert server_address(typed) == address


def test_after_signing_in_podcasts_are_listed_and_audiobooks_are_not(
    client: Audiobookshelf, shelf: AudiobookshelfServer, episode: Episode
) -> None:
    shelf.add_library("Books", "book")
    (library,) = client.libraries()
    assert library.name == "Podcasts"
    (listed,) = client.podcasts(library.id)
    assert (listed.id, listed.title, listed.episodes, listed.feed) == (
        episode.podcast.id, "Casting Stones", 1, episode.podcast.feed,
    )  # fmt: skip
    item = client.item(listed.id).item
    assert item is not None
    (one,) = item.episodes
    assert (one.id, one.guid, one.enclosure, one.duration_ms) == (episode.id, episode.guid, episode.enclosure, 600_500)
    assert client.path(one.audio) == f"{shelf.address}{episode.path}"


def test_a_podcast_that_has_not_changed_is_not_read_again(client: Audiobookshelf, episode: Episode) -> None:
    first = client.item(episode.podcast.id)
    again = client.item(episode.podcast.id, first.state)
    assert (again.item, again.state) == (None, first.state)
    episode.podcast.add_episode("Basalt", b"x")
    changed = client.item(episode.podcast.id, first.state).item
    assert changed is not None
    assert len(changed.episodes) == 2


def test_a_library_of_several_pages_is_listed_completely(
    client: Audiobookshelf, shelf: AudiobookshelfServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.audiobookshelf.client._PAGE", 3)
    titles = [f"Podcast {number}" for number in range(8)]
    for title in titles:
        shelf.add_podcast(title)
    (library,) = client.libraries()
    assert [one.title for one in client.podcasts(library.id)] == titles


def test_a_wrong_password_is_reported_and_nothing_is_stored(
    shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials, paths: Paths
) -> None:
    client = Audiobookshelf(shelf.address, network, credentials)
    with pytest.raises(SignInWanted) as raised:
        client.sign_in(USER, "wrong")
    assert str(raised.value) == "127.0.0.1 refused the login. Check the name and password, or the API key."
    assert client.user is None
    assert not paths.logins.exists()
    with pytest.raises(SignInWanted, match="requires a login"):
        client.libraries()


def test_an_api_key_alone_is_enough_and_is_sent_as_the_token(
    shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials
) -> None:
    client, key = Audiobookshelf(shelf.address, network, credentials), shelf.api_key()
    assert client.sign_in("", f" {key}\n") == USER
    assert client.libraries()
    assert credentials.tokens(shelf.address) == Tokens(USER, key)
    shelf.withdraw_keys()
    assert "no longer accepts your login (401)" in str(refusal(client))
    with pytest.raises(SignInWanted, match="refused the login"):
        client.sign_in("", "a key\r\nX-Evil: 1")


def test_with_openid_only_an_api_key_is_advised(
    shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials
) -> None:
    shelf.methods = ["openid"]
    client = Audiobookshelf(shelf.address, network, credentials)
    with pytest.raises(SignInWanted, match=r"doesn't accept names and passwords\. Use an API key"):
        client.sign_in(USER, PASSWORD)
    assert client.sign_in("", shelf.api_key()) == USER
    shelf.is_ready = False
    with pytest.raises(AudiobookshelfError, match="hasn't been set up yet"):
        client.status()


def test_an_expired_token_is_renewed_once_and_the_new_ones_are_stored(
    client: Audiobookshelf, shelf: AudiobookshelfServer, credentials: Credentials, paths: Paths
) -> None:
    before = credentials.tokens(shelf.address)
    shelf.later_s += HOUR_S
    assert client.libraries()
    after = Credentials(paths.logins).tokens(shelf.address)
    assert before
    assert after
    assert after.access != before.access
    assert after.refresh != before.refresh
    assert shelf.renewals == 1
    assert client.libraries()
    assert shelf.renewals == 1


def test_of_many_threads_with_an_expired_token_one_renews_it(
    client: Audiobookshelf, shelf: AudiobookshelfServer
) -> None:
    shelf.later_s += HOUR_S
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(lambda _number: client.libraries(), range(16)))
    assert shelf.renewals == 1
    assert len([one for one in shelf.asked if one == ("POST", "/auth/refresh")]) == 1


_OTHER = """
import sys
from pathlib import Path
from player.audiobookshelf.client import Audiobookshelf
from player.net.credentials import Credentials
from player.net.loop import NetworkLoop
network = NetworkLoop(5, 5)
client = Audiobookshelf(sys.argv[1], network, Credentials(Path(sys.argv[2])))
print("ready", flush=True)
sys.stdin.readline()
print(len(client.libraries()), flush=True)
network.close()
"""


def test_of_two_processes_with_an_expired_token_one_renews_it(
    client: Audiobookshelf, shelf: AudiobookshelfServer, paths: Paths
) -> None:
    """Without a grace time, as on servers before 2.35, a second renewal with the same token would sign out."""
    shelf.grace_s = 0.0
    command = [sys.executable, "-c", _OTHER, shelf.address, str(paths.logins)]
    others = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd())
        for _number in range(2)
    ]
    for other in others:
        assert other.stdout
        assert other.stdout.readline() == "ready\n"
    shelf.later_s += HOUR_S
    outputs = []
    for other in others:
        assert other.stdin
        other.stdin.write("go\n")
        other.stdin.flush()
    assert client.libraries()
    for other in others:
        assert other.stdout
        outputs.append(other.stdout.readline())
        assert other.wait(30) == 0
    assert outputs == ["1\n", "1\n"]
    assert shelf.renewals == 1


def test_a_lost_answer_within_the_grace_time_keeps_the_login(
    client: Audiobookshelf, shelf: AudiobookshelfServer
) -> None:
    shelf.later_s += HOUR_S
    shelf.lost_answers = 1
    assert "connection to 127.0.0.1 was lost" in str(refusal(client))
    shelf.later_s += 300
    assert client.libraries()
    assert shelf.renewals == 1


@pytest.mark.parametrize("how", ["ended", "expired", "rotated elsewhere"])
def test_an_invalid_refresh_token_asks_to_sign_in_again(
    client: Audiobookshelf, shelf: AudiobookshelfServer, credentials: Credentials, how: str
) -> None:
    old = credentials.tokens(shelf.address)
    assert old
    if how == "ended":
        shelf.end_sessions()
    elif how == "rotated elsewhere":
        shelf.later_s += HOUR_S
        assert client.libraries()
        credentials.remember_tokens(shelf.address, old)
        shelf.later_s += 601
    shelf.later_s += 31 * 86_400 if how == "expired" else HOUR_S
    said = refusal(client)
    assert isinstance(said, SignInWanted)
    assert str(said) == (
        "127.0.0.1 no longer accepts your login (401). Sign in again with the command “Sign in to a server”, or with:"
        " earmark login PODCAST"
    )
    client.sign_in(USER, PASSWORD)
    assert client.libraries()


def test_an_older_server_has_one_token_that_does_not_expire(network: NetworkLoop, credentials: Credentials) -> None:
    with AudiobookshelfServer(version="2.25.1") as shelf:
        client = Audiobookshelf(shelf.address, network, credentials)
        assert client.status().version == "2.25.1"
        client.sign_in(USER, PASSWORD)
        shelf.later_s += 365 * 86_400
        assert client.libraries()
        assert credentials.tokens(shelf.address) == Tokens(USER, f"{TOKEN}-old-{USER}")


def test_the_token_goes_in_a_header_and_nowhere_else(
    client: Audiobookshelf, shelf: AudiobookshelfServer, episode: Episode
) -> None:
    client.item(episode.podcast.id)
    shelf.later_s += HOUR_S
    client.progress_of_all()
    assert shelf.http.seen
    for request in shelf.http.seen:
        assert TOKEN not in request.path
        assert TOKEN.encode() not in request.body
        holds = [name.lower() for name, value in request.headers.items() if TOKEN in value]
        assert set(holds) <= {"authorization", "x-refresh-token"}
        assert ("x-refresh-token" in holds) is (request.path == "/auth/refresh")


def test_redirects_to_other_hosts_are_not_followed(
    client: Audiobookshelf, shelf: AudiobookshelfServer, server: LoopbackServer
) -> None:
    shelf.redirects_to = server.url("").replace("127.0.0.1", "localhost").rstrip("/")
    said = refusal(client)
    assert str(said).startswith(f"127.0.0.1 redirects to another server, {shelf.redirects_to}. Nothing was sent there.")
    shelf.redirects_to = server.url("").rstrip("/")  # the same host, another port
    assert "another server" in str(refusal(client))
    with pytest.raises(AudiobookshelfError, match="another server"):
        client.sign_in(USER, PASSWORD)
    assert server.seen == []


def test_a_login_belongs_to_its_path_and_other_paths_of_the_origin_keep_theirs(
    shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials
) -> None:
    shelf.only_below = "/books"
    credentials.remember(f"{shelf.http.url('')}/cloud", "me", "sesame")
    client = Audiobookshelf(shelf.address, network, credentials)
    client.sign_in(USER, PASSWORD)
    assert client.libraries()
    assert credentials.find(shelf.http.url("/cloud/remote.php")) == ("me", "sesame")
    assert credentials.find(shelf.http.url("/booksellers")) == ("me", "sesame")
    found = credentials.find(shelf.http.url("/books/api/items/1/file/2"))
    tokens = credentials.tokens(shelf.address)
    assert tokens
    assert found == (USER, tokens.access)


def test_a_server_below_a_path_works(
    shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials
) -> None:
    client = Audiobookshelf(f"{shelf.address}{BELOW}", network, credentials)
    client.sign_in(USER, PASSWORD)
    assert client.libraries()
    assert all(BELOW in one.path for one in shelf.http.seen)


def test_an_untrusted_certificate_is_reported_and_no_password_is_sent(
    tmp_path: Path, network: NetworkLoop, credentials: Credentials
) -> None:
    with secure(self_signed(tmp_path)) as http, AudiobookshelfServer(http=http) as shelf:
        with pytest.raises(AudiobookshelfError, match=r"127\.0\.0\.1 has an invalid certificate"):
            Audiobookshelf(shelf.address, network, credentials).sign_in(USER, PASSWORD)
        assert shelf.asked == []


def test_a_trusted_certificate_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: NetworkLoop, credentials: Credentials
) -> None:
    from player.net import client as net_client

    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    net_client._trust.cache_clear()
    try:
        with secure(certificate) as http, AudiobookshelfServer(http=http) as shelf:
            client = Audiobookshelf(shelf.address, network, credentials)
            client.sign_in(USER, PASSWORD)
            assert client.libraries()
    finally:
        monkeypatch.undo()
        net_client._trust.cache_clear()


def test_the_pause_that_a_server_wants_is_known(client: Audiobookshelf, shelf: AudiobookshelfServer) -> None:
    shelf.busy.append(Refusal(429, '{"error":"Too many authentication requests"}', **{"Retry-After": "77"}))
    said = refusal(client)
    assert (said.status, said.pause_s) == (429, 77.0)
    assert "too many requests (429)" in str(said)


def test_signing_in_too_often_is_refused_and_reported(client: Audiobookshelf, shelf: AudiobookshelfServer) -> None:
    for _time in range(39):
        client.sign_in(USER, PASSWORD)
    with pytest.raises(AudiobookshelfError) as raised:
        client.sign_in(USER, PASSWORD)
    assert (raised.value.status, raised.value.pause_s > 500) == (429, True)
    assert not isinstance(raised.value, SignInWanted)


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", b"[]", b"\xff", b'{"libraries":{}}', b'{"libraries":[', b'{"libraries":NaN}', b"[" * 9999],
)
def test_garbage_is_reported_in_a_sentence(client: Audiobookshelf, shelf: AudiobookshelfServer, body: bytes) -> None:
    shelf.garbage["/api/libraries"] = body
    assert str(refusal(client)).startswith("127.0.0.1 sent a response that Earmark can't read")


def test_the_sign_in_page_of_a_network_is_distinguished_from_garbage(
    client: Audiobookshelf, shelf: AudiobookshelfServer
) -> None:
    shelf.garbage["/api"] = b"<!doctype html><title>Hotel</title>"
    assert str(refusal(client)).startswith("127.0.0.1 sent a web page instead of data. If this network requires you")


def test_another_kind_of_server_is_reported(
    server: LoopbackServer, network: NetworkLoop, credentials: Credentials
) -> None:
    client = Audiobookshelf(server.url("").rstrip("/"), network, credentials)
    with pytest.raises(AudiobookshelfError, match=r"isn't an Audiobookshelf server"):
        client.status()
    server.page("/status", b'{"app":"other"}', "application/json")
    with pytest.raises(AudiobookshelfError, match=r"isn't an Audiobookshelf server\. Check the"):
        client.status()


def test_a_request_to_a_slow_server_can_be_aborted(
    client: Audiobookshelf, shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials
) -> None:
    shelf.holds.clear()
    cancel = CancelToken()
    waiting = Audiobookshelf(shelf.address, network, credentials, cancel)
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(waiting.libraries)
        while not any(path == "/api/libraries" for _method, path in shelf.asked):
            pass
        cancel.set()
        with pytest.raises(AudiobookshelfError, match="cancelled"):
            asked.result(5)
    shelf.holds.set()


# -- progress -------------------------------------------------------------------------------------------------


def test_progress_is_written_for_several_episodes_and_read_again(
    client: Audiobookshelf, shelf: AudiobookshelfServer, episode: Episode
) -> None:
    asked = len(shelf.asked)
    client.update_progress([])
    assert len(shelf.asked) == asked, "the server refuses an empty list"
    name = {"libraryItemId": episode.podcast.id, "episodeId": episode.id}
    at = {"currentTime": 90.5, "duration": 600.5, "progress": 90.5 / 600.5, "lastUpdate": 1_790_000_000_000}
    client.update_progress([{**name, **at}, {**name, "episodeId": "gone", **at}, {**name, **at}])
    (found,) = client.progress_of_all()
    assert (found.item, found.episode, found.position_ms, found.duration_ms, found.updated_ms) == (
        episode.podcast.id, episode.id, 90_500, 600_500, 1_790_000_000_000,
    )  # fmt: skip
    assert (found.is_finished, found.is_hidden) == (False, False)
    client.update_progress([{**name, "isFinished": True, "finishedAt": 1_790_000_001_000}])
    (found,) = client.progress_of_all()
    assert (found.is_finished, found.finished_ms, found.position_ms) == (True, 1_790_000_001_000, 90_500)
    client.update_progress([{**name, "isFinished": False, "hideFromContinueListening": True}])
    (found,) = client.progress_of_all()
    assert (found.is_finished, found.is_hidden, found.position_ms) == (False, True, 0)


def test_a_session_moves_the_position_only_if_it_is_newer(
    client: Audiobookshelf, shelf: AudiobookshelfServer, episode: Episode
) -> None:
    def heard(name: str, position_ms: int, at_ms: int) -> Listening:
        return Listening(
            uuid(name), episode.podcast.id, episode.id, "Amber", position_ms, 600_500, 5_000, at_ms - 5_000, at_ms
        )

    now = int(shelf.now() * 1000)
    first, second = client.send_listening(
        [heard("a", 60_000, now + 60_000), heard("b", 30_000, now - 60_000)], "device", "Earmark", "1"
    )
    assert (first.success, first.moved, second.success, second.moved) == (True, True, True, False)
    assert shelf.progress[USER, episode.podcast.id, episode.id]["currentTime"] == 60.0
    assert len(shelf.sessions) == 2
    (unknown,) = client.send_listening(
        [Listening(uuid("c"), episode.podcast.id, "gone", "", 1, 1, 1, 1, 1)], "device", "Earmark", "1"
    )
    assert (unknown.success, unknown.error) == (False, "Media item not found")
