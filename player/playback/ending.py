"""Whether what an engine calls the end is the end of the episode.

libvlc says EndReached as well when a connection broke or a file is shorter than its header claims, so an episode is
played to its end only if the place says so too.
"""

_SLACK_MS = 5_000
_SLACK_PART = 0.02


def is_the_end(position_ms: int, duration_ms: int | None, *, exact: bool, all_bytes: bool) -> bool:
    """`exact`: the bytes told the duration, it is no guess. `all_bytes`: the last byte was handed to the engine."""
    if not all_bytes:
        return False
    if duration_ms is None or not exact:
        return True
    return abs(position_ms - duration_ms) <= slack_ms(duration_ms)


def slack_ms(duration_ms: int) -> float:
    """How far from the end of so long an episode an engine may be when it says that it is over."""
    return max(_SLACK_MS, duration_ms * _SLACK_PART)
