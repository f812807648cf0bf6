"""The handlers of a message that are looked up once are those that Textual finds each time."""

from typing import Any

import pytest
from textual import events, on
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from tui.framework import messages


class Told(Message):
    pass


class ToldMore(Told):
    pass


class Plain(Widget):
    def on_told(self) -> None:
        pass

    async def _on_key(self, event: events.Key) -> None:
        pass


class Declared(Plain):
    @on(Told)
    def first(self) -> None:
        pass

    @on(ToldMore)
    @on(events.Key)
    def second(self) -> None:
        pass

    def on_told_more(self) -> None:
        pass


class Selects(Declared):
    @on(Input.Changed, "#name")
    def third(self) -> None:
        pass


def found(look_up: Any, pump: MessagePump, message: Message) -> list[tuple[type, object]]:
    return [(owner, bound.__func__) for owner, bound in look_up(pump, message.handler_name, message)]


@pytest.mark.parametrize("kind", [Plain, Declared, Selects, Input, Screen])
@pytest.mark.parametrize(
    "message",
    [Told(), ToldMore(), events.Key("a", "a"), events.Mount(), events.Blur()],
    ids=lambda one: type(one).__name__,
)
def test_a_message_has_the_same_handlers_in_the_same_order(kind: type[Widget], message: Message) -> None:
    receiver = kind()
    for _ in range(2):
        assert found(messages._dispatch_methods, receiver, message) == found(messages._look_up, receiver, message)


def test_one_that_goes_by_its_sender_is_looked_up_each_time() -> None:
    receiver, field, other = Selects(), Input(id="name"), Input(id="other")
    for sender, expected in ((field, [Selects]), (other, []), (field, [Selects])):
        message = Input.Changed(sender, "x")
        message._sender = sender
        owners = [owner for owner, _ in receiver._get_dispatch_methods(message.handler_name, message)]
        assert owners == expected


def test_a_handler_can_keep_those_of_its_bases_from_the_message() -> None:
    message, called = ToldMore(), []
    for owner, _ in Declared()._get_dispatch_methods("on_told_more", message):
        called.append(owner)
        message.prevent_default()
    assert called == [Declared]
