"""A library that can't be read in the middle of things is a sentence for the listener, and not the end of the app."""

from typing import Any

from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import WorkerFailed

from player.errors import LibraryError


class NotifiesOfLibraryErrors(MessagePump):
    """An app, or a screen, whose handlers may read the library. Its errors are shown as notifications."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except LibraryError as error:  # raised further, it would end this screen's messages
            notify_of(self.app, error)


def library_error(error: Exception) -> LibraryError | None:
    """The library's error, also where it comes out of a worker."""
    reason = error.error if isinstance(error, WorkerFailed) else error
    return reason if isinstance(reason, LibraryError) else None


def notify_of(app: App[Any], error: LibraryError) -> None:
    app.notify(str(error), severity="error", markup=False, timeout=10)
