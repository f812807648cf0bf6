"""The reports of the player without a screen, on a pipe or terminal that never blocks it; and when it ends by
itself."""

import os
from contextlib import suppress

from msgspec import Struct

from player.model.playback import PlaybackState, PlaybackStatus
from player.processes.threads import Lane
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _


def line_of(before: PlaybackStatus | None, now: PlaybackStatus) -> str | None:
    """The change since `before` as a line; None if it isn't worth a line. Problems are reported by `problem_of`."""
    episode = now.episode
    if episode is None or now.clip:
        return None
    same = before is not None and before.episode is not None and before.episode.id == episode.id
    if same and before is not None and before.state is now.state:
        return None
    title, at = f"{episode.title} · {episode.podcast}", clock(now.position_ms)
    match now.state:
        case PlaybackState.PLAYING if now.live:
            return _("Playing: {title}", title=title)
        case PlaybackState.PLAYING:
            return _("Playing: {title}, at {position}", title=title, position=at)
        case PlaybackState.OPENING if not same:
            return _("Opening: {title}", title=title)
        case PlaybackState.BUFFERING if not same or (before is not None and before.state is PlaybackState.PLAYING):
            return _("Waiting for the network at {position}", position=at)
        case PlaybackState.PAUSED:
            if same:
                return _("Paused at {position}", position=at)
            return _("Ready: {title}, at {position}", title=title, position=at)
        case PlaybackState.ENDED:
            return _("Ended: {title}", title=title)
        case PlaybackState.STOPPED:
            return _("Stopped at {position}", position=at)
    return None


def problem_of(before: PlaybackStatus | None, now: PlaybackStatus) -> str | None:
    """The sentence about a problem that keeps the episode from playing; None if there is none, or if it isn't new."""
    if now.state is PlaybackState.ERROR:
        sentence = now.error or _("This can't be played.")
        titled = f"{now.episode.title}: {sentence}" if now.episode else sentence
        return titled if before is None or (before.state, before.error) != (now.state, now.error) else None
    if now.error and (before is None or before.error != now.error):
        return _("{problem} Resume with: earmark resume", problem=now.error)
    if now.waiting and (before is None or before.waiting != now.waiting):
        return _("{problem} Playback resumes automatically.", problem=now.waiting)
    return None


_MOST_WAITING = 200
_LONGEST = 4000


class LineWriter:
    """Writes to a file descriptor on a thread of its own. If the other end doesn't read, the oldest lines are dropped;
    if it is closed, or there is no descriptor, all lines are dropped."""

    def __init__(self, handle: int | None) -> None:
        self._handle = -1 if handle is None else handle
        self._lane = Lane("lines", most=_MOST_WAITING)
        self._gone = handle is None

    def write(self, line: str) -> None:
        """May be called from any thread; never blocks, and never raises."""
        if not self._gone:
            data = clean_line(line, _LONGEST).encode("utf-8", "replace") + b"\n"
            self._lane.put(lambda: self._write(data))

    def close(self, timeout_s: float) -> None:
        """Writes the lines that are still waiting, as far as that succeeds in the given time."""
        self._lane.close(timeout_s)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self._gone:
                rest = rest[self._write_some(rest) :]
        except OSError:
            self._gone = True

    def _write_some(self, data: memoryview) -> int:
        """Blocks until it can write, even if a process that shares the descriptor has made it non-blocking."""
        while True:
            try:
                return os.write(self._handle, data)
            except BlockingIOError:
                import select

                with suppress(OSError):
                    select.select([], [self._handle], [])


_TRYING_S = 300.0


class Idle(Struct):
    """When the player ends for lack of sound. All times are of one clock, in s."""

    silent_since: float

    def heard(self, now: float) -> None:
        """An episode is playing now."""
        self.silent_since = now

    def left_s(self, now: float, limit_s: float | None, *, tries: bool = False) -> float | None:
        """Seconds until the player ends, 0 if that time has come; None if it never ends. `limit_s`: the seconds without
        sound after which it ends. `tries`: an episode is about to play, and waits for its bytes, for which it gets at
        least _TRYING_S."""
        if limit_s is None:
            return None
        return max(0.0, self.silent_since + max(limit_s, _TRYING_S if tries else 0.0) - now)
