"""Where the listener left off: what the bar shows from the first frame on, before any part of the sound is loaded."""

from math import ceil, floor

from player.library import Library
from player.model.playback import FASTEST, HOLDS_PLACE, SLOWEST, PlaybackState, PlaybackStatus

LOUDEST = 150


def last_session(library: Library) -> PlaybackStatus:
    """The last episode, paused at its position, with the speed and volume of the last session: what the controller
    restores.

    Raises LibraryError.
    """
    speed, volume = usual_speed(library), _percentage(library.state.get("volume"))
    last = library.progress.last()
    if last is None:
        return PlaybackStatus(speed=speed, volume=volume)
    episode, saved = library.episodes.get(last), library.progress.position(last)
    position_ms = saved.position_ms if saved else 0
    guessed = saved is not None and saved.byte is not None and not saved.byte.exact
    return PlaybackStatus(
        state=PlaybackState.ENDED if episode.played and not position_ms else PlaybackState.PAUSED,
        episode=episode,
        position_ms=position_ms,
        duration_ms=episode.duration_ms,
        approximate=episode.duration_ms is not None or guessed,
        unsure=saved is not None and saved.unsure,
        speed=library.podcast_settings.get(episode.podcast_id).speed or speed,
        volume=volume,
    )


def at_rest(status: PlaybackStatus) -> PlaybackStatus:
    """What `last_session` would return for the current episode, as far as `status` tells."""
    episode, holds = status.episode, status.state in HOLDS_PLACE
    if episode is None:
        return PlaybackStatus(speed=status.speed, volume=status.volume)
    return PlaybackStatus(
        state=PlaybackState.PAUSED if holds else PlaybackState.ENDED if episode.played else PlaybackState.PAUSED,
        episode=episode,
        position_ms=status.position_ms,
        duration_ms=episode.duration_ms,
        approximate=episode.duration_ms is not None,
        unsure=status.unsure,
        speed=status.speed,
        volume=status.volume,
    )


def usual_speed(library: Library) -> float:
    """The speed of all podcasts that don't have their own. Raises LibraryError."""
    return _factor(library.state.get("speed"))


def _factor(text: str | None) -> float:
    try:
        return clamp_speed(float(text or "1"))
    except ValueError:
        return 1.0


def _percentage(text: str | None) -> int:
    try:
        return max(0, min(LOUDEST, int(text or "100")))
    except ValueError:
        return 100


def stepped_speed(speed: float, by: float) -> float:
    """The next multiple of `by` above (or below, where `by` is negative): from 1.25 by a tenth to 1.3, or to 1.2."""
    steps = round(speed / abs(by), 6)
    return clamp_speed((floor(steps) + 1 if by > 0 else ceil(steps) - 1) * abs(by))


def clamp_speed(speed: float) -> float:
    return round(max(SLOWEST, min(FASTEST, speed)), 2)
