"""The words for a screen reader in place of drawings: where playback is, what has changed in it, and the time left."""

from collections.abc import Mapping

from msgspec import Struct

from player.model.playback import PlaybackState, PlaybackStatus
from player.text.durations import clock, in_words, long_time
from player.text.sentences import _
from tui.drawing.player_bar import Around, failed, of_segments, sentence, sign
from tui.look.glyphs import SPOKEN

_ANY_ROOM = 10_000
_MINUTE_MS, _HOUR_MS = 60_000, 3_600_000
_TOLD = (PlaybackState.PLAYING, PlaybackState.PAUSED, PlaybackState.BUFFERING, PlaybackState.ENDED)


def time_left(ms: int) -> str:
    """The time left of an episode, such as `12 minutes left`."""
    minutes = max(_MINUTE_MS, round(ms / _MINUTE_MS) * _MINUTE_MS)
    return _("{time} left", time=in_words(minutes) if minutes < _HOUR_MS else long_time(minutes))


def place_words(status: PlaybackStatus) -> str:
    """Where playback is, such as `12:30 of 40:00`."""
    if status.live:
        return _("live")
    position = (SPOKEN.about if status.unsure else "") + clock(status.position_ms)
    if not status.duration_ms:
        return position
    return _("{position} of {length}", position=position, length=clock(status.duration_ms))


def state_words(status: PlaybackStatus) -> str:
    """As `12:30 of 40:00, playing, speed 1.2`."""
    speed = "" if round(status.speed, 2) == 1 else _("speed {speed}", speed=f"{round(status.speed, 2):g}")
    return ", ".join(filter(None, (place_words(status), sign(status, SPOKEN).text, speed)))


def named_words(status: PlaybackStatus) -> str:
    """The episode in the player and its podcast; "" without an episode."""
    return ", ".join(filter(None, (status.episode.title, status.episode.podcast))) if status.episode else ""


def where_words(status: PlaybackStatus, chapter: str = "") -> str:
    """All that a glance at the player bar tells."""
    return ", ".join(filter(None, (state_words(status), named_words(status), chapter)))


class Narrator(Struct):
    """Tells what has changed in playback, each once. It doesn't tell the position as it moves on, or the speed and
    jumps, which their keys tell."""

    told: PlaybackStatus = PlaybackStatus()

    def news(self, status: PlaybackStatus, keys: Mapping[str, str]) -> str:
        """The words for a new status; "" for none. `keys` are the keys that the bar's sentences name, by action id."""
        before = self.told
        if status.episode is None:
            self.told = status
            return ""
        asks = status.asked is not None and (before.asked is None or status.asked.start_ms != before.asked.start_ms)
        if status.state not in _TOLD and not failed(status) and not asks:
            return ""
        is_other = before.episode is None or before.episode.id != status.episode.id
        is_same = not is_other and (status.state, status.error) == (before.state, before.error)
        self.told = status
        if asks:
            return _text(of_segments(status, _ANY_ROOM, SPOKEN, keys, Around()))
        if is_same:
            return ""
        if failed(status) or status.sleep.slept or status.state in (PlaybackState.BUFFERING, PlaybackState.ENDED):
            return _text(sentence(status, _ANY_ROOM, SPOKEN, keys))
        return ", ".join(filter(None, (named_words(status) if is_other else "", state_words(status))))


def _text(line: tuple[tuple[str, str, str], ...]) -> str:
    return "".join(text for text, _role, _href in line)
