"""Where the audio of a row's episode is, as far as its row doesn't say it: on its way, or out of reach."""

from msgspec import Struct

from player.model.downloads.download import DownloadState
from tui.look.glyphs import Glyphs

_ROOMY = 24
"""Cells of a title that leave room for how far a download is."""


class RowBytes(Struct, frozen=True):
    """`state` is that of its download, `percent` how far that is. `missing`: Earmark is offline, and not all of the
    episode is on this computer."""

    state: DownloadState | None = None
    percent: int | None = None
    missing: bool = False


NOTHING = RowBytes()


def signs_of(found: RowBytes, glyphs: Glyphs, title_cells: int) -> list[tuple[str, str]]:
    """Its marks and their roles; a title of many cells spares some for how far a download is."""
    signs = [(glyphs.missing, "muted")] if found.missing else []
    match found.state:
        case DownloadState.RUNNING:
            percent = f"{found.percent}%" if found.percent is not None and title_cells >= _ROOMY else ""
            signs.append((f"{glyphs.downloading}{percent}", "title"))
        case DownloadState.WAITING:
            signs.append((glyphs.waiting, "muted"))
        case DownloadState.PAUSED:
            signs.append((glyphs.paused, "muted"))
        case DownloadState.FAILED:
            signs.append((glyphs.failed, "failed"))
    return signs
