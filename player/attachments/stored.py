"""Attachments on this disk: in the library, and those of the built-in podcast."""

from player.errors import NotFound
from player.library import Attachment, AttachmentKind, EpisodeDetails, Library
from player.model.episode import EpisodeId
from player.model.podcast import WELCOME_URL
from player.welcome import resource

_BUILT_IN = f"{WELCOME_URL}/"


def built_in(url: str) -> bytes | None:
    """The bytes of a file of the built-in podcast; None for other addresses."""
    if not url.startswith(_BUILT_IN):
        return None
    try:
        return resource(url.removeprefix(_BUILT_IN))
    except FileNotFoundError:
        return b""


def stored_attachment(library: Library, episode_id: EpisodeId, kind: AttachmentKind, url: str) -> Attachment | None:
    if (body := built_in(url)) is not None:
        return Attachment(kind, url, body)
    return library.attachments.get(episode_id, kind, url)


def details_of(library: Library, episode_id: EpisodeId) -> EpisodeDetails:
    """An episode's details from the feed; empty if it is gone."""
    try:
        return library.episodes.details(episode_id)
    except NotFound:
        return EpisodeDetails()


def missing_chapters(library: Library, episode_id: EpisodeId) -> str:
    """The address of a chapters file that isn't stored yet; "" for none."""
    url = details_of(library, episode_id).chapters_url
    return url if url and stored_attachment(library, episode_id, AttachmentKind.CHAPTERS, url) is None else ""
