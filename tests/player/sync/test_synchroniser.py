"""The thread that syncs: a real library, a real bus, and a meeting place in memory."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.events import Bus, Notice, SyncChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.syncing import ActionKind, Pulled, SyncAccount
from player.paths import Paths
from player.sync import synchroniser
from player.sync.round import alone
from player.sync.synchroniser import Synchroniser
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import way_of
from tests.player.library.conftest import ids, podcast
from tests.player.playback.support import wait_until
from tests.player.sync.meeting import Meeting, MeetingTarget

__all__ = ["ids", "podcast"]

ACCOUNT = SyncAccount("gpodder", "https://sync.example.org", "ann", "laptop", "Laptop")


class Stage:
    def __init__(self, library: Library, lock: Path) -> None:
        self.library = library
        self.lock = lock
        self.bus = Bus()
        self.meeting = Meeting()
        self.target = MeetingTarget(self.meeting)
        self.offline = False
        self.events: list[object] = []
        self.bus.subscribe(object, self.events.append)
        self.sync = Synchroniser(library, self.bus, lock, lambda _account: self.target, offline=lambda: self.offline)

    def start(self, account: SyncAccount = ACCOUNT) -> None:
        self.library.syncing.set_account(account)
        self.sync.start()

    def until_round(self, number: int) -> None:
        wait_until(lambda: self.sync.status.rounds >= number and not self.sync.status.busy, f"round {number}")

    def hear(self, episode_id: EpisodeId, position_ms: int = 60_000) -> None:
        self.library.progress.save(episode_id, position_ms, None, datetime.now(UTC))

    def notices(self) -> list[str]:
        return [one.text for one in self.events if isinstance(one, Notice)]


@pytest.fixture
def stage(
    library: Library, ids: tuple[EpisodeId, ...], paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    monkeypatch.setattr(synchroniser, "GATHER_S", 0.01)
    monkeypatch.setattr(synchroniser, "_BUSY_S", 0.01)
    made = Stage(library, paths.sync_lock)
    yield made
    made.target.let_go()
    made.sync.close(5.0, sends=False)


def test_a_start_syncs_at_once_and_says_so(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.hear(ids[0])
    stage.start()
    stage.until_round(1)
    assert [one.position_ms for one in stage.meeting.actions] == [60_000]
    told = [one.status.busy for one in stage.events if isinstance(one, SyncChanged)]
    assert told[-2:] == [True, False]
    assert stage.sync.status.account == ACCOUNT
    assert stage.sync.status.state.succeeded_at is not None
    assert stage.sync.status.counts.outgoing == 0


def test_what_the_target_says_of_what_it_skipped_is_said_once(stage: Stage) -> None:
    stage.target.unread = ("example.org sent an action that Earmark can't read; it was skipped.",)
    stage.start()
    stage.until_round(1)
    stage.sync.now()
    stage.until_round(2)
    assert stage.notices() == list(stage.target.unread)


def test_what_changes_is_sent_a_moment_later_and_what_was_asked_for_during_a_round_after_it(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.start()
    stage.until_round(1)
    stage.target.asked.clear()
    stage.target.held = True
    stage.hear(ids[0])
    stage.sync.changed()
    assert stage.target.asked.wait(30)
    stage.hear(ids[1], 5_000)
    stage.sync.changed()
    stage.target.let_go()
    stage.until_round(3)
    assert {one.position_ms for one in stage.meeting.actions} == {60_000, 5_000}


def test_a_round_that_is_asked_for_during_another_has_ended_when_one_more_has(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.target.held = True
    stage.start()
    assert stage.target.asked.wait(30)
    stage.hear(ids[0])
    begun = stage.sync.status.under_way
    stage.sync.now()
    stage.target.let_go()
    wait_until(lambda: stage.sync.status.rounds > begun, "the round that was asked for")
    assert [one.position_ms for one in stage.meeting.actions] == [60_000]


def test_a_failure_is_kept_in_words_and_a_person_can_have_it_tried_again(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.target.trouble = SyncError(SyncFailure.BUSY, "The server is busy", "It is tried again later.", 600.0)
    stage.hear(ids[0])
    stage.start()
    stage.until_round(1)
    state = stage.sync.status.state
    assert (state.failure, state.what, state.advice) == ("busy", "The server is busy", "It is tried again later.")
    assert stage.sync.status.counts.outgoing
    assert stage.notices() == [], "it isn't in the way"
    assert (next_at := stage.sync.status.next_at) is not None
    assert timedelta(minutes=9) < next_at - datetime.now(UTC) <= timedelta(minutes=10), "the server asked for that"
    stage.target.trouble = None
    stage.sync.changed()
    stage.sync.now()
    stage.until_round(2)
    assert (stage.sync.status.state.what, stage.sync.status.next_at) == ("", None)
    assert len(stage.meeting.actions) == 1


def test_a_refused_login_is_said_once(stage: Stage) -> None:
    stage.target.trouble = SyncError(SyncFailure.LOGIN, "The password was refused", "Set it up again.")
    stage.start()
    stage.until_round(1)
    stage.sync.now()
    stage.until_round(2)
    assert stage.notices() == ["The password was refused. Set it up again."]


def test_offline_there_are_no_rounds_and_with_a_network_one_at_once(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.offline = True
    stage.hear(ids[0])
    stage.start()
    wait_until(lambda: stage.sync.status.account is not None, "the account")
    assert stage.sync.rests
    assert stage.target.pulls == []
    stage.offline = False
    stage.sync.network_changed()
    stage.until_round(1)
    assert len(stage.meeting.actions) == 1


def test_going_offline_ends_the_round_that_is_under_way_and_is_no_failure(stage: Stage) -> None:
    stage.target.held = True
    stage.start()
    assert stage.target.asked.wait(30)
    stage.offline = True
    stage.sync.network_changed()
    stage.until_round(1)
    assert stage.sync.status.state.what == ""


def test_a_folder_needs_no_network(stage: Stage, tmp_path: Path) -> None:
    stage.offline = True
    stage.start(way_of("folder").account(str(tmp_path), "", "laptop", "Laptop"))
    stage.until_round(1)
    assert len(stage.target.pulls) == 1


def test_never_two_processes_at_once(stage: Stage) -> None:
    with ExitStack() as other:
        assert other.enter_context(alone(stage.lock))
        stage.start()
        wait_until(lambda: stage.sync.status.account is not None, "the account")
        assert stage.target.pulls == []
        other.close()
        stage.until_round(1)
        with alone(stage.lock) as is_alone:
            assert is_alone


def test_what_was_heard_last_is_sent_at_the_end(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.start()
    stage.until_round(1)
    pulls = len(stage.target.pulls)
    stage.hear(ids[0])
    stage.sync.close(10.0)
    assert [one.kind for one in stage.meeting.actions] == [ActionKind.PLAY]
    assert len(stage.target.pulls) == pulls, "nothing is asked for any more"


def test_without_news_an_end_asks_nothing_of_the_target(stage: Stage) -> None:
    stage.start()
    stage.until_round(1)
    stage.target.asked.clear()
    stage.sync.close(10.0)
    assert not stage.target.asked.is_set()


def test_a_target_that_hangs_is_left_to_the_next_start(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.start()
    stage.until_round(1)
    stage.target.held = True
    stage.hear(ids[0])
    stage.sync.close(0.3)
    assert stage.meeting.actions == []
    assert stage.library.syncing.counts().outgoing


def test_what_waits_for_others_changes_waits_until_the_first_round_has_ended(stage: Stage) -> None:
    assert not stage.sync.is_settled
    stage.target.held = True
    stage.start()
    assert stage.target.asked.wait(30)
    assert not stage.sync.is_settled
    stage.target.let_go()
    wait_until(lambda: stage.sync.is_settled, "the first round")


def test_a_dead_target_holds_nothing_up_for_good(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.target.held = True
    stage.start()
    assert stage.target.asked.wait(30)
    monkeypatch.setattr(synchroniser, "MAY_HOLD_UP_S", 0.0)
    assert stage.sync.is_settled


def test_a_bug_doesnt_end_syncing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_cursor: str, *, whole: bool) -> Pulled:
        raise ZeroDivisionError

    monkeypatch.setattr(stage.target, "pull", broken)
    stage.start()
    stage.until_round(1)
    assert stage.sync.status.state.what == "Something went wrong inside Earmark"
    monkeypatch.undo()
    stage.sync.now()
    stage.until_round(2)
    assert stage.sync.status.state.what == ""


def test_an_account_that_is_set_up_or_forgotten_meanwhile_counts_at_once(stage: Stage) -> None:
    stage.sync.start()
    assert stage.sync.rests
    stage.library.syncing.set_account(ACCOUNT)
    stage.sync.account_changed()
    stage.until_round(1)
    stage.library.syncing.forget_account()
    stage.sync.account_changed()
    wait_until(lambda: stage.sync.status.account is None, "the end of the account")
    assert stage.sync.rests
