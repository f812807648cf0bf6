"""Downloads in words: the heading fits where it has to, and one sentence says what holds them up."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from player.model.downloads import DownloadEntry, DownloadSnapshot, DownloadState, Progress, Work
from player.model.episode import EpisodeId
from tui.drawing import phrases

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
NO_PROGRESS = Progress()
KEYS = {"pause": "D", "pause_all": "Z", "offline": "O"}


def entry(state: DownloadState, number: int = 1, problem: str = "", minutes: int = 0) -> DownloadEntry:
    again = NOW + timedelta(minutes=minutes) if minutes else None
    return DownloadEntry(EpisodeId(number), "T", "P", state, "manual", NOW, problem=problem, retry_at=again)


def queue(*states: DownloadState, progress: Progress = NO_PROGRESS, paused: bool = False) -> DownloadSnapshot:
    return DownloadSnapshot(tuple(entry(state, n) for n, state in enumerate(states, 1)), progress, paused)


DONE, RUNNING, WAITING = DownloadState.DONE, DownloadState.RUNNING, DownloadState.WAITING
PAUSED, FAILED = DownloadState.PAUSED, DownloadState.FAILED


def test_the_heading_says_how_many_how_much_how_fast_and_how_long_and_less_for_less_room() -> None:
    progress = Progress(45_000_000, 210_000_000, 2_100_000.0, 79.0)
    facts = phrases.download_queue_facts(queue(*[DONE] * 3, RUNNING, *[WAITING] * 8, progress=progress), "·")
    assert facts == (
        "3 of 12 · 45 MB of 210 MB · 2.1 MB/s · 1 min left",
        "3 of 12 · 45 MB of 210 MB · 2.1 MB/s",
        "3 of 12 · 45 MB of 210 MB",
        "3 of 12",
    )


def test_nothing_on_its_way_is_no_heading_and_only_failures_are_counted() -> None:
    assert phrases.download_queue_facts(queue(DONE, DONE), "·") == ()
    assert phrases.download_queue_facts(queue(DONE, FAILED, FAILED), "·") == ("2 failed",)


def test_what_does_not_run_has_no_speed() -> None:
    facts = phrases.download_queue_facts(queue(PAUSED, progress=Progress(1_000_000, None, 5_000.0, 3.0)), "·")
    assert facts[0] == "0 of 1 · 1.0 MB"


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, ""), (0.2, "1 s left"), (59.0, "59 s left"), (90.0, "2 min left"), (7200, "2 h left")]
)
def test_time_left(seconds: float | None, words: str) -> None:
    assert phrases.left(seconds) == words


def test_one_sentence_says_what_holds_downloads_up_and_the_key_to_act() -> None:
    def trouble(snapshot: DownloadSnapshot, offline: bool = False) -> str:
        return phrases.trouble(snapshot, KEYS, offline=offline)

    full = entry(WAITING, problem="There is no space left on the disk. Free some space.", minutes=1)
    assert trouble(queue(RUNNING, WAITING)) == ""
    assert trouble(queue(WAITING, paused=True)) == "All downloads are paused. Z resumes them."
    assert trouble(queue(DONE, paused=True)) == ""
    assert trouble(queue(WAITING), offline=True) == "Offline: downloads wait. O goes online."
    assert trouble(queue(DONE), offline=True) == ""
    assert trouble(DownloadSnapshot((full,))) == (
        "A download waits: D on it retries. There is no space left on the disk. Free some space."
    )
    failed = DownloadSnapshot((entry(FAILED, 1, "Gone."), entry(FAILED, 2, "Else.")))
    assert trouble(failed) == "2 downloads failed: D on it retries. Gone."


def test_a_transcript_that_was_asked_for_says_what_it_waits_for_and_the_key_to_act() -> None:
    def words(state: DownloadState, problem: str = "", *others: DownloadEntry, paused: bool = False) -> str:
        asked = replace(entry(state, problem=problem), work=Work.TRANSCRIPT)
        snapshot = DownloadSnapshot((asked, *others), paused=paused)
        return phrases.transcript_words(snapshot, asked, {"play": "enter", "pause_all": "Z"})

    other = replace(entry(RUNNING, 2), work=Work.TRANSCRIPT)
    assert words(RUNNING).startswith("It is being transcribed")
    assert words(WAITING).startswith("It is about to be transcribed")
    assert words(WAITING, "", other) == "It waits for the transcript of another episode. enter makes it first."
    assert words(WAITING, "No space.") == "Its transcript waits. enter tries again. No space."
    assert words(WAITING, paused=True) == "All downloads are paused. Z resumes them."
    assert words(PAUSED, paused=True) == "Its transcript is paused. enter resumes it."
    assert words(FAILED, "Too long.") == "It couldn't be transcribed. enter tries again. Too long."
    stuck = DownloadSnapshot((replace(entry(WAITING, problem="No space."), work=Work.TRANSCRIPT),))
    assert phrases.trouble(stuck, KEYS, offline=False) == "A transcript waits: D on it retries. No space."


def test_each_row_says_what_it_waits_for() -> None:
    assert phrases.state_words(entry(PAUSED)) == "paused"
    assert phrases.state_words(entry(WAITING)) == "waiting"
    assert phrases.state_words(entry(WAITING), held=True) == "waits for the network"
    assert phrases.state_words(entry(FAILED, problem="Gone.")) == "Gone."
    assert phrases.state_words(entry(WAITING, problem="Slow.", minutes=5), NOW) == "tries again in 5 min: Slow."
