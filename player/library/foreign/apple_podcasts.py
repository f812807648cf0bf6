"""Apple Podcasts' library on a Mac (`MTLibrary.sqlite`, Core Data): `ZMTPODCAST` and `ZMTEPISODE`, as in 2019 to 2025.

Moments are seconds since 2001 (UTC). An episode was heard if it has a `ZPLAYCOUNT`, or the date on which the listener
marked it: `ZPLAYSTATE` is 0 for played episodes and for the whole back catalogue of a podcast; only its 1, in progress,
is unambiguous. `ZPLAYSTATELASTMODIFIEDDATE` changes with every sync, and isn't read.
"""

from datetime import UTC, datetime
from pathlib import Path

from player.library.foreign.database import ForeignDatabase, opened, recognised, required
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, position_of
from player.text.sentences import _, plural
from player.text.untrusted_json import is_true, line_of, moment_of_s, ms_of_s

_EPOCH_S = int(datetime(2001, 1, 1, tzinfo=UTC).timestamp())
_IN_PROGRESS = 1


class ApplePodcastsReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        return recognised(path, start, "ZMTPODCAST", "ZFEEDURL")

    def read(self, path: Path) -> ForeignLibrary:
        with opened(path) as database:
            required(database, "Apple Podcasts", "ZMTEPISODE")
            episodes = _episodes(database)
            podcasts, without_feed = _podcasts(database, episodes)
            left_out = [*database.problems]
        if without_feed:
            left_out.append(
                plural(
                    without_feed,
                    "{n:,} podcast that only Apple has isn't imported.",
                    "{n:,} podcasts that only Apple has aren't imported.",
                )
            )
        left_out.append(_("The queue and the stations of Apple Podcasts aren't imported."))
        return ForeignLibrary("Apple Podcasts", "", tuple(podcasts), tuple(left_out))


def _podcasts(
    database: ForeignDatabase, episodes: dict[object, list[ForeignEpisode]]
) -> tuple[list[ForeignPodcast], int]:
    """The podcasts; and how many followed podcasts have no feed on the web."""
    found, without_feed = [], 0
    for number, url, new_url, title, subscribed, hidden in database.rows(
        "ZMTPODCAST", "Z_PK", "ZFEEDURL", "ZUPDATEDFEEDURL", "ZTITLE", "ZSUBSCRIBED", "ZHIDDEN"
    ):
        followed = is_true(subscribed) and not is_true(hidden)
        address = line_of(new_url, 8_000) or line_of(url, 8_000)
        if not address.lower().startswith(("http://", "https://")):
            without_feed += followed
            continue
        known = tuple(episodes.get(number, ()))
        found.append(ForeignPodcast(address, line_of(title), subscribed=followed, episodes=known))
    return found, without_feed


def _episodes(database: ForeignDatabase) -> dict[object, list[ForeignEpisode]]:
    """The episodes that the listener has done something with, by their podcast's number."""
    found: dict[object, list[ForeignEpisode]] = {}
    for row in database.rows(
        "ZMTEPISODE", "ZPODCAST", "ZGUID", "ZENCLOSUREURL", "ZTITLE", "ZPUBDATE", "ZDURATION", "ZPLAYSTATE",
        "ZPLAYHEAD", "ZPLAYCOUNT", "ZLASTDATEPLAYED", "ZLASTUSERMARKEDASPLAYEDDATE", "ZSAVED", "ZISBOOKMARKED",
    ):  # fmt: skip
        podcast, guid, url, title, published, length_s, state, at_s, plays, last, marked, saved, kept = row
        played = state != _IN_PROGRESS and (is_true(plays) or is_true(marked))
        episode = ForeignEpisode(
            line_of(guid, 8_000),
            line_of(url, 8_000),
            line_of(title),
            _moment(published),
            ms_of_s(length_s) or None,
            played,
            None if played else position_of(ms_of_s(at_s)),
            max(filter(None, (_moment(last), _moment(marked))), default=None),
            is_true(saved) or is_true(kept),
        )
        if episode.is_touched:
            found.setdefault(podcast, []).append(episode)
    return found


def _moment(value: object) -> datetime | None:
    """None for 0, which means never."""
    return moment_of_s(value + _EPOCH_S) if isinstance(value, int | float) and value else None
