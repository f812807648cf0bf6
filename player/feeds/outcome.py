"""What a check of one podcast brought: a result, or why it failed. A failure is a value."""

import logging
from datetime import timedelta

from msgspec import Struct

from player.errors import FeedError, HttpFailure, Offline
from player.feeds.check import CheckResult
from player.feeds.feed_errors import reason_of
from player.feeds.fetch import MemoryBudget, built_in
from player.feeds.source import Asks
from player.links.urls import without_secrets
from player.model.feed import FeedSchedule, FeedState
from player.model.podcast import WELCOME_URL, Podcast
from player.text.sentences import _

log = logging.getLogger(__name__)


class CheckJob(Struct, frozen=True):
    """One podcast that is to be checked."""

    podcast: Podcast
    state: FeedState
    schedule: FeedSchedule
    load: MemoryBudget


class Outcome(Struct, frozen=True):
    """What a check of one feed brought: a result, or why it failed."""

    job: CheckJob
    answer: CheckResult | None = None
    error: str = ""
    pause: timedelta | None = None
    gone: bool = False
    offline: bool = False
    reason: str = ""

    @property
    def weighs(self) -> bool:
        """Whether it holds episodes; those that don't may wait in any number."""
        return self.answer is not None and self.answer.feed is not None


async def outcome_of(job: CheckJob, asks: Asks) -> Outcome:
    """Checks one podcast; never raises."""
    try:
        return Outcome(job, await asks.ask(job.podcast.url, job.state, job.schedule, job.load))
    except HttpFailure as error:
        pause = None if error.pause_s is None else timedelta(seconds=error.pause_s)
        if error.status == 410:
            return Outcome(job, error=_gone(error.what), gone=True, reason=reason_of(error))
        return Outcome(job, error=str(error), pause=pause, reason=reason_of(error))
    except FeedError as error:
        return Outcome(job, error=str(error), offline=isinstance(error, Offline), reason=reason_of(error))
    except Exception:
        log.exception("refreshing %s failed", without_secrets(job.podcast.url))
        return Outcome(job, error=_bug(), reason=_("Couldn't be processed"))


def _bug() -> str:
    return _("Earmark couldn't process this feed. See the log.")


def _gone(what: str) -> str:
    return _("{what}. Earmark no longer checks it. Look for a new URL on the podcast's website.", what=what)


def read_built_in(job: CheckJob) -> Outcome:
    """Reads the built-in podcast first, without loop or process."""
    from player.feeds.parsing.parse import read_feed

    fetched = built_in(job.state)
    feed = None if fetched.status == "not_modified" else read_feed(fetched.body, fetched.content_type, WELCOME_URL)
    return Outcome(job, CheckResult(WELCOME_URL, fetched.state, feed))
