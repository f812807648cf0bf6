"""Work on the event loop beside what the screen does."""

from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode


def start_worker(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, object]], *, group: str = "default", exclusive: bool = False
) -> None:
    """Runs `work` until it is done, `node` goes, or (`exclusive`) another of its `group` begins.

    It is a function, and no coroutine that was made already: one whose worker is cancelled before its first step, as
    when the app closes, would never be awaited, and Python would warn of that.
    """
    made: Any = work  # Textual's type for it knows none whose coroutines take part in anything
    node.run_worker(made, group=group, exclusive=exclusive)
