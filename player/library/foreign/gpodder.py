"""gPodder's database (`~/gPodder/Database`, SQLite): versions 3, schemas 1 to 8."""

from pathlib import Path

from player.library.foreign.database import ForeignDatabase, Value, opened, recognised
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, position_of
from player.text.sentences import _
from player.text.untrusted_json import is_true, line_of, moment_of_s, whole_of

_NEWEST = 8
_SECTIONS_BY_ITSELF = frozenset({"audio", "video", "other", ""})
"""The names of the sections into which gPodder sorts podcasts by the kind of their files."""
_NORMAL = 0
_ONLY_LATEST = 1
_END_S = 10
"""An episode that was left this close to its end counts as finished in gPodder."""


class GPodderReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        return recognised(path, start, "episode", "podcast_id", "guid", "is_new", "current_position")

    def read(self, path: Path) -> ForeignLibrary:
        with opened(path) as database:
            episodes = _episodes(database)
            podcasts = tuple(
                ForeignPodcast(
                    line_of(url, 8_000),
                    line_of(title),
                    tags=() if line_of(section).lower() in _SECTIONS_BY_ITSELF else (line_of(section),),
                    login=(line_of(name), str(password or "")) if line_of(name) else None,
                    episodes=tuple(episodes.get(whole_of(number) or 0, ())),
                )
                for number, url, title, section, name, password in database.rows(
                    "podcast", "id", "url", "title", "section", "auth_username", "auth_password"
                )
            )
            version = max((whole_of(row[0]) or 0 for row in database.rows("version", "version")), default=0)
            left_out = [*database.problems]
        if version > _NEWEST:
            left_out.append(_("This gPodder is newer than Earmark knows: something may be missing."))
        return ForeignLibrary("gPodder", str(version or ""), podcasts, tuple(left_out))


def _episodes(database: ForeignDatabase) -> dict[int, list[ForeignEpisode]]:
    """The episodes that the listener has done something with, by their podcast's number."""
    only_latest = {row[0] for row in database.rows("podcast", "id", "download_strategy") if row[1] == _ONLY_LATEST}
    found: dict[int, list[ForeignEpisode]] = {}
    for row in database.rows(
        "episode", "podcast_id", "guid", "url", "title", "published", "total_time", "current_position",
        "current_position_updated", "last_playback", "state", "is_new", "archive",
    ):  # fmt: skip
        podcast, guid, url, title, published, total, position, moved_at, played_at, state, is_new, archived = row
        finished = _is_finished(position, total)
        # “Old” means that the listener has played or marked it; but gPodder also marks all episodes but the newest of
        # some podcasts as old.
        used = bool(whole_of(played_at)) or (whole_of(state) or 0) != _NORMAL or podcast not in only_latest
        played = finished or (not is_true(is_new) and used and not whole_of(position))
        if not (played or whole_of(position) or is_true(archived)):
            continue
        episode = ForeignEpisode(
            line_of(guid, 8_000),
            line_of(url, 8_000),
            line_of(title),
            moment_of_s(published),
            1000 * (whole_of(total) or 0) or None,
            played,
            None if played else position_of(1000 * (whole_of(position) or 0)),
            moment_of_s(moved_at) or moment_of_s(played_at),
            is_true(archived),
        )
        found.setdefault(whole_of(podcast) or 0, []).append(episode)
    return found


def _is_finished(position: Value, total: Value) -> bool:
    at, length = whole_of(position) or 0, whole_of(total) or 0
    return bool(at and length) and (at + _END_S >= length or at >= 0.99 * length)
