"""Random stories of two or three Earmarks and another app at one Audiobookshelf server, with kills, wrong clocks, lost
answers and a server that forgets. At the end all agree with the server, no listening is lost, stale positions have
moved nothing, and every second of listening is counted once.
"""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from player.sync.target import SyncError
from tests.audiobookshelf import AudiobookshelfServer, Episode
from tests.player.sync.simulation import FEEDS, HOUR, LENGTH_MS, MINUTE, SECOND
from tests.player.sync.test_simulation import MOST_EXAMPLES, Syncing
from tests.quick import LONG

pytestmark = pytest.mark.timeout(1_800 if LONG else 120)

_DEVICES, _EPISODES = st.integers(0, 2), st.integers(0, 11)
_LENGTH_S = LENGTH_MS // SECOND


class Story(Syncing):
    """`by_app` has the seconds of each episode that the other app has reported, `of_app` the episodes whose position it
    has reported, `gone` the episodes whose reports the server has lost: no Earmark sends them again for another app."""

    kind = "audiobookshelf"

    def __init__(self) -> None:
        super().__init__()
        self.by_app: dict[str, float] = {}
        self.of_app: set[str] = set()
        self.gone: set[str] = set()

    @property
    def server(self) -> AudiobookshelfServer:
        assert isinstance(self.world.server, AudiobookshelfServer)
        return self.world.server

    def episode(self, guid: str) -> Episode:
        feed, number = guid.split("#")
        return self.world.stocked(feed).episodes[int(number)]

    def guid(self, which: int) -> str:
        names = [f"{feed}#{number}" for feed in FEEDS for number in range(self.world.published[feed])]
        return names[which % len(names)]

    def app_at(self, guid: str, position_s: float, **more: Any) -> None:
        progress = {"currentTime": position_s, "duration": _LENGTH_S, "progress": position_s / _LENGTH_S}
        self.server.change(self.episode(guid), {**progress, **more})

    def related(self, state: dict[str, tuple[bool, int]]) -> dict[str, tuple[bool, int]]:
        return {guid: one for guid, one in super().related(state).items() if guid not in self.gone}

    # -- the other app ------------------------------------------------------------------------------------------

    @rule(which=_EPISODES, minutes=st.integers(1, 9))
    def the_app_plays_on(self, which: int, minutes: int) -> None:
        """Online: from where the server has it."""
        guid = self.guid(which)
        self.of_app.add(guid)
        row = self.server.progress_of(self.episode(guid))
        self.world.ms += minutes * MINUTE
        if (row is not None and row["isFinished"]) or guid in self.played:
            self.unclear.add(guid)
        position_s = (0 if row is None or row["isFinished"] else row["currentTime"]) + minutes * 60
        if position_s >= _LENGTH_S - 60:
            self.server.change(self.episode(guid), {"isFinished": True})
            self.played.add(guid)
        else:
            self.app_at(guid, position_s)
            self.furthest[guid] = max(self.furthest.get(guid, 0), int(position_s * SECOND))

    @rule(which=_EPISODES, minutes=st.integers(1, 9), hours=st.integers(0, 30))
    def the_app_was_offline(self, which: int, minutes: int, hours: int) -> None:
        """It sends what it played some hours ago from its own position."""
        guid = self.guid(which)
        updated_ms = self.world.ms - hours * HOUR
        told = {"currentTime": minutes * 60, "timeListening": minutes * 60}
        self.server.listen(self.episode(guid), startedAt=updated_ms - minutes * MINUTE, updatedAt=updated_ms, **told)
        self.by_app[guid] = self.by_app.get(guid, 0) + minutes * 60
        self.unclear.add(guid)
        self.of_app.add(guid)

    @rule(number=_DEVICES, which=_EPISODES, hours=st.integers(1, 9000))
    def the_app_sends_an_old_position(self, number: int, which: int, hours: int) -> None:
        """Older than what an Earmark has seen there."""
        guid = self.guid(which)
        for _time in range(2):
            self.syncs(number)
        row = self.server.progress_of(self.episode(guid))
        if row is not None and (row["isFinished"] or row["currentTime"] > 60):
            position_s = 30 if row["isFinished"] else row["currentTime"] / 2
            self.app_at(guid, position_s, lastUpdate=row["lastUpdate"] - hours * HOUR)
            self.syncs(number)

    @rule(number=_DEVICES, which=_EPISODES)
    def the_app_sends_0_before_it_has_found_its_place(self, number: int, which: int) -> None:
        guid = self.guid(which)
        for _time in range(2):
            self.syncs(number)
        row = self.server.progress_of(self.episode(guid))
        if row is not None and not row["isFinished"]:
            self.world.ms += SECOND
            self.app_at(guid, 0)
            self.syncs(number)

    @rule(number=_DEVICES, which=_EPISODES, again=st.booleans(), hours=st.integers(1, 23))
    def another_app_takes_a_mark_back(self, number: int, which: int, again: bool, hours: int) -> None:
        if (found := self.chosen(number, which)) is not None:
            self.of_app.add(found[1])
        super().another_app_takes_a_mark_back(number, which, again, hours)

    # -- the server ---------------------------------------------------------------------------------------------

    @rule()
    def the_server_forgets(self) -> None:
        super().the_server_forgets()
        self.gone |= self.of_app

    @rule(number=_DEVICES, answers=st.integers(1, 3))
    def answers_are_lost(self, number: int, answers: int) -> None:
        self.server.lost_answers = answers
        self.world.ms += SECOND
        with suppress(SyncError):
            self.device(number).sync()
        self.server.lost_answers = 0

    # -- the end ------------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        try:
            if self.world.devices:
                self.all_meet()
                self.they_are_equal()
                self.nothing_heard_is_lost()
                self.the_server_agrees()
                self.listening_is_counted_once()
        finally:
            self.world.close()

    def the_server_agrees(self) -> None:
        for device in self.world.devices:
            for guid, (played, seconds) in self.related(device.state()).items():
                row = self.server.progress_of(self.episode(guid))
                there = (False, 0) if row is None else (row["isFinished"], int(row["currentTime"]))
                assert (there[0], 0 if there[0] else there[1]) == (played, seconds), guid

    def listening_is_counted_once(self) -> None:
        told = self.server.listened_s()
        expected: dict[str, float] = dict(self.by_app)
        for device in self.world.devices:
            for guid, one in device.episodes().items():
                for span in device.library.history.spans(one):
                    expected[guid] = expected.get(guid, 0.0) + (span.to_ms - span.from_ms) / 1000 / span.speed
        for feed in self.kept - self.world.moved:
            for number in range(self.world.published[feed]):
                guid = f"{feed}#{number}"
                assert told.get(self.episode(guid).id, 0.0) == pytest.approx(expected.get(guid, 0.0), abs=0.1), guid


def test_all_agree_and_every_second_is_counted_once() -> None:
    run_state_machine_as_test(
        Story,
        settings=settings(
            max_examples=MOST_EXAMPLES if LONG else 5,
            stateful_step_count=40 if LONG else 25,
            suppress_health_check=list(HealthCheck),
            deadline=None,
        ),
    )
