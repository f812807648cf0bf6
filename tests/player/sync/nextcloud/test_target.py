"""Devices that sync through Nextcloud's GPodder Sync."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.merging.fold import fold
from player.merging.seconds import as_servers_keep_it
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName
from player.net.loop import NetworkLoop
from player.sync.nextcloud.kept_actions import KeptActions
from player.sync.target import SyncError, SyncFailure
from tests.quick import examples
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
from tests.sync_servers.nextcloud import NextcloudServer
from tests.sync_servers.server import Refusal


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(clock: Clock) -> Iterator[NextcloudServer]:
    with NextcloudServer(clock) as running:
        yield running


def state_of(server: NextcloudServer, network: NetworkLoop, number: int = 1) -> tuple[bool, int]:
    """What a device sees that comes later."""
    pulled = target(server, network, "new").pull("", whole=False)
    state = fold(one for one in pulled.actions if one.episode == episode(number))
    return state.played, state.position_ms


def test_what_one_device_heard_another_learns(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop, phone = target(server, network), target(server, network, "phone")
    laptop.pull("", whole=False)
    begin = phone.pull("", whole=False)
    said = [play(20 * MINUTE), mark(ActionKind.PLAYED, number=2), mark(ActionKind.PLAYED, number=3)]
    said.append(mark(ActionKind.UNPLAYED, number=3, at=NOON + 1_000, seen_ms=SEEN_PLAYED))
    assert sorted(laptop.push(outgoing(said, [subscribed(), subscribed("https://a.example/b")])).sent) == list(
        range(1, 7)
    )
    laptop.push(outgoing([], [unsubscribed("https://a.example/b")]))
    pulled = phone.pull(begin.cursor, whole=False)
    states = {number: fold(one for one in pulled.actions if one.episode == episode(number)) for number in (1, 2, 3)}
    assert [(one.played, one.position_ms) for one in states.values()] == [(False, 20 * MINUTE), (True, 0), (False, 0)]
    assert {one.device for one in pulled.actions} == {""}
    assert pulled.subscriptions == (subscribed(), unsubscribed("https://a.example/b"))


def test_only_plays_are_sent_in_upper_case_and_none_without_its_seconds(
    server: NextcloudServer, network: NetworkLoop
) -> None:
    kinds = [play(MINUTE), mark(ActionKind.PLAYED, number=2), mark(ActionKind.UNPLAYED, number=3)]
    push(target(server, network), *kinds)
    assert {entry["action"] for entry in server.sent[0]} == {"PLAY"}
    assert all(entry["total"] > 0 <= entry["position"] for entry in server.sent[0])
    assert not any("device" in entry for entry in server.sent[0])


def test_what_isnt_set_is_minus_one(server: NextcloudServer, network: NetworkLoop) -> None:
    server.actions = [
        {"podcast": FEED, "episode": episode(n).url, "guid": None, "action": "PLAY", "at": NOON // 1000, **seconds}
        for n, seconds in enumerate(
            [
                {"started": -1, "position": -1, "total": -1},
                {"started": -1, "position": 60, "total": -1},
                {"started": 30, "position": 60, "total": 600},
            ]
        )
    ]
    found = target(server, network).pull("", whole=False)
    assert [(one.started_ms, one.position_ms, one.total_ms) for one in found.actions] == [
        (None, 60_000, None),
        (30_000, 60_000, 600_000),
    ]
    assert not found.unread


def test_an_episode_goes_by_its_guid_though_its_address_changed(server: NextcloudServer, network: NetworkLoop) -> None:
    push(target(server, network), play(MINUTE))
    moved = EpisodeName(FEED, "https://cdn.example/1.mp3?token=5", "guid-1")
    push(target(server, network, "phone"), Action(moved, "phone", NOON + DAY, ActionKind.PLAY, position_ms=9 * MINUTE))
    (found,) = target(server, network).pull("", whole=True).actions
    assert (found.episode, found.position_ms) == (moved, 9 * MINUTE)


def test_no_cookies_are_kept_for_nextcloud_would_refuse_them(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    cursor = laptop.pull("", whole=False).cursor
    laptop.pull(cursor, whole=False)
    push(laptop, play(MINUTE))
    assert all(request.headers["OCS-APIRequest"] == "true" for request in server.http.seen)


# -- one action for each episode ----------------------------------------------------------------------------------


def test_an_old_action_doesnt_replace_a_newer_one(server: NextcloudServer, network: NetworkLoop) -> None:
    push(target(server, network, "phone"), play(40 * MINUTE, device="phone"))
    late = push(target(server, network), play(10 * MINUTE, at=NOON - 30 * DAY))
    assert late.sent == (1,)
    assert state_of(server, network) == (False, 40 * MINUTE)


def test_what_was_heard_further_isnt_lost_behind_a_newer_action(server: NextcloudServer, network: NetworkLoop) -> None:
    push(target(server, network, "phone"), play(10 * MINUTE, device="phone"))
    push(target(server, network), play(40 * MINUTE, at=NOON - DAY))
    assert state_of(server, network) == (False, 40 * MINUTE)
    (kept,) = server.actions
    assert kept["at"] > NOON // 1000


def test_a_played_mark_isnt_lost_behind_an_older_position_that_comes_later(
    server: NextcloudServer, network: NetworkLoop
) -> None:
    push(target(server, network, "phone"), mark(ActionKind.PLAYED, device="phone"))
    push(target(server, network), play(40 * MINUTE, at=NOON + HOUR))
    assert state_of(server, network) == (True, 0)


def test_who_goes_back_or_begins_anew_is_believed(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    push(laptop, play(40 * MINUTE), mark(ActionKind.PLAYED, number=2))
    back = play(5 * MINUTE, at=NOON + MINUTE, seen_ms=40 * MINUTE)
    anew = play(2 * MINUTE, at=NOON + MINUTE, number=2, seen_ms=SEEN_PLAYED)
    assert sorted(push(laptop, back, anew).sent) == [1, 2]
    assert state_of(server, network) == (False, 5 * MINUTE)
    assert state_of(server, network, 2) == (False, 2 * MINUTE)


def test_only_the_last_word_on_an_episode_is_sent(server: NextcloudServer, network: NetworkLoop) -> None:
    heard = [play(minute * MINUTE, at=NOON + minute * MINUTE) for minute in range(1, 25)]
    assert len(push(target(server, network), *heard).sent) == 24
    assert len(server.sent[0]) == 1
    assert state_of(server, network) == (False, 24 * MINUTE)


def test_what_the_server_keeps_is_asked_for_once(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    for number in range(5):
        push(laptop, play(MINUTE, at=NOON + number * 1_000, number=number))
    assert sum(method == "GET" for method, _path in server.asked) == 1


def test_two_podcasts_that_use_the_same_guids_keep_the_marks_of_both(
    server: NextcloudServer, network: NetworkLoop
) -> None:
    names = [EpisodeName(f"https://{one}.example/feed", f"https://{one}.example/1.mp3", "1") for one in "abc"]
    played = [replace(mark(ActionKind.PLAYED), episode=name) for name in names]
    laptop = target(server, network)
    push(laptop, *played[:2])
    push(laptop, played[2])
    heard = [replace(play(MINUTE, at=NOON + HOUR, seen_ms=SEEN_PLAYED), episode=name) for name in names]
    push(target(server, network, "phone"), *heard[1:])
    pulled = target(server, network, "new").pull("", whole=False).actions
    states = {one.episode.podcast: state(one) for one in pulled}
    assert states == {
        names[0].podcast: (True, 0), names[1].podcast: (False, MINUTE), names[2].podcast: (False, MINUTE)
    }  # fmt: skip
    assert not laptop.pull("", whole=True).forgotten


actions_of_one = st.builds(
    lambda device, minute, kind, position, went_back: Action(
        episode(),
        device,
        NOON + minute * MINUTE,
        kind,
        position_ms=position * MINUTE if kind is ActionKind.PLAY else 0,
        total_ms=HOUR,
        seen_ms=SEEN_PLAYED if went_back else 0,
    ),
    st.sampled_from(["laptop", "phone"]),
    st.integers(0, 4_000),
    st.sampled_from(ActionKind),
    st.integers(1, 48),
    st.booleans(),
)


@settings(max_examples=examples(300))
@given(
    all_=st.lists(actions_of_one, min_size=1, max_size=5, unique_by=lambda one: one.at),
    is_new=st.booleans(),
    waiting=st.integers(1, 4),
)
def test_what_the_server_has_afterwards_says_all_that_is_known(all_: list[Action], is_new: bool, waiting: int) -> None:
    """Of what is known here some waits to be sent; the server once had the rest, and may have lost it."""
    kept = KeptActions()
    there = [nameless(one) for one in all_[1:2] if not is_new]
    ours = [as_servers_keep_it(one) for one in (*all_[:1], *all_[2:])]
    kept.learn_all(there)
    known = sorted(ours, key=lambda one: one.at)
    waits = sorted(ours[:waiting], key=lambda one: one.at)
    to_send, needless = kept.merged(list(enumerate(waits)), dict.fromkeys(range(len(waits)), known))
    assert sorted([*needless, *(number for numbers, _action in to_send for number in numbers)]) == list(
        range(len(waits))
    )
    now_there = [nameless(action) for _numbers, action in to_send] or there
    said, expected = [*there, *waits], state(*there, *known)
    if expected > state(*said) and expected not in [state(one) for one in said]:
        expected = state(*said)  # what went further is sent by the device that did
    assert state(*now_there) == expected  # to a device that comes later
    assert state(*there, *now_there) == expected  # to one that knows what was there before
    assert not there or now_there[0].at >= there[0].at


def state(*actions: Action) -> tuple[bool, int]:
    found = fold(actions)
    return found.played, found.position_ms


def nameless(action: Action) -> Action:
    return replace(as_servers_keep_it(action), device="")


# -- failures ------------------------------------------------------------------------------------------------------


def test_a_late_action_is_found_though_the_server_goes_by_its_own_time(
    server: NextcloudServer, network: NetworkLoop
) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    push(target(server, network, "phone"), play(MINUTE, at=NOON - 11 * HOUR), play(MINUTE, at=NOON - DAY, number=2))
    assert len(laptop.pull(first.cursor, whole=False).actions) == 1
    assert len(laptop.pull(first.cursor, whole=True).actions) == 2


def test_what_is_sent_in_the_second_of_a_pull_isnt_missed(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    target(server, network, "phone").push(outgoing([play(MINUTE)], [subscribed()]))
    pulled = laptop.pull(first.cursor, whole=False)
    assert (len(pulled.actions), len(pulled.subscriptions)) == (1, 1)


def test_a_server_that_is_empty_has_forgotten_what_it_had(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    laptop.push(outgoing([], [subscribed()]))
    first = laptop.pull("", whole=False)
    assert not laptop.pull(first.cursor, whole=True).forgotten
    server.forget()
    assert laptop.pull(first.cursor, whole=True).forgotten


def test_another_action_of_an_episode_replaces_the_newest_and_nothing_is_forgotten(
    server: NextcloudServer, network: NetworkLoop, clock: Clock
) -> None:
    laptop, phone = target(server, network), target(server, network, "phone")
    push(laptop, play(MINUTE))
    cursor = laptop.pull("", whole=False).cursor
    for minute in (2, 3):
        clock.ms += DAY
        push(phone, play(minute * MINUTE, at=clock.ms))
        pulled = laptop.pull(cursor, whole=False)
        assert (pulled.forgotten, pulled.is_whole) == (False, False)
        cursor = pulled.cursor
    clock.ms += DAY
    server.forget()
    push(phone, play(MINUTE, at=clock.ms, number=2))
    assert laptop.pull(cursor, whole=False).forgotten


def test_a_server_that_forgot_what_was_just_sent_is_noticed(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    push(laptop, play(MINUTE))
    server.forget()
    assert laptop.pull(first.cursor, whole=True).forgotten


def test_a_server_that_forgot_is_noticed_though_another_device_has_filled_it_again(
    server: NextcloudServer, network: NetworkLoop
) -> None:
    laptop = target(server, network)
    first = laptop.pull("", whole=False)
    push(laptop, play(MINUTE))
    server.forget()
    push(target(server, network, "phone"), play(MINUTE, number=2))
    assert laptop.pull(first.cursor, whole=True).forgotten
    assert not laptop.pull(first.cursor, whole=True).forgotten


def test_what_another_app_has_replaced_by_less_is_to_be_sent_again(
    server: NextcloudServer, network: NetworkLoop
) -> None:
    laptop = target(server, network)
    push(laptop, play(40 * MINUTE))
    first = laptop.pull("", whole=False)
    server.actions[0] |= {"position": 60, "at": NOON // 1000 + 60}
    assert laptop.pull(first.cursor, whole=True).forgotten
    push(laptop, play(40 * MINUTE))
    assert state_of(server, network) == (False, 40 * MINUTE)
    assert not laptop.pull(first.cursor, whole=True).forgotten


def test_after_the_server_forgot_everything_can_be_sent_again(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    push(laptop, play(MINUTE))
    first = laptop.pull("", whole=False)
    server.forget()
    laptop.pull(first.cursor, whole=True)
    push(laptop, play(MINUTE))
    assert state_of(server, network) == (False, MINUTE)


def test_one_that_the_server_fails_at_is_found(server: NextcloudServer, network: NetworkLoop) -> None:
    server.breaks_at = lambda entry: entry["episode"] == episode(7).url
    pushed = push(target(server, network), *(play(MINUTE, number=number) for number in range(30)))
    assert [number for number, _why in pushed.refused] == [8]
    assert len(server.actions) == 29


def test_a_nextcloud_without_the_app_says_what_to_do(server: NextcloudServer, network: NetworkLoop) -> None:
    server.has_app = False
    with pytest.raises(SyncError) as caught:
        target(server, network).pull("", whole=False)
    assert caught.value.failure is SyncFailure.NOT_A_SERVER
    assert "GPodder Sync" in str(caught.value)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (Refusal(401), SyncFailure.LOGIN),
        (Refusal(503, "<html>Maintenance mode</html>", **{"Retry-After": "120"}), SyncFailure.BUSY),
        (Refusal(500, "<html>Internal Server Error</html>"), SyncFailure.FAULT),
        (Refusal(200, "<html>Log in</html>"), SyncFailure.NOT_A_SERVER),
    ],
)
def test_failures_are_told_apart(
    server: NextcloudServer, network: NetworkLoop, refusal: Refusal, expected: SyncFailure
) -> None:
    server.busy = [refusal]
    with pytest.raises(SyncError) as caught:
        target(server, network).pull("", whole=False)
    assert caught.value.failure is expected
    assert caught.value.retry_s == (120 if expected is SyncFailure.BUSY else 0)


def test_a_withdrawn_app_password_is_a_matter_of_the_login(server: NextcloudServer, network: NetworkLoop) -> None:
    laptop = target(server, network)
    server.password = "withdrawn"
    with pytest.raises(SyncError) as caught:
        push(laptop, play(MINUTE))
    assert caught.value.failure is SyncFailure.LOGIN
