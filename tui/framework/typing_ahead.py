"""Typing ahead: a key waits until what the one before it led to has the focus.

Textual hands a key to whatever has the focus when the key comes. Of `/rust` typed in one go, all letters would reach
the list before its filter is there, and star, download and mark as played what is under the cursor.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from typing import Any

from textual import events, on
from textual.app import App, ReturnType, ScreenStackError
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.message_pump import MessagePump
from textual.widgets import Input

_LOST_S = 0.3
"""A mark that isn't back after this may have been lost with the widget it was sent to."""
_LOOKS = 5
"""How often it is looked for before it counts as lost although that widget is still there: it may be late because the
event loop was, as on a busy machine."""
_LONGEST_S = 1.0
"""No key waits longer for what is still being read."""
_LONGEST_FOR_ROW_S = 0.25
"""No key waits longer for the row that it is about."""
AT_ONCE = ("ctrl+q", "ctrl+c")
"""Keys that wait for nothing."""


class _Mark(Message):
    """Sent after a key, on its way: back at the app, it tells that whatever the key met there has been done."""

    def __init__(self, number: int, sent_to: MessagePump, *, again: bool) -> None:
        super().__init__()
        self.number = number
        self.sent_to = sent_to
        self.again = again


class TypingAhead(App[ReturnType]):
    """An app that takes one key at a time. `held_keys` only move something: a second one needn't wait for the first.
    `row_keys` are about the row under the cursor. `free_keys` wait for nothing that is still being read, unless they
    are letters for a field.
    """

    held_keys: frozenset[str] = frozenset()
    row_keys: frozenset[str] = frozenset()
    free_keys: frozenset[str] = frozenset()

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._typed_ahead: deque[events.Key | events.Paste] = deque()
        self._key_under_way: events.Key | events.Paste | None = None
        self._key_number = 0
        self._key_lost: asyncio.TimerHandle | None = None
        self._keys_await: set[asyncio.Future[Any]] = set()
        self._row_keys_await: set[asyncio.Future[Any]] = set()

    def wait_with_keys(self, until: Awaitable[object]) -> None:
        """The next key waits for this, up to a second."""
        self._wait(until, _LONGEST_S, self._keys_await)

    def wait_with_row_keys(self, until: Awaitable[object]) -> None:
        """The next of the `row_keys` waits for this, up to a quarter of a second; others don't."""
        self._wait(until, _LONGEST_FOR_ROW_S, self._row_keys_await)

    def _wait(self, until: Awaitable[object], longest_s: float, among: set[asyncio.Future[Any]]) -> None:
        waiting = asyncio.ensure_future(asyncio.wait_for(until, longest_s))
        among.add(waiting)
        waiting.add_done_callback(partial(self._came, among))

    async def on_event(self, event: events.Event) -> None:
        at_once = event.is_forwarded or (isinstance(event, events.Key) and event.key in AT_ONCE)
        if isinstance(event, events.Key | events.Paste) and not at_once:
            self._typed_ahead.append(event)
            await self._hand_on()
        else:
            await super().on_event(event)

    def pop_screen(self) -> AwaitComplete:
        """Marks on their way through that screen are lost with it."""
        popped = super().pop_screen()
        if self._key_under_way is not None:
            self._give_focus(self._key_number)
        return popped

    async def _hand_on(self) -> None:
        """The next key, if there is one and nothing is waited for; of a key that is held down, all that have come."""
        while self._typed_ahead and self._may_follow(self._typed_ahead[0]):
            event = self._key_under_way = self._typed_ahead.popleft()
            self._key_number += 1
            if self._key_lost is not None:
                self._key_lost.cancel()
            there = self.focused or self.screen
            self._look_later(self._key_number, there, _LOOKS)
            await super().on_event(event)
            self._send(_Mark(self._key_number, there, again=True))

    def _may_follow(self, event: events.Key | events.Paste) -> bool:
        key = event.key if isinstance(event, events.Key) else ""
        if self._keys_await and (key not in self.free_keys or isinstance(self.focused, Input)):
            return False
        if self._row_keys_await and key in self.row_keys:
            return False
        before = self._key_under_way
        if isinstance(event, events.Key) and isinstance(before, events.Key):
            return event.key == before.key and event.key in self.held_keys
        return before is None

    def _send(self, mark: _Mark) -> None:
        if not mark.sent_to.post_message(mark):
            self._give_focus(mark.number)

    @on(_Mark)
    def _came_back(self, mark: _Mark) -> None:
        """Once more: what the key did is told by messages, a list's or a field's own, that come after the first."""
        if mark.number != self._key_number:
            return
        if mark.again:
            self._send(_Mark(mark.number, mark.sent_to, again=False))
        else:
            self._give_focus(mark.number)

    def _look_later(self, number: int, sent_to: MessagePump, looks: int) -> None:
        """Keys don't stay behind a mark that was lost."""
        self._key_lost = asyncio.get_running_loop().call_later(_LOST_S, self._look_for_mark, number, sent_to, looks)

    def _look_for_mark(self, number: int, sent_to: MessagePump, looks: int) -> None:
        if looks > 1 and sent_to.is_running:
            self._look_later(number, sent_to, looks - 1)
        else:
            self._key_done(number)

    def _give_focus(self, number: int) -> None:
        """What was asked to have the focus gets it in this queue; a screen that was opened is filled in its own."""
        self.call_later(self._look_at_screen, number)

    def _look_at_screen(self, number: int) -> None:
        with suppress(ScreenStackError):
            self.screen.call_later(self.call_later, self._key_done, number)

    def _key_done(self, number: int) -> None:
        if number == self._key_number and self._key_under_way is not None:
            self._key_under_way = None
            if self._key_lost is not None:
                self._key_lost.cancel()
                self._key_lost = None
            self.call_later(self._hand_on)

    def _came(self, among: "set[asyncio.Future[Any]]", waiting: "asyncio.Future[Any]") -> None:
        among.discard(waiting)
        if not waiting.cancelled():
            waiting.exception()  # that it took too long is no error
        self.call_later(self._hand_on)


def wait_with_keys(app: App[Any], until: Awaitable[object]) -> None:
    """What is typed from now on is meant for what this brings; it is kept until then, for a second at most."""
    if isinstance(app, TypingAhead):
        app.wait_with_keys(until)


def wait_with_row_keys(app: App[Any], until: Awaitable[object]) -> None:
    """What is typed from now on about the row under the cursor is kept until then, for a moment at most."""
    if isinstance(app, TypingAhead):
        app.wait_with_row_keys(until)
