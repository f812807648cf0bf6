"""Whether what an engine calls the end is the end of the episode, and why not.

libvlc says EndReached as well when a connection broke or a file is shorter than its header claims, so an episode is
played to its end only if the position says so too.
"""

from player.errors import MediaError
from player.text.durations import clock as clock_text
from player.text.sentences import _

_SLACK_MS = 5_000
_SLACK_PART = 0.02


def is_the_end(position_ms: int, duration_ms: int | None, *, exact: bool, all_bytes: bool) -> bool:
    """`exact`: the duration comes from the bytes. `all_bytes`: the last byte was handed to the engine."""
    if not all_bytes:
        return False
    if duration_ms is None or not exact:
        return True
    return abs(position_ms - duration_ms) <= _slack_ms(duration_ms)


def began_past_end(started_ms: int, duration_ms: int | None, *, exact: bool) -> bool:
    """Whether the position from which it was played isn't in this file: then nothing of the episode was heard."""
    return exact and duration_ms is not None and duration_ms > 0 and started_ms > duration_ms + _slack_ms(duration_ms)


def _slack_ms(duration_ms: int) -> float:
    """How far from the end of so long an episode an engine may be when it says that it is over."""
    return max(_SLACK_MS, duration_ms * _SLACK_PART)


def broke_off(position_ms: int, duration_ms: int | None) -> MediaError:
    """The end came too early, or to a position that isn't in this file."""
    position = clock_text(position_ms)
    if duration_ms is not None and position_ms > duration_ms:
        now = clock_text(duration_ms)
        return MediaError(
            _("This episode is now only {length} long; your position was {position}", length=now, position=position),
            _("Jump back."),
        )
    if duration_ms:
        of = clock_text(duration_ms)
        return MediaError(_("The audio broke off at {position} of {length}", position=position, length=of))
    return MediaError(_("The audio broke off at {position}", position=position))


def past_end(asked_ms: int, duration_ms: int) -> MediaError:
    """Why it can't be played from `asked_ms`."""
    only, asked = clock_text(duration_ms), clock_text(asked_ms)
    return MediaError(
        _("This episode is only {length} long, so it can't be played from {position}", length=only, position=asked),
        _("Choose an earlier time."),
    )
