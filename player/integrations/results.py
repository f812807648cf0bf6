"""What came of an order that changes the library: waited for, for less time than the client waits."""

from concurrent.futures import Future
from typing import TypeVar

from player.errors import ControlError, EarmarkError
from player.text.sentences import _

T = TypeVar("T")

_PATIENCE_S = 4.0
"""Less than the client has: what hasn't been written by then is written a moment later."""


def result_of(future: Future[T]) -> T:
    """Raises ControlError: it failed, or isn't done yet."""
    try:
        return future.result(_PATIENCE_S)
    except TimeoutError:
        raise ControlError(_("Earmark is still writing that"), _("It is done in a moment.")) from None
    except EarmarkError as error:
        raise ControlError(str(error)) from error
