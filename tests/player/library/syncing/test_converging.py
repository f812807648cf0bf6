"""Devices that know the same actions end with the same positions and marks in their libraries, whatever they did."""

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library import Library
from player.model.episode import EpisodeId
from player.model.syncing import Action, Pulled, SyncAccount
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.library.syncing.devices import FOLDER, MIN_MS, NOW, SERVER, other_library, said
from tests.quick import examples

EPISODES = 3

acts = st.tuples(
    st.integers(0, 1),
    st.sampled_from(["listen", "listen", "finish", "mark", "unmark", "sync", "feed", "undo"]),
    st.integers(0, EPISODES - 1),
    st.integers(1, 29),
    st.integers(0, 40),
)


Did = tuple[int, str, int, int, int]


class Device:
    def __init__(self, library: Library, account: SyncAccount, ahead: timedelta) -> None:
        self.library = library
        self.known = 0
        self.now = NOW + ahead
        self.podcast = library.podcasts.add(URL, "A show")
        self.device = account.device
        library.syncing.set_account(account)

    def episode(self, number: int) -> EpisodeId | None:
        return self.library.episodes.at_guid(self.podcast.id, f"guid-{number}")

    def feed(self) -> None:
        apply_feed(self.library, self.podcast, *(episode(number) for number in range(EPISODES)))

    def act(self, kind: str, number: int, minutes: int) -> None:
        one = self.episode(number)
        if one is None:
            return
        match kind:
            case "listen":
                self.library.progress.start(one)
                self.library.progress.save(one, minutes * MIN_MS + 123, None, self.now)
            case "finish":
                self.library.progress.finish(one)
            case "mark" | "unmark":
                self.library.episodes.set_played([one], kind == "mark")
            case "undo":
                self.library.acts.undo()

    def sync(self, target: list[Action], *, seconds: bool) -> None:
        """The target answers in any order, and with what it had from this device."""
        self.library.syncing.take(Pulled(tuple(target[self.known :][::-1])), self.now)
        actions = said(self.library.syncing, self.now)
        target += [replace(one, seen_ms=0) if seconds else one for one in actions]
        self.known = len(target) - len(actions)

    def states(self) -> list[tuple[bool, int]]:
        """Positions in seconds."""
        ids = [one for number in range(EPISODES) if (one := self.episode(number)) is not None]
        rows = self.library.episodes.rows(ids)
        return [(row.played, 0 if row.played else row.position_ms // 1000) for row in rows]


@pytest.mark.parametrize("account", [FOLDER, SERVER], ids=["folder", "server"])
@settings(max_examples=examples(60), deadline=None)
@given(st.lists(acts, max_size=25), st.integers(-300, 300), st.lists(acts, max_size=3))
def test_two_devices_end_equal(account: SyncAccount, did: Sequence[Did], ahead: int, last: Sequence[Did]) -> None:
    target: list[Action] = []
    seconds = account is SERVER
    with ExitStack() as stack:
        devices = []
        for number, clock in enumerate((0, ahead)):
            home = Path(stack.enter_context(TemporaryDirectory()))
            library = stack.enter_context(other_library(home))
            own = replace(account, device=f"device-{number}")
            devices.append(Device(library, own, timedelta(minutes=clock)))
        devices[0].feed()
        for which, kind, number, minutes, later in did:
            for device in devices:
                device.now += timedelta(minutes=later * 17)
            device = devices[which]
            if kind == "sync":
                device.sync(target, seconds=seconds)
            elif kind == "feed":
                device.feed()
            else:
                device.act(kind, number, minutes)
        for device in devices * 2:
            device.feed()
            device.sync(target, seconds=seconds)
        assert devices[0].states() == devices[1].states()
        for _which, kind, number, minutes, _later in last:
            devices[0].act(kind, number, minutes)
        wanted = devices[0].states()
        for device in devices:
            device.sync(target, seconds=seconds)
        assert devices[0].states() == devices[1].states() == wanted, "who knew all has the last word"
        before = len(target)
        for device in devices:
            device.sync(target, seconds=seconds)
        assert len(target) == before, "nobody has anything to say any more"
