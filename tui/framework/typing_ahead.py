"""Typing ahead: a key waits until the focus is where the previous key has moved it.

Textual sends a key to the widget that has the focus when the key arrives. If `/rust` was typed in one go, all letters
would reach the list before its filter is open, and would star, download and mark the selected episode as played.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from typing import Any

from textual import events, on
from textual.app import App, ReturnType, ScreenStackError
from textual.message import Message
from textual.message_pump import MessagePump
from textual.widgets import Input

_LOST_S = 0.3
"""A mark that hasn't returned after this time may have been lost with the widget that it was sent to."""
_LOOKS = 5
"""How often to check before a mark counts as lost although its widget still exists.

It may be late because the event loop is, as on a busy machine.
"""
_LONGEST_S = 1.0
"""No key waits longer than this for data that is being read."""
_LONGEST_FOR_ROW_S = 0.25
"""No key waits longer than this for the row that it acts on."""
AT_ONCE = ("ctrl+q", "ctrl+c")
"""Keys that never wait."""


class _Mark(Message):
    """A message that follows a key along the same way: once it is back at the app, the key has been handled."""

    def __init__(self, number: int, sent_to: MessagePump, *, again: bool) -> None:
        super().__init__()
        self.number = number
        self.sent_to = sent_to
        self.again = again


class TypingAhead(App[ReturnType]):
    """An app that handles one key at a time.

    `held_keys` are keys that listeners hold down; a repeated one needn't wait for the one before. `row_keys` act on the
    selected row. `free_keys` don't wait for data that is being read, unless they are letters for a field.
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
        """The next key waits for `until`, but no longer than a second."""
        self._wait(until, _LONGEST_S, self._keys_await)

    def wait_with_row_keys(self, until: Awaitable[object]) -> None:
        """The next of the `row_keys` waits for `until`, but no longer than a quarter of a second; other keys don't
        wait."""
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

    async def _hand_on(self) -> None:
        """Handles the next key, if there is one and nothing to wait for; of a held key, all repeats that have
        arrived."""
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
        """The mark goes round twice, because a key may lead to messages of a list or a field that come after the first
        round."""
        if mark.number != self._key_number:
            return
        if mark.again:
            self._send(_Mark(mark.number, mark.sent_to, again=False))
        else:
            self._give_focus(mark.number)

    def _look_later(self, number: int, sent_to: MessagePump, looks: int) -> None:
        """Checks later whether the mark was lost, so that keys don't wait for it."""
        self._key_lost = asyncio.get_running_loop().call_later(_LOST_S, self._look_for_mark, number, sent_to, looks)

    def _look_for_mark(self, number: int, sent_to: MessagePump, looks: int) -> None:
        if looks > 1 and sent_to.is_running:
            self._look_later(number, sent_to, looks - 1)
        else:
            self._key_done(number)

    def _give_focus(self, number: int) -> None:
        """Waits until the focus has moved: a widget gets it in the app's queue of messages, and a new screen is filled
        in its own."""
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
            waiting.exception()  # taking too long is not an error
        self.call_later(self._hand_on)


def wait_with_keys(app: App[Any], until: Awaitable[object]) -> None:
    """Keys typed from now on are meant for the result of `until`; they wait for it, but no longer than a second."""
    if isinstance(app, TypingAhead):
        app.wait_with_keys(until)


def wait_with_row_keys(app: App[Any], until: Awaitable[object]) -> None:
    """Keys typed from now on that act on the selected row wait for `until`, but no longer than a quarter of a
    second."""
    if isinstance(app, TypingAhead):
        app.wait_with_row_keys(until)
