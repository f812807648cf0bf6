"""Reads lists of subscriptions: OPML, as nearly every app exports it, and text with a feed's URL on each line."""

from pathlib import Path

from player.errors import TransferError
from player.feeds.opml import OpmlError, Outline, load_opml
from player.model.foreign import ForeignLibrary, ForeignPodcast


class OpmlReader:
    """Asked last, as it recognises any text."""

    def recognises(self, path: Path, start: bytes) -> bool:  # noqa: ARG002 - other apps' files have names
        return not start.startswith(b"SQLite format 3\0")

    def read(self, path: Path) -> ForeignLibrary:
        try:
            outlines = load_opml(path)
        except OpmlError as error:
            raise TransferError(error.what, error.advice) from error
        return of_outlines(outlines)


def of_outlines(outlines: list[Outline]) -> ForeignLibrary:
    """A list of subscriptions, as what an app knows; nothing in it says which one wrote it."""
    return ForeignLibrary(
        "",
        podcasts=tuple(
            ForeignPodcast(one.url, title=one.title, own_title=one.own_title, tags=one.tags) for one in outlines
        ),
    )
