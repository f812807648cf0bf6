"""Earmarks and other apps that sync through an Audiobookshelf server on 127.0.0.1, each with a real library."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from player.links.addresses import audiobookshelf_episode, audiobookshelf_podcast
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.model.syncing import Carried, Outgoing, SyncCounts
from player.net.loop import NetworkLoop
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import way_of
from tests.audiobookshelf import USER, AudiobookshelfServer, Episode
from tests.player.library.helpers import apply_feed, episode
from tests.player.sync.simulation import DAY, FEEDS, HOUR, LENGTH_MS, MINUTE, SECOND, Device, World, subscribed
from tests.sync_servers.devices import Clock, target
from tests.sync_servers.server import Refusal

FEED = FEEDS[0]
LENGTH_S = LENGTH_MS // SECOND


class House:
    """Two Earmarks, and a server that has their podcast; all are in step."""

    def __init__(self, world: World, devices: list[Device]) -> None:
        assert isinstance(world.server, AudiobookshelfServer)
        self.world, self.server = world, world.server
        self.laptop, self.desk = devices[:2]
        self.sync(self.laptop, self.desk)

    def sync(self, *devices: Device) -> None:
        for device in devices:
            self.world.ms += MINUTE
            device.sync()

    def there(self, number: int = 0) -> Episode:
        """The episode as the server has it."""
        return self.world.stocked(FEED).episodes[number]

    def row(self, number: int = 0) -> dict[str, Any]:
        found = self.server.progress_of(self.there(number))
        assert found is not None, "there is progress"
        return found

    def shown(self, number: int = 0) -> tuple[bool, float, float]:
        row = self.row(number)
        return row["isFinished"], row["currentTime"], round(row["progress"], 3)

    def app(self, number: int = 0, **sent: Any) -> None:
        """Another app updates the progress."""
        self.server.change(self.there(number), sent)

    def app_at(self, seconds: float, number: int = 0, **more: Any) -> None:
        self.app(number, currentTime=seconds, duration=LENGTH_S, progress=seconds / LENGTH_S, **more)

    def state(self, device: Device, number: int = 0) -> tuple[bool, int]:
        return device.state()[f"{FEED}#{number}"]

    def patches(self) -> list[str]:
        return [path for method, path in self.server.asked if method == "PATCH"]


def of(device: Device, number: int = 0) -> EpisodeId:
    return device.episodes()[f"{FEED}#{number}"]


@contextmanager
def in_step(*, episodes: int = 1) -> Iterator[House]:
    with subscribed("audiobookshelf", episodes=episodes) as (world, devices):
        yield House(world, devices)


@pytest.fixture
def house() -> Iterator[House]:
    with in_step() as found:
        yield found


# -- progress both ways ---------------------------------------------------------------------------------------------


def test_positions_here_reach_the_server_and_another_earmark(house: House) -> None:
    house.laptop.hear(of(house.laptop), 12 * MINUTE + 345, 3)
    house.sync(house.laptop, house.desk)
    assert house.shown() == (False, 720.345, 0.4)
    assert house.row()["duration"] == LENGTH_S
    assert house.desk.position(of(house.desk)) == 12 * MINUTE + 345, "to the millisecond"


def test_positions_in_another_app_arrive_here(house: House) -> None:
    house.app_at(300)
    house.sync(house.laptop)
    assert house.state(house.laptop) == (False, 300)
    house.app_at(420.5)
    house.sync(house.laptop)
    assert house.laptop.position(of(house.laptop)) == 420_500
    house.app(isFinished=True)
    house.sync(house.laptop, house.desk)
    assert house.state(house.laptop) == house.state(house.desk) == (True, 0)


def test_a_row_has_the_date_of_listening_though_the_server_dates_new_rows_itself(house: House) -> None:
    house.laptop.hear(of(house.laptop), 5 * MINUTE)
    heard_ms = house.world.ms
    house.world.ms += 9 * HOUR
    house.sync(house.laptop)
    assert house.row()["lastUpdate"] == heard_ms


def test_played_and_unplayed_go_both_ways(house: House) -> None:
    house.laptop.hear(of(house.laptop), 5 * MINUTE)
    house.sync(house.laptop, house.desk)
    house.desk.mark(of(house.desk), True)
    house.sync(house.desk, house.laptop)
    assert house.shown() == (True, LENGTH_S, 1)
    assert house.row()["finishedAt"] == house.row()["lastUpdate"]
    assert house.state(house.laptop) == (True, 0)
    house.laptop.mark(of(house.laptop), False)
    house.sync(house.laptop, house.desk)
    assert house.shown() == (False, 0, 0)
    assert house.state(house.desk) == (False, 0)


def test_a_played_episode_is_begun_again_at_30_seconds(house: House) -> None:
    house.laptop.mark(of(house.laptop), True)
    house.sync(house.laptop, house.desk)
    house.desk.hear(of(house.desk), 30 * SECOND)
    house.sync(house.desk, house.laptop)
    assert house.shown() == (False, 30, 0.017)
    assert house.state(house.laptop) == (False, 30)


def test_another_app_begins_a_played_episode_again(house: House) -> None:
    house.laptop.mark(of(house.laptop), True)
    house.sync(house.laptop, house.desk)
    house.app_at(30)
    house.sync(house.laptop, house.desk)
    assert house.state(house.laptop) == house.state(house.desk) == (False, 30)


def test_a_position_just_before_the_end_doesnt_finish_it_there(house: House) -> None:
    house.laptop.hear(of(house.laptop), LENGTH_MS - 4 * SECOND)
    house.sync(house.laptop)
    assert house.shown()[0] is False
    house.there().duration = LENGTH_S - 60
    house.world.ms += HOUR
    house.laptop.hear(of(house.laptop), LENGTH_MS - 3 * SECOND - MINUTE)
    house.sync(house.laptop, house.desk)
    assert house.shown()[0] is False, "its file may be shorter"


def test_a_position_is_sent_when_the_server_gets_the_episode_later(house: House) -> None:
    podcast = house.world.stocked(FEED)
    kept = podcast.episodes.pop()
    house.world.published[FEED] = 0  # not on the server
    house.laptop.library.progress.save(house.laptop.library.episodes.find("0").id, MINUTE, None, house.laptop.now())
    house.sync(house.laptop)
    assert not house.server.progress
    assert house.laptop.library.syncing.counts().outgoing == 0
    podcast.episodes.append(kept)
    house.world.published[FEED] = 1
    house.world.ms += DAY
    house.sync(house.laptop)
    assert house.shown()[1] == 60


def test_an_episode_that_isnt_on_the_server_costs_one_request_for_the_list(house: House) -> None:
    house.world.published[FEEDS[1]] = 3
    house.laptop.subscribe(FEEDS[1])
    heard = [one for guid, one in house.laptop.episodes().items() if guid.startswith(FEEDS[1])]
    del house.world.published[FEEDS[1]]  # so that the server doesn't get them
    for one in heard:
        house.laptop.hear(one, MINUTE)
    house.server.asked.clear()
    house.sync(house.laptop)
    assert not house.patches()
    asked = [path.split("?")[0].split("/")[2] for _method, path in house.server.asked]
    assert asked == ["me", "libraries", "libraries"]


def of_server(house: House, device: Device) -> EpisodeId:
    """The episode, in a podcast that the device has from the server."""
    there = house.there()
    address = audiobookshelf_podcast(house.server.address, there.podcast.id)
    url = audiobookshelf_episode(house.server.address, there.podcast.id, there.id)
    podcast = device.library.podcasts.by_url(address) or device.library.podcasts.add(address, "From the server")
    name = {"guid": there.guid or "", "url": url}
    (found,) = apply_feed(device.library, podcast, episode(0, title="0", duration_ms=LENGTH_MS, **name)).new
    return found


def test_a_podcast_from_the_server_syncs_by_its_ids_with_one_from_its_feed(house: House) -> None:
    house.laptop.unsubscribe(FEED)
    house.there().guid = house.there().enclosure = None  # nothing else is known of it
    one = of_server(house, house.laptop)
    house.laptop.hear(one, 5 * MINUTE, 2)
    house.sync(house.laptop)
    assert house.shown()[1] == 300
    assert seconds(house) == 120
    house.app_at(400)
    house.sync(house.laptop)
    assert house.laptop.position(one) == 400_000
    assert house.laptop.library.syncing.counts() == SyncCounts(), "nothing waits for a feed"


def test_earlier_listening_to_the_servers_podcasts_is_sent_when_syncing_is_set_up(house: House) -> None:
    library = house.laptop.library
    account = library.syncing.account()
    assert account is not None
    library.syncing.forget_account()
    house.laptop.hear(of_server(house, house.laptop), 5 * MINUTE, 2)
    library.syncing.set_account(account)
    house.sync(house.laptop, house.desk)
    assert house.state(house.desk) == (False, 300)
    assert seconds(house) == 120


@pytest.mark.parametrize("kind", ["gpodder", "nextcloud", "folder"])
def test_the_servers_podcasts_are_sent_to_no_other_target(house: House, kind: str) -> None:
    one = of_server(house, house.laptop)
    library = house.laptop.library
    library.syncing.set_account(way_of(kind).account("https://example.org", USER, "laptop", "laptop"))
    house.laptop.hear(one, 5 * MINUTE, 2)
    library.episodes.set_starred([one], True)
    library.syncing.collect(house.laptop.now())
    outgoing = library.syncing.outgoing(-1, frozenset(Carried))
    assert "audiobookshelf" not in repr(outgoing)


# -- positions that must not go back ---------------------------------------------------------------------------------


def test_going_back_on_another_app_is_followed_and_on_an_earmark_too(house: House) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE)
    house.sync(house.laptop, house.desk)
    house.app_at(300)
    house.sync(house.laptop, house.desk)
    assert house.state(house.laptop) == house.state(house.desk) == (False, 300)
    house.desk.hear(of(house.desk), 2 * MINUTE)
    house.sync(house.desk, house.laptop)
    assert house.shown()[1] == 120
    assert house.state(house.laptop) == (False, 120)


@pytest.mark.parametrize("older_ms", [SECOND, HOUR, 365 * DAY])
def test_an_older_position_that_another_app_sends_late_is_corrected_on_the_server(house: House, older_ms: int) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE)
    house.sync(house.laptop, house.desk)
    before = dict(house.row())
    house.app_at(300, lastUpdate=before["lastUpdate"] - older_ms)
    house.sync(house.desk, house.laptop)
    assert house.row() == before
    assert house.state(house.laptop) == house.state(house.desk) == (False, 1200)


def test_a_later_position_that_is_sent_late_counts(house: House) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE)
    house.sync(house.laptop, house.desk)
    house.app_at(1500, lastUpdate=house.row()["lastUpdate"] - HOUR)
    house.sync(house.desk, house.laptop)
    assert house.state(house.laptop) == house.state(house.desk) == (False, 1500)


def test_a_position_of_0_wipes_nothing(house: House) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE)
    house.sync(house.laptop, house.desk)
    house.app_at(0)
    house.sync(house.laptop, house.desk)
    assert house.shown()[1] == 1200, "put right"
    assert house.state(house.laptop) == house.state(house.desk) == (False, 1200)
    house.app_at(0)
    house.app_at(15)
    house.sync(house.laptop, house.desk)
    assert house.state(house.laptop) == house.state(house.desk) == (False, 15), "it is heard from the start again"


def test_marking_a_begun_episode_as_unplayed_reaches_the_other_earmark(house: House) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE)
    house.sync(house.laptop, house.desk)
    house.laptop.library.progress.save(of(house.laptop), 0, None, house.laptop.now())
    house.sync(house.laptop, house.desk, house.laptop)
    assert house.shown()[1] == 0
    assert house.row()["hideFromContinueListening"]
    assert house.state(house.laptop) == house.state(house.desk) == (False, 0)


def test_nonsense_in_a_row_moves_nothing(house: House) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE)
    house.sync(house.laptop, house.desk)
    for odd in (-5, 1e15, "12", None, True):
        house.row()["currentTime"] = odd
        house.row()["lastUpdate"] += MINUTE
        house.sync(house.laptop, house.desk)
        assert house.state(house.laptop) == house.state(house.desk) == (False, 1200), odd


def test_devices_that_were_offline_agree_on_the_furthest_position_and_the_app_gets_it(house: House) -> None:
    for device, minutes in ((house.laptop, 9), (house.desk, 14)):
        house.world.ms += HOUR
        device.hear(of(device), minutes * MINUTE, 5)
    house.world.ms += HOUR
    house.app_at(700)
    house.sync(house.laptop, house.desk, house.laptop)
    assert house.state(house.laptop) == house.state(house.desk) == (False, 840)
    assert house.shown()[1] == 840


def test_what_changes_between_the_pull_and_the_push_is_taken_over_first(house: House) -> None:
    house.laptop.hear(of(house.laptop), 5 * MINUTE)
    house.sync(house.laptop)
    house.laptop.hear(of(house.laptop), 6 * MINUTE)
    pull = house.laptop.target.pull

    def pulled(cursor: str, *, whole: bool) -> Any:
        found = pull(cursor, whole=whole)
        house.app_at(900)
        return found

    house.laptop.target.pull = pulled  # type: ignore[method-assign]
    house.sync(house.laptop)
    assert house.shown()[1] == 900
    assert house.laptop.library.syncing.counts().outgoing == 1
    house.laptop.target.pull = pull  # type: ignore[method-assign]
    house.sync(house.laptop)
    assert house.state(house.laptop) == (False, 900)
    assert house.shown()[1] == 900
    assert house.laptop.library.syncing.counts().outgoing == 0


@pytest.mark.parametrize("offset_ms", [HOUR, -HOUR])
def test_a_clock_that_is_off_by_an_hour_overrules_nobody(offset_ms: int) -> None:
    with in_step() as house:
        house.laptop.offset_ms = offset_ms
        house.laptop.hear(of(house.laptop), 20 * MINUTE, 5)
        house.sync(house.laptop)
        assert house.row()["lastUpdate"] <= house.world.ms, "nothing is dated later than it is"
        assert all(one["updatedAt"] <= house.world.ms for one in house.server.sessions.values())
        house.world.ms += 10 * MINUTE
        house.app_at(600)
        house.sync(house.laptop, house.desk)
        assert house.state(house.laptop) == house.state(house.desk) == (False, 600)
        house.desk.hear(of(house.desk), 25 * MINUTE, 1)
        house.sync(house.desk, house.laptop)
        assert house.state(house.laptop) == (False, 1500)
        house.world.ms += 10 * MINUTE
        answer = house.server.listen(
            house.there(), currentTime=1600, timeListening=100, startedAt=house.world.ms - 100_000,
            updatedAt=house.world.ms,
        )  # fmt: skip
        assert answer["progressSynced"], "an app that was offline isn't ignored"


# -- listening time --------------------------------------------------------------------------------------------------


def seconds(house: House, number: int = 0) -> float:
    return house.server.listened_s().get(house.there(number).id, 0.0)


def test_offline_days_are_sent_once_with_the_times_of_listening(house: House) -> None:
    for day, minutes in enumerate((5, 10, 15)):
        house.world.ms += DAY
        house.laptop.hear(of(house.laptop), minutes * MINUTE, 4 + day)
    house.sync(house.laptop, house.laptop, house.desk)
    assert seconds(house) == 15 * 60
    days = sorted(one["updatedAt"] // DAY for one in house.server.sessions.values())
    assert [day - days[0] for day in days] == [0, 1, 2]
    (first, *_rest) = sorted(house.server.sessions.values(), key=lambda one: one["startedAt"])
    assert (first["startTime"], first["currentTime"], first["timeListening"]) == (60, 300, 240)
    assert house.shown()[1] == 900


def test_continued_listening_is_one_session_that_gets_longer(house: House) -> None:
    one, began = of(house.laptop), house.laptop.now()
    for minutes in (1, 2, 5):
        house.world.ms += MINUTE
        span = ListeningSpan(one, 0, minutes * MINUTE, began)
        house.laptop.library.progress.start(one)
        house.laptop.library.progress.save(one, minutes * MINUTE, None, house.laptop.now(), heard=[span])
        house.sync(house.laptop)
        assert len(house.server.sessions) == 1
        assert seconds(house) == minutes * 60


def test_a_lost_answer_counts_nothing_twice(house: House) -> None:
    house.laptop.hear(of(house.laptop), 5 * MINUTE, 5)
    for _time in range(3):
        house.server.lost_answers = 5  # libcurl sends again over a new connection
        house.world.ms += MINUTE
        with pytest.raises(SyncError):
            house.laptop.sync()
    house.server.lost_answers = 0
    house.sync(house.laptop, house.desk)
    assert seconds(house) == 300
    assert house.state(house.desk) == (False, 300)
    assert house.laptop.library.syncing.counts().outgoing == 0


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kills_at", [0, 1])
def test_a_kill_between_the_push_and_its_record_counts_nothing_twice(house: House, kills_at: int, after: bool) -> None:
    house.laptop.hear(of(house.laptop), 5 * MINUTE, 5)
    house.world.ms += MINUTE
    assert not house.laptop.sync(kills_at=kills_at, after=after)
    house.laptop.mark(of(house.laptop), True)
    house.world.ms += MINUTE
    house.laptop.sync(kills_at=kills_at, after=after)
    house.laptop.mark(of(house.laptop), False)
    house.sync(house.laptop, house.desk, house.laptop)
    assert seconds(house) == 300
    assert house.state(house.desk) == house.state(house.laptop) == (False, 300), "as it was before the mark"
    assert house.shown() == (False, 300, 0.167)


def test_sending_sessions_never_moves_the_position(house: House) -> None:
    """Not even if the listening is later than the one that led to the position."""
    house.desk.hear(of(house.desk), 20 * MINUTE, 1)
    house.world.ms += HOUR
    house.laptop.hear(of(house.laptop), 4 * MINUTE, 4)
    seen: list[float] = []
    house.server.progress_changed = lambda row: seen.append(row["currentTime"])
    house.sync(house.desk, house.laptop)
    assert seconds(house) == 5 * 60
    assert house.shown()[1] == 1200
    assert set(seen) == {1200}


def test_listening_to_an_episode_that_is_at_its_start_again_is_sent_without_a_position(house: House) -> None:
    house.laptop.hear(of(house.laptop), 4 * MINUTE, 4)
    house.laptop.library.progress.save(of(house.laptop), 0, None, house.laptop.now())
    house.sync(house.laptop, house.desk)
    assert seconds(house) == 240
    assert house.shown()[:2] == (False, 0)
    assert not house.row()["hideFromContinueListening"], "nothing is said about the position"


def test_setting_up_syncing_sends_the_whole_history_and_doing_so_again_changes_nothing() -> None:
    with in_step(episodes=3) as house:
        for number in range(3):
            house.laptop.hear(of(house.laptop, number), 6 * MINUTE, 2)
        library = house.laptop.library
        account = library.syncing.account()
        library.syncing.forget_account()
        assert account is not None
        library.syncing.set_account(account)
        house.sync(house.laptop, house.laptop)
        assert [seconds(house, number) for number in range(3)] == [120, 120, 120]


# -- the server ------------------------------------------------------------------------------------------------------


def test_a_server_that_lost_its_progress_gets_it_again(house: House) -> None:
    house.laptop.hear(of(house.laptop), 20 * MINUTE, 1)
    house.sync(house.laptop, house.desk)
    house.server.forget_progress()
    house.sync(house.desk, house.laptop)
    assert house.shown()[1] == 1200
    house.sync(house.desk, house.laptop)
    assert house.state(house.laptop) == house.state(house.desk) == (False, 1200)
    assert seconds(house) == 60


def test_rows_of_audiobooks_and_of_deleted_episodes_are_ignored(house: House) -> None:
    house.app_at(100)
    row = house.row()
    key = next(iter(house.server.progress))
    house.server.progress[(key[0], "a-book", "")] = {**row, "libraryItemId": "a-book", "episodeId": None}
    house.server.progress[(key[0], "gone", "gone")] = {**row, "libraryItemId": "gone", "episodeId": "gone"}
    house.sync(house.laptop)
    assert house.state(house.laptop) == (False, 100)
    house.server.asked.clear()
    house.sync(house.laptop)
    assert [path for _method, path in house.server.asked] == ["/api/me"], "a round without news is one request"


def test_a_push_without_a_pull_before_it_sends_nothing(network: NetworkLoop) -> None:
    with AudiobookshelfServer(Clock()) as server:
        assert target(server, network).push(Outgoing()).sent == ()
        assert server.asked == []


def test_a_round_with_a_slow_server_can_be_aborted(network: NetworkLoop) -> None:
    with AudiobookshelfServer(Clock()) as server, ThreadPoolExecutor() as threads:
        laptop = target(server, network)
        laptop.pull("", whole=True)
        asked = Event()
        server.holds.clear()
        server.waits = asked.set
        pulled = threads.submit(laptop.pull, "", whole=False)
        assert asked.wait(20)
        laptop.abort()
        with pytest.raises(SyncError, match="was stopped"):
            pulled.result(20)


def error_of(server: AudiobookshelfServer, network: NetworkLoop) -> SyncError:
    with pytest.raises(SyncError) as caught:
        target(server, network).pull("", whole=True)
    return caught.value


def test_failures_are_reported_in_sentences(network: NetworkLoop) -> None:
    with AudiobookshelfServer(Clock()) as server:
        server.busy.append(Refusal(429, '{"error":"Too many"}', **{"Retry-After": "7"}))
        busy = error_of(server, network)
        assert (busy.failure, busy.retry_s) == (SyncFailure.BUSY, 7)
        server.busy.append(Refusal(503))
        assert error_of(server, network).failure is SyncFailure.BUSY
        server.busy += [Refusal(200, "{}")]
        assert "isn't an Audiobookshelf server" in str(error_of(server, network))
        server.garbage["/api/me"] = b"<html>Welcome to our hotel"
        assert "web page" in str(error_of(server, network))
        server.garbage["/api/me"] = b'{"mediaProgress": 5}'
        assert error_of(server, network).failure is SyncFailure.NOT_A_SERVER
        server.garbage.clear()
        laptop = target(server, network)
        laptop.pull("", whole=True)
        server.withdraw_keys()
        with pytest.raises(SyncError, match="Set up syncing again") as caught:
            laptop.pull("", whole=True)
        assert caught.value.failure is SyncFailure.LOGIN
    with pytest.raises(SyncError) as gone:
        laptop.pull("", whole=True)
    assert gone.value.failure is SyncFailure.UNREACHABLE
