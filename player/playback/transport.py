"""The bytes of one episode and the engine that plays them, loaded and released. Runs on the session's thread."""

import logging
from collections.abc import Callable

from player.errors import MediaError, PlaybackError
from player.media import EpisodeMedia
from player.model.effects import NO_EFFECTS, Effects, Span, left_out
from player.model.episode import BytePosition, Episode
from player.playback.engine import Engine, EngineFactory, EngineReport, Listener, Measured, PlaysElsewhere
from player.playback.last_session import LOUDEST
from player.text.sentences import _

log = logging.getLogger(__name__)

_DB_OF_TENFOLD_VOLUME = 60.0
"""libvlc's volume is a cube root: eight times the amplitude is twice the volume."""


class Transport:
    """`open_media` opens the bytes of an episode. The engine is created by the first load, and kept. `later` takes work
    to be done once the new state has been shown.

    While nothing is loaded, requests to the engine do nothing. The measured duration is kept until `forget`.
    """

    def __init__(
        self,
        open_media: Callable[[Episode], EpisodeMedia],
        make_engine: EngineFactory,
        listener: Listener,
        later: Callable[[Callable[[], None]], None],
    ) -> None:
        self._open_media = open_media
        self._make_engine = make_engine
        self._listener = listener
        self._later = later
        self._engine: Engine | None = None
        self._generation = 0
        self._measured_ms: int | None = None
        self._true_ms: int | None = None
        self.speed = 1.0
        self.volume = 100
        self._gain = 1.0
        self._adjustment_db = 0.0
        self.wanted_effects = self._effects = NO_EFFECTS
        """The effects that were chosen, and those that are heard."""
        self._left_out: tuple[Span, ...] = ()
        self.elsewhere: PlaysElsewhere | None = None
        """The device that plays what is loaded; None on this computer."""
        self.media: EpisodeMedia | None = None
        self.loaded = False

    # -- loading ------------------------------------------------------------------------------------------------

    def is_current(self, report: EngineReport) -> bool:
        """Whether a report belongs to what is loaded now."""
        return self.loaded and report.generation == self._generation

    def load(
        self,
        episode: Episode,
        position_ms: int,
        nearby: BytePosition | None,
        failed: Callable[[PlaybackError], None],
    ) -> None:
        """Releases what was loaded and soon starts the sound at `position_ms`; `nearby` is a known byte near it.

        Loading libvlc takes a third of a second the first time, so that happens after the new state is shown.
        """
        self.release()
        self._generation += 1
        generation = self._generation

        def load() -> None:
            if generation != self._generation:
                return
            try:
                self._load(generation, episode, position_ms, nearby)
            except PlaybackError as error:
                failed(error)
            except Exception:
                log.exception("starting to play failed")
                failed(PlaybackError(_("Something went wrong inside Earmark"), _("See the log.")))

        self._later(load)

    def _load(self, generation: int, episode: Episode, position_ms: int, nearby: BytePosition | None) -> None:
        self.media = self._open_media(episode)
        engine = self._made_engine()
        self.loaded = True
        engine.load(
            generation,
            self.media,
            position_ms,
            speed=self.sounding_speed,
            volume=self._engine_volume,
            nearby=nearby,
            claimed_ms=episode.duration_ms,
            title=episode.title,
        )
        self.set_effects(self.wanted_effects)  # the engine may have chosen another output

    def unload(self) -> None:
        """Ends the sound. Reports still on their way are outdated from here on."""
        self._generation += 1
        self.elsewhere = None
        if self.loaded and self._engine:
            self.loaded = False
            self._engine.stop()

    def release(self) -> None:
        """Ends the sound and releases the bytes."""
        try:
            self.unload()
        finally:
            media, self.media = self.media, None
            if media:
                media.close()

    @property
    def lengths(self) -> tuple[int | None, int | None]:
        """The measured duration in ms: as the engine reports it, and as known for certain."""
        return self._measured_ms, self._true_ms

    @lengths.setter
    def lengths(self, known: tuple[int | None, int | None]) -> None:
        self._measured_ms, self._true_ms = known

    def warm_up(self) -> None:
        """Loads the engine now instead of in the first `load`. Raises PlaybackError."""
        self._made_engine().warm_up()

    def _made_engine(self) -> Engine:
        if self._engine is None:
            self._engine = self._make_engine(self._listener)
            self.set_effects(self.wanted_effects)
        return self._engine

    def forget(self) -> None:
        """Forgets the duration, before another episode."""
        self._measured_ms = self._true_ms = None

    def close(self) -> None:
        try:
            self.release()
        finally:
            engine, self._engine = self._engine, None
            if engine:
                engine.close()

    # -- the bytes ----------------------------------------------------------------------------------------------

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        return self.media.cached if self.media else ()

    @property
    def version(self) -> str:
        """Identifies the bytes; "" if nothing is open, or nothing identifies them."""
        return self.media.version if self.media else ""

    @property
    def trouble(self) -> MediaError | None:
        """Why no bytes are arriving at the moment."""
        return self.media.trouble if self.media else None

    @property
    def live(self) -> bool:
        """Whether it is a live stream."""
        return self.media is not None and bool(self.media.stream)

    @property
    def reached_end(self) -> bool:
        return self.media is not None and self.media.reached_end

    def duration(self, claimed_ms: int | None) -> tuple[int | None, bool]:
        """The best known duration in ms, and whether it comes from the bytes; `claimed_ms` is what the feed says."""
        if self.media and self.media.duration_ms is not None:
            self._true_ms = self.media.duration_ms
        if self._true_ms is not None:
            return self._true_ms, True
        if self._measured_ms is not None:
            return self._measured_ms, False
        return (None if self.live else claimed_ms), False

    def measured(self, report: Measured) -> None:
        self._measured_ms = report.duration_ms
        if report.exact:
            self._true_ms = report.duration_ms

    # -- the engine ---------------------------------------------------------------------------------------------

    def poll(self) -> None:
        if self._engine:
            self._engine.poll()

    def pause(self) -> None:
        if self._engine:
            self._engine.pause()

    def resume(self) -> None:
        if self._engine:
            self._engine.resume()

    def seek(self, position_ms: int) -> None:
        if self._engine and self.loaded:
            self._engine.seek(position_ms)

    def set_speed(self, speed: float) -> None:
        self.speed = speed
        if self._engine and not self.live:
            self._engine.set_speed(self.sounding_speed)

    @property
    def sounding_speed(self) -> float:
        """A live stream always plays at 1, as it can't be played faster than it is sent; a device as fast as it can."""
        if self.live:
            return 1.0
        there = self.elsewhere
        return max(there.slowest, min(there.fastest, self.speed)) if there else self.speed

    def set_volume(self, volume: int) -> None:
        """The listener's volume, a percentage."""
        self.volume = volume
        self._apply_volume()

    def set_gain(self, gain: float) -> None:
        """A factor from 0 to 1 that scales the sound, for fades. The volume stays the same."""
        self._gain = max(0.0, min(1.0, gain))
        self._apply_volume()

    def set_adjustment(self, gain_db: float) -> None:
        """How much louder (or, below 0, quieter) than other episodes at the same volume, as far as the engine can."""
        if gain_db != self._adjustment_db:
            self._adjustment_db = gain_db
            self._apply_volume()

    def set_effects(self, effects: Effects) -> None:
        """What is done to the sound of what plays, and of what is loaded from here on."""
        self.wanted_effects = effects
        self._effects = self._engine.set_effects(effects) if self._engine else effects
        self._left_out = left_out(self._effects.pauses, self._effects.trim)

    @property
    def effects(self) -> Effects:
        """What is done to the sound; a live stream is heard as it comes."""
        return NO_EFFECTS if self.live else self._effects

    @property
    def left_out(self) -> tuple[Span, ...]:
        """The parts of the episode that aren't heard because they are parts of pauses."""
        return () if self.live else self._left_out

    @property
    def _engine_volume(self) -> int:
        return min(LOUDEST, round(self.volume * self._gain * 10 ** (self._adjustment_db / _DB_OF_TENFOLD_VOLUME)))

    def _apply_volume(self) -> None:
        if self._engine:
            self._engine.set_volume(self._engine_volume)

    def position(self) -> int | None:
        """The current position in ms; None when nothing is loaded."""
        return self._engine.position() if self._engine and self.loaded else None

    def byte_position(self) -> BytePosition | None:
        """The current position and its byte, where a position alone wouldn't be found again."""
        return self._engine.byte_position() if self._engine and self.loaded else None
