"""Web pages that stand for an episode: a program on this computer finds the audio behind them."""

from collections.abc import Callable
from typing import Protocol


class Pages(Protocol):
    """Any thread; all but `serves` may take half a minute."""

    def serves(self, url: str) -> bool:
        """Whether it is such a page, or names chapters or a transcript of one."""
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

    def audio(self, page: str, stopped: Callable[[], bool]) -> str:  # noqa: ARG002
        return page

    def attachment(self, url: str, stopped: Callable[[], bool]) -> bytes | str:  # noqa: ARG002
        return url
