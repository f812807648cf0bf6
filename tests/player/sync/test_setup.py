"""Setting up: until the merge nothing has changed, here or there, and an account that is there stays as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from player.errors import EarmarkError
from player.library import Library
from player.net.credentials import Credentials
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.setup import SetUp, SignedIn, device_name, forget, rename_device, signed_in
from player.sync.target import SyncError
from player.sync.ways import Typed, target_of
from tests.sync_servers.gpodder import GpodderServer
from tests.sync_servers.server import PASSWORD, USER

Make = Callable[[SignedIn], SetUp]


@pytest.fixture
def credentials(paths: Paths) -> Credentials:
    return Credentials(paths.logins)


@pytest.fixture
def set_up(library: Library, paths: Paths, credentials: Credentials, network: NetworkLoop) -> Make:
    return lambda signed_in: SetUp(signed_in, library, paths, credentials, network)


def of_server(server: GpodderServer, paths: Paths, password: str = PASSWORD) -> SignedIn:
    return signed_in(Typed("gpodder", server.address, "desk", USER, password), paths)


def test_looking_into_a_new_folder_writes_nothing_and_merging_joins_it(
    set_up: Make, library: Library, paths: Paths, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    one = set_up(signed_in(Typed("folder", str(folder), "desk"), paths))
    one.look()
    assert list(folder.iterdir()) == []
    assert not paths.sync_folder.exists()
    one.merge()
    one.send()
    assert (folder / "earmark-sync").is_dir()
    account = library.syncing.account()
    assert account is not None
    assert (account.target, account.name) == ("folder", "desk")


def test_another_folder_that_is_only_looked_at_doesnt_end_syncing_through_the_first(
    set_up: Make, library: Library, paths: Paths, network: NetworkLoop, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = (signed_in(Typed("folder", str(tmp_path / name), "desk"), paths) for name in ("first", "second"))
    one = set_up(first)
    one.look()
    one.merge()
    one.send()
    set_up(second).look()
    target_of(first.account, paths, Credentials(paths.logins), network).pull("", whole=True)
    assert library.syncing.account() == first.account


def test_a_login_is_kept_with_the_merge_and_forgotten_with_the_account(
    set_up: Make, library: Library, paths: Paths, credentials: Credentials
) -> None:
    with GpodderServer() as server:
        with pytest.raises(SyncError, match="refused the login"):
            set_up(of_server(server, paths, "wrong")).look()
        one = set_up(of_server(server, paths))
        one.look()
        assert credentials.find(server.address) is None
        one.merge()
        assert credentials.find(server.address) == (USER, PASSWORD)
        forget(library, paths, credentials)
        assert credentials.find(server.address) is None
        assert library.syncing.account() is None


def test_another_password_is_checked_before_it_is_kept(set_up: Make, paths: Paths, credentials: Credentials) -> None:
    with GpodderServer() as server:
        one = set_up(of_server(server, paths))
        one.look()
        one.merge()
        server.password = "another"
        with pytest.raises(SyncError, match="refused the login"):
            set_up(of_server(server, paths, "wrong")).check()
        again = set_up(of_server(server, paths, "another"))
        again.check()
        again.keep_login()
        assert credentials.find(server.address) == (USER, "another")


def test_another_name_leaves_the_device_the_same(set_up: Make, library: Library, paths: Paths) -> None:
    with GpodderServer() as server:
        one = set_up(of_server(server, paths))
        one.look()
        one.merge()
        rename_device(library, paths, "writing desk")
        account = library.syncing.account()
        assert account is not None
        assert (account.name, account.device) == ("writing desk", one.account.device)


def test_a_folder_has_to_be_there(paths: Paths, tmp_path: Path) -> None:
    with pytest.raises(EarmarkError, match="There is no folder"):
        signed_in(Typed("folder", str(tmp_path / "nowhere"), ""), paths)


def test_a_device_has_its_hosts_name_unless_it_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "desk.example.org")
    assert (device_name(), device_name("my\x07desk")) == ("desk", "mydesk")
