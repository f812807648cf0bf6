"""Segments: parts of episodes that the listener has marked, and where the same sound was found in other episodes."""

from datetime import datetime
from enum import StrEnum
from typing import NewType

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.text.sentences import _

SegmentId = NewType("SegmentId", int)

SHORTEST_MS, LONGEST_MS = 1_000, 60 * 60_000


class SegmentKind(StrEnum):
    """What a segment is. The values are kept in the library."""

    INTRO = "intro"
    OUTRO = "outro"
    SPONSOR = "sponsor"
    RECAP = "recap"
    OTHER = "other"


class SegmentRule(StrEnum):
    """What happens to segments of a kind during playback. The values are kept in the library."""

    ASK = "ask"
    SKIP = "skip"
    LEAVE = "leave"


class SegmentRules(Struct, frozen=True, omit_defaults=True):
    """A podcast's rules, by kind."""

    intro: SegmentRule = SegmentRule.ASK
    outro: SegmentRule = SegmentRule.ASK
    sponsor: SegmentRule = SegmentRule.ASK
    recap: SegmentRule = SegmentRule.ASK
    other: SegmentRule = SegmentRule.ASK

    def of(self, kind: SegmentKind) -> SegmentRule:
        rule: SegmentRule = getattr(self, kind.value)
        return rule


ASK_ALL = SegmentRules()


class Segment(Struct, frozen=True):
    """`id` is that of the marked segment, also for one that was `found` in another episode. `episode_id` is None once
    the episode is gone. `episode` and `podcast` are titles; `created_at` is when it was marked."""

    id: SegmentId
    podcast_id: PodcastId
    episode_id: EpisodeId | None
    start_ms: int
    end_ms: int
    kind: SegmentKind
    created_at: datetime
    found: bool = False
    episode: str = ""
    podcast: str = ""

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.start_ms


def kind_word(kind: SegmentKind) -> str:
    """As in a list of segments."""
    match kind:
        case SegmentKind.INTRO:
            return _("intro")
        case SegmentKind.OUTRO:
            return _("outro")
        case SegmentKind.SPONSOR:
            return _("sponsor")
        case SegmentKind.RECAP:
            return _("recap")
        case SegmentKind.OTHER:
            return _("other")


def one_of_kind(kind: SegmentKind) -> str:
    """As in “Skipped a sponsor”."""
    match kind:
        case SegmentKind.INTRO:
            return _("an intro")
        case SegmentKind.OUTRO:
            return _("an outro")
        case SegmentKind.SPONSOR:
            return _("a sponsor")
        case SegmentKind.RECAP:
            return _("a recap")
        case SegmentKind.OTHER:
            return _("a segment")


def kind_plural(kind: SegmentKind) -> str:
    """All of a kind: “intros”."""
    match kind:
        case SegmentKind.INTRO:
            return _("intros")
        case SegmentKind.OUTRO:
            return _("outros")
        case SegmentKind.SPONSOR:
            return _("sponsors")
        case SegmentKind.RECAP:
            return _("recaps")
        case SegmentKind.OTHER:
            return _("other segments")
