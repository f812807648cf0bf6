"""What config.toml says about rules, as the rules take it."""

from msgspec import Struct

from player.downloads.rules.records import Cleaning, Limits
from player.library.download_rules.offers import General
from player.model.downloads.rule_settings import DownloadRules
from player.model.podcast_settings import MOST_NEWEST, EpisodeTest
from player.text.days import parse_days
from player.text.durations import parse_time
from player.text.hours import Hours, parse_hours
from player.text.sizes import parse_size


class RuleSettings(Struct, frozen=True):
    """`hours` None: any hour."""

    general: General = General()
    limits: Limits = Limits()
    cleaning: Cleaning = Cleaning()
    hours: Hours | None = None


def rule_settings(settings: DownloadRules) -> RuleSettings:
    """The settings were checked when they were loaded."""
    test = EpisodeTest(
        settings.include, settings.exclude, _length(settings.longer_than), _length(settings.shorter_than)
    )
    return RuleSettings(
        General(_most(settings.queue), _most(settings.inbox), _most(settings.newest), test),
        Limits(parse_size(settings.limit) if settings.limit else None, parse_size(settings.keep_free or "0")),
        Cleaning(parse_days(settings.delete_played), parse_days(settings.delete_after)),
        parse_hours(settings.hours),
    )


def _most(number: int) -> int:
    return max(0, min(MOST_NEWEST, number))


def _length(text: str) -> int | None:
    return parse_time(text) or None if text else None
