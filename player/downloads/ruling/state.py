"""What the rules decide from, read from the library and the disk."""

import logging
import shutil
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from player.downloads.rules.records import State
from player.downloads.rules.wanted import estimated, passes
from player.downloads.ruling.settings import RuleSettings
from player.library import Library
from player.library.database.values import stored
from player.library.download_rules.facts import coming_as
from player.library.download_rules.offers import offers
from player.model.downloads.facts import Candidate
from player.model.episode import EpisodeId
from player.model.podcast_settings import AS_ALL_DOWNLOADS

log = logging.getLogger(__name__)

_BOUNDLESS = 1 << 62
"""Bytes, where nobody knows how many are free."""
_UNKNOWN = 60_000_000


class Surroundings(Struct, frozen=True):
    """What isn't in the library. `folders` are those that downloads are written to, `playing` is the episode in the
    player. `part` answers with how much of a download there is already, 0 to 1."""

    settings: RuleSettings
    folders: tuple[Path, ...]
    playing: Callable[[], EpisodeId | None] = lambda: None
    part: Callable[[EpisodeId], float] = lambda _episode_id: 0.0


def read_state(library: Library, around: Surroundings, now: datetime, slots: int) -> State:
    """`now` has a time zone, the listener's. Raises LibraryError."""
    settings, facts = around.settings, library.downloads.facts
    playing = around.playing()
    with library.episodes.snapshot():
        podcasts = library.podcast_settings.downloads()
        coming = facts.coming()
        known = facts.candidates([one for one, *_more in coming])

        def fits(one: Candidate) -> bool:
            own = podcasts.get(one.podcast_id, AS_ALL_DOWNLOADS)
            return passes(one, settings.general.test) and passes(one, own.test)

        def size(episode_id: EpisodeId) -> tuple[int, int]:
            whole = estimated(known[episode_id]) if episode_id in known else _UNKNOWN
            return whole, int(whole * (1 - min(1.0, max(0.0, around.part(episode_id)))))

        return State(
            now=stored(now),
            free=free_bytes(around.folders),
            offers=offers(library, facts, settings.general, podcasts, fits),
            stored=facts.stored(playing),
            trash=facts.trash(),
            coming=tuple(coming_as(coming, size)),
            refused=facts.refused(),
            sizes=facts.sizes(),
            podcasts=podcasts,
            test=settings.general.test,
            limits=settings.limits,
            cleaning=settings.cleaning,
            open=settings.hours is None or settings.hours.contain(now),
            slots=slots,
        )


def free_bytes(folders: Sequence[Path]) -> int:
    """On the disk of those folders that has the least. A folder that isn't there yet is on its parent's."""
    return min((_free(folder) for folder in folders), default=_BOUNDLESS)


def _free(folder: Path) -> int:
    try:
        return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
    except (OSError, StopIteration) as error:
        log.warning("nobody knows how much is free: %s", error)
        return _BOUNDLESS
