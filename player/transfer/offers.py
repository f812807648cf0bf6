"""The libraries of other apps on this computer, with what each would bring, for somebody who has no podcasts yet.

Nobody has asked for this reading, so each library is read in a child process at a low priority: one that is damaged,
endless or crafted holds up nothing, and is left out.
"""

import logging
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.transfer.bring import Preview, preview
from player.transfer.load import FoundFile, load

log = logging.getLogger(__name__)

SECONDS = 60.0
"""The most time for one library; a database ends its reading after 45 s."""
_MEMORY = 1 << 30
_LARGEST_COPY = 256_000_000
"""The most bytes of a database that is copied because its app may be running."""
_NICE, _IDLE_S = 10, 1.0


class Offer(Struct, frozen=True):
    """A library of another app; `found` is what an empty library would get from it."""

    app: str
    path: Path
    found: Preview


class OfferFinder:
    """Any thread."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._sandbox = Sandbox(
            _previewed,
            memory=_MEMORY,
            seconds=seconds,
            nice=_NICE,
            idle_s=_IDLE_S,
            writes=True,
            prepare=_bound_files,
        )
        self.close = self._sandbox.close
        """Ends the reading at once."""

    def offers(self, files: Iterable[FoundFile]) -> list[Offer]:
        """Those of these libraries that can be read and have podcasts. Blocks; never raises."""
        found: list[Offer] = []
        for one in files:
            try:
                with tempfile.TemporaryDirectory(prefix="earmark-") as folder:
                    would_come = self._sandbox.call(str(one.path), folder)
            except SandboxError as error:
                log.info("%s isn't offered: %s", one.path, error)
                if error.trouble is Trouble.STOPPED:
                    break
            except OSError as error:
                log.info("%s isn't offered: %s", one.path, error)
            else:
                if would_come.podcasts:
                    found.append(Offer(one.app, one.path, would_come))
        return found


# -- in the process -------------------------------------------------------------------------------------------


def _bound_files() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_COPY, _LARGEST_COPY))


def _previewed(path: str, folder: str) -> Preview:
    """`folder` is for copies; the parent deletes it even if this process is killed. Raises TransferError."""
    tempfile.tempdir = folder
    return preview(None, load(Path(path)))
