"""What becomes of a download that fails: another attempt after a longer pause, or none."""

import pytest

from player.downloads.attempt import NETWORK_S, PAUSES_S, ROOM_S, Meter, Verdict, after, together
from player.errors import FileChanged, MediaError, NoNetwork, NoRoom
from player.model.downloads import DownloadState, Progress

TROUBLE = MediaError("It can't answer")


def verdict(error: MediaError, attempts: int = 0, **more: bool) -> Verdict:
    said = {"passing": True, "progressed": False, "network_seen": True, **more}
    return after(error, attempts, **said)


def test_the_pauses_grow_and_end() -> None:
    verdicts = [verdict(TROUBLE, attempts) for attempts in range(len(PAUSES_S) + 1)]
    assert [one.pause_s for one in verdicts] == [*PAUSES_S, None]
    assert list(PAUSES_S) == sorted(PAUSES_S)
    assert verdicts[-1].state is DownloadState.FAILED


def test_what_nothing_mends_fails_at_once() -> None:
    assert verdict(TROUBLE, passing=False) == Verdict(DownloadState.FAILED, 1, None)


def test_an_attempt_that_brought_bytes_starts_the_count_anew() -> None:
    assert verdict(TROUBLE, 6, progressed=True) == Verdict(DownloadState.WAITING, 1, PAUSES_S[0])


def test_a_server_that_asks_for_a_pause_gets_it() -> None:
    asked = MediaError("Too many requests")
    asked.pause_s = 1_800.0
    assert verdict(asked).pause_s == 1_800.0


def test_a_network_that_is_away_is_waited_for_without_end_but_not_for_long() -> None:
    for attempts in range(50):
        one = verdict(NoNetwork("Can't find h"), min(attempts, len(PAUSES_S)), network_seen=False)
        assert one.state is DownloadState.WAITING
        assert (one.pause_s or 0) <= NETWORK_S
    assert verdict(NoNetwork("Can't find h"), len(PAUSES_S)).state is DownloadState.FAILED


def test_a_full_disk_costs_no_attempt() -> None:
    assert verdict(NoRoom("Full"), 3, passing=False) == Verdict(DownloadState.WAITING, 3, ROOM_S)


def test_a_file_that_has_changed_is_fetched_anew() -> None:
    assert verdict(FileChanged("Another file"), passing=False).state is DownloadState.WAITING


def test_a_steady_rate_is_shown_as_it_is_and_what_was_cached_before_does_not_count() -> None:
    meter = Meter()
    meter.update(5_000_000, 10_000_000, 0.0)
    for tick in range(1, 11):
        progress = meter.update(5_000_000 + 100_000 * tick, 10_000_000, tick * 0.5)
    assert progress.per_second == pytest.approx(200_000)
    assert progress.seconds_left == pytest.approx(20)
    assert progress.part == pytest.approx(0.6)


def test_one_burst_does_not_make_the_rate_jump_and_a_stall_lets_it_fall() -> None:
    meter = Meter()
    for tick in range(40):
        meter.update(100_000 * tick, None, tick * 0.5)
    burst = meter.update(100_000 * 39 + 1_000_000, None, 20.0)
    assert 200_000 < burst.per_second < 500_000
    stalled = [meter.update(100_000 * 39 + 1_000_000, None, 20.5 + tick).per_second for tick in range(60)]
    assert stalled == sorted(stalled, reverse=True)
    assert stalled[-1] == 0
    assert meter.moved_at == 20.0


def test_a_file_that_is_begun_again_is_no_negative_rate() -> None:
    meter = Meter()
    meter.update(500_000, 1_000_000, 0.0)
    meter.update(600_000, 1_000_000, 1.0)
    assert meter.update(0, 1_000_000, 2.0).per_second >= 0


def test_all_together_are_unknown_while_one_is() -> None:
    known, unknown = Progress(50, 100, 10.0, 5.0), Progress(7, None)
    assert together([known, known]) == Progress(100, 200, 20.0, 5.0)
    assert together([known, unknown]) == Progress(57, None, 10.0)
    assert together([]) == Progress()
