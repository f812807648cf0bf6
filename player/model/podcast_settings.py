"""What a listener has set for one podcast."""

from dataclasses import dataclass, replace

from player.model.playback import FASTEST, SLOWEST

LONGEST_SKIP_MS = 60 * 60_000
MOST_GAIN_DB = 20.0
"""What an equalizer's preamp does at most, either way."""


@dataclass(frozen=True, slots=True)
class PodcastSettings:
    """None is what is set for all podcasts: for `speed` the usual one, for `skip_chapters` the words of config.toml.

    `skip_intro_ms` and `skip_outro_ms` are how much of the beginning and of the end of its episodes isn't heard;
    `gain_db` makes them louder, or, below 0, quieter. Chapters with one of `skip_chapters` in their title are skipped;
    an empty tuple: none are.
    """

    speed: float | None = None
    skip_intro_ms: int = 0
    skip_outro_ms: int = 0
    gain_db: float = 0.0
    skip_chapters: tuple[str, ...] | None = None

    def within_limits(self) -> "PodcastSettings":
        """With what is too much made the most there is."""
        speed = None if self.speed is None else round(max(SLOWEST, min(FASTEST, self.speed)), 2)
        return replace(
            self,
            speed=speed,
            skip_intro_ms=max(0, min(LONGEST_SKIP_MS, self.skip_intro_ms)),
            skip_outro_ms=max(0, min(LONGEST_SKIP_MS, self.skip_outro_ms)),
            gain_db=float(max(-MOST_GAIN_DB, min(MOST_GAIN_DB, self.gain_db))),
        )


AS_ALL = PodcastSettings()
"""Those of a podcast for which nothing was set."""
