"""Downloads, the length of the queue and the sleep timer in a few words."""

from datetime import UTC, datetime, timedelta
from math import ceil

from player.model.downloads import DownloadEntry, DownloadSnapshot, DownloadState, Progress, Work
from player.model.playback import SleepChoice, SleepStatus, SleepUntil
from player.text.durations import brief, clock
from player.text.regional import Grouped, time_of_day
from player.text.sentences import _, plural
from player.text.sizes import size_label
from player.text.times import day_and_month, weekday_name

_MINUTE, _HOUR = 60, 3600


def speed(per_second: float) -> str:
    """A speed such as `2.1 MB/s`; "" while nothing arrives."""
    return _("{size}/s", size=size_label(per_second)) if per_second >= 1 else ""


def pace(per_second: float) -> str:
    """How much faster than it is heard an episode is transcribed: `12x`."""
    times = per_second / 1000
    return f"{times:.1f}x" if times < 9.95 else f"{times:.0f}x"


def left(seconds: float | None) -> str:
    """The time left, such as `1 min left`; "" if it isn't known."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return _("{n} s left", n=max(1, round(seconds)))
    if seconds < _HOUR:
        return _("{n} min left", n=round(seconds / _MINUTE))
    return _("{n} h left", n=round(seconds / _HOUR))


def amount(progress: Progress) -> str:
    """The progress in bytes, such as `45 MB of 210 MB`."""
    if progress.total is None:
        return size_label(progress.done) if progress.done else ""
    return _("{done} of {total}", done=size_label(progress.done), total=size_label(progress.total))


def download_queue_facts(snapshot: DownloadSnapshot, dot: str) -> tuple[str, ...]:
    """The heading while downloads are under way or have failed, from long to short; otherwise ()."""
    total = len(snapshot.entries) - snapshot.count(DownloadState.FAILED)
    done = snapshot.count(DownloadState.DONE)
    failed = snapshot.count(DownloadState.FAILED)
    if total == done:
        return (plural(failed, "{n:,} failed", "{n:,} failed"),) if failed else ()
    of = _("{n:,} of {total:,}", n=done, total=total)
    progress = snapshot.progress
    running = snapshot.count(DownloadState.RUNNING) > 0
    moving = (speed(progress.per_second), left(progress.seconds_left)) if running else ()
    parts = [part for part in (of, amount(progress), *moving) if part]
    return tuple(f" {dot} ".join(parts[:count]) for count in range(len(parts), 0, -1))


def here_facts(count: int, bytes_here: int, free: int | None, dot: str) -> tuple[str, ...]:
    """The heading of downloaded episodes, from long to short: their number, their size, and the free space."""
    episodes = plural(count, "{n:,} episode", "{n:,} episodes")
    whole = f"{episodes} {dot} {size_label(bytes_here)}" if bytes_here else episodes
    if free is None:
        return whole, episodes
    room = _("{size} free", size=size_label(free))
    return f"{whole} {dot} {room}", whole, episodes


def state_words(entry: DownloadEntry, now: datetime | None = None, *, held: bool = False) -> str:
    """Why a download doesn't run; "" if it does."""
    is_transcript = entry.work is Work.TRANSCRIPT
    match entry.state:
        case DownloadState.PAUSED:
            return _("transcript paused") if is_transcript else _("paused")
        case DownloadState.FAILED:
            return entry.problem or _("failed")
        case DownloadState.WAITING if entry.problem and entry.retry_at is not None:
            seconds = (entry.retry_at - (now or datetime.now(UTC))).total_seconds()
            minutes = max(1, round(seconds / _MINUTE))
            return _("tries again in {n} min: {problem}", n=minutes, problem=entry.problem)
        case DownloadState.WAITING if is_transcript:
            return _("to be transcribed")
        case DownloadState.WAITING:
            return _("waits for the network") if held else _("waiting")
        case _:
            return ""


def trouble(snapshot: DownloadSnapshot, keys: dict[str, str], *, offline: bool) -> str:
    """A sentence about what holds downloads up, with the key to act on it; "" if nothing does. `keys` are the keys for
    `pause`, `pause_all` and `offline`."""
    waiting = any(entry.state in (DownloadState.WAITING, DownloadState.RUNNING) for entry in snapshot.entries)
    if snapshot.paused and (waiting or snapshot.count(DownloadState.PAUSED)):
        return _("All downloads are paused. {key} resumes them.", key=keys["pause_all"])
    if offline and waiting:
        return _("Offline: downloads wait. {key} goes online.", key=keys["offline"])
    if snapshot.transcripts_wait:
        return snapshot.transcripts_wait
    if failed := [one for one in snapshot.entries if one.state is DownloadState.FAILED]:
        problem = failed[0].problem
        if all(one.work is Work.TRANSCRIPT for one in failed):
            words = plural(len(failed), "A transcript failed", "{n:,} transcripts failed")
        else:
            words = plural(len(failed), "A download failed", "{n:,} downloads failed")
        return _("{words}: {key} on it retries. {problem}", words=words, problem=problem, key=keys["pause"])
    stuck = next((one for one in snapshot.entries if one.state is DownloadState.WAITING and one.problem), None)
    if stuck is not None:
        if stuck.work is Work.TRANSCRIPT:
            return _("A transcript waits: {key} on it retries. {problem}", problem=stuck.problem, key=keys["pause"])
        return _("A download waits: {key} on it retries. {problem}", problem=stuck.problem, key=keys["pause"])
    return ""


def transcript_words(snapshot: DownloadSnapshot, entry: DownloadEntry, keys: dict[str, str]) -> str:
    """What is happening to a transcript that was asked for, and what the listener can do. `keys` are the keys for
    `play`, which makes it first, and `pause_all`."""
    match entry.state:
        case DownloadState.RUNNING:
            return _("It is being transcribed: the first words come in a moment.")
        case DownloadState.FAILED:
            return _(
                "It couldn't be transcribed. {key} tries again. {problem}", key=keys["play"], problem=entry.problem
            )
        case DownloadState.PAUSED:
            return _("Its transcript is paused. {key} resumes it.", key=keys["play"])
    if snapshot.paused:
        return _("All downloads are paused. {key} resumes them.", key=keys["pause_all"])
    if snapshot.transcripts_wait:
        return snapshot.transcripts_wait
    if entry.problem:
        return _("Its transcript waits. {key} tries again. {problem}", key=keys["play"], problem=entry.problem)
    if any(one.state is DownloadState.RUNNING and one.work is Work.TRANSCRIPT for one in snapshot.entries):
        return _("It waits for the transcript of another episode. {key} makes it first.", key=keys["play"])
    return _("It is about to be transcribed: the first words come in a moment.")


def queue_facts(
    coming: int, lasts_ms: int, unknown: int, now: datetime, dot: str, *, plays: bool = False, more: bool = False
) -> tuple[str, ...]:
    """The facts next to the title of the queue, from long to short.

    They are the number of `coming` episodes, how long they take, and when the queue will end. `unknown` is the number
    of episodes of unknown duration, which the time doesn't include. `plays`: another episode of the queue is playing,
    whose time left is part of `lasts_ms`.
    """
    time = _("{time} left", time=brief(lasts_ms))
    if unknown:
        then = plural(unknown, "{n:,} of unknown length", "{n:,} of unknown length")
    else:
        # In UTC, because daylight saving time may begin or end before then.
        end = now.astimezone(UTC) + timedelta(milliseconds=lasts_ms)
        then = ends(end.astimezone(), now.astimezone())
    if plays:
        episodes = plural(coming, "{n:,} to come", "{n:,} to come") if coming else _("the last one")
    else:
        episodes = _("{n:,}+ episodes", n=coming) if more else plural(coming, "{n:,} episode", "{n:,} episodes")
    if unknown and not lasts_ms:
        return (episodes, f"{Grouped(coming):,}")
    return (f"{episodes} {dot} {time} {dot} {then}", f"{time} {dot} {then}", f"{episodes} {dot} {time}", time)


def ends(end: datetime, now: datetime) -> str:
    """When something ends: `ends 18:40`, `ends tomorrow 00:10`, `ends Mon 07:30`, `ends 12 Apr`."""
    time, days = time_of_day(end), (end.date() - now.date()).days
    if days == 0:
        return _("ends {time}", time=time)
    if days == 1:
        return _("ends tomorrow {time}", time=time)
    if days < 7:
        return _("ends {day} {time}", day=weekday_name(end), time=time)
    return _("ends {date}", date=day_and_month(end))


def choice_words(choice: SleepChoice) -> str:
    """A choice of the sleep timer, such as `30 minutes`, `End of the chapter`, `After 3 episodes`."""
    match choice.until:
        case SleepUntil.MINUTES:
            return plural(choice.count, "{n} minute", "{n} minutes")
        case SleepUntil.CHAPTER:
            return _("End of the chapter")
        case SleepUntil.EPISODE if choice.count == 1:
            return _("End of the episode")
        case SleepUntil.EPISODE:
            return plural(choice.count, "After {n} episode", "After {n} episodes")


def left_words(sleep: SleepStatus) -> str:
    """The time or the number of episodes left on the sleep timer, such as `12:34`; "" if no timer is running."""
    if sleep.choice is None:
        return ""
    if sleep.episodes_left > 1:
        return plural(sleep.episodes_left, "{n} episode", "{n} episodes")
    if sleep.left_ms is None:
        return choice_words(sleep.choice)
    return clock(ceil(sleep.left_ms / 1000) * 1000)
