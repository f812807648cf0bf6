"""What a listener has set for one podcast."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from player.model.downloads import MOST_NEWEST as MOST_NEWEST
from player.model.effects import Boost, Trim
from player.model.filters import AS_IT_IS, ViewSettings
from player.model.playback import FASTEST, SLOWEST
from player.model.segments import ASK_ALL, SegmentRules
from player.text.cleaning import clean_line

LONGEST_SKIP_MS = 60 * 60_000
MOST_GAIN_DB = 20.0
"""The most that an equalizer's preamp does, in either direction, in dB."""
OLDEST_DAYS = 3650


class AutoTranscribe(StrEnum):
    """Which episodes of a podcast are transcribed by themselves, if no transcript comes with them. The values are kept
    in the library."""

    NOTHING = "nothing"
    DOWNLOADED = "downloaded"
    """Those that are on this computer."""
    QUEUED = "queued"


class NewEpisodes(StrEnum):
    """Where the new episodes of a podcast go. The values are kept in the library."""

    INBOX = "inbox"
    QUEUE = "queue"
    """The end of the queue."""
    NEXT = "next"
    """The head of the queue."""
    NOWHERE = "nowhere"


class NewEpisodeRules(Struct, frozen=True):
    """Where a podcast's new episodes go.

    `only_newest`: of the episodes that arrive together only the newest goes there, and it replaces earlier episodes
    that still wait in the inbox. Episodes published more than `age_limit_days` ago don't go there, and leave the inbox.
    `include` and `exclude` are words and quoted phrases, separated by spaces: a title must have one of `include`, if
    there are any, and none of `exclude`. Upper and lower case and accents make no difference.
    """

    to: NewEpisodes = NewEpisodes.INBOX
    only_newest: bool = False
    age_limit_days: int | None = None
    include: str = ""
    exclude: str = ""

    def within_limits(self) -> "NewEpisodeRules":
        days = self.age_limit_days
        return replace(
            self,
            age_limit_days=None if days is None else max(1, min(OLDEST_DAYS, days)),
            include=clean_line(self.include),
            exclude=clean_line(self.exclude),
        )


INTO_THE_INBOX = NewEpisodeRules()
"""The rules of a podcast for which nothing was set."""


class EpisodeTest(Struct, frozen=True):
    """Which episodes a rule applies to: `include` and `exclude` as in `NewEpisodeRules`; a minimum length, and a length
    that it must stay below."""

    include: str = ""
    exclude: str = ""
    at_least_ms: int | None = None
    under_ms: int | None = None


ANY_EPISODE = EpisodeTest()


class PodcastDownloads(Struct, frozen=True):
    """What rules download of a podcast: its newest episodes; None: as many as of all podcasts; 0: none. `test` applies
    in addition to the test for all podcasts."""

    newest: int | None = None
    test: EpisodeTest = ANY_EPISODE

    @property
    def never(self) -> bool:
        return self.newest == 0

    def within_limits(self) -> "PodcastDownloads":
        newest = None if self.newest is None else max(0, min(MOST_NEWEST, self.newest))
        test = replace(self.test, include=clean_line(self.test.include), exclude=clean_line(self.test.exclude))
        return PodcastDownloads(newest, test)


AS_ALL_DOWNLOADS = PodcastDownloads()
"""The download settings of a podcast for which nothing was set."""


class PodcastSettings(Struct, frozen=True):
    """None stands for the setting of all podcasts: for `speed` the usual speed, for `skip_chapters`, `boost` and `trim`
    the setting in config.toml.

    `skip_intro_ms` and `skip_outro_ms` are how much of the beginning and of the end of its episodes isn't heard;
    `gain_db` makes them louder, or, below 0, quieter. Chapters with one of `skip_chapters` in their title are skipped;
    an empty tuple: none are. `view` is how the list of its episodes is shown, `downloads` what rules download;
    `segments` says what happens to segments that the listener has marked, where they are heard again.
    """

    speed: float | None = None
    skip_intro_ms: int = 0
    skip_outro_ms: int = 0
    gain_db: float = 0.0
    skip_chapters: tuple[str, ...] | None = None
    new_episodes: NewEpisodeRules = INTO_THE_INBOX
    view: ViewSettings = AS_IT_IS
    downloads: PodcastDownloads = AS_ALL_DOWNLOADS
    boost: Boost | None = None
    trim: Trim | None = None
    transcribe: AutoTranscribe = AutoTranscribe.NOTHING
    segments: SegmentRules = ASK_ALL

    def within_limits(self) -> "PodcastSettings":
        """With values beyond the limits set to the limit."""
        speed = None if self.speed is None else round(max(SLOWEST, min(FASTEST, self.speed)), 2)
        return replace(
            self,
            speed=speed,
            skip_intro_ms=max(0, min(LONGEST_SKIP_MS, self.skip_intro_ms)),
            skip_outro_ms=max(0, min(LONGEST_SKIP_MS, self.skip_outro_ms)),
            gain_db=float(max(-MOST_GAIN_DB, min(MOST_GAIN_DB, self.gain_db))),
            new_episodes=self.new_episodes.within_limits(),
            downloads=self.downloads.within_limits(),
        )


AS_ALL = PodcastSettings()
"""The settings of a podcast for which nothing was set."""
