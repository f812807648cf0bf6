"""Whether the end that an engine reports is the end of the episode, and if not, why.

libvlc reports EndReached also when a connection broke, a decoder gave up or a file is shorter than its header claims,
so an episode counts as played to its end only if the position agrees.
"""

from player.errors import MediaError
from player.text.durations import clock as clock_text
from player.text.sentences import _

_LEAST_SLACK_MS, _MOST_SLACK_MS = 1_500, 5_000
_SLACK_PART = 0.02


def is_the_end(position_ms: int, duration_ms: int | None, *, exact: bool, all_bytes: bool, sounded: bool) -> bool:
    """`exact`: the duration comes from the bytes. `all_bytes`: the engine was given the last byte.

    `sounded`: there was sound. Without an exact duration that is needed: a format that can't be decoded is read to its
    end, too.
    """
    if not all_bytes:
        return False
    if duration_ms is None or not exact:
        return sounded
    return abs(position_ms - duration_ms) <= _slack_ms(duration_ms)


def began_past_end(started_ms: int, duration_ms: int | None, *, exact: bool) -> bool:
    """Whether the start position lies beyond the end of this file: then nothing was heard."""
    return exact and duration_ms is not None and duration_ms > 0 and started_ms > duration_ms + _slack_ms(duration_ms)


def _slack_ms(duration_ms: int) -> float:
    """How far from the end of an episode of that duration an engine may be when it reports the end."""
    return max(_LEAST_SLACK_MS, min(_MOST_SLACK_MS, duration_ms * _SLACK_PART))


def broke_off(position_ms: int, duration_ms: int | None) -> MediaError:
    """The error for an end that came too early, or for a position beyond the end of the file."""
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
    """The error for an episode that can't be played from `asked_ms`."""
    only, asked = clock_text(duration_ms), clock_text(asked_ms)
    return MediaError(
        _("This episode is only {length} long, so it can't be played from {position}", length=only, position=asked),
        _("Choose an earlier time."),
    )
