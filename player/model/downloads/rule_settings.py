"""The part of config.toml that says what rules download and delete. Each field's docstring is its documentation."""

from collections.abc import Callable

from msgspec import Struct

from player.text.days import parse_days
from player.text.durations import parse_time
from player.text.hours import parse_hours
from player.text.sizes import parse_size

MOST_NEWEST = 500
"""The most episodes that one rule downloads."""


class DownloadRules(Struct, frozen=True):
    """A part of [downloads]."""

    newest: int = 0
    """How many of the newest episodes of every podcast are downloaded by themselves. 0: none. A podcast can have its
    own number (`earmark set PODCAST download=newest:3`)."""
    inbox: int = 0
    """How many of the newest episodes in the inbox. 0: none."""
    queue: int = 0
    """How many from the head of the queue. 0: none."""
    include: str = ""
    exclude: str = ""
    """Of the newest and of the inbox, only titles with one of these words or "quoted phrases", or with none of them."""
    longer_than: str = ""
    shorter_than: str = ""
    """Likewise only episodes that are at least so long, or shorter: TIME. Empty: of any length."""
    hours: str = ""
    """When rules download: `01:00-06:00`, also across midnight. Empty: at any hour."""
    limit: str = "10 GB"
    """How much of the disk downloads of rules may take together. What you download yourself doesn't count. Empty: any
    amount."""
    keep_free: str = "2 GB"
    """How much of the disk rules leave free."""
    delete_played: str = "1 day"
    """How long after an episode was played its download by a rule is deleted: `at once`, `2 days`, `never`."""
    delete_after: str = "never"
    """How long after a download by a rule it is deleted in any case: `30 days`, `never`."""


RULES_WRITTEN: dict[str, Callable[[str], object]] = {
    "downloads.limit": lambda text: parse_size(text or "0"),
    "downloads.keep_free": lambda text: parse_size(text or "0"),
    "downloads.hours": parse_hours,
    "downloads.longer_than": lambda text: parse_time(text or "0"),
    "downloads.shorter_than": lambda text: parse_time(text or "0"),
    "downloads.delete_played": parse_days,
    "downloads.delete_after": parse_days,
}
"""Settings that are read again by those who use them; each raises ValueError for what can't be understood."""
