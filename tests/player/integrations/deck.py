"""A session that carries out its commands at once and remembers them."""

from dataclasses import replace
from datetime import UTC, datetime

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId

EPISODE = Episode(
    EpisodeId(7),
    PodcastId(2),
    "A podcast",
    "An episode",
    guid="g-7",
    url="https://example.com/7.mp3",
    published=datetime(2026, 4, 12, 6, 30, tzinfo=UTC),
    duration_ms=600_000,
    position_ms=60_000,
    starred=True,
    link="https://example.com/7",
)


class Deck:
    def __init__(self, *, loaded: bool = True) -> None:
        self.told: list[tuple[str, float]] = []
        state = PlaybackState.PAUSED if loaded else PlaybackState.STOPPED
        self.status = PlaybackStatus(
            state=state,
            episode=EPISODE if loaded else None,
            position_ms=60_000 if loaded else 0,
            duration_ms=600_000 if loaded else None,
            kept=((0.0, 0.5),),
        )

    def toggle(self) -> None:
        playing = self.status.state is PlaybackState.PLAYING
        self._become("toggle", state=PlaybackState.PAUSED if playing else PlaybackState.PLAYING)

    def pause(self) -> None:
        self._become("pause", state=PlaybackState.PAUSED)

    def resume(self) -> None:
        self._become("resume", state=PlaybackState.PLAYING)

    def stop(self) -> None:
        self._become("stop", state=PlaybackState.STOPPED)

    def seek_to(self, position_ms: int, /) -> None:
        self._become("seek_to", position_ms, position_ms=position_ms)

    def seek_by(self, by_ms: int, /) -> None:
        self._become("seek_by", by_ms, position_ms=max(0, self.status.position_ms + by_ms))

    def set_speed(self, speed: float, /) -> None:
        self._become("set_speed", speed, speed=speed)

    def set_volume(self, volume: int, /) -> None:
        self._become("set_volume", volume, volume=volume)

    def _become(self, command: str, value: float = 0, /, **changes: object) -> None:
        self.told.append((command, value))
        self.status = replace(self.status, **changes)  # type: ignore[arg-type]
