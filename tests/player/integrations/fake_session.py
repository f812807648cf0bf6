"""A session that carries out its commands at once and remembers them."""

from concurrent.futures import Future
from datetime import UTC, datetime

from msgspec.structs import replace

from player.model.episode import Chapters, Episode, EpisodeId
from player.model.filters import View
from player.model.playback import Cause, PlaybackState, PlaybackStatus, SleepChoice, SleepStatus, SleepUntil
from player.model.podcast import PodcastId
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.service import PlaybackService

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


class FakeSession(PlaybackService):
    status = PlaybackStatus()
    chapters = Chapters()

    def __init__(self, *, loaded: bool = True) -> None:
        self.commands: list[tuple[str, float]] = []
        self.refusal: Refused | None = None
        """What each command is answered with."""
        state = PlaybackState.PAUSED if loaded else PlaybackState.STOPPED
        if not loaded:
            self.refusal = Refused(Why.NO_EPISODE, "There is no episode to resume")
        self.status = PlaybackStatus(
            state=state,
            episode=EPISODE if loaded else None,
            position_ms=60_000 if loaded else 0,
            duration_ms=600_000 if loaded else None,
            cached=((0.0, 0.5),),
        )

    def play(self, episode_id: EpisodeId, at_ms: int | None = None, *, view: View | None = None) -> Future[Outcome]:
        position_ms = self.status.position_ms if at_ms is None else at_ms
        return self._become("play", episode_id, state=PlaybackState.PLAYING, position_ms=position_ms)

    def toggle(self) -> Future[Outcome]:
        playing = self.status.state is PlaybackState.PLAYING
        return self._become("toggle", state=PlaybackState.PAUSED if playing else PlaybackState.PLAYING)

    def pause(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._become("pause", state=PlaybackState.PAUSED)

    def resume(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._become("resume", state=PlaybackState.PLAYING)

    def stop(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._become("stop", state=PlaybackState.STOPPED)

    def skip(self) -> Future[Outcome]:
        return self._become("skip", state=PlaybackState.PLAYING)

    def previous(self) -> Future[Outcome]:
        return self._become("previous", state=PlaybackState.PLAYING)

    def seek_to(self, position_ms: int, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._become("seek_to", position_ms, position_ms=position_ms)

    def seek_by(self, by_ms: int) -> Future[Outcome]:
        return self._become("seek_by", by_ms, position_ms=max(0, self.status.position_ms + by_ms))

    def undo_jump(self) -> Future[Outcome]:
        return self._become("undo_jump", position_ms=30_000)

    def next_chapter(self) -> Future[Outcome]:
        return self._become("next_chapter", position_ms=90_000)

    def previous_chapter(self) -> Future[Outcome]:
        return self._become("previous_chapter", position_ms=0)

    def set_speed(self, speed: float) -> Future[Outcome]:
        return self._become("set_speed", speed, speed=speed)

    def set_volume(self, volume: int) -> Future[Outcome]:
        return self._become("set_volume", volume, volume=volume)

    def sleep(self, choice: SleepChoice) -> Future[Outcome]:
        sleep = SleepStatus(choice, choice.count * 60_000, choice.count if choice.until is SleepUntil.EPISODE else 0)
        return self._become(f"sleep {choice.text}", sleep=sleep)

    def sleep_longer(self) -> Future[Outcome]:
        return self._become("sleep_longer", sleep=self.status.sleep.after(-300_000))

    def sleep_off(self) -> Future[Outcome]:
        return self._become("sleep_off", sleep=SleepStatus())

    def _become(self, command: str, value: float = 0, /, **changes: object) -> Future[Outcome]:
        answer: Future[Outcome] = Future()
        if self.refusal:
            answer.set_result(self.refusal)
            return answer
        self.commands.append((command, value))
        self.status = replace(self.status, **changes)
        answer.set_result(Done(self.status))
        return answer
