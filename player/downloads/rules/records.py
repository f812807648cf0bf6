"""What the rules decide from, and what they decide. Sizes are bytes, times ms since 1970 in UTC."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from player.model.downloads.facts import Coming, Offer, Refusal, Rule, Stored, Trashed
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import ANY_EPISODE, AS_ALL_DOWNLOADS, EpisodeTest, PodcastDownloads

DAY_MS = 24 * 60 * 60_000
TRASH_MS = DAY_MS
"""How long a clean-up can be undone."""


class Cleaning(Struct, frozen=True):
    """When downloads of rules are deleted; None: never. Both in days; 0 after playing is at once."""

    days_after_playing: int | None = None
    days: int | None = None


class Limits(Struct, frozen=True):
    """`most`: what all downloads of rules may take; None: no limit. `keep_free`: what stays free on the disk."""

    most: int | None = None
    keep_free: int = 0


class State(Struct, frozen=True):
    """All that the rules decide from. `sizes` are those of files that were downloaded before. `open`: whether the hours
    are those in which rules may download. `test` holds for the newest of podcasts and of the inbox."""

    now: int
    free: int
    offers: tuple[Offer, ...] = ()
    stored: tuple[Stored, ...] = ()
    trash: tuple[Trashed, ...] = ()
    coming: tuple[Coming, ...] = ()
    refused: Mapping[EpisodeId, Refusal] = field(default_factory=dict)
    sizes: Mapping[EpisodeId, int] = field(default_factory=dict)
    podcasts: Mapping[PodcastId, PodcastDownloads] = field(default_factory=dict)
    test: EpisodeTest = ANY_EPISODE
    limits: Limits = Limits()
    cleaning: Cleaning = Cleaning()
    open: bool = True
    slots: int = 1_000_000
    """How many more downloads may be begun now."""

    def of_podcast(self, podcast_id: PodcastId) -> PodcastDownloads:
        return self.podcasts.get(podcast_id, AS_ALL_DOWNLOADS)


class Wanted(Struct, frozen=True):
    """An episode that a rule wants as a download, and how much that takes, as far as anybody knows."""

    episode_id: EpisodeId
    rule: Rule
    size: int


class Cause(StrEnum):
    """Why a rule deletes a download."""

    PLAYED = "played"
    OLD = "old"
    ROOM = "room"


class Removal(Struct, frozen=True):
    """A download that is moved to the trash."""

    episode_id: EpisodeId
    size: int
    cause: Cause


class Obstacle(StrEnum):
    """Why a wanted download isn't begun now."""

    HOURS = "hours"
    LIMIT = "limit"
    DISK = "disk"
    TURN = "turn"
    """Others come first."""


class Held(Struct, frozen=True):
    wanted: Wanted
    obstacle: Obstacle


class Plan(Struct, frozen=True):
    """What is to be done now, in this order: `remove` to the trash, `purge` from it for good, `drop` (what waits for a
    rule that is gone, or for the next hours), `restore` from the trash, `begin`. `held` is wanted as well, but isn't
    begun now. `next_at`: when something else becomes due; None: never."""

    remove: tuple[Removal, ...] = ()
    purge: tuple[EpisodeId, ...] = ()
    drop: tuple[EpisodeId, ...] = ()
    restore: tuple[Wanted, ...] = ()
    begin: tuple[Wanted, ...] = ()
    held: tuple[Held, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    next_at: int | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do now."""
        return not (self.remove or self.purge or self.drop or self.restore or self.begin)
