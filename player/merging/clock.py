"""The clock of actions, subscriptions and facts: a hybrid logical clock (Kulkarni and others, 2014) that needs no more
than one number. All times in ms since 1970, UTC.

An action made after another was seen gets a later time, if the clocks of both devices are wrong by less than a year.
Actions dated further ahead aren't accepted before their time comes: nothing could ever be later than the last moment.
"""

from player.model.moments import EARLIEST

LATEST = 4_102_444_800_000
"""The year 2100. A time from then on, or before 1970, is nonsense and counts as 0: earlier than all others."""
FURTHEST_AHEAD = 365 * 86_400_000
_EARLIEST = int(EARLIEST.timestamp() * 1000)
_SECOND_MS = 1_000


def usable(at: int) -> int:
    """The time, or 0 if it is nonsense."""
    return at if 0 < at < LATEST else 0


def furthest(now_ms: int) -> int:
    """The latest time that is accepted. A clock that has lost its date sets no limit."""
    return now_ms + FURTHEST_AHEAD if now_ms >= _EARLIEST else LATEST


def next_at(wall_ms: int, newest_known_ms: int = 0, step_ms: int = 1) -> int:
    """The time for an action made now: later than anything known about the same episode, feed or fact. `step_ms` is
    1000 if a target stores whole seconds."""
    at = max(usable(wall_ms), usable(newest_known_ms) + 1)
    return min(-(-at // step_ms) * step_ms, (LATEST - 1) // step_ms * step_ms)


def in_whole_seconds(at: int) -> int:
    """The whole second at or after `at`, in ms."""
    return -(-at // _SECOND_MS) * _SECOND_MS
