"""Setting up syncing with an Audiobookshelf server, with name and password or an API key; only tokens are stored."""

from collections.abc import Iterator

import pytest

from player.audiobookshelf.client import Audiobookshelf
from player.errors import EarmarkError
from player.library import Library
from player.net.credentials import Credentials, Tokens
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.round import Round
from player.sync.setup import SetUp, forget, signed_in
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import Typed, target_of
from tests.audiobookshelf import PASSWORD, TOKEN, USER, AudiobookshelfServer


@pytest.fixture
def server() -> Iterator[AudiobookshelfServer]:
    with AudiobookshelfServer() as running:
        yield running


class Desk:
    def __init__(self, server: AudiobookshelfServer, library: Library, paths: Paths, network: NetworkLoop) -> None:
        self.server, self.library, self.paths, self.network = server, library, paths, network
        self.credentials = Credentials(paths.logins)

    def of(self, secret: str, user: str = USER, address: str = "") -> SetUp:
        typed = Typed("audiobookshelf", address or self.server.address, "desk", user, secret)
        return SetUp(signed_in(typed, self.paths), self.library, self.paths, self.credentials, self.network)

    def set_up(self, secret: str, user: str = USER) -> SetUp:
        made = self.of(secret, user)
        made.look()
        made.merge()
        made.send()
        return made

    def round(self) -> None:
        account = self.library.syncing.account()
        assert account is not None
        Round(self.library, target_of(account, self.paths, Credentials(self.paths.logins), self.network)).run()

    @property
    def tokens(self) -> Tokens | None:
        return Credentials(self.paths.logins).tokens(self.server.address)


@pytest.fixture
def desk(server: AudiobookshelfServer, library: Library, paths: Paths, network: NetworkLoop) -> Desk:
    return Desk(server, library, paths, network)


def test_a_password_is_used_once_and_tokens_are_stored_with_the_merge(desk: Desk, paths: Paths) -> None:
    made = desk.of(PASSWORD)
    made.look()
    assert not paths.logins.exists(), "nothing is kept before the merge"
    made.merge()
    made.send()
    tokens = desk.tokens
    assert tokens is not None
    assert (tokens.name, tokens.access[: len(TOKEN)], bool(tokens.refresh)) == (USER, TOKEN, True)
    assert PASSWORD not in paths.logins.read_text()
    account = desk.library.syncing.account()
    assert account is not None
    assert (account.target, account.user, account.step_ms, account.has_facts) == ("audiobookshelf", USER, 1, True)
    desk.round()
    assert desk.server.sent_tokens() == [], "no token is in an address"


@pytest.mark.parametrize("user", ["", "somebody"])
def test_an_api_key_takes_the_place_of_the_password(desk: Desk, user: str) -> None:
    key = desk.server.api_key()
    made = desk.set_up(key, user)
    assert made.account.user == USER, "the name is the server's"
    assert desk.tokens == Tokens(USER, key)
    desk.round()


def test_tokens_are_renewed_and_the_new_ones_stored(desk: Desk) -> None:
    desk.set_up(PASSWORD)
    before = desk.tokens
    desk.server.later_s += 3601
    desk.round()
    assert desk.tokens != before
    desk.server.later_s += 20 * 86_400
    desk.round()
    assert desk.server.renewals == 2


def test_an_older_server_gives_a_token_that_does_not_expire(desk: Desk) -> None:
    desk.server.version = "2.25.1"
    desk.set_up(PASSWORD)
    desk.server.later_s += 90 * 86_400
    desk.round()


def test_a_server_below_a_path_can_be_set_up(desk: Desk) -> None:
    desk.server.only_below = "/shelf"
    desk.set_up(PASSWORD)
    desk.round()
    account = desk.library.syncing.account()
    assert account is not None
    assert account.address == desk.server.address


def test_a_wrong_password_is_reported_and_nothing_is_stored(desk: Desk) -> None:
    for made in (desk.of("wrong"), desk.of("wrong", user=""), desk.of("eyJ.wrong.key")):
        with pytest.raises(
            SyncError, match=r"refused the login.*Check the name and password, or the API key"
        ) as caught:
            made.look()
        assert caught.value.failure is SyncFailure.LOGIN
    assert desk.tokens is None
    with pytest.raises(EarmarkError, match="isn't a URL"):
        desk.of(PASSWORD, address="not an address")


def test_signing_in_again_requires_the_same_user(desk: Desk) -> None:
    desk.set_up(PASSWORD)
    desk.server.end_sessions()
    desk.server.expire_access()
    with pytest.raises(SyncError, match="Set up syncing again"):
        desk.round()
    other = desk.of(desk.server.api_key("bob"))
    with pytest.raises(EarmarkError, match="signed in as bob"):
        other.check()
    again = desk.of(PASSWORD)
    again.check()
    again.keep_login()
    desk.round()


def test_who_signs_in_as_another_user_for_the_podcasts_gets_no_progress_of_theirs(desk: Desk) -> None:
    desk.set_up(PASSWORD)
    server = Audiobookshelf(desk.server.address, desk.network, desk.credentials)
    server.sign_in("", desk.server.api_key("bob"))
    with pytest.raises(SyncError, match="signed in as bob, but Earmark syncs as ann") as caught:
        desk.round()
    assert caught.value.failure is SyncFailure.LOGIN


def test_the_login_is_forgotten_with_the_account_unless_podcasts_need_it(desk: Desk) -> None:
    desk.set_up(PASSWORD)
    forget(desk.library, desk.paths, desk.credentials)
    assert desk.tokens is None
    desk.set_up(PASSWORD)
    desk.library.podcasts.add(f"audiobookshelf:{desk.server.address}/item/abc", "A podcast of the server")
    forget(desk.library, desk.paths, desk.credentials)
    assert desk.tokens is not None
