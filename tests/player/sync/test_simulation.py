"""Two and three Earmarks through each way, over a year with long offline times, kills, wrong clocks and servers that
forget: they end equal, and nothing heard is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from player.model.episode import EpisodeId
from player.model.listening import ActKind, Part
from player.model.segments import SegmentKind
from player.model.syncing import Carried
from tests.player.sync.simulation import DAY, FEEDS, HOUR, KINDS, LENGTH_MS, MINUTE, SECOND, Device, World, subscribed
from tests.quick import LONG, NEW, mostly_long
from tests.sync_servers.gpodder import GpodderNet, GpodderServer
from tests.sync_servers.nextcloud import NextcloudServer

pytestmark = pytest.mark.timeout(1_800 if LONG else 120)

MOST_EXAMPLES = 200 if NEW else 50
_DEVICES = st.integers(0, 2)
_FEEDS = st.sampled_from(FEEDS)
_EPISODES = st.integers(0, 11)
_OFFSETS = st.sampled_from((0, 0, 5 * HOUR, -7 * HOUR, 90 * SECOND))
_PASSES = st.sampled_from((SECOND, MINUTE, 20 * MINUTE, 3 * HOUR, DAY, 9 * DAY, 60 * DAY))

_FROM_START: dict[str, Any] = {"action": "play", "started": 0, "position": 300, "total": LENGTH_MS // SECOND}
_PROGRESS_FROM_START = {"currentTime": 300, "progress": 300 / (LENGTH_MS // SECOND), "duration": LENGTH_MS // SECOND}
_NOT_PLAYED: dict[str, dict[str, Any]] = {
    "gpodder.net": {"action": "new"},
    "opodsync": {"action": "new"},
    "gpodder": {"action": "new"},
    "nextcloud": {"started": 0, "position": 0, "total": LENGTH_MS // SECOND},
    "audiobookshelf": {"isFinished": False},
}


def _from_start(kind: str) -> dict[str, Any]:
    return _PROGRESS_FROM_START if kind == "audiobookshelf" else _FROM_START


class Syncing(RuleBasedStateMachine):
    """`kind` is set for each way. Of an episode it is known how far it was heard at most, whether it was ever played,
    and whether anything happened after which only the devices' agreement says what is right. Of the `kept` feeds
    nothing went away that a folder carries beside the positions. The `unrelated` ones moved while somebody didn't have
    them: positions from before may be missing there."""

    kind = "memory"

    def __init__(self) -> None:
        super().__init__()
        self.world = World(self.kind)
        self.furthest: dict[str, int] = {}
        self.played: set[str] = set()
        self.unclear: set[str] = set()
        self.kept = set(FEEDS)
        self.unrelated: set[str] = set()
        self.has_forgotten = False
        self.dismissed: set[str] = set()

    @initialize(offsets=st.lists(_OFFSETS, min_size=2, max_size=3), numbered=st.booleans())
    def begin(self, offsets: list[int], numbered: bool) -> None:
        self.world.published, self.world.numbered = dict.fromkeys(FEEDS, 3), numbered
        for offset in offsets:
            device = self.world.add(offset)
            for url in FEEDS if numbered else FEEDS[:1]:
                device.subscribe(url)

    def chosen(self, number: int, which: int) -> tuple[Device, str, EpisodeId] | None:
        """A device, and an episode that it has."""
        device = self.device(number)
        there = sorted(device.episodes().items())
        return (device, *there[which % len(there)]) if there else None

    def device(self, number: int) -> Device:
        return self.world.devices[number % len(self.world.devices)]

    # -- the world ----------------------------------------------------------------------------------------------

    @rule(ms=_PASSES)
    def time_passes(self, ms: int) -> None:
        self.world.ms += ms

    @rule(url=_FEEDS)
    def an_episode_is_published(self, url: str) -> None:
        self.world.published[url] = min(6, self.world.published[url] + 1)

    @rule(url=_FEEDS)
    def a_feed_moves(self, url: str) -> None:
        """Those who have it read it before anybody subscribes. Those who don't can't know that what they may get by the
        new address is what they had by the old one."""
        if url not in self.world.moved and any(device.podcast(url) is None for device in self.world.devices):
            self.unrelated.add(url)
        self.world.moved.add(url)
        for device in self.world.devices:
            device.refresh()

    @rule(number=_DEVICES)
    def feeds_are_read(self, number: int) -> None:
        self.device(number).refresh()

    @rule()
    def the_server_forgets(self) -> None:
        self.world.forget()
        self.has_forgotten = True
        if self.kind == "memory":  # which unlike a folder doesn't find that out by itself
            self.kept.clear()

    @rule(number=_DEVICES, offset=_OFFSETS)
    def a_clock_is_set(self, number: int, offset: int) -> None:
        self.device(number).offset_ms = offset

    # -- the listener -------------------------------------------------------------------------------------------

    @rule(number=_DEVICES, which=_EPISODES, minutes=st.integers(1, 9))
    def listens(self, number: int, which: int, minutes: int) -> None:
        if (found := self.chosen(number, which)) is None:
            return
        device, guid, one = found
        self.world.ms += minutes * MINUTE
        if guid in self.played:
            self.unclear.add(guid)
        reached = (0 if device.is_played(one) else device.position(one)) + minutes * MINUTE
        if reached >= LENGTH_MS - MINUTE:
            device.finish(one)
            self.played.add(guid)
        else:
            device.hear(one, reached, minutes)
            self.furthest[guid] = max(self.furthest.get(guid, 0), reached)

    @rule(number=_DEVICES, which=_EPISODES, minutes=st.integers(1, 9))
    def syncs_while_it_plays(self, number: int, which: int, minutes: int) -> None:
        if (found := self.chosen(number, which)) is None:
            return
        device, guid, one = found
        before = device.state()[guid]
        self.world.ms += SECOND
        device.sync(playing=frozenset({one}))
        if guid in device.episodes():
            assert device.state()[guid] == before, "what plays isn't moved"
            self.listens(number, which, minutes)

    @rule(number=_DEVICES, which=_EPISODES, minutes=st.integers(1, 20))
    def goes_back(self, number: int, which: int, minutes: int) -> None:
        if (found := self.chosen(number, which)) is None:
            return
        device, guid, one = found
        if (position := device.position(one)) > MINUTE and not device.is_played(one):
            self.world.ms += MINUTE
            device.hear(one, max(MINUTE, position - minutes * MINUTE))
            self.unclear.add(guid)

    @rule(number=_DEVICES, which=_EPISODES)
    def marks_as_played(self, number: int, which: int) -> None:
        if (found := self.chosen(number, which)) is not None:
            device, guid, one = found
            self.world.ms += SECOND
            device.mark(one, True)
            self.played.add(guid)

    @rule(number=_DEVICES, which=st.integers(0, 5))
    def marks_episodes_of_all_podcasts_as_played(self, number: int, which: int) -> None:
        """Of each podcast the one with this number, which may be its guid, too."""
        device = self.device(number)
        for guid, one in device.episodes().items():
            if guid.endswith(f"#{which}"):
                self.world.ms += SECOND
                device.mark(one, True)
                self.played.add(guid)

    @rule(number=_DEVICES, which=_EPISODES)
    def takes_the_mark_back(self, number: int, which: int) -> None:
        if (found := self.chosen(number, which)) is None or not found[0].carries(Carried.UNPLAYED):
            return
        device, guid, one = found
        if device.is_played(one):
            self.world.ms += SECOND
            device.mark(one, False)
            self.unclear.add(guid)

    @rule(number=_DEVICES, url=_FEEDS, wanted=st.booleans())
    def changes_a_subscription(self, number: int, url: str, wanted: bool) -> None:
        self.world.ms += SECOND
        device = self.device(number)
        if wanted:
            device.subscribe(url)
        elif device.podcast(url) is not None:
            # What was heard and not sent yet goes with the podcast; the rest is with the others.
            self.unclear |= {guid for guid in self.furthest.keys() | self.played if guid.startswith(f"{url}#")}
            self.kept.discard(url)
            device.unsubscribe(url)

    @rule(number=_DEVICES, other=_DEVICES, url=_FEEDS, ms=_PASSES)
    def tries_a_podcast(self, number: int, other: int, url: str, ms: int) -> None:
        """Subscribed to, seen elsewhere, and dropped a while later."""
        for wanted in (True, False):
            self.changes_a_subscription(number, url, wanted)
            for one in (number, other):
                self.syncs(one)
            self.world.ms += ms

    @rule(number=_DEVICES, url=_FEEDS)
    def unsubscribes_and_everybody_hears_of_it(self, number: int, url: str) -> None:
        devices, device = self.world.devices, self.device(number)
        for one in (*devices, *devices):
            self.world.ms += MINUTE
            one.sync()
            one.refresh()
        self.changes_a_subscription(number, url, False)
        for one in (device, *devices):
            self.world.ms += MINUTE
            one.sync()
            # Not at once where devices are no longer linked, or know the podcast by different addresses.
            if one.carries(Carried.SUBSCRIPTIONS) and not self.has_forgotten and url not in self.world.moved:
                assert url not in one.subscriptions()

    @rule(number=_DEVICES, other=_DEVICES, which=_EPISODES, times=st.integers(2, 3))
    def changes_its_mind_about_a_mark(self, number: int, other: int, which: int, times: int) -> None:
        if not self.device(number).carries(Carried.UNPLAYED):
            return
        for turn in range(times * 2):
            one, another = (number, other) if turn % 2 else (other, number)
            if turn % 2:
                self.takes_the_mark_back(one, which)
            else:
                self.marks_as_played(one, which)
            self.syncs(one)
            self.syncs(another)

    # -- what only a folder carries -----------------------------------------------------------------------------

    @rule(number=_DEVICES, which=_EPISODES, wanted=st.booleans())
    def stars(self, number: int, which: int, wanted: bool) -> None:
        if (found := self.chosen(number, which)) is not None:
            self.world.ms += SECOND
            found[0].library.episodes.set_starred([found[2]], wanted)

    @rule(number=_DEVICES, which=_EPISODES, what=st.sampled_from(["last", "next", "move", "remove"]))
    def changes_the_queue(self, number: int, which: int, what: str) -> None:
        if (found := self.chosen(number, which)) is None:
            return
        queue, ids = found[0].library.queue, [found[2]]
        self.world.ms += SECOND
        match what:
            case "last":
                queue.add_last(ids)
            case "next":
                queue.add_next(ids)
            case "move":
                queue.move(ids, -1)
            case "remove":
                queue.remove(ids)

    @rule(number=_DEVICES, which=_EPISODES, minute=st.integers(0, 9), note=st.sampled_from(["", "why", "how"]))
    def bookmarks(self, number: int, which: int, minute: int, note: str) -> None:
        if (found := self.chosen(number, which)) is not None:
            self.world.ms += SECOND
            found[0].bookmark(found[2], minute * MINUTE, note)

    @rule(number=_DEVICES, which=_EPISODES, minute=st.integers(0, 9), kind=st.sampled_from(SegmentKind))
    def segments(self, number: int, which: int, minute: int, kind: SegmentKind) -> None:
        if (found := self.chosen(number, which)) is not None:
            self.world.ms += SECOND
            found[0].segment(found[2], minute * MINUTE, kind)

    @rule(number=_DEVICES, url=_FEEDS, pinned=st.booleans(), tags=st.sampled_from([(), ("work",), ("work", "long")]))
    def arranges_a_podcast(self, number: int, url: str, pinned: bool, tags: tuple[str, ...]) -> None:
        device = self.device(number)
        if (podcast := device.podcast(url)) is not None:
            self.world.ms += SECOND
            device.library.shelf.set_pinned(podcast.id, pinned)
            device.library.shelf.set_tags(podcast.id, tags)

    @rule(number=_DEVICES, which=_EPISODES)
    def dismisses_from_new(self, number: int, which: int) -> None:
        if (found := self.chosen(number, which)) is not None:
            self.world.ms += SECOND
            if found[0].library.inbox.remove([found[2]]):
                self.dismissed.add(found[1])

    # -- a phone with another app -------------------------------------------------------------------------------

    @rule(number=_DEVICES, which=_EPISODES, again=st.booleans(), hours=st.integers(1, 23))
    def another_app_takes_a_mark_back(self, number: int, which: int, again: bool, hours: int) -> None:
        """By saying so, or by playing the episode from its start again. It knows all that the devices know."""
        devices, world = self.world.devices, self.world
        if world.server is None or (found := self.chosen(number, which)) is None:
            return
        for device in (*devices, *devices):
            world.ms += SECOND
            device.sync()
        guid = found[1]
        world.ms += hours * HOUR
        there = [device for device in devices if guid in device.episodes()]
        if world.newest_s() * SECOND >= world.ms or not there or not all(one.state()[guid][0] for one in there):
            return
        if not world.app_says(guid, _from_start(self.kind) if again else _NOT_PLAYED[self.kind]):
            return
        self.unclear.add(guid)
        for device in devices:
            world.ms += SECOND
            device.sync()
            if guid in device.episodes():
                assert device.state()[guid] == (False, 300 if again else 0)

    # -- syncing ------------------------------------------------------------------------------------------------

    @rule(number=_DEVICES)
    def syncs(self, number: int) -> None:
        self.world.ms += SECOND
        self.device(number).sync()

    @rule(number=_DEVICES, at=st.integers(0, 3), after=st.booleans())
    def is_killed_while_it_syncs(self, number: int, at: int, after: bool) -> None:
        self.world.ms += SECOND
        self.device(number).sync(kills_at=at, after=after)

    # -- the end ------------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        try:
            if self.world.devices:
                self.all_meet()
                self.they_are_equal()
                self.nothing_heard_is_lost()
        finally:
            self.world.close()

    def all_meet(self) -> None:
        devices = self.world.devices
        if not devices[0].carries(Carried.SUBSCRIPTIONS):
            for url in set().union(*(device.subscriptions() for device in devices)):
                for device in devices:
                    device.subscribe(url)
        for _time in range(3):
            for device in self.world.devices:
                self.world.ms += DAY + MINUTE  # a whole pull is due
                device.refresh()
                device.sync()
                device.refresh()
        for device in self.world.devices:
            self.world.ms += MINUTE
            device.sync()

    def they_are_equal(self) -> None:
        first, *others = self.world.devices
        for other in others:
            assert other.subscriptions() - self.undecided == first.subscriptions() - self.undecided
            assert self.related(other.state()) == self.related(first.state())
            if first.carries(Carried.STARS):
                assert other.extras(self.kept) == first.extras(self.kept)
        for device in self.world.devices:
            if device.carries(Carried.DISMISSED):
                new = {guid for guid, one in device.episodes().items() if one in device.library.inbox.ids()}
                assert not new & {guid for guid in self.dismissed if guid.split("#")[0] in self.kept}
        for device in self.world.devices:
            assert device.library.syncing.counts().outgoing == 0
            assert device.library.syncing.counts().refused == 0

    @property
    def undecided(self) -> set[str]:
        """The lists of servers have no times: once a server has lost its own, of a feed that has moved nobody can tell
        whether the former address was lost or taken away. An Audiobookshelf has podcasts by their first address."""
        if self.kind == "audiobookshelf":
            return self.world.moved
        return self.world.moved if self.has_forgotten and KINDS[self.kind] else set()

    def related(self, state: dict[str, tuple[bool, int]]) -> dict[str, tuple[bool, int]]:
        return {guid: one for guid, one in state.items() if guid.split("#")[0] not in self.unrelated | self.undecided}

    def nothing_heard_is_lost(self) -> None:
        for device in self.world.devices:
            for guid, (played, seconds) in self.related(device.state()).items():
                if guid in self.unclear:
                    continue
                assert played == (guid in self.played), guid
                if not played:
                    assert seconds == self.furthest.get(guid, 0) // SECOND, guid


@pytest.mark.parametrize("kind", mostly_long(KINDS))
def test_devices_end_equal_and_nothing_heard_is_lost(kind: str) -> None:
    machine: Any = type("Syncing", (Syncing,), {"kind": kind})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=MOST_EXAMPLES if LONG else 5,
            stateful_step_count=40 if LONG else 25,
            suppress_health_check=list(HealthCheck),
            deadline=None,
        ),
    )


@pytest.mark.parametrize("kind", mostly_long(["nextcloud", "gpodder.net", "opodsync", "gpodder", "memory", "folder"]))
def test_unsubscribing_reaches_a_device_that_syncs_first_when_the_feed_has_moved(kind: str) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        laptop.sync()
        world.moved.add(FEEDS[0])
        for device in (laptop, phone):
            device.refresh()
        for device in (phone, laptop, phone):
            world.ms += HOUR
            device.sync()
        laptop.unsubscribe(FEEDS[0])
        for device in (laptop, phone, laptop, phone):
            world.ms += HOUR
            device.sync()
        assert laptop.subscriptions() == phone.subscriptions() == set()


@pytest.mark.parametrize("kind", mostly_long(["opodsync", "nextcloud", "gpodder.net", "gpodder", "memory", "folder"]))
def test_a_podcast_that_has_moved_comes_and_goes_by_the_address_that_the_other_device_knows(kind: str) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        world.sync(laptop, phone, laptop, phone)
        world.moved.add(FEEDS[0])
        for device in (laptop, phone):
            device.refresh()
        for device, other in ((laptop, phone), (phone, laptop), (laptop, phone)):
            device.unsubscribe(FEEDS[0])
            world.sync(device, other)
            assert laptop.subscriptions() == phone.subscriptions() == set()
            other.subscribe(FEEDS[0])
            world.sync(other, device)
            assert laptop.subscriptions() == phone.subscriptions() == {FEEDS[0]}


def test_unsubscribing_reaches_a_device_that_was_linked_by_another_just_before() -> None:
    """Its own list on the server is empty before and after."""
    with subscribed("gpodder.net", devices=3) as (world, (laptop, phone, tablet)):
        world.sync(phone, phone, laptop, tablet)
        laptop.unsubscribe(FEEDS[0])
        world.sync(laptop, tablet, phone)
        assert laptop.subscriptions() == tablet.subscriptions() == phone.subscriptions() == set()


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_subscribing_again_counts_though_the_clock_was_ahead_before_and_the_feed_has_moved_since(kind: str) -> None:
    """The device that subscribes doesn't know that it is the same podcast; the others do."""
    with subscribed(kind) as (world, (laptop, phone)):
        world.sync(laptop, phone, laptop, phone)
        phone.offset_ms = 5 * HOUR
        phone.unsubscribe(FEEDS[0])
        world.sync(phone)
        phone.offset_ms = 0
        world.moved.add(FEEDS[0])
        laptop.refresh()
        phone.subscribe(FEEDS[0])
        world.sync(phone, laptop, phone, laptop)
        assert laptop.subscriptions() == phone.subscriptions() == {FEEDS[0]}


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_unsubscribing_counts_by_both_addresses_though_one_device_does_not_know_that_the_feed_has_moved(
    kind: str,
) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        laptop.sync()
        laptop.unsubscribe(FEEDS[0])
        world.moved.add(FEEDS[0])
        phone.refresh()
        for device in (phone, laptop, phone, laptop):
            world.ms += SECOND
            device.sync()
        assert laptop.subscriptions() == phone.subscriptions() == set()


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_unsubscribing_counts_against_an_earlier_subscription_that_arrives_later_by_a_former_address(kind: str) -> None:
    """Devices learn only from the feed that both are one podcast, and decide anew when they pull everything."""
    with subscribed(kind) as (world, (laptop, phone)):
        world.published[FEEDS[1]] = 1
        laptop.subscribe(FEEDS[1])
        laptop.sync(kills_at=0)
        world.moved.add(FEEDS[1])
        world.ms += HOUR
        phone.subscribe(FEEDS[1])
        world.sync(phone)
        phone.unsubscribe(FEEDS[1])
        world.sync(phone)
        laptop.sync()
        laptop.refresh()
        world.sync(phone, laptop, phone, laptop, each_ms=DAY)
        assert laptop.subscriptions() == phone.subscriptions() == {FEEDS[0]}


def _stars(device: Device, wanted: bool) -> None:
    device.library.episodes.set_starred(list(device.episodes().values()), wanted)


def _is_starred(device: Device) -> bool:
    return bool(device.extras({FEEDS[0]})["stars"])


def _dismisses(device: Device, wanted: bool) -> None:
    """And puts it back as the app does, by undoing that."""
    ids, library = list(device.episodes().values()), device.library
    if wanted:
        with library.acts.recorded(ActKind.DISMISSED, ids, Part.INBOX):
            library.inbox.remove(ids)
    else:
        library.acts.undo()


def _is_dismissed(device: Device) -> bool:
    return not set(device.episodes().values()) & set(device.library.inbox.ids())


def _pins(device: Device, wanted: bool) -> None:
    podcast = device.podcast(FEEDS[0])
    assert podcast is not None
    device.library.shelf.set_pinned(podcast.id, wanted)


def _is_pinned(device: Device) -> bool:
    podcast = device.podcast(FEEDS[0])
    return podcast is not None and podcast.pinned


@pytest.mark.parametrize("kind", ["folder", "memory"])
@pytest.mark.parametrize(
    ("decides", "decided"), [(_stars, _is_starred), (_dismisses, _is_dismissed), (_pins, _is_pinned)]
)
def test_a_star_and_a_dismissal_are_the_same_everywhere_though_devices_know_the_podcast_by_two_addresses(
    kind: str, decides: Callable[[Device, bool], None], decided: Callable[[Device], bool]
) -> None:
    """The later of both facts counts, whatever address it names."""
    with subscribed(kind) as (world, (laptop, phone)):

        def decide(device: Device, wanted: bool) -> None:
            world.ms += HOUR
            decides(device, wanted)

        def decided_after(*devices: Device) -> list[bool]:
            for device in devices:
                world.ms += MINUTE
                device.sync()
            return [decided(laptop), decided(phone)]

        decide(laptop, True)
        laptop.sync()
        world.moved.add(FEEDS[0])
        for device in (laptop, phone):
            device.refresh()
        decide(phone, True)
        decide(laptop, False)
        assert decided_after(laptop, phone, laptop, phone) == [True, True], "the phone's became known last"
        decide(phone, False)
        assert decided_after(phone, laptop, phone, laptop) == [False, False]
        decide(laptop, True)
        assert decided_after(laptop, phone, laptop, phone) == [True, True]
        decide(laptop, False)
        assert decided_after(laptop, phone, laptop, phone) == [False, False]


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_what_was_dismissed_stays_dismissed_everywhere_though_it_was_marked_as_played_until_others_looked(
    kind: str,
) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        _dismisses(laptop, True)
        ids = list(laptop.episodes().values())
        for played in (True, False):
            world.ms += MINUTE
            laptop.library.episodes.set_played(ids, played)
            laptop.sync()
        assert not _is_dismissed(phone)
        phone.sync()
        assert _is_dismissed(phone)
        _dismisses(laptop, False)
        laptop.sync()
        phone.sync()
        assert not _is_dismissed(phone)


@pytest.mark.parametrize("kind", ["gpodder", "nextcloud"])
def test_what_a_server_lost_before_it_was_seen_there_is_sent_again(kind: str) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        (one,) = laptop.episodes().values()
        laptop.finish(one)
        laptop.sync()
        world.forget()
        for device in (laptop, phone):
            world.ms += DAY + MINUTE
            device.sync()
        assert phone.state() == laptop.state() == {f"{FEEDS[0]}#0": (True, 0)}


def test_what_a_server_lost_of_one_device_is_sent_again_though_another_speaks_of_the_same_episode() -> None:
    with subscribed("gpodder") as (world, (laptop, phone)):
        for device, minutes in ((laptop, 3), (phone, 2)):
            (one,) = device.episodes().values()
            device.hear(one, minutes * MINUTE)
        laptop.sync()
        world.forget()
        phone.sync()
        laptop.sync(kills_at=2, after=True)
        world.forget()
        for device in (phone, laptop, phone):
            world.ms += DAY + MINUTE
            device.sync()
        assert phone.state() == laptop.state() == {f"{FEEDS[0]}#0": (False, 180)}


@pytest.mark.parametrize("kind", mostly_long(["nextcloud", "gpodder.net", "opodsync", "gpodder"]))
def test_a_mark_reaches_others_though_the_server_has_lost_that_it_was_taken_back_before(kind: str) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        for marker, played in ((laptop, True), (phone, False)):
            world.ms += HOUR
            (one,) = marker.episodes().values()
            marker.mark(one, played)
            for device in (laptop, phone, laptop):
                device.sync()
        world.forget()
        world.ms += HOUR
        (one,) = phone.episodes().values()
        phone.mark(one, True)
        for device in (laptop, phone, laptop, phone, laptop):
            world.ms += DAY + MINUTE
            device.sync()
        assert phone.state() == laptop.state() == {f"{FEEDS[0]}#0": (True, 0)}


@pytest.mark.parametrize("kind", ["gpodder.net", "opodsync", "gpodder"])
def test_a_mark_reaches_others_though_the_server_twice_lost_that_another_app_had_taken_it_back(kind: str) -> None:
    """Only the devices still know what that app reported, and none of them reports it for another app."""
    with subscribed(kind) as (world, (laptop, phone)):
        ((guid, one),) = laptop.episodes().items()
        laptop.mark(one, True)
        for device in (laptop, phone):
            device.sync()
        world.ms += HOUR
        assert world.app_says(guid, _NOT_PLAYED[kind])
        for device in (laptop, phone):
            device.sync()
        (one,) = phone.episodes().values()
        phone.mark(one, True)
        world.forget()
        phone.sync(kills_at=3, after=True)
        world.forget()
        for device in (laptop, phone, laptop, phone):
            world.ms += DAY + MINUTE
            device.sync()
        assert phone.state() == laptop.state() == {guid: (True, 0)}


def test_a_nextcloud_that_lost_its_data_never_gets_an_older_state_than_the_devices_know() -> None:
    """It keeps one action of each episode: each device sends the state that all devices' actions lead to."""
    with subscribed("nextcloud", devices=3) as (world, (laptop, phone, tablet)):
        ((guid, on_laptop),), ((_guid, on_phone),) = laptop.episodes().items(), phone.episodes().items()
        for device, one, played in ((phone, on_phone, False), (laptop, on_laptop, True), (phone, on_phone, False)):
            world.ms += SECOND
            device.mark(one, played)
            for each in (device, laptop, phone):
                each.sync()
        world.forget()
        for device in (laptop, tablet):
            world.ms += SECOND
            device.sync()
        assert tablet.state() == {guid: (False, 0)}
        laptop.hear(on_laptop, MINUTE)
        for device in (laptop, phone, tablet):
            world.ms += DAY + MINUTE
            device.sync()
        assert laptop.state() == phone.state() == tablet.state() == {guid: (False, 60)}


@pytest.mark.parametrize("ahead_ms", [0, 5 * HOUR])
@pytest.mark.parametrize("kind", mostly_long(["nextcloud", *(one for one in KINDS if one != "nextcloud")]))
def test_of_two_devices_that_listen_to_a_played_episode_again_the_furthest_position_counts(
    kind: str, ahead_ms: int
) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        (one,) = phone.episodes().values()
        phone.mark(one, True)
        for device in (phone, laptop):
            device.sync()
        phone.offset_ms = ahead_ms
        for device, minutes in ((laptop, 8), (phone, 6)):
            world.ms += HOUR
            (one,) = device.episodes().values()
            device.hear(one, minutes * MINUTE)
        for device in (phone, laptop, phone):
            world.ms += DAY + MINUTE
            device.sync()
        assert phone.state() == laptop.state() == {f"{FEEDS[0]}#0": (False, 480)}


@pytest.mark.parametrize("later", [(7, 8), (7, 1), (1, 3)])
@pytest.mark.parametrize("first", [None, 9])
def test_a_device_that_was_away_while_others_began_again_and_went_back_gets_the_last_position(
    first: int | None, later: tuple[int, int]
) -> None:
    """It had heard so many minutes, or marked the episode as played; a Nextcloud has the last action alone."""
    with subscribed("nextcloud") as (world, (laptop, phone)):
        ((guid, on_laptop),), ((_guid, on_phone),) = laptop.episodes().items(), phone.episodes().items()
        if first is None:
            phone.mark(on_phone, True)
        else:
            phone.hear(on_phone, first * MINUTE)
        phone.sync()
        laptop.sync()
        for minutes in later:
            world.ms += HOUR
            laptop.hear(on_laptop, minutes * MINUTE)
            laptop.sync()
        world.ms += HOUR
        for device in (phone, laptop):
            device.sync()
        assert phone.state() == laptop.state() == {guid: (False, later[-1] * 60)}


def test_who_goes_on_after_others_began_a_played_episode_again_is_heard_by_those_who_only_know_the_mark() -> None:
    with subscribed("nextcloud", devices=3) as (world, (laptop, phone, tablet)):
        ((guid, on_laptop),), ((_guid, on_phone),) = laptop.episodes().items(), phone.episodes().items()
        laptop.mark(on_laptop, True)
        for device in (laptop, tablet):
            device.sync()
        world.ms += HOUR
        laptop.hear(on_laptop, 3 * MINUTE)
        laptop.sync()
        world.ms += HOUR
        phone.hear(on_phone, 5 * MINUTE)
        for device in (phone, tablet):
            device.sync()
        assert phone.state() == tablet.state() == {guid: (False, 300)}


@pytest.mark.parametrize("heard", [True, False])
@pytest.mark.parametrize("kind", mostly_long(["opodsync", "nextcloud", "gpodder.net", "gpodder"], quick=2))
def test_a_server_that_lost_its_data_gets_everything_again_by_the_next_round_and_once(kind: str, heard: bool) -> None:
    world = World(kind)
    try:
        world.published = {FEEDS[0]: 3}
        laptop, phone = world.add(0), world.add(0)
        server = world.server
        assert isinstance(server, GpodderServer | NextcloudServer)
        for device in (laptop, phone):
            device.subscribe(FEEDS[0])
            world.sync(device, each_ms=5 * MINUTE)
        first, second, third = laptop.episodes().values()
        if heard:
            laptop.finish(first)
            laptop.hear(third, 3 * MINUTE)
            phone.hear(second, 9 * MINUTE)
            world.sync(laptop, phone, each_ms=5 * MINUTE)
            phone.hear(third, 5 * MINUTE)
        world.sync(laptop, phone, laptop, phone, each_ms=5 * MINUTE)
        world.ms += 20 * DAY
        world.sync(laptop, phone, laptop, phone, each_ms=5 * MINUTE)
        state = laptop.state()
        said = {entry["episode"] for entry in _kept(server)}

        world.forget()
        server.sent.clear()
        world.sync(laptop, each_ms=5 * MINUTE)
        assert server.subscribed("device0") if isinstance(server, GpodderNet) else server.subscriptions
        assert {entry["episode"] for entry in _kept(server)} == {f"{FEEDS[0]}/{n}.mp3" for n in (0, 2) if heard}
        world.sync(laptop, phone, laptop, phone, each_ms=5 * MINUTE)
        assert {entry["episode"] for entry in _kept(server)} == said
        world.ms += DAY
        world.sync(laptop, phone, laptop, phone, each_ms=5 * MINUTE)
        sent = [f"{entry}" for body in server.sent if isinstance(body, list) for entry in body]
        assert sorted(sent) == sorted(set(sent))
        assert sum("add" in body and bool(body["add"]) for body in server.sent) in (1, 2)
        assert laptop.state() == phone.state() == state
        assert not any(device.library.syncing.counts().outgoing for device in (laptop, phone))
    finally:
        world.close()


def _kept(server: GpodderServer | NextcloudServer) -> list[dict[str, Any]]:
    return [one for _at, one in server.actions] if isinstance(server, GpodderServer) else server.actions


def test_listening_to_the_same_minutes_again_is_no_repetition_to_a_server() -> None:
    with subscribed("gpodder.net") as (world, (laptop, phone)):
        (one,) = laptop.episodes().values()
        for to_ms in (9 * MINUTE, 5 * MINUTE, 9 * MINUTE, 5 * MINUTE, 9 * MINUTE):
            world.ms += HOUR
            laptop.hear(one, to_ms)
            laptop.sync()
        phone.sync()
        assert phone.state() == laptop.state() == {f"{FEEDS[0]}#0": (False, 540)}


@pytest.mark.parametrize("kind", mostly_long(["gpodder.net", *KINDS]))
def test_a_played_mark_that_is_taken_back_again_and_again_reaches_the_others(kind: str) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        for _time in range(3):
            for device, other, played in ((laptop, phone, True), (phone, laptop, False)):
                world.ms += HOUR
                (one,) = device.episodes().values()
                device.mark(one, played)
                device.sync()
                world.ms += MINUTE
                other.sync()
                assert other.state() == device.state() == {f"{FEEDS[0]}#0": (played, 0)}


@pytest.mark.parametrize(
    "kind", mostly_long(["nextcloud", "gpodder.net", *(one for one in KINDS if one != "nextcloud")])
)
def test_listening_anew_and_going_back_may_end_where_they_ended_before(kind: str) -> None:
    with subscribed(kind) as (world, (laptop, phone)):
        for _time in range(3):
            for device, to_ms in ((phone, None), (laptop, 9 * MINUTE), (phone, 20 * MINUTE), (laptop, 5 * MINUTE)):
                world.ms += MINUTE
                (one,) = device.episodes().values()
                if to_ms is None:
                    device.mark(one, True)
                else:
                    device.hear(one, to_ms)
                for each in (laptop, phone, laptop):
                    each.sync()
                assert laptop.state() == phone.state()
            assert phone.state() == {f"{FEEDS[0]}#0": (False, 300)}


@pytest.mark.parametrize(("kind", "hours"), mostly_long([(one, hours) for one in _NOT_PLAYED for hours in (1, 23)]))
def test_another_app_takes_a_mark_back_and_listens_again(kind: str, hours: int) -> None:
    with subscribed(kind, devices=1) as (world, (laptop,)):
        guid = f"{FEEDS[0]}#0"
        for entry, expected in ((_NOT_PLAYED[kind], (False, 0)), (_from_start(kind), (False, 300))):
            world.ms += HOUR
            laptop.mark(laptop.episodes()[guid], True)
            laptop.sync()
            world.ms += hours * HOUR
            assert world.app_says(guid, entry)
            world.ms += MINUTE
            laptop.sync()
            assert laptop.state() == {guid: expected}
            laptop.sync()
            assert laptop.state() == {guid: expected}


def test_what_is_queued_though_it_was_played_leaves_the_queue_when_it_is_played_elsewhere_after_that() -> None:
    with subscribed("folder") as (world, (laptop, phone)):
        ((guid, one),) = laptop.episodes().items()
        laptop.mark(one, True)
        world.ms += SECOND
        laptop.library.queue.add_last([one])
        world.ms += SECOND
        phone.mark(phone.episodes()[guid], True)
        for device in (laptop, phone, laptop, phone):
            world.ms += SECOND
            device.sync()
        assert [*laptop.library.queue.ids(), *phone.library.queue.ids()] == []


@pytest.mark.parametrize("hears_of_each", [True, False])
def test_devices_agree_on_the_queue_whether_or_not_they_heard_of_a_mark_that_was_taken_back(
    hears_of_each: bool,
) -> None:
    """One device queues, another marks and takes the mark back; the third one may have missed all of it."""
    with subscribed("folder", episodes=2, devices=3) as (world, (laptop, phone, tablet)):
        guid, other = f"{FEEDS[0]}#0", f"{FEEDS[0]}#1"
        laptop.library.queue.add_last([laptop.episodes()[guid]])
        for played in (True, False):
            for device in (laptop, tablet) if hears_of_each else (laptop,):
                world.ms += SECOND
                device.sync()
            phone.mark(phone.episodes()[guid], played)
            world.ms += SECOND
            phone.sync()
        tablet.library.queue.add_last([tablet.episodes()[other]])
        for device in (laptop, phone, tablet, laptop, phone):
            world.ms += SECOND
            device.sync()
        for device in world.devices:
            assert device.extras({FEEDS[0]})["queue"] == [other]
        phone.library.queue.add_last([phone.episodes()[guid]])
        for device in (phone, laptop, tablet):
            world.ms += SECOND
            device.sync()
            assert device.extras({FEEDS[0]})["queue"] == [other, guid]
