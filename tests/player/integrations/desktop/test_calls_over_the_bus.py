"""What programs get over the bus for calls that make no sense, and for calls whose answer they don't want."""

from typing import Any

import pytest

from player.integrations.desktop.media_keys import MediaKeys
from tests.player.integrations.desktop.bus import SessionBus
from tests.player.integrations.desktop.controller import (
    NAME,
    PATH,
    PLAYER,
    PROPERTIES,
    ROOT,
    CallFailed,
    Controller,
    Message,
    MessageFlag,
    Variant,
)
from tests.player.integrations.desktop.session import DesktopSession


@pytest.mark.parametrize(
    ("interface", "member", "signature", "body", "error"),
    [
        (PLAYER, "Sing", "", [], "UnknownMethod"),
        ("org.example", "Play", "", [], "UnknownMethod"),
        (PLAYER, "Seek", "s", ["far"], "UnknownMethod"),
        (PLAYER, "Play", "i", [1], "UnknownMethod"),
        (ROOT, "Quit", "s", ["now"], "UnknownMethod"),
        (PLAYER, "OpenUri", "s", ["https://nobody.example/"], "Failed"),
        (PLAYER, "OpenUri", "s", ["x" * 100_000], "Failed"),
        (PROPERTIES, "Get", "ss", [PLAYER, "Secrets"], "UnknownProperty"),
        (PROPERTIES, "GetAll", "s", ["org.example.Nothing"], "UnknownInterface"),
        (PROPERTIES, "GetAll", "", [], "UnknownMethod"),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Metadata", Variant("a{sv}", {})], "PropertyReadOnly"),
        (PROPERTIES, "Set", "ssv", [ROOT, "Identity", Variant("s", "x")], "PropertyReadOnly"),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Colour", Variant("s", "x")], "UnknownProperty"),
        (PROPERTIES, "Set", "ssv", ["org.example", "Rate", Variant("d", 1.0)], "UnknownInterface"),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Rate", Variant("s", "fast")], "InvalidSignature"),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Volume", Variant("d", float("nan"))], "InvalidArgs"),
    ],
)
async def test_what_makes_no_sense_is_an_error(
    started: MediaKeys,
    daemon: SessionBus,
    session: DesktopSession,
    interface: str,
    member: str,
    signature: str,
    body: list[Any],
    error: str,
) -> None:
    panel = await Controller.at(daemon.address)
    with pytest.raises(CallFailed) as raised:
        await panel.ask(interface, member, signature, body)
    assert raised.value.name == f"org.freedesktop.DBus.Error.{error}"
    assert session.commands == []
    panel.leave()


async def test_a_call_without_an_interface_is_carried_out(
    started: MediaKeys, daemon: SessionBus, session: DesktopSession
) -> None:
    panel = await Controller.at(daemon.address)
    await panel.bus.call(Message(destination=NAME, path=PATH, member="Play"))
    assert session.commands == [("resume", 0)]
    panel.leave()


async def test_who_wants_no_answer_gets_none_and_what_is_refused_then_is_no_fault(
    started: MediaKeys, daemon: SessionBus, session: DesktopSession, caplog: pytest.LogCaptureFixture
) -> None:
    panel = await Controller.at(daemon.address)
    sent: set[int] = set()
    for interface, member, signature, body in (
        (PLAYER, "OpenUri", "s", ["https://nobody.example/"]),
        (PLAYER, "Seek", "s", ["far"]),
        (PLAYER, "Sing", "", []),
        (PROPERTIES, "Get", "ss", [PLAYER, "Secrets"]),
        (PROPERTIES, "Get", "ss", [PLAYER, "Rate"]),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Rate", Variant("d", float("nan"))]),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Rate", Variant("s", "fast")]),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Rate", Variant("d", 1.5)]),
        (PLAYER, "Pause", "", []),
    ):
        unanswered = Message(
            destination=NAME,
            path=PATH,
            interface=interface,
            member=member,
            signature=signature,
            body=body,
            flags=MessageFlag.NO_REPLY_EXPECTED,
        )
        await panel.bus.send(unanswered)
        sent.add(unanswered.serial)
    assert await panel.get("Rate") == 1.5
    assert session.commands == [("set_speed", 1.5), ("pause", 0)]
    assert not sent & panel.answered
    assert len(sent) == 9
    assert [record.getMessage() for record in caplog.records if record.levelname not in ("DEBUG", "INFO")] == []
    panel.leave()
