"""Downloads in words: sizes, speeds, what is left, and why an episode is kept."""

from datetime import UTC, datetime

from player.model.downloads.download import DownloadEntry, DownloadSnapshot, DownloadState, Progress
from player.text.sentences import _, plural
from player.text.sizes import size_label

_MINUTE, _HOUR = 60, 3600


def speed(per_second: float) -> str:
    """`2.1 MB/s`; "" while nothing comes."""
    return _("{size}/s", size=size_label(per_second)) if per_second >= 1 else ""


def left(seconds: float | None) -> str:
    """`1 min left`; "" where nobody knows."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return _("{n} s left", n=max(1, round(seconds)))
    if seconds < _HOUR:
        return _("{n} min left", n=round(seconds / _MINUTE))
    return _("{n} h left", n=round(seconds / _HOUR))


def amount(progress: Progress) -> str:
    """`45 MB of 210 MB`."""
    if progress.total is None:
        return size_label(progress.done) if progress.done else ""
    return _("{done} of {total}", done=size_label(progress.done), total=size_label(progress.total))


def queue_facts(snapshot: DownloadSnapshot, dot: str) -> tuple[str, ...]:
    """The heading while something is to be downloaded or has failed: all of it, then less for less room; else ()."""
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
    """The heading of what is downloaded: how much that is, and how much more there is room for."""
    episodes = plural(count, "{n:,} episode", "{n:,} episodes")
    whole = f"{episodes} {dot} {size_label(bytes_here)}" if bytes_here else episodes
    if free is None:
        return whole, episodes
    room = _("{size} free", size=size_label(free))
    return f"{whole} {dot} {room}", whole, episodes


def state_words(entry: DownloadEntry, now: datetime | None = None, *, held: bool = False) -> str:
    """What a download that doesn't run is waiting for."""
    match entry.state:
        case DownloadState.PAUSED:
            return _("paused")
        case DownloadState.FAILED:
            return entry.problem or _("failed")
        case DownloadState.WAITING if entry.problem and entry.retry_at is not None:
            seconds = (entry.retry_at - (now or datetime.now(UTC))).total_seconds()
            minutes = max(1, round(seconds / _MINUTE))
            return _("tries again in {n} min: {problem}", n=minutes, problem=entry.problem)
        case DownloadState.WAITING:
            return _("waits for the network") if held else _("waiting")
        case _:
            return ""


def trouble(snapshot: DownloadSnapshot, keys: dict[str, str], *, offline: bool) -> str:
    """One sentence about what holds downloads up, and the key to act; `keys` are those for `pause`, `pause_all` and
    `offline`."""
    waiting = any(entry.state in (DownloadState.WAITING, DownloadState.RUNNING) for entry in snapshot.entries)
    if snapshot.paused and (waiting or snapshot.count(DownloadState.PAUSED)):
        return _("All downloads are paused. {key} resumes them.", key=keys["pause_all"])
    if offline and waiting:
        return _("Offline: downloads wait. {key} changes that.", key=keys["offline"])
    if failed := snapshot.count(DownloadState.FAILED):
        problem = next(one.problem for one in snapshot.entries if one.state is DownloadState.FAILED)
        words = plural(failed, "A download failed", "{n:,} downloads failed")
        return _("{words}: {key} on it retries. {problem}", words=words, problem=problem, key=keys["pause"])
    stuck = next((one for one in snapshot.entries if one.state is DownloadState.WAITING and one.problem), None)
    if stuck is not None:
        return _("A download waits: {key} on it retries. {problem}", problem=stuck.problem, key=keys["pause"])
    return ""
