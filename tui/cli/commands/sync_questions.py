"""What the commands about syncing have in common: questions, and what follows from others' changes."""

from contextlib import closing

from player.errors import EarmarkError
from player.library import Library
from player.model.podcast import PodcastId
from player.model.syncing import Taken
from player.sync.subscribing import subscribe
from player.text.sentences import _
from tui.cli.command import Context, complain


def no_terminal(command: str) -> EarmarkError:
    """`command` is the one to give without a terminal."""
    return EarmarkError(_("There is no terminal to ask on"), _("Without one: {command}", command=f"earmark {command}"))


class Follow:
    """Podcasts that came or went. A running Earmark sees it a moment later."""

    def __init__(self, context: Context, library: Library) -> None:
        self._context = context
        self._library = library
        self._added: tuple[PodcastId, ...] = ()
        self.came = Taken()
        """What others have changed."""

    def taken(self, taken: Taken) -> None:
        """Raises LibraryError, ControlError."""
        from tui.cli.commands.subscriptions import unsubscribe

        self.came = taken
        for podcast_id in taken.unsubscribe:
            unsubscribe(self._context, self._library, podcast_id)
        if taken.subscribe:
            self._added += subscribe(self._library, taken.subscribe)

    def read_feeds(self) -> None:
        """Of the podcasts that are new. What can't be read is tried again by every refresh."""
        from player.events import Bus
        from player.feeds.opml import Subscribed
        from player.feeds.parsing.parser_pool import ParserPool
        from tui.cli.commands.import_file import refresh_added

        if not self._added:
            return
        with closing(ParserPool()) as parsers:
            added = Subscribed(self._added)
            summary = refresh_added(self._context, self._library, Bus(), added, parsers)
        titles = {one.id: one.title for one in self._library.podcasts.all()}
        for podcast_id, sentence in summary.failed:
            complain(f"{titles.get(podcast_id, podcast_id)}: {sentence}")
