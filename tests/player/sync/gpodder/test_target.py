"""Devices that sync through a server with the gpodder API."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from player.merging.fold import fold
from player.model.syncing import (
    SEEN_PLAYED,
    Action,
    ActionKind,
    EpisodeName,
    Fact,
    FactKind,
    Outgoing,
    SyncAccount,
)
from player.net.loop import NetworkLoop
from player.sync.gpodder.target import GpodderTarget
from player.sync.target import SyncError, SyncFailure
from tests.loopback import LoopbackServer
from tests.sync_servers.devices import (
    DAY,
    FEED,
    HOUR,
    MINUTE,
    NOON,
    Clock,
    episode,
    mark,
    outgoing,
    play,
    push,
    subscribed,
    target,
    unsubscribed,
)
from tests.sync_servers.gpodder import GpodderNet, GpodderServer, OPodSync
from tests.sync_servers.server import USER, Refusal

KINDS = (GpodderServer, OPodSync, GpodderNet)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(clock: Clock) -> Iterator[GpodderServer]:
    with GpodderServer(clock) as running:
        yield running


@pytest.fixture(params=KINDS)
def any_server(clock: Clock, request: pytest.FixtureRequest) -> Iterator[GpodderServer]:
    with request.param(clock) as running:
        yield running


def failure(server: GpodderServer, network: NetworkLoop) -> SyncError:
    with pytest.raises(SyncError) as caught:
        target(server, network).pull("", whole=False)
    return caught.value


def positions(actions: tuple[Action, ...]) -> list[int]:
    return [one.position_ms for one in actions]


# -- what goes through ---------------------------------------------------------------------------------------------


def test_what_one_device_heard_another_learns(any_server: GpodderServer, network: NetworkLoop, clock: Clock) -> None:
    laptop, phone = target(any_server, network), target(any_server, network, "phone")
    laptop.pull("", whole=False)
    begin = phone.pull(phone.pull("", whole=False).cursor, whole=False)
    said = [play(20 * MINUTE), mark(ActionKind.PLAYED, number=2), mark(ActionKind.PLAYED, number=3)]
    said.append(mark(ActionKind.UNPLAYED, number=3, at=NOON + 1_000, seen_ms=SEEN_PLAYED))
    assert sorted(laptop.push(outgoing(said, [subscribed()])).sent) == [1, 2, 3, 4, 5]
    clock.ms += MINUTE
    pulled = phone.pull(begin.cursor, whole=False)
    states = {number: fold(one for one in pulled.actions if one.episode == episode(number)) for number in (1, 2, 3)}
    assert [(one.played, one.position_ms) for one in states.values()] == [(False, 20 * MINUTE), (True, 0), (False, 0)]
    assert {one.device for one in pulled.actions} == {"laptop"}
    assert pulled.subscriptions == (subscribed(),)
    assert not pulled.is_whole
    assert not pulled.unread


def test_a_device_tells_its_name_and_learns_those_of_others(server: GpodderServer, network: NetworkLoop) -> None:
    target(server, network, "phone").pull("", whole=False)
    pulled = target(server, network).pull("", whole=False)
    assert server.devices["laptop"] == {"caption": "Ada's laptop", "type": "desktop"}
    assert dict(target(server, network).pull("", whole=False).devices) == {
        "phone": "Ada's phone",
        "laptop": "Ada's laptop",
    }
    assert not pulled.forgotten


def test_the_first_pull_is_whole_and_later_ones_when_asked(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    assert first.is_whole
    assert not laptop.pull(first.cursor, whole=False).is_whole
    assert laptop.pull(first.cursor, whole=True).is_whole
    assert [path.partition("since=")[2].partition("&")[0] for _method, path in server.asked if "since=0" in path] == [
        "0"
    ] * 4


def test_a_first_sync_answers_all_feeds_whether_they_are_known_or_not(
    server: GpodderServer, network: NetworkLoop
) -> None:
    feeds = [f"https://example.org/{n}.xml" for n in range(40)]
    phone = target(server, network, "phone")
    phone.pull("", whole=False)
    said = [
        Action(EpisodeName(feed, f"{feed}.mp3"), "phone", NOON, ActionKind.PLAY, position_ms=9_000) for feed in feeds
    ]
    phone.push(outgoing(said, [subscribed(feed) for feed in feeds[:20]]))
    pulled = target(server, network).pull("", whole=False)
    assert {one.episode.podcast for one in pulled.actions} == set(feeds)
    assert {one.podcast for one in pulled.subscriptions} == set(feeds[:20])


def test_actions_go_in_batches_of_thirty(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    assert len(push(laptop, *(play(MINUTE, number=number) for number in range(95))).sent) == 95
    assert [len(one) for one in server.sent[1:]] == [30, 30, 30, 5]
    push(laptop, *(mark(ActionKind.UNPLAYED, number=number) for number in range(30)))
    assert max(len(one) for one in server.sent[1:]) == 30
    assert laptop.most_at_once == 30


def test_an_upload_whose_answer_was_lost_is_sent_again_and_changes_nothing(
    any_server: GpodderServer, network: NetworkLoop
) -> None:
    laptop = target(any_server, network)
    laptop.pull("", whole=False)
    any_server.lost_answers = 2  # libcurl itself tries once more
    with pytest.raises(SyncError) as caught:
        push(laptop, play(MINUTE))
    assert caught.value.failure is SyncFailure.UNREACHABLE
    push(laptop, play(MINUTE))
    assert len(laptop.pull("", whole=True).actions) == 1


def test_what_servers_dont_carry_counts_as_sent(server: GpodderServer, network: NetworkLoop) -> None:
    fact = Fact(FactKind.STAR, "key", "true", NOON, "laptop")
    assert target(server, network).push(Outgoing(facts=((7, fact),))).sent == (7,)
    assert not server.asked


# -- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        EpisodeName("file:///home/ada/book", "file:///home/ada/book/1.mp3", "1"),
        EpisodeName("https://www.youtube.com/channel/UC1", "https://www.youtube.com/watch?v=1", "1"),
        EpisodeName("earmark:welcome", "earmark:welcome/1.opus", "1"),
        EpisodeName(FEED, "", "guid-without-an-enclosure"),
        EpisodeName(FEED, f"https://example.org/{'x' * 500}.mp3", "too long"),
        EpisodeName(f"https://example.org/{'x' * 500}.xml", "https://example.org/1.mp3", "too long"),
    ],
)
def test_an_address_that_would_refuse_a_whole_batch_is_never_sent(
    server: GpodderServer, network: NetworkLoop, name: EpisodeName
) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    unsendable = Action(name, "laptop", NOON, ActionKind.PLAY, position_ms=MINUTE)
    feeds = [subscribed(name.podcast)] if name.podcast != FEED else []
    pushed = laptop.push(outgoing([unsendable, play(MINUTE)], feeds))
    assert sorted(pushed.sent) == list(range(1, 3 + len(feeds)))
    assert not pushed.refused
    assert [entry["episode"] for _at, entry in server.actions] == [episode().url]
    assert not server.subscriptions


def test_addresses_that_the_server_changed_are_told(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    server.rewrites = {FEED: "https://example.org/moved.xml", episode().url: "https://example.org/1-moved.mp3"}
    assert laptop.push(outgoing([play(MINUTE)])).moved == ((FEED, "https://example.org/moved.xml"),)
    assert laptop.push(outgoing([], [subscribed()])).moved == ((FEED, "https://example.org/moved.xml"),)


def test_an_address_that_the_server_empties_was_refused(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    server.rewrites = {episode(2).url: "", "https://example.org/other.xml": ""}
    pushed = laptop.push(
        outgoing([play(MINUTE), play(MINUTE, number=2)], [subscribed("https://example.org/other.xml"), subscribed()])
    )
    assert sorted(pushed.sent) == [1, 4]
    assert sorted(number for number, _why in pushed.refused) == [2, 3]
    assert not pushed.moved


def test_a_server_sends_no_podcast_into_the_listeners_own_network() -> None:
    """Unless it is there itself, as the one of these tests."""
    from player.sync.web.answer import Answer
    from player.sync.web.exchanged_lists import Shipment
    from player.sync.web.wire import Dialect

    body = b'{"update_urls": [["https://example.org/feed.xml", "http://192.168.0.1/admin"]]}'
    moved = []
    for address in ("https://gpodder.example", "http://192.168.0.2"):
        shipment = Shipment(address, outgoing([], [subscribed()]), Dialect.GPODDER)
        shipment.subscriptions(lambda _add, _remove, address=address: Answer(address, body))  # type: ignore[misc]
        moved.append(shipment.pushed().moved)
    assert moved == [(), ((FEED, "http://192.168.0.1/admin"),)]


def test_an_address_is_never_added_and_removed_at_once(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    other = "https://example.org/other.xml"
    changes = [subscribed(), subscribed(other), unsubscribed(), unsubscribed(other), subscribed(f"{other}/")]
    pushed = laptop.push(outgoing([], changes))
    assert sorted(pushed.sent) == [1, 2, 3, 4, 5]
    assert server.sent[-1] == {"add": [f"{other}/"], "remove": [FEED]}


def test_of_what_a_server_has_added_and_removed_nothing_is_known(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    server.subscriptions = {FEED: (True, NOON), f"{FEED}/": (False, NOON), "https://example.org/b": (True, NOON)}
    assert laptop.pull(first.cursor, whole=True).subscriptions == (subscribed("https://example.org/b"),)


# -- devices of gpodder.net, each with its own subscriptions -------------------------------------------------------


@pytest.fixture
def net(clock: Clock) -> Iterator[GpodderNet]:
    with GpodderNet(clock) as running:
        yield running


def test_the_first_pull_shows_what_other_devices_have_and_changes_nothing(
    net: GpodderNet, network: NetworkLoop
) -> None:
    target(net, network, "phone").push(outgoing([], [subscribed()]))
    laptop = target(net, network)
    pulled = laptop.pull("", whole=False)
    assert pulled.subscriptions == (subscribed(),)
    assert (pulled.is_whole, pulled.unread, net.groups) == (True, (), [])


@pytest.mark.parametrize("links", [True, False])
def test_devices_are_linked_with_the_first_sync_and_have_the_same_from_then_on(
    net: GpodderNet, network: NetworkLoop, clock: Clock, links: bool
) -> None:
    net.links = links
    phone, laptop = target(net, network, "phone"), target(net, network)
    phone.push(outgoing([], [subscribed(f"{FEED}/phone")]))
    first = laptop.pull("", whole=False)
    pushed = laptop.push(outgoing([], [subscribed(f"{FEED}/laptop")]))
    assert net.groups == [{"phone", "laptop"}]
    assert f"{FEED}/laptop" in net.subscribed("phone")
    clock.ms += MINUTE
    phone.push(outgoing([], [unsubscribed(f"{FEED}/laptop"), subscribed(f"{FEED}/new")]))
    clock.ms += MINUTE
    second = target(net, network).pull(pushed.cursor or first.cursor, whole=False)
    assert {unsubscribed(f"{FEED}/laptop"), subscribed(f"{FEED}/new")} <= set(second.subscriptions)
    assert not second.unread


def test_a_device_without_podcasts_is_linked_by_its_second_pull(net: GpodderNet, network: NetworkLoop) -> None:
    target(net, network, "phone").push(outgoing([], [subscribed()]))
    first = target(net, network).pull("", whole=False)
    second = target(net, network).pull(first.cursor, whole=False)
    assert net.subscribed("laptop") == {FEED}
    assert subscribed() in second.subscriptions


def test_whoever_unlinks_a_device_has_a_reason(net: GpodderNet, network: NetworkLoop) -> None:
    target(net, network, "phone").push(outgoing([], [subscribed()]))
    cursor = target(net, network).pull("", whole=False).cursor
    cursor = target(net, network).pull(cursor, whole=False).cursor
    net.unlink("laptop")
    pulled = target(net, network).pull(cursor, whole=True)
    assert (net.groups, pulled.unread) == ([], ())


def test_where_devices_cant_be_linked_it_is_said_what_to_do(net: GpodderNet, network: NetworkLoop) -> None:
    def refuse(_body: object) -> object:
        raise Refusal(500)

    target(net, network, "phone").pull("", whole=False)
    laptop = target(net, network)
    first = laptop.pull("", whole=False)
    link, net._link = net._link, lambda body: refuse(body) if body else link(body)  # type: ignore[method-assign]
    pulled = laptop.pull(first.cursor, whole=False)
    (sentence,) = pulled.unread
    assert sentence == (
        "127.0.0.1 didn't link this device with Ada's phone: podcasts that you add or remove there stay there."
        f" Link them on its page of devices ({net.address}/devices/)."
    )
    assert laptop.pull(pulled.cursor, whole=True).unread == pulled.unread
    net._link = link  # type: ignore[method-assign]
    again = target(net, network).pull(pulled.cursor, whole=False)
    assert (again.unread, net.groups) == ((), [{"laptop", "phone"}])


@pytest.mark.parametrize("kind", [GpodderServer, OPodSync])
def test_a_server_with_one_list_for_all_devices_is_asked_once_about_links(
    kind: type[GpodderServer], network: NetworkLoop
) -> None:
    with kind() as server:
        target(server, network, "phone").pull("", whole=False)
        laptop = target(server, network)
        cursor = laptop.pull("", whole=False).cursor
        for _time in range(3):
            cursor = laptop.pull(cursor, whole=True).cursor
        assert sum("sync-devices" in path for _method, path in server.asked) == 2


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_what_is_added_and_soon_removed_is_removed_on_the_other_device_too(
    net: GpodderNet, network: NetworkLoop, clock: Clock, whole: bool, own: bool
) -> None:
    """gpodder.net answers with the difference: both together are none."""
    phone, laptop = target(net, network, "phone"), target(net, network)
    for device in (phone, laptop):
        device.pull(device.pull("", whole=False).cursor, whole=False)
    cursor = phone.pull(phone.pull("", whole=False).cursor, whole=False).cursor
    clock.ms += MINUTE
    pushed = (phone if own else laptop).push(outgoing([], [subscribed()]))
    clock.ms += MINUTE
    cursor = pushed.cursor if own else phone.pull(cursor, whole=False).cursor
    laptop.push(outgoing([], [unsubscribed()]))
    clock.ms += MINUTE
    assert unsubscribed() in target(net, network, "phone").pull(cursor, whole=whole).subscriptions


# -- since ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [OPodSync, GpodderNet])
def test_an_action_that_is_sent_late_is_found_though_the_server_goes_by_its_own_time(
    kind: type[GpodderServer], clock: Clock, network: NetworkLoop
) -> None:
    with kind(clock) as server:
        laptop, phone = target(server, network), target(server, network, "phone")
        first = laptop.pull("", whole=False)
        push(phone, play(MINUTE, at=NOON - 11 * HOUR, device="phone"), play(MINUTE, at=NOON - 90 * DAY, number=2))
        clock.ms += MINUTE
        pulled = laptop.pull(first.cursor, whole=False)
        assert [one.at for one in pulled.actions] == [NOON - 11 * HOUR]
        assert len(laptop.pull(pulled.cursor, whole=True).actions) == 2


def test_all_pages_are_read(clock: Clock, network: NetworkLoop) -> None:
    with GpodderNet(clock) as server:
        server.page = 100
        laptop = target(server, network)
        laptop.pull("", whole=False)
        push(laptop, *(play(MINUTE, number=number, at=NOON - number * 7_000) for number in range(350)))
        server.asked.clear()
        pulled = laptop.pull("", whole=True)
        assert len(pulled.actions) == 350
        assert sum("/episodes/" in path for _method, path in server.asked) == 4
        assert not laptop.pull(pulled.cursor, whole=False).forgotten


def test_actions_arent_aggregated(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    push(laptop, play(MINUTE), play(9 * MINUTE, at=NOON + 60_000))
    assert positions(laptop.pull("", whole=True).actions) == [MINUTE, 9 * MINUTE]


def test_a_server_whose_clock_is_ahead_hides_nothing(clock: Clock, network: NetworkLoop) -> None:
    with OPodSync(lambda: (clock.ms + 2 * DAY) / 1000) as server:
        laptop = target(server, network, now=clock)
        first = laptop.pull("", whole=False)
        push(laptop, play(MINUTE))
        assert len(laptop.pull(first.cursor, whole=False).actions) == 1


def test_a_played_mark_that_is_made_again_reaches_others_through_gpodder_net(
    clock: Clock, network: NetworkLoop
) -> None:
    with GpodderNet(clock) as server:
        laptop = target(server, network)
        laptop.pull("", whole=False)
        for kind in (ActionKind.PLAYED, ActionKind.UNPLAYED, ActionKind.PLAYED, ActionKind.UNPLAYED, ActionKind.PLAYED):
            clock.ms += 61_000
            push(laptop, mark(kind, at=clock.ms, seen_ms=SEEN_PLAYED))
        assert fold(target(server, network, "phone").pull("", whole=True).actions).played


# -- a server that forgot ------------------------------------------------------------------------------------------


def test_a_server_that_no_longer_knows_the_device_has_forgotten_it(server: GpodderServer, network: NetworkLoop) -> None:
    first = target(server, network).pull("", whole=False)
    assert not target(server, network).pull(first.cursor, whole=False).forgotten
    server.forget()
    pulled = target(server, network).pull(first.cursor, whole=False)
    assert (pulled.forgotten, pulled.is_whole) == (True, True)
    assert "laptop" in server.devices
    assert not target(server, network).pull(pulled.cursor, whole=False).forgotten


def test_a_server_that_forgets_while_a_device_syncs_is_noticed(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    server.forget()
    assert laptop.pull(first.cursor, whole=False).forgotten


def test_a_server_that_is_empty_has_forgotten_what_it_had(server: GpodderServer, network: NetworkLoop) -> None:
    server.has_devices = False
    laptop = target(server, network)
    assert not laptop.pull(laptop.pull("", whole=False).cursor, whole=True).forgotten
    push(laptop, play(MINUTE))
    second = laptop.pull("", whole=False)
    server.forget()
    assert laptop.pull(second.cursor, whole=False).forgotten
    assert laptop.pull(second.cursor, whole=True).forgotten


def test_a_server_with_an_old_backup_has_forgotten_what_came_later(
    any_server: GpodderServer, network: NetworkLoop, clock: Clock
) -> None:
    laptop = target(any_server, network)
    push(laptop, play(MINUTE))
    backup = list(any_server.actions)
    clock.ms += 5 * DAY
    push(laptop, play(MINUTE, number=2, at=clock.ms))
    cursor = laptop.pull(laptop.pull("", whole=False).cursor, whole=False).cursor
    clock.ms += 5 * DAY
    assert not laptop.pull(cursor, whole=False).forgotten
    any_server.actions = backup
    pulled = laptop.pull(cursor, whole=False)
    assert (pulled.forgotten, pulled.is_whole) == (True, True)
    again = laptop.pull(pulled.cursor, whole=False)
    assert (again.forgotten, again.is_whole) == (False, False)


def test_an_action_from_a_clock_that_was_ahead_is_found_before_the_server_counts_as_forgetful(
    any_server: GpodderServer, network: NetworkLoop, clock: Clock
) -> None:
    laptop = target(any_server, network)
    cursor = laptop.pull("", whole=False).cursor
    push(target(any_server, network, "phone"), play(MINUTE, at=clock.ms + 2 * DAY, device="phone"))
    clock.ms += DAY
    cursor = laptop.pull(cursor, whole=True).cursor
    for _day in range(4):
        clock.ms += DAY
        pulled = laptop.pull(cursor, whole=False)
        assert (pulled.forgotten, pulled.is_whole) == (False, False)
        cursor = pulled.cursor


def test_a_server_whose_time_was_later_before_has_forgotten(
    server: GpodderServer, network: NetworkLoop, clock: Clock
) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    clock.ms -= 3 * DAY
    pulled = laptop.pull(first.cursor, whole=False)
    assert (pulled.forgotten, pulled.is_whole) == (True, True)


@pytest.mark.parametrize("cursor", ["?", "{", "[]", '{"actions": -5}', '{"actions": "x"}', '{"actions": 1e99}'])
def test_a_damaged_cursor_leads_to_a_whole_pull(server: GpodderServer, network: NetworkLoop, cursor: str) -> None:
    assert target(server, network).pull(cursor, whole=False).is_whole


# -- refused -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [{4}, {0}, {29}, {3, 4, 17}, set(range(7)), {30, 59}])
@pytest.mark.parametrize("how", ["refuses", "breaks_at"])
def test_the_ones_that_refuse_a_batch_are_found_and_the_others_go(
    server: GpodderServer, network: NetworkLoop, bad: set[int], how: str
) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    urls = {episode(number).url for number in bad}
    setattr(server, how, lambda entry: entry["episode"] in urls)
    pushed = push(laptop, *(play(MINUTE, number=number, at=NOON + number) for number in range(60)))
    assert {number - 1 for number, _why in pushed.refused} == bad
    assert sorted(number - 1 for number in pushed.sent) == sorted(set(range(60)) - bad)
    assert {entry["episode"] for _at, entry in server.actions} == {episode(n).url for n in set(range(60)) - bad}
    assert all(why.endswith((" (400).", " (500).")) and "127.0.0.1" in why for _number, why in pushed.refused)


def test_a_subscription_that_refuses_a_batch_is_found(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    feeds = [f"https://example.org/{number}" for number in range(9)]
    server.refuses = lambda entry: entry["podcast"] == feeds[5]
    pushed = laptop.push(outgoing([], [subscribed(feed) for feed in feeds]))
    assert [number for number, _why in pushed.refused] == [6]
    assert len(server.subscriptions) == 8


@pytest.mark.parametrize("how", ["refuses", "breaks_at"])
def test_a_server_that_refuses_everything_is_no_reason_to_give_up_anything(
    server: GpodderServer, network: NetworkLoop, how: str
) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    setattr(server, how, lambda _entry: True)
    with pytest.raises(SyncError) as caught:
        push(laptop, *(play(MINUTE, number=number) for number in range(30)))
    assert caught.value.failure is SyncFailure.FAULT
    assert len(server.sent) < 50


def test_one_alone_that_the_server_fails_at_is_tried_again(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    server.breaks_at = lambda _entry: True
    pushed = push(laptop, play(MINUTE))
    assert (pushed.sent, pushed.refused) == ((), ())


# -- logging in ----------------------------------------------------------------------------------------------------


def test_a_session_that_expires_is_begun_again(server: GpodderServer, network: NetworkLoop) -> None:
    server.only_sessions = True
    laptop = target(server, network)
    cursor = laptop.pull("", whole=False).cursor
    logins = [path for _method, path in server.asked if "login.json" in path]
    server.end_sessions()
    push(laptop, play(MINUTE))
    server.end_sessions()
    assert len(laptop.pull(cursor, whole=False).actions) == 1
    assert len(logins) == 1
    assert sum("login.json" in path for _method, path in server.asked) == 3


@pytest.mark.parametrize("only_sessions", [False, True])
@pytest.mark.parametrize("has_sessions", [False, True])
def test_a_wrong_password_is_a_matter_of_the_login(
    server: GpodderServer, network: NetworkLoop, only_sessions: bool, has_sessions: bool
) -> None:
    server.only_sessions, server.has_sessions = only_sessions, has_sessions
    laptop = target(server, network)
    server.password = "another"
    with pytest.raises(SyncError) as caught:
        laptop.pull("", whole=False)
    assert caught.value.failure is SyncFailure.LOGIN
    assert str(caught.value) == "127.0.0.1 refused the login (401). Check the username and password."
    assert len(server.asked) <= 3


def test_a_password_that_isnt_kept_any_more_is_not_asked_for_in_vain(
    server: GpodderServer, network: NetworkLoop
) -> None:
    account = SyncAccount("gpodder", server.address, USER, "laptop", "")
    with pytest.raises(SyncError) as caught:
        GpodderTarget(account, network, lambda _url: None).pull("", whole=False)
    assert caught.value.failure is SyncFailure.LOGIN
    assert not server.asked


def test_the_login_is_looked_up_as_that_of_the_account(server: GpodderServer, network: NetworkLoop) -> None:
    asked = []

    def login(url: str) -> tuple[str, str]:
        asked.append(url)
        return USER, server.password

    account = SyncAccount("gpodder", server.address, USER, "laptop", "")
    GpodderTarget(account, network, login).pull("", whole=False)
    assert set(asked) == {server.address}


def test_names_stand_in_paths_as_parts_of_them(network: NetworkLoop) -> None:
    with LoopbackServer() as server:
        account = SyncAccount("gpodder", server.url(""), "a/b ü", "laptop", "")
        with pytest.raises(SyncError):
            GpodderTarget(account, network, lambda _url: ("a", "b")).pull("", whole=False)
        assert server.seen[0].path == "/api/2/devices/a%2Fb%20%C3%BC.json"


# -- small servers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("update_urls", [None, "", [], {}, "nonsense", 5, [[1, 2], ["a"], "b", None]])
def test_small_servers_answer_uploads_as_they_like(
    server: GpodderServer, network: NetworkLoop, update_urls: Any
) -> None:
    server.sends_update_urls = update_urls
    server.has_devices = server.has_sessions = False
    server.numbers_as_text = server.upper_case = True
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    pushed = laptop.push(outgoing([play(MINUTE)], [subscribed()]))
    assert (sorted(pushed.sent), pushed.refused, pushed.moved) == ([1, 2], (), ())
    pulled = laptop.pull(first.cursor, whole=False)
    assert positions(pulled.actions) == [MINUTE]
    assert not pulled.is_whole


@pytest.mark.parametrize("status", [400, 404, 405, 500, 501])
def test_a_server_without_devices_is_no_worse(server: GpodderServer, network: NetworkLoop, status: int) -> None:
    server.has_devices, server.without_devices = False, status
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    push(laptop, play(MINUTE))
    pulled = laptop.pull(first.cursor, whole=True)
    assert (len(pulled.actions), pulled.devices, pulled.forgotten) == (1, (), False)


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'"OK"', b"OK", b"{}", b'{"timestamp": "soon"}'])
def test_an_upload_that_is_answered_with_next_to_nothing_was_taken(network: NetworkLoop, body: bytes) -> None:
    with LoopbackServer() as server:
        server.page(f"/api/2/episodes/{USER}.json", body, "application/json")
        account = SyncAccount("gpodder", server.url(""), USER, "laptop", "")
        assert push(GpodderTarget(account, network, lambda _url: ("a", "b")), play(MINUTE)).sent == (1,)


def test_damaged_actions_are_skipped_one_by_one_and_counted(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    push(laptop, play(MINUTE))
    server.extra = [5, None, {}, {"action": "play"}, {"action": "download"}, "x" * 70_000, {"action": ["play"]}]
    pulled = laptop.pull("", whole=True)
    assert positions(pulled.actions) == [MINUTE]
    assert pulled.unread == ("127.0.0.1 sent 6 actions that Earmark can't read; they were skipped.",)


# -- failures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_says_for_how_long(server: GpodderServer, network: NetworkLoop, status: int) -> None:
    server.busy = [Refusal(status, "later", **{"Retry-After": "120"})]
    error = failure(server, network)
    assert (error.failure, error.retry_s) == (SyncFailure.BUSY, 120)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (500, SyncFailure.FAULT),
        (502, SyncFailure.FAULT),
        (403, SyncFailure.LOGIN),
        (418, SyncFailure.NOT_A_SERVER),
        (302, SyncFailure.NOT_A_SERVER),
    ],
)
def test_failures_are_told_apart(
    server: GpodderServer, network: NetworkLoop, status: int, expected: SyncFailure
) -> None:
    target(server, network).pull("", whole=False)
    server.busy = [Refusal(status)] * 4
    error = failure(server, network)
    assert error.failure is expected
    assert f"({status})" in str(error)


def test_a_server_without_the_api_is_no_sync_server(network: NetworkLoop) -> None:
    with LoopbackServer() as server:
        account = SyncAccount("gpodder", server.url(""), USER, "laptop", "")
        with pytest.raises(SyncError) as caught:
            GpodderTarget(account, network, lambda _url: ("a", "b")).pull("", whole=False)
    assert caught.value.failure is SyncFailure.NOT_A_SERVER
    assert "(404)" in str(caught.value)


def test_a_page_in_place_of_data_is_told_and_nothing_counts_as_sent(
    server: GpodderServer, network: NetworkLoop
) -> None:
    laptop = target(server, network)
    laptop.pull("", whole=False)
    server.is_html = True
    for ask in (lambda: laptop.pull("", whole=False), lambda: push(laptop, play(MINUTE))):
        with pytest.raises(SyncError) as caught:
            ask()
        assert caught.value.failure is SyncFailure.NOT_A_SERVER
        assert "web page" in str(caught.value)


def test_nobody_there(network: NetworkLoop) -> None:
    with GpodderServer() as server:
        laptop = target(server, network)
    with pytest.raises(SyncError) as caught:
        laptop.pull("", whole=False)
    assert caught.value.failure is SyncFailure.UNREACHABLE
    assert "127.0.0.1" in str(caught.value)


def test_after_an_abort_nothing_is_asked(server: GpodderServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.abort()
    with pytest.raises(SyncError):
        laptop.pull("", whole=False)
    assert not server.asked


# -- redirects -----------------------------------------------------------------------------------------------------


def test_a_move_within_the_server_is_followed_with_its_login(network: NetworkLoop) -> None:
    with LoopbackServer() as front:
        answers = {"devices": b"[]", "subscriptions": b'{"add": [], "timestamp": 5}', "episodes": b'{"actions": []}'}
        answers["sync-devices"] = b"{}"

        def answer(request: Any) -> None:
            if request.path.startswith("/new/"):
                assert request.headers["Authorization"].startswith("Basic ")
                request.reply(answers[request.path.split("/")[4]], "application/json")
            else:
                request.reply(b"", "text/plain", status=301, headers={"Location": f"/new{request.path}"})

        front.otherwise = answer
        account = SyncAccount("gpodder", front.url(""), USER, "laptop", "")
        laptop = GpodderTarget(account, network, lambda _url: (USER, "secret"))
        assert laptop.pull("", whole=False).is_whole
        assert push(laptop, play(MINUTE)).sent == (1,)
        assert [request.command for request in front.seen[-2:]] == ["POST", "POST"]
        assert all(one.body == other.body for one, other in pairwise(front.seen[-2:]))


@pytest.mark.parametrize("there", ["http://localhost:{port}", "http://127.0.0.1:{port}"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_another_server_isnt_told_what_was_heard(
    server: GpodderServer, network: NetworkLoop, there: str, status: int
) -> None:
    elsewhere = there.format(port=server.http.server_port)
    with LoopbackServer() as front:
        moved = {"Location": f"{elsewhere}/a"}
        front.otherwise = lambda request: request.reply(b"", "text/plain", status=status, headers=moved)
        account = SyncAccount("gpodder", front.url(""), USER, "laptop", "")
        with pytest.raises(SyncError) as caught:
            push(GpodderTarget(account, network, lambda _url: (USER, "secret")), play(MINUTE))
    assert caught.value.failure is SyncFailure.NOT_A_SERVER
    assert status == 302 or elsewhere in str(caught.value)
    assert not server.asked
