"""What the player without a screen says, a line for everything that happens."""

from player.model.playback import PlaybackState, PlaybackStatus
from player.text.durations import clock
from player.text.sentences import _


def line_of(before: PlaybackStatus | None, now: PlaybackStatus) -> str | None:
    """What is other than `before`; None if that isn't worth a line. Problems are told apart, by `problem_of`."""
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
