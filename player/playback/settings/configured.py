"""What config.toml says of playback. It is read where it is needed, so that another value applies from then on."""

from player.playback.rules.skipping import NOTHING_SKIPPED, SkipRules
from player.playback.sleep.hours import SleepHours, sleep_hours
from player.settings import Playback, Queue, Sleep


class Configured:
    """Replaced by one thread at a time, read by any."""

    def __init__(
        self,
        playback: Playback,
        queue: Queue | None = None,
        skip: SkipRules = NOTHING_SKIPPED,
        sleep: Sleep | None = None,
    ) -> None:
        self.replace(playback, queue or Queue(), skip, sleep or Sleep())

    def replace(self, playback: Playback, queue: Queue, skip: SkipRules, sleep: Sleep) -> None:
        self.playback, self.queue, self.skip = playback, queue, skip
        self.sleep_hours: SleepHours | None = sleep_hours(sleep)
