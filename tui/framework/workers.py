"""Running work on the event loop in the background of a screen."""

from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode


def start_worker(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, object]], *, group: str = "default", exclusive: bool = False
) -> None:
    """Runs `work` until it is done, `node` is removed, or (`exclusive`) other work of the same `group` begins.

    It takes a function rather than a coroutine: a coroutine whose worker is cancelled before its first step, as when
    the app closes, would never be awaited, and Python would warn about that.
    """
    made: Any = work  # Textual's type only allows coroutines without a result
    node.run_worker(made, group=group, exclusive=exclusive)
