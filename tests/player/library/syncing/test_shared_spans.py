"""The listening history of several devices that meet in a folder: heard once, counted once, forgotten everywhere."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.library.history.totals import ListeningTotals
from player.library.syncing import shared_spans
from player.model.listening import ListeningSpan
from player.model.syncing import Fact, FactKind, Pulled, Pushed, SyncAccount, Taken
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.library.syncing.devices import ALL, FOLDER, MIN_MS, MINUTE, NOW, SERVER, ms, other_library

EARLIER = NOW - timedelta(hours=5)


class Device:
    """A library that has five episodes, with a clock that the test sets."""

    def __init__(self, folder: Path, account: SyncAccount | None) -> None:
        self.now = NOW
        self.opened = other_library(folder, lambda: self.now)
        self.library = self.opened.__enter__()
        self.ids = apply_feed(
            self.library, self.library.podcasts.add(URL), *(episode(number) for number in range(5))
        ).new
        self.said: list[Fact] = []
        """All that it has said of the history, as its journal has it."""
        if account is not None:
            self.library.syncing.set_account(account)

    def hear(self, number: int, from_ms: int, to_ms: int, at: datetime, speed: float = 1.0) -> ListeningSpan:
        span = ListeningSpan(self.ids[number], from_ms, to_ms, at, speed)
        self.library.progress.save(self.ids[number], to_ms, None, at, heard=[span])
        return span

    def say(self) -> list[Fact]:
        """What is new of the history; it is sent by that."""
        self.library.syncing.collect(self.now)
        found = self.library.syncing.outgoing(1_000_000, ALL)
        numbers = [number for number, _one in (*found.actions, *found.subscriptions, *found.facts)]
        self.library.syncing.sent(Pushed(tuple(numbers)))
        history = (FactKind.SPAN, FactKind.FORGOTTEN)
        self.said += (new := [fact for _number, fact in found.facts if fact.kind in history])
        return new

    def take(self, *facts: Fact) -> Taken:
        return self.library.syncing.take(Pulled(facts=facts), self.now)

    def heard(self) -> list[tuple[int, int, int, int, float]]:
        """The number of the episode, where from, where to, when and how fast."""
        return [
            (number, one.from_ms, one.to_ms, ms(one.began_at), one.speed)
            for number, episode_id in enumerate(self.ids)
            for one in self.library.history.spans(episode_id)
        ]

    def totals(self) -> ListeningTotals:
        day = NOW.date()
        return self.library.history.totals(day - timedelta(days=9), day, day, UTC)


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Device]:
    device = Device(tmp_path / "laptop", FOLDER)
    yield device
    device.opened.__exit__(None, None, None)


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Device]:
    device = Device(tmp_path / "phone", replace(FOLDER, device="phone"))
    yield device
    device.opened.__exit__(None, None, None)


def exchange(one: Device, other: Device) -> None:
    """Each reads the whole journal of the other, twice."""
    for _round in range(2):
        for writer, reader in ((one, other), (other, one)):
            writer.say()
            reader.take(*writer.said)


def span_fact(number: int = 0, value: object = None, began_at: object = ms(EARLIER), **fields: object) -> Fact:
    key = [URL, f"https://example.org/{number}.mp3", f"guid-{number}", began_at]
    value = {"from_ms": 0, "to_ms": MIN_MS, "speed": 1.0} if value is None else value
    plain = Fact(FactKind.SPAN, json.dumps(key), json.dumps(value), ms(EARLIER + MINUTE), "phone")
    return replace(plain, **fields)


def test_statistics_are_the_same_on_both_devices_and_nothing_counts_twice(laptop: Device, phone: Device) -> None:
    laptop.hear(0, 0, 10 * MIN_MS, EARLIER)
    phone.hear(0, 10 * MIN_MS, 30 * MIN_MS, EARLIER + 20 * MINUTE, 2.0)
    phone.hear(3, 0, MIN_MS, EARLIER + 60 * MINUTE)
    exchange(laptop, phone)
    assert laptop.heard() == phone.heard()
    assert len(laptop.heard()) == 3
    assert laptop.totals() == phone.totals()
    assert laptop.totals().real_ms == 21 * MIN_MS
    exchange(laptop, phone)
    assert laptop.totals().real_ms == phone.totals().real_ms == 21 * MIN_MS
    assert laptop.say() == phone.say() == [], "what another has said isn't said again"
    assert (len(laptop.said), len(phone.said)) == (1, 2)


def test_a_span_that_is_being_heard_grows_on_the_other_device(laptop: Device, phone: Device) -> None:
    span = laptop.hear(0, 0, MIN_MS, EARLIER)
    first = laptop.say()
    for minutes in range(2, 6):
        laptop.hear(0, 0, minutes * MIN_MS, span.began_at)
    later = laptop.say()
    assert len(first) == len(later) == 1
    assert phone.take(*later).others == (phone.ids[0],)
    assert phone.take(*first).others == (), "an older word makes it no shorter"
    assert phone.heard() == laptop.heard() == [(0, 0, 5 * MIN_MS, ms(EARLIER), 1.0)]


def test_what_was_heard_while_it_was_being_sent_is_sent_the_next_time(laptop: Device) -> None:
    laptop.hear(0, 0, MIN_MS, EARLIER)
    laptop.library.syncing.collect(NOW)
    sending = laptop.library.syncing.outgoing(100, ALL)
    laptop.hear(0, 0, 2 * MIN_MS, EARLIER)
    laptop.library.syncing.collect(NOW)
    laptop.library.syncing.sent(Pushed(tuple(number for number, _fact in sending.facts)))
    assert [json.loads(fact.value)["to_ms"] for fact in laptop.say()] == [2 * MIN_MS]


def test_a_history_of_before_is_said_in_several_transactions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_spans, "AT_ONCE", 3)
    old = Device(tmp_path / "old", None)
    for minute in range(10):
        old.hear(minute % 5, 0, MIN_MS, EARLIER + minute * MINUTE)
    old.library.syncing.set_account(FOLDER)
    assert len(old.say()) == 10
    new = Device(tmp_path / "new", replace(FOLDER, device="new"))
    new.take(*old.said)
    assert new.heard() == old.heard()
    old.opened.__exit__(None, None, None)
    new.opened.__exit__(None, None, None)


def test_spans_wait_for_their_episode(laptop: Device, phone: Device) -> None:
    podcast = laptop.library.podcasts.find(URL)
    (there,) = apply_feed(phone.library, phone.library.podcasts.find(URL), *map(episode, range(6))).new
    phone.ids = (*phone.ids, there)
    phone.hear(5, 0, MIN_MS, EARLIER)
    assert laptop.take(*phone.say()).others == ()
    laptop.take(*phone.said)
    (here,) = apply_feed(laptop.library, podcast, *map(episode, range(6))).new
    laptop.ids = (*laptop.ids, here)
    assert laptop.heard() == phone.heard()
    assert laptop.say() == []


def test_what_was_heard_of_a_removed_podcast_is_not_counted_again_when_it_returns(
    laptop: Device, phone: Device
) -> None:
    phone.hear(0, 0, MIN_MS, EARLIER)
    laptop.take(*phone.say())
    laptop.library.podcasts.remove(laptop.library.podcasts.find(URL).id)
    laptop.take(*phone.said)
    laptop.ids = apply_feed(laptop.library, laptop.library.podcasts.add(URL), *map(episode, range(5))).new
    laptop.take(*phone.said)
    assert laptop.heard() == []
    assert laptop.totals().real_ms == MIN_MS


def test_what_was_forgotten_here_is_forgotten_there_and_does_not_return(laptop: Device, phone: Device) -> None:
    laptop.hear(0, 0, MIN_MS, EARLIER)
    phone.hear(1, 0, MIN_MS, EARLIER)
    exchange(laptop, phone)
    laptop.now = phone.now = NOW + MINUTE
    phone.hear(2, 0, MIN_MS, EARLIER + 10 * MINUTE)
    assert laptop.library.history.forget() == 2
    laptop.now = phone.now = NOW + 5 * MINUTE
    kept = phone.hear(3, 0, MIN_MS, NOW + 3 * MINUTE)
    exchange(laptop, phone)
    assert laptop.heard() == phone.heard() == [(3, 0, MIN_MS, ms(kept.began_at), 1.0)]
    exchange(laptop, phone)
    assert laptop.heard() == phone.heard() == [(3, 0, MIN_MS, ms(kept.began_at), 1.0)]
    assert [one.kind for one in phone.said].count(FactKind.FORGOTTEN) == 1, "so that its journal forgets, too"


def test_what_is_heard_on_after_forgetting_stays(laptop: Device, phone: Device) -> None:
    exchange(laptop, phone)
    phone.hear(0, 0, 60 * MIN_MS, NOW - 30 * MINUTE, 2.0)
    laptop.now = NOW - 10 * MINUTE
    laptop.library.history.forget()
    exchange(laptop, phone)
    assert laptop.heard() == phone.heard() == [(0, 40 * MIN_MS, 60 * MIN_MS, ms(laptop.now), 2.0)]


def test_nothing_that_is_forgotten_stays_in_the_outbox(laptop: Device) -> None:
    laptop.hear(0, 0, MIN_MS, EARLIER)
    laptop.hear(2, 0, MIN_MS, NOW + 60 * MINUTE)  # the clock was ahead then
    laptop.library.syncing.collect(NOW)
    laptop.hear(1, 0, MIN_MS, EARLIER)
    laptop.library.history.forget()
    assert [fact.kind for fact in laptop.say()] == [FactKind.FORGOTTEN]
    assert laptop.library.syncing.counts().outgoing == 0, "nothing is said to wait that never goes"
    laptop.library.syncing.forgot()
    assert [fact.kind for fact in laptop.say()] == [FactKind.FORGOTTEN]


def test_what_a_clock_that_is_ahead_recorded_does_not_return(laptop: Device, phone: Device) -> None:
    phone.now = NOW + timedelta(hours=2)
    phone.hear(0, 0, MIN_MS, phone.now - 2 * MINUTE)
    exchange(laptop, phone)
    assert laptop.library.history.forget() == 1
    exchange(laptop, phone)
    assert laptop.heard() == phone.heard() == []


def test_a_clock_that_is_ahead_forgets_nothing_that_is_yet_to_be_heard(laptop: Device) -> None:
    ahead = ms(NOW + timedelta(days=900))
    said = Fact(FactKind.FORGOTTEN, shared_spans.HISTORY_KEY, str(ahead), ahead, "phone")
    laptop.take()
    laptop.take(said)
    laptop.now = NOW + 3 * timedelta(days=1)
    laptop.hear(0, 0, MIN_MS, laptop.now - MINUTE)
    for _pull in range(2):
        laptop.take(said)
    assert len(laptop.heard()) == 1
    assert laptop.take(span_fact(1, began_at=ms(laptop.now - MINUTE), at=ms(laptop.now))).others == (laptop.ids[1],)


def test_a_device_that_joins_later_keeps_its_own_and_brings_back_nothing(
    laptop: Device, phone: Device, tmp_path: Path
) -> None:
    exchange(laptop, phone)
    laptop.library.history.forget()
    laptop.say()
    late = Device(tmp_path / "late", None)
    late.hear(0, 0, MIN_MS, EARLIER)
    late.library.syncing.set_account(replace(FOLDER, device="late"))
    late.take(*laptop.said, span_fact(1))
    exchange(laptop, late)
    assert late.heard() == [(0, 0, MIN_MS, ms(EARLIER), 1.0)]
    late.library.syncing.forgot()
    late.say()
    assert {fact.kind for fact in late.said} == {FactKind.FORGOTTEN}
    assert laptop.heard() == []
    late.opened.__exit__(None, None, None)


def test_a_folder_that_has_lost_its_journal_gets_all_of_it_again(laptop: Device, phone: Device) -> None:
    laptop.hear(0, 0, MIN_MS, EARLIER)
    phone.hear(1, 0, MIN_MS, EARLIER)
    exchange(laptop, phone)
    said = laptop.said.copy()
    laptop.library.syncing.forgot()
    assert laptop.say() == said, "and nothing of the phone's"


def test_what_the_folder_has_from_before_is_not_said_again(laptop: Device, phone: Device) -> None:
    laptop.hear(0, 0, MIN_MS, EARLIER)
    phone.hear(1, 0, MIN_MS, EARLIER)
    exchange(laptop, phone)
    laptop.library.syncing.forget_account()
    laptop.library.syncing.set_account(FOLDER)
    laptop.take(*laptop.said, *phone.said)
    assert laptop.say() == []


def test_where_listening_began_is_known_from_this_device_alone(laptop: Device, phone: Device) -> None:
    phone.hear(0, 0, 10 * MIN_MS, NOW - 20 * MINUTE)
    laptop.take(*phone.say())
    laptop.library.progress.save(laptop.ids[0], 5 * MIN_MS, None, NOW)
    laptop.library.syncing.collect(NOW)
    ((_number, action),) = laptop.library.syncing.outgoing(10, ALL).actions
    assert (action.position_ms, action.started_ms) == (5 * MIN_MS, None)


def test_a_server_gets_nothing_of_it(tmp_path: Path) -> None:
    device = Device(tmp_path / "alone", SERVER)
    device.hear(0, 0, MIN_MS, EARLIER)
    device.library.history.forget()
    assert device.say() == []
    device.take(span_fact())
    assert device.heard() == []
    device.opened.__exit__(None, None, None)


def test_nothing_impossible_is_taken(laptop: Device) -> None:
    ok = {"from_ms": 0, "to_ms": MIN_MS, "speed": 1.0}
    values: list[object] = [
        7, [], "x", {**ok, "from_ms": -1}, {**ok, "from_ms": 2 * MIN_MS}, {**ok, "to_ms": 1 << 60},
        {**ok, "to_ms": 1_000_000_001}, {**ok, "speed": 0}, {**ok, "speed": 1e9}, {**ok, "speed": "fast"},
        {"from_ms": 0},
    ]  # fmt: skip
    for value in values:
        assert laptop.take(span_fact(value=value)) == Taken()
    for began_at in (-1, True, "1", 1.5, None, 5_000_000_000_000, 0):
        assert laptop.take(span_fact(began_at=began_at)) == Taken()
    for odd in (
        "",
        "[" * 9_000,
        "{}",
        "nonsense",
        '["file:///x","","guid-0",1000]',
        '["https://a.example/","","",1000]',
    ):
        assert laptop.take(span_fact(key=odd)) == Taken()
    for at in (0, -1, 1 << 50):
        assert laptop.take(span_fact(at=at)) == Taken()
    for until in ("", "x", "-1", "1.5", '"1"', "0", "9" * 40, "٣", str(1 << 50)):
        assert laptop.take(Fact(FactKind.FORGOTTEN, "history", until, ms(NOW), "phone")) == Taken()
    assert laptop.heard() == []
    assert laptop.say() == []
    assert laptop.take(span_fact()).others == (laptop.ids[0],)


def test_a_folder_full_of_nonsense_fills_no_library(laptop: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_spans, "MOST_WAITING", 2)
    monkeypatch.setattr(shared_spans, "MOST_SPANS", 3)
    laptop.take(*(span_fact(number) for number in range(50)))
    laptop.take(*(span_fact(0, began_at=ms(EARLIER) + number) for number in range(50)))
    assert len(laptop.heard()) == 3
    monkeypatch.setattr(shared_spans, "MOST_SPANS", 100)
    new = apply_feed(laptop.library, laptop.library.podcasts.find(URL), *map(episode, range(50))).new
    assert sum(len(laptop.library.history.spans(one)) for one in new) == 2
