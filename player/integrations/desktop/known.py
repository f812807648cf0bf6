"""What the library knows for a desktop: of an episode that plays, and of an address that is to be played."""

from collections.abc import Callable

from player.errors import EarmarkError
from player.integrations.desktop.properties import Track
from player.library import Library
from player.library.search.index import plain
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.text.cleaning import clean_line

_NOTES, _COMMENT = 4_000, 400
"""Characters: how much of the notes is looked at, and how much of their text is shown."""


def track_of(library: Library, cover: Callable[[Episode], str], episode: Episode) -> Track:
    """Empty where the library can't be read. `cover` gives the `file:` address of the cover, or ""."""
    try:
        notes = library.episodes.notes(episode.id)
    except EarmarkError:
        notes = ""
    return Track(art=cover(episode), comment=clean_line(plain(notes[:_NOTES]), _COMMENT))


def episode_at(library: Library, address: str) -> EpisodeId | None:
    """The episode with this audio, or the newest of the podcast with this feed. Raises LibraryError."""
    if (found := library.episodes.at_url(address)) is not None:
        return found
    podcast = library.podcasts.by_url(address)
    if podcast is None:
        return None
    newest = library.episodes.ids(View.of(ViewName.PODCAST, podcast.id), 1)
    return EpisodeId(newest[0]) if newest else None
