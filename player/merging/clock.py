"""The clock of actions, subscriptions and facts: a hybrid logical clock (Kulkarni and others, 2014) that needs no more
than one number. All times in ms since 1970, UTC.

What is done after something else was seen gets a later time, however wrong the clocks of both devices are.
"""

LATEST = 4_102_444_800_000
"""The year 2100. A time from then on, or before 1970, is nonsense and counts as 0: older than all others."""
_SECOND_MS = 1_000


def usable(at: int) -> int:
    """0 for a time that is nonsense."""
    return at if 0 < at < LATEST else 0


def next_at(wall_ms: int, newest_known_ms: int = 0, step_ms: int = 1) -> int:
    """The time of what is done now: later than anything known of the same episode, feed or fact. `step_ms` 1000 where a
    target keeps whole seconds."""
    at = max(usable(wall_ms), usable(newest_known_ms) + 1)
    return min(-(-at // step_ms) * step_ms, (LATEST - 1) // step_ms * step_ms)


def in_whole_seconds(at: int) -> int:
    """The whole second at or after `at`, in ms."""
    return -(-at // _SECOND_MS) * _SECOND_MS
