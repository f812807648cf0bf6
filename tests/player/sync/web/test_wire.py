"""Actions as servers have them."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from player.merging.fold import fold
from player.merging.seconds import as_servers_keep_it
from player.merging.statements import statement
from player.model.syncing import SEEN_PLAYED, Action, ActionKind
from player.sync.web.action_times import read_moment
from player.sync.web.wire import Dialect, Unreadable, from_wire, to_wire
from tests.quick import examples
from tests.sync_servers.devices import DAY, HOUR, MINUTE, NOON, episode, mark, play

NOW = datetime.fromtimestamp(NOON / 1000, UTC)
ENTRY = {
    "podcast": "https://example.org/feed.xml",
    "episode": "https://example.org/1.mp3",
    "action": "play",
    "timestamp": "2026-09-21T12:00:00",
    "started": 15,
    "position": 120,
    "total": 500,
}


def read(entry: object, dialect: Dialect = Dialect.GPODDER) -> Action | None:
    return from_wire(msgspec.Raw(json.dumps(entry).encode()), dialect, NOW)


def read_back(action: Action, dialect: Dialect) -> list[Action]:
    found = [read(entry, dialect) for entry in to_wire(action, dialect)]
    return [one for one in found if one is not None]


def said(**more: Any) -> Action:
    found = read({**ENTRY, **more})
    assert found is not None
    return found


seconds_ = st.integers(0, 7_200_000)
actions = st.builds(
    Action,
    episode=st.just(episode()),
    device=st.sampled_from(["laptop", "phone.2"]),
    at=st.integers(NOON - 400 * DAY, NOON),
    kind=st.sampled_from(ActionKind),
    started_ms=st.none() | seconds_,
    position_ms=seconds_,
    total_ms=st.none() | st.integers(11_000, 7_200_000),
    seen_ms=st.just(0) | seconds_ | seconds_.map(SEEN_PLAYED.__add__) | st.just(SEEN_PLAYED),
)


@pytest.mark.parametrize("dialect", Dialect)
@settings(max_examples=examples(600))
@given(action=actions)
def test_an_action_comes_back_as_its_own_device_keeps_it(dialect: Dialect, action: Action) -> None:
    kept = as_servers_keep_it(action)
    found = [one for one in read_back(action, dialect) if one.kind is ActionKind.PLAY]
    assert len(found) == 1
    expected = kept.device if dialect is Dialect.GPODDER else ""
    assert (found[0].at, found[0].device, found[0].total_ms) == (kept.at, expected, kept.total_ms)
    if dialect is Dialect.NEXTCLOUD and not kept.position_ms and not kept.started_ms:
        assert found[0].position_ms == 1_000
    else:
        assert found[0].position_ms == kept.position_ms
        assert statement(msgspec.structs.replace(found[0], device=kept.device)) == statement(kept)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("total_ms", [HOUR, None])
def test_played_is_said_by_a_position_at_the_end(dialect: Dialect, total_ms: int | None) -> None:
    (entry,) = to_wire(mark(ActionKind.PLAYED, total_ms=total_ms), dialect)
    assert entry["position"] == entry["total"] == (3600 if total_ms else 86_400)
    assert fold(read_back(mark(ActionKind.PLAYED, total_ms=total_ms), dialect)).played


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("total_ms", [HOUR, None])
def test_not_played_undoes_the_mark_that_its_device_knew_of(dialect: Dialect, total_ms: int | None) -> None:
    phone = mark(ActionKind.PLAYED, device="phone", at=NOON - HOUR)
    laptop = mark(ActionKind.UNPLAYED, total_ms=total_ms, seen_ms=SEEN_PLAYED)
    state = fold([*read_back(phone, dialect), *read_back(laptop, dialect)])
    assert (state.played, state.position_ms) == (False, 0)


def test_other_apps_are_told_by_new_that_it_isnt_played() -> None:
    entries = to_wire(mark(ActionKind.UNPLAYED), Dialect.GPODDER)
    assert [one["action"] for one in entries] == ["new", "play"]
    assert not {"started", "position", "total"} & entries[0].keys()  # gpodder.net refuses them there


def test_nextcloud_is_told_by_a_play_at_the_start_that_it_isnt_played_and_so_are_we() -> None:
    (entry,) = to_wire(mark(ActionKind.UNPLAYED), Dialect.NEXTCLOUD)
    assert (entry["action"], entry["position"], entry["total"]) == ("PLAY", 0, 3600)
    of_another_app = read({**ENTRY, "action": "PLAY", "started": 0, "position": 0}, Dialect.NEXTCLOUD)
    assert of_another_app is not None
    assert of_another_app.kind is ActionKind.UNPLAYED


@pytest.mark.parametrize("dialect", Dialect)
def test_who_went_back_says_so(dialect: Dialect) -> None:
    back = play(5 * MINUTE, seen_ms=30 * MINUTE)
    known = play(30 * MINUTE, device="phone", at=NOON - HOUR)
    assert fold([known, *read_back(back, dialect)]).position_ms == 5 * MINUTE


@pytest.mark.parametrize("dialect", Dialect)
def test_started_position_and_total_are_all_three_or_none(dialect: Dialect) -> None:
    for action in (play(MINUTE), play(MINUTE, total_ms=None), play(MINUTE, started_ms=None), mark(ActionKind.PLAYED)):
        entry = to_wire(action, dialect)[-1]
        assert all(type(entry[name]) is int for name in ("started", "position", "total"))


def test_a_mark_made_again_begins_at_another_second_for_gpodder_net_takes_two_alike_for_one() -> None:
    first, again = (to_wire(mark(ActionKind.PLAYED, at=at), Dialect.GPODDER)[0] for at in (NOON, NOON + DAY + 7_000))
    assert first["started"] != again["started"]


def test_times_are_sent_in_whole_seconds_and_never_earlier() -> None:
    assert to_wire(play(MINUTE, at=NOON + 1), Dialect.GPODDER)[0]["timestamp"] == "2026-09-21T14:13:21"


@pytest.mark.parametrize("kind", ["play", "PLAY", "Play", " play "])
def test_play_is_read_in_upper_and_lower_case(kind: str) -> None:
    found = said(action=kind)
    assert (found.kind, found.started_ms, found.position_ms, found.total_ms) == (
        ActionKind.PLAY,
        15_000,
        120_000,
        500_000,
    )


@pytest.mark.parametrize(
    "written",
    [
        "2026-09-21T12:00:00",
        "2026-09-21T12:00:00Z",
        "2026-09-21t12:00:00z",
        "2026-09-21T12:00:00.000",
        "2026-09-21T12:00:00.000000+00:00",
        "2026-09-21T14:00:00+02:00",
        "2026-09-21 12:00:00",
        1_789_992_000,
        "1789992000",
        1_789_992_000_000,
    ],
)
def test_times_are_in_utc_with_and_without_a_zone(written: object) -> None:
    assert said(timestamp=written).at == 1_789_992_000_000


def test_a_time_without_a_zone_isnt_taken_for_that_of_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as here:
        here.setenv("TZ", "America/New_York")
        time.tzset()
        assert said().at == 1_789_992_000_000
        assert to_wire(play(MINUTE, at=1_789_992_000_000), Dialect.GPODDER)[0]["timestamp"] == ENTRY["timestamp"]
    time.tzset()


@pytest.mark.parametrize(
    "written", ["", "yesterday", None, True, [], "2026-13-41T12:00:00", "0000-00-00T00:00:00", -5, 1e300, "9" * 5_000]
)
def test_a_time_that_is_garbage_is_refused(written: object) -> None:
    with pytest.raises(Unreadable):
        said(timestamp=written)


def test_a_clock_may_be_wrong_by_hours_but_not_by_years() -> None:
    assert read_moment((NOW + timedelta(hours=14)).isoformat(), NOW) == NOON + 14 * HOUR
    assert read_moment("2099-01-01T00:00:00", NOW) is None


@pytest.mark.parametrize("unset", [-1, "-1", None, "", "?", True, [], 1e300])
def test_minus_one_is_unset(unset: object) -> None:
    assert read({**ENTRY, "position": unset}) is None
    assert said(started=unset).started_ms is None
    assert said(total=unset).total_ms is None


def test_numbers_may_be_text() -> None:
    found = said(started="15", position="120.7", total="500")
    assert (found.started_ms, found.position_ms, found.total_ms) == (15_000, 120_000, 500_000)


@pytest.mark.parametrize("kind", ["download", "DELETE", "flattr", "something new"])
def test_what_says_nothing_of_listening_is_left_out(kind: str) -> None:
    assert read({**ENTRY, "action": kind}) is None


@pytest.mark.parametrize("guid", ["abc", "  abc\n", "a\x1b[2Jbc"])
def test_a_guid_is_taken_as_a_feed_would_have_it(guid: str) -> None:
    assert "\x1b" not in said(guid=guid).episode.guid
    assert said(guid=guid).episode.guid.startswith("a")


@pytest.mark.parametrize("dialect", Dialect)
def test_a_guid_that_is_too_long_for_a_server_isnt_sent(dialect: Dialect) -> None:
    long, short = (msgspec.structs.replace(episode(), guid="g" * length) for length in (501, 500))
    entries = [to_wire(msgspec.structs.replace(play(MINUTE), episode=one), dialect)[0] for one in (long, short)]
    assert ["guid" in entry for entry in entries] == [False, True]


def test_a_local_folder_of_another_app_is_left_out() -> None:
    assert read({**ENTRY, "podcast": "antennapod_local:content://tree", "episode": "content://1"}) is None


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
almost = st.fixed_dictionaries({}, optional={name: any_json | st.just(value) for name, value in ENTRY.items()})


@settings(max_examples=examples(900))
@given(entry=almost | any_json, dialect=st.sampled_from(Dialect))
def test_any_json_is_an_action_or_nothing_or_refused(entry: object, dialect: Dialect) -> None:
    try:
        found = read(entry, dialect)
    except Unreadable:
        return
    if found is not None:
        assert found.at >= 0
        assert found.position_ms >= 0
        assert found.episode.podcast.startswith(("http://", "https://"))
        fold([found])
