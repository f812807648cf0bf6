"""Shows a library that becomes unreadable while Earmark runs as a message, instead of ending the app."""

from typing import Any

from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import WorkerFailed

from player.errors import LibraryError


class NotifiesOfLibraryErrors(MessagePump):
    """An app or screen whose handlers may read the library. Its errors are shown as notifications."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except LibraryError as error:  # if it were raised further, this screen would get no more messages
            notify_of(self.app, error)


def library_error(error: Exception) -> LibraryError | None:
    """The library's error, even if it comes from a worker."""
    reason = error.error if isinstance(error, WorkerFailed) else error
    return reason if isinstance(reason, LibraryError) else None


def notify_of(app: App[Any], error: LibraryError) -> None:
    app.notify(str(error), severity="error", markup=False, timeout=10)
