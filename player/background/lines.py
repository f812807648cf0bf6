"""What the player without a screen reports, on a pipe or terminal that nothing ever waits for; and when it ends by
itself."""

import os
from contextlib import suppress

from msgspec import Struct

from player.model.playback import PlaybackState, PlaybackStatus
from player.processes.lanes import Lane
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _


def line_of(before: PlaybackStatus | None, now: PlaybackStatus) -> str | None:
    """The differences from `before`; None if they aren't worth a line. Problems are told apart by `problem_of`."""
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
    """The sentence about what keeps it from playing, once."""
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
    """Writes to a file descriptor on a thread of its own. When nobody reads, the oldest lines are dropped; when the
    other end is closed, or there is no descriptor, all are."""

    def __init__(self, handle: int | None) -> None:
        self._handle = -1 if handle is None else handle
        self._lane = Lane("lines", most=_MOST_WAITING)
        self._gone = handle is None

    def write(self, line: str) -> None:
        """From any thread; never waits, and never raises."""
        if not self._gone:
            data = clean_line(line, _LONGEST).encode("utf-8", "replace") + b"\n"
            self._lane.put(lambda: self._write(data))

    def close(self, timeout_s: float) -> None:
        """Writes what is still waiting, as far as that succeeds in the given time."""
        self._lane.close(timeout_s)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self._gone:
                rest = rest[self._write_some(rest) :]
        except OSError:
            self._gone = True

    def _write_some(self, data: memoryview) -> int:
        """If a process that shares the descriptor has made it non-blocking, this waits for it."""
        while True:
            try:
                return os.write(self._handle, data)
            except BlockingIOError:
                import select

                with suppress(OSError):
                    select.select([], [self._handle], [])


_TRYING_S = 300.0


class Idle(Struct):
    """All times are of one clock, in s."""

    silent_since: float

    def heard(self, now: float) -> None:
        """Something is playing now."""
        self.silent_since = now

    def left_s(self, now: float, limit_s: float | None, *, tries: bool = False) -> float | None:
        """How long until it ends, 0 if that time has come; None if it never ends. `limit_s`: after how long without
        sound it ends. `tries`: an episode is about to play, and waits for its bytes, which is given some time in any
        case."""
        if limit_s is None:
            return None
        return max(0.0, self.silent_since + max(limit_s, _TRYING_S if tries else 0.0) - now)
