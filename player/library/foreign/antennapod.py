"""AntennaPod's database, as its settings export it: one SQLite file. Known up to schema version 3110000 (2026)."""

from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from player.library.foreign.database import ForeignDatabase, opened, recognised
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, HeardSpan, position_of, queued_at
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.text.sentences import _, plural
from player.text.untrusted_json import line_of, moment_of_ms, whole_of

_NEWEST = 3_110_000
_LOCAL = "antennapod_local:"
_TAGS_OF_ITS_OWN = frozenset({"#root", "#untagged", ""})
_BETWEEN_TAGS = "\x1e"
_PLAYED = 1
_NEW_EPISODES = {1: NewEpisodes.INBOX, 2: NewEpisodes.NOWHERE, 3: NewEpisodes.QUEUE}


class AntennaPodReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        return recognised(path, start, "FeedItems", "id", "feed", "read")

    def read(self, path: Path) -> ForeignLibrary:
        with opened(path) as database:
            episodes, has_history = _episodes(database)
            podcasts, local = _podcasts(database, episodes)
            version = database.version()
            left_out = [*database.problems]
        if version > _NEWEST:
            left_out.append(_("This AntennaPod is newer than Earmark knows: something may be missing."))
        if local:
            left_out.append(
                plural(
                    local, "{n:,} folder on the phone isn't imported.", "{n:,} folders on the phone aren't imported."
                )
            )
        if has_history:
            left_out.append(
                _("AntennaPod stores only when an episode was last heard: the history will show it as heard in one go.")
            )
        return ForeignLibrary("AntennaPod", str(version or ""), tuple(podcasts), tuple(left_out))


def _podcasts(database: ForeignDatabase, episodes: dict[int, list[ForeignEpisode]]) -> tuple[list[ForeignPodcast], int]:
    """The podcasts; and how many are local folders on the phone."""
    found, local = [], 0
    for row in database.rows(
        "Feeds", "id", "download_url", "title", "custom_title", "tags", "username", "password", "state",
        "feed_playback_speed", "feed_skip_intro", "feed_skip_ending", "new_episodes_action",
    ):  # fmt: skip
        number, url, title, own_title, tags, name, password, state, speed, intro, outro, action = row
        if line_of(url).startswith(_LOCAL):
            local += 1
            continue
        rate = speed if isinstance(speed, int | float) and speed > 0 else None
        settings = PodcastSettings(
            speed=rate,
            skip_intro_ms=1000 * (whole_of(intro) or 0),
            skip_outro_ms=1000 * (whole_of(outro) or 0),
            new_episodes=NewEpisodeRules(_NEW_EPISODES.get(whole_of(action) or 1, NewEpisodes.INBOX)),
        )
        found.append(
            ForeignPodcast(
                line_of(url, 8_000),
                line_of(title),
                line_of(own_title),
                tuple(tag for tag in str(tags or "").split(_BETWEEN_TAGS) if tag not in _TAGS_OF_ITS_OWN),
                settings,
                (line_of(name), str(password or "")) if line_of(name) else None,
                not whole_of(state),
                tuple(episodes.get(whole_of(number) or 0, ())),
            )
        )
    return found, local


def _episodes(database: ForeignDatabase) -> tuple[dict[int, list[ForeignEpisode]], bool]:
    """The episodes by their feed's number; and whether it is known when any of them were heard."""
    media = {
        row[0]: row[1:]
        for row in database.rows(
            "FeedMedia", "feeditem", "download_url", "duration", "position", "playback_completion_date",
            "last_played_time", "played_duration",
        )
    }  # fmt: skip
    favorites = {row[0] for row in database.rows("Favorites", "feeditem")}
    queue = {row[1]: whole_of(row[0]) for row in database.rows("Queue", "id", "feeditem")}
    found: dict[int, list[ForeignEpisode]] = {}
    has_history = False
    for number, feed, guid, title, published, read in database.rows(
        "FeedItems", "id", "feed", "item_identifier", "title", "pubDate", "read"
    ):
        url, duration, position, in_history, in_statistics, heard_ms = media.get(number, (None,) * 6)
        at = max(filter(None, (moment_of_ms(in_history), moment_of_ms(in_statistics))), default=None)
        episode = ForeignEpisode(
            line_of(guid, 8_000),
            line_of(url, 8_000),
            line_of(title),
            moment_of_ms(published),
            whole_of(duration) or None,
            read == _PLAYED,
            position_of(whole_of(position) or 0),
            at,
            number in favorites,
            queued_at(queue.get(number)),
        )
        span = _span(episode, whole_of(heard_ms) or 0)
        if span is not None:
            has_history = True
            episode = replace(episode, heard=(span,))
        if episode.is_touched:
            found.setdefault(whole_of(feed) or 0, []).append(episode)
    return found, has_history


def _span(episode: ForeignEpisode, heard_ms: int) -> HeardSpan | None:
    """The span that was heard, as if in one go, ending at the time of the last playback."""
    end_ms = (episode.position and episode.position.position_ms) or episode.duration_ms or heard_ms
    length_ms = min(heard_ms, end_ms)
    if not length_ms or episode.changed_at is None or length_ms > 1_000_000_000:
        return None
    return HeardSpan(end_ms - length_ms, end_ms, episode.changed_at - timedelta(milliseconds=length_ms))
