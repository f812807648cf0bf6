"""The bytes of an episode, as an engine reads them; and pages on the web that stand for them."""

from collections.abc import Callable
from typing import Protocol


def never() -> bool:
    return False


class Media(Protocol):
    """The bytes of an episode, as an engine reads them (from a thread of the engine's own)."""

    @property
    def stream(self) -> str:
        """The address of a live stream, whose bytes come from a Broadcast and not from here; "" for a file."""
        ...

    @property
    def version(self) -> str:
        """Identifies the bytes, as `AvailableBytes.version` does; "" while nothing identifies them."""
        ...

    @property
    def size(self) -> int | None:
        """Bytes in all; None while unknown (a server without a length)."""
        ...

    @property
    def seekable(self) -> bool:
        """Whether `read` may be asked for any offset."""
        ...

    @property
    def format(self) -> str:
        """One of media.formats.FORMATS; "" for what is no audio. Blocks like `read`."""
        ...

    @property
    def duration_ms(self) -> int | None:
        """The length if the bytes have told it, else None. Never blocks."""
        ...

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        """Up to `count` bytes at `offset`; b"" at the end. Waits until at least one is there.

        Raises MediaError when they can't be had, when `cancel` was called, or when `given_up` says so on `wake`.
        """
        ...

    def available(self, offset: int, count: int) -> bytes:
        """The available bytes of the `count` bytes at `offset`. Never waits."""
        ...

    def wake(self) -> None:
        """Makes every waiting `read` check whether it is given up."""
        ...

    def cancel(self) -> None:
        """Ends every waiting `read` at once, from any thread; later ones raise."""
        ...


class Pages(Protocol):
    """Any thread; `audio` and `attachment` may take half a minute."""

    def serves(self, url: str) -> bool:
        """Whether the address is such a page, or the address of chapters or a transcript of one."""
        ...

    def in_pieces(self, page: str) -> bool:
        """Whether the server grants the audio of such a page only in pieces."""
        ...

    def lasts(self, page: str) -> bool:
        """Whether the address of the audio may be stored and tried again later. If not, it may lead to another file by
        then."""
        ...

    def audio(self, page: str, stopped: Callable[[], bool]) -> str:
        """The web address of the audio, which expires. Raises Failure, also once it is `stopped`."""
        ...

    def attachment(self, url: str, stopped: Callable[[], bool]) -> bytes | str:
        """The contents of chapters or a transcript, or the web address of them. Raises AttachmentError, also once it is
        `stopped`."""
        ...


class NoPages:
    """Implements Pages where there are none."""

    def serves(self, url: str) -> bool:  # noqa: ARG002
        return False

    def in_pieces(self, page: str) -> bool:  # noqa: ARG002
        return False

    def lasts(self, page: str) -> bool:  # noqa: ARG002
        return True

    def audio(self, page: str, stopped: Callable[[], bool]) -> str:  # noqa: ARG002
        return page

    def attachment(self, url: str, stopped: Callable[[], bool]) -> bytes | str:  # noqa: ARG002
        return url
