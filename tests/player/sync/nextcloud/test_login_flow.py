"""Logging in to a Nextcloud in the browser."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.links.urls import on_same_server
from player.model.syncing import SyncAccount
from player.net.credentials import Credentials
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.nextcloud.login_flow import PATIENCE_S, LoginFlow
from player.sync.nextcloud.target import NextcloudTarget
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import Typed
from tests.loopback import LoopbackServer
from tests.quick import examples
from tests.sync_servers.nextcloud import APP_PASSWORD, NextcloudServer
from tests.sync_servers.server import USER, Refusal


@pytest.fixture
def server() -> Iterator[NextcloudServer]:
    with NextcloudServer() as running:
        yield running


def test_a_login_in_the_browser_gives_a_password_of_its_own(
    server: NextcloudServer, network: NetworkLoop, paths: Paths
) -> None:
    flow = LoginFlow(f"{server.address}/index.php/apps/dashboard/", "Ada's läptop", network)
    assert flow.begin() == f"{server.address}/login/v2/flow/token0"
    assert flow.poll() is None
    server.log_in()
    login = flow.poll()
    assert login == Typed("nextcloud", server.address, "Ada's läptop", USER, APP_PASSWORD)
    assert server.agents == ["Earmark (Ada's l?ptop)"]

    logins = Credentials(paths.data / "logins.json")
    logins.remember(login.address, login.user, login.password)
    account = SyncAccount("nextcloud", login.address, login.user, "laptop", "")
    assert NextcloudTarget(account, network, logins.find).pull("", whole=False).is_whole


def test_after_twenty_minutes_nobody_comes_any_more(server: NextcloudServer, network: NetworkLoop) -> None:
    now = [0.0]
    flow = LoginFlow(server.address, "laptop", network, clock=lambda: now[0])
    flow.begin()
    now[0] = PATIENCE_S - 1
    assert flow.poll() is None
    now[0] = PATIENCE_S
    with pytest.raises(SyncError) as caught:
        flow.poll()
    assert caught.value.failure is SyncFailure.LOGIN
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_that_fails_for_a_moment_ends_no_login(
    server: NextcloudServer, network: NetworkLoop, status: int
) -> None:
    flow = LoginFlow(server.address, "laptop", network)
    flow.begin()
    server.log_in()
    server.busy = [Refusal(status)] * 9
    assert [flow.poll() for _ in range(9)] == [None] * 9
    assert flow.poll() is not None


def test_a_server_that_goes_on_failing_is_told(server: NextcloudServer, network: NetworkLoop) -> None:
    flow = LoginFlow(server.address, "laptop", network)
    flow.begin()
    server.busy = [Refusal(503)] * 10
    assert [flow.poll() for _ in range(9)] == [None] * 9
    with pytest.raises(SyncError) as caught:
        flow.poll()
    assert caught.value.failure is SyncFailure.BUSY


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example",
        "http://localhost:{port}",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        "javascript:alert(1)",
        "file:///etc",
        "//evil.example",
        "",
    ],
)
@pytest.mark.parametrize("what", ["flow", "poll", "server"])
def test_answers_that_lead_to_another_server_are_refused(
    server: NextcloudServer, network: NetworkLoop, what: str, elsewhere: str
) -> None:
    there = elsewhere.format(port=server.http.server_port)
    flow = LoginFlow(server.address, "laptop", network)

    def believe(address: str) -> str:
        is_it = what in address if what != "server" else address == server.address
        return address.replace(server.address, there) if is_it else address

    server.believes_in = believe

    def log_in() -> None:
        flow.begin()
        server.log_in()
        flow.poll()

    with pytest.raises(SyncError) as caught:
        log_in()
    assert caught.value.failure is SyncFailure.NOT_A_SERVER


@pytest.mark.parametrize(
    ("address", "here", "is_same"),
    [
        ("https://cloud.example/login", "https://cloud.example", True),
        ("https://cloud.example:443/login", "https://cloud.example", True),
        ("https://cloud.example/login", "http://cloud.example", True),
        ("https://cloud.example/login", "http://cloud.example:80", True),
        ("https://cloud.example:8080/login", "http://cloud.example:8080", True),
        ("http://Cloud.example/login", "http://cloud.example", True),
        ("http://cloud.example/login", "https://cloud.example", False),
        ("https://cloud.example:8443/login", "https://cloud.example", False),
        ("https://cloud.example/login", "https://cloud.example:8443", False),
        ("https://cloud.example:8443/login", "http://cloud.example", False),
        ("http://cloud.example:8080/login", "http://cloud.example", False),
        ("https://[::1]:8443/", "https://[::1]", False),
    ],
)
def test_another_port_is_another_server_and_encryption_may_be_added(address: str, here: str, is_same: bool) -> None:
    assert on_same_server(address, here) is is_same


def test_a_server_without_login_flow_is_told(network: NetworkLoop) -> None:
    with LoopbackServer() as other, pytest.raises(SyncError) as caught:
        LoginFlow(other.url(""), "laptop", network).begin()
    assert caught.value.failure is SyncFailure.NOT_A_SERVER
    assert "Nextcloud" in str(caught.value)


def test_a_cancelled_attempt_asks_nothing_more(server: NextcloudServer, network: NetworkLoop) -> None:
    flow = LoginFlow(server.address, "laptop", network)
    flow.begin()
    flow.abort()
    with pytest.raises(SyncError):
        flow.poll()
    assert len(server.asked) == 1


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just("http://127.0.0.1/login"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["poll", "token", "endpoint", "login", "server", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=any_json)
def test_any_answer_begins_a_login_or_is_refused_in_words(network: NetworkLoop, answer: Any) -> None:
    with LoopbackServer() as server:
        server.page("/index.php/login/v2", json.dumps(answer).encode(), "application/json")
        with suppress(SyncError):
            assert LoginFlow(server.url(""), "laptop", network).begin().startswith("http://127.0.0.1")
