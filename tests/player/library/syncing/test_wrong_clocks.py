"""Devices that agree though one of them dates what it does in a far future."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.library import Library
from player.merging.clock import LATEST
from player.model.listening import ListeningSpan
from player.model.syncing import Action, Fact, Pulled, Pushed, SubscriptionChange
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.library.syncing.devices import (
    ALL,
    FOLDER,
    MIN_MS,
    MINUTE,
    NOW,
    mark,
    ms,
    other_library,
    play,
    take,
)
from tests.player.library.syncing.test_facts import star

Said = Action | SubscriptionChange | Fact
AHEAD = [datetime(2040, 1, 1, tzinfo=UTC), datetime(2099, 12, 31, 23, 59, 59, 998_000, tzinfo=UTC)]


class Device:
    """A library whose clock a test sets, and what it has said in the folder."""

    def __init__(self, library: Library, name: str) -> None:
        self.library = library
        self.name = name
        self.now = NOW
        self.said: list[Said] = []
        library.syncing.set_account(replace(FOLDER, device=name, name=name))
        podcast = library.podcasts.add(URL)
        self.ids = apply_feed(library, podcast, *(episode(number) for number in range(4))).new

    def meet(self, *others: Said) -> None:
        """A round of syncing with all that is in the folder."""
        pulled = Pulled(
            tuple(one for one in others if isinstance(one, Action)),
            tuple(one for one in others if isinstance(one, SubscriptionChange)),
            tuple(one for one in others if isinstance(one, Fact)),
            is_whole=True,
        )
        self.library.syncing.collect(self.now)
        self.library.syncing.take(pulled, self.now)
        found = self.library.syncing.outgoing(1_000_000, ALL)
        outgoing: list[tuple[int, Said]] = [*found.actions, *found.subscriptions, *found.facts]
        self.library.syncing.sent(Pushed(tuple(number for number, _one in outgoing)))
        self.said += [one for _number, one in outgoing]

    def star(self, number: int, starred: bool = True) -> None:
        self.library.episodes.set_starred([self.ids[number]], starred)

    @property
    def state(self) -> list[tuple[bool, bool]]:
        return [(row.starred, row.played) for row in self.library.episodes.rows(self.ids)]


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[list[Device]]:
    with ExitStack() as stack:
        yield [
            Device(stack.enter_context(other_library(tmp_path / name)), name) for name in ("laptop", "phone", "tablet")
        ]


def meet_all(devices: list[Device], rounds: int = 3) -> None:
    for _ in range(rounds):
        for device in devices:
            device.meet(*(one for other in devices if other is not device for one in other.said))


@pytest.mark.parametrize("at", [LATEST - 1, ms(AHEAD[0])])
def test_what_a_device_dates_in_a_far_future_can_be_outvoted(devices: list[Device], at: int) -> None:
    hostile: list[Said] = [star(0, "", at=at, device="zz"), star(1, at=at, device="zz"), mark(2, at=AHEAD[1])]
    laptop, phone, tablet = devices
    for device in devices:
        device.meet(*hostile)
    laptop.star(0)
    for _ in range(3):
        for device in (laptop, phone, tablet):
            device.meet(*hostile, *(one for other in devices if other is not device for one in other.said))
    assert laptop.state == phone.state == tablet.state
    assert laptop.state[0] == (True, False)


@pytest.mark.parametrize("ahead", AHEAD)
def test_what_was_done_while_the_clock_was_ahead_counts_as_done_when_it_is_right_again(
    devices: list[Device], ahead: datetime
) -> None:
    laptop, phone, _tablet = devices
    meet_all(devices)
    laptop.now = ahead
    laptop.star(0)
    laptop.star(1)
    laptop.library.episodes.set_played([laptop.ids[2]], True)
    laptop.meet()
    laptop.now = NOW + timedelta(days=1)
    meet_all(devices)
    wanted = [(True, False), (True, False), (False, True), (False, False)]
    assert [device.state for device in devices] == [wanted] * 3
    for device in devices:
        device.now = NOW + timedelta(days=2)
    phone.star(0, False)
    phone.library.episodes.set_played([phone.ids[2]], False)
    meet_all(devices)
    wanted = [(False, False), (True, False), (False, False), (False, False)]
    assert [device.state for device in devices] == [wanted] * 3


@pytest.mark.parametrize("ahead", AHEAD)
@pytest.mark.parametrize("goes_on", [True, False], ids=["listens on", "only syncs"])
def test_what_was_heard_while_the_clock_was_ahead_is_in_the_history_of_all(
    devices: list[Device], ahead: datetime, goes_on: bool
) -> None:
    laptop = devices[0]

    def hears(number: int) -> None:
        heard = ListeningSpan(laptop.ids[number], 0, MIN_MS, laptop.now, 1.0)
        laptop.library.progress.save(laptop.ids[number], MIN_MS, None, laptop.now, heard=[heard])

    meet_all(devices)
    laptop.now = ahead
    hears(0)
    laptop.meet()
    laptop.now = NOW + timedelta(days=1)
    if goes_on:
        hears(1)
    meet_all(devices)
    for device in devices:
        device.now = NOW + timedelta(days=2)
    meet_all(devices)
    expected = [laptop.library.history.spans(one) for one in laptop.ids[:2]]
    assert expected[0][0].began_at == NOW + timedelta(days=1) - MINUTE
    for device in devices:
        found = [device.library.history.spans(one) for one in device.ids[:2]]
        assert [[(one.began_at, one.to_ms) for one in spans] for spans in found] == [
            [(one.began_at, one.to_ms) for one in spans] for spans in expected
        ]


def test_a_device_that_has_lost_its_date_takes_what_others_say(devices: list[Device]) -> None:
    laptop, phone, _tablet = devices
    laptop.now = datetime(1970, 1, 1, 0, 5, tzinfo=UTC)
    phone.star(1)
    meet_all(devices)
    laptop.star(0)
    meet_all(devices)
    assert [device.state for device in devices] == [[(True, False), (True, False), (False, False), (False, False)]] * 3


def test_what_was_unsubscribed_from_while_the_clock_was_ahead_can_be_subscribed_to(devices: list[Device]) -> None:
    laptop, phone, _tablet = devices
    meet_all(devices)
    laptop.now = AHEAD[1]
    laptop.library.podcasts.remove(laptop.library.podcasts.find(URL).id)
    laptop.meet()
    laptop.now = NOW + timedelta(days=1)
    laptop.meet()
    gone = [one for one in laptop.said if isinstance(one, SubscriptionChange) and not one.subscribed][-1]
    assert gone.at == ms(laptop.now)
    taken = phone.library.syncing.take(Pulled(subscriptions=(gone,)), phone.now)
    assert taken.unsubscribe


def test_a_device_that_was_heard_of_while_the_clock_was_wrong_isnt_heard_of_in_the_future(library: Library) -> None:
    library.syncing.set_account(FOLDER)
    wrong = datetime(2040, 1, 1, tzinfo=UTC)

    def last_at() -> datetime | None:
        return next(one.last_at for one in library.syncing.devices() if one.id == "phone")

    take(library.syncing, play(7, MIN_MS, at=wrong), at=wrong)
    assert last_at() == wrong
    library.syncing.take(Pulled(is_whole=True), NOW)
    assert last_at() is None
    take(library.syncing, play(7, 2 * MIN_MS, at=NOW + timedelta(hours=5)), at=NOW)
    assert last_at() == NOW, "its clock is ahead of this one"
    take(library.syncing, play(7, 3 * MIN_MS, at=NOW + MINUTE), at=NOW + 2 * MINUTE)
    assert last_at() == NOW + MINUTE
