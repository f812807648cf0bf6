"""Asking a server for what is new, or for everything."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from player.links.addresses import url_key
from player.model.syncing import Pulled, SubscriptionChange
from player.sync.web import cursor as cursors
from player.sync.web import exchanged_lists, server_errors
from player.sync.web.answer import Answer
from player.sync.web.cursor import Cursor
from player.sync.web.wire import Dialect

log = logging.getLogger(__name__)

Page = Callable[[int], Answer]
"""Asks for the changes since a timestamp; 0: for everything. Raises SyncError."""

_PAGE = 100
"""An answer with fewer actions is the last one. gpodder.net sends at most a thousand, oldest first, and the time of the
last action as its timestamp."""
_MOST_ACTIONS = 1_000_000


class Pull:
    """Pulls from the server at `address`."""

    def __init__(
        self, address: str, dialect: Dialect, subscriptions: Page, actions: Page, *, now: Callable[[], datetime]
    ) -> None:
        self._address = address
        self._dialect = dialect
        self._ask_subscriptions = subscriptions
        self._ask_actions = actions
        self._now = now

    def run(self, before: Cursor, *, whole: bool) -> Pulled:
        """The changes since `before`, or everything. A server has lost its data if its time was later before, if it is
        empty now, or if it no longer has the newest action that it had. Raises SyncError."""
        subscriptions, changed_at = self._changes(before, whole=whole)
        asked = 0 if whole else before.since
        entries, at = self._entries(asked)
        now = self._now()
        if not whole and ((at is not None and at < asked) or changed_at < cursors.since(before.subscriptions)):
            log.info("the server's time is earlier than before")
            return replace(self.run(before, whole=True), forgotten=True)
        actions, unreadable = exchanged_lists.actions(entries, self._dialect, now)
        is_empty = not entries and not subscriptions
        anew = replace(before, newest=0, url="", guid="")
        seen = anew if whole else before
        if not whole and before.filled and not before.is_borne_out(actions):
            everything = self.run(before, whole=True)
            if everything.forgotten:
                return everything
            seen = anew if actions else cursors.read(everything.cursor)
        after = replace(
            seen.having_seen(actions),
            subscriptions=changed_at,
            actions=cursors.kept(at, before.actions, now),
            pushed=0,
            filled=not is_empty or (before.filled and not whole),
        )
        lost = is_empty if not before.newest else not before.is_borne_out(actions)
        return Pulled(
            actions=actions,
            subscriptions=subscriptions,
            cursor=cursors.write(after),
            is_whole=whole,
            forgotten=whole and before.filled and lost,
            unread=(server_errors.skipped(self._address, unreadable),) if unreadable else (),
        )

    def _changes(self, before: Cursor, *, whole: bool) -> tuple[tuple[SubscriptionChange, ...], int]:
        """The changes of subscriptions, and the last timestamp. gpodder.net answers with the difference since a moment,
        which doesn't include podcasts that were added and removed since. Therefore the difference is requested for
        every moment after which another device may have changed something; the latest of the differences counts."""
        moments = {before.subscriptions, before.pushed} - {0}
        found: dict[str, SubscriptionChange] = {}
        at: int | None = None
        for since in sorted(moments | ({0} if whole or not moments else set())):
            answer = self._ask_subscriptions(since)
            found |= {url_key(one.podcast): one for one in exchanged_lists.subscriptions(answer)}
            at = answer.timestamp()
        return tuple(found.values()), before.subscriptions if at is None else at

    def _entries(self, since: int) -> tuple[Sequence[msgspec.Raw], int | None]:
        """The entries of all pages, and the timestamp of the last page."""
        found: list[msgspec.Raw] = []
        while True:
            answer = self._ask_actions(since)
            page, at = answer.entries("actions"), answer.timestamp()
            found += page
            if len(found) > _MOST_ACTIONS:
                raise server_errors.nonsense(self._address)
            if len(page) < _PAGE or at is None or at <= since:
                return found, at
            since = at
