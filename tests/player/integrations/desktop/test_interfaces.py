"""The interfaces are those of the specification, as a program on the bus is told."""

import pytest
from lxml import etree

from player.integrations.desktop.media_keys import MediaKeys
from tests.player.integrations.desktop.bus import SessionBus
from tests.player.integrations.desktop.controller import (
    INTROSPECTABLE,
    NAME,
    PATH,
    PLAYER,
    PROPERTIES,
    ROOT,
    Controller,
    Message,
)
from tests.player.integrations.desktop.specification import SPECIFIED

_TELLS = "org.freedesktop.DBus.Property.EmitsChangedSignal"


async def introspected(panel: Controller, path: str = PATH) -> etree._Element:
    return etree.fromstring(await panel.ask(INTROSPECTABLE, "Introspect", to=(NAME, path)))


def members(interface: etree._Element) -> dict[tuple[str, str], object]:
    """Each member of an interface by kind and name, with all that its callers rely on."""
    found: dict[tuple[str, str], object] = {}
    for one in interface:
        way = {"method": "in", "signal": "out"}.get(str(one.tag))  # unless it says another
        arguments = [(arg.get("type"), arg.get("direction", way), arg.get("name")) for arg in one.iterfind("arg")]
        note = one.find(f"annotation[@name='{_TELLS}']")
        tells = note.get("value") == "true" if note is not None else one.get("tells") != "no"
        found[str(one.tag), one.get("name", "")] = (arguments, one.get("type"), one.get("access"), tells)
    return found


async def test_all_that_is_specified_is_there_and_nothing_else(started: MediaKeys, daemon: SessionBus) -> None:
    panel = await Controller.at(daemon.address)
    ours = {one.get("name"): one for one in await introspected(panel)}
    for specified in etree.fromstring(SPECIFIED):
        theirs = members(specified)
        optional = {(str(one.tag), one.get("name")) for one in specified if one.get("optional")}
        mine = members(ours[specified.get("name")])
        assert mine == {name: one for name, one in theirs.items() if name in mine}
        assert theirs.keys() - mine.keys() <= optional
    panel.leave()


async def test_the_way_to_the_object_is_introspected_too(started: MediaKeys, daemon: SessionBus) -> None:
    panel = await Controller.at(daemon.address)
    below = {
        path: [node.get("name") for node in (await introspected(panel, path)).iterfind("node")]
        for path in ("/", "/org", "/org/mpris", "/org/else", "/o")
    }
    assert below == {"/": ["org"], "/org": ["mpris"], "/org/mpris": ["MediaPlayer2"], "/org/else": [], "/o": []}
    panel.leave()


@pytest.mark.parametrize("interface", [ROOT, PLAYER])
async def test_every_property_that_is_announced_has_a_value_of_its_type(
    started: MediaKeys, daemon: SessionBus, interface: str
) -> None:
    panel = await Controller.at(daemon.address)
    described = (await introspected(panel)).find(f"interface[@name='{interface}']")
    assert described is not None
    announced = {one.get("name"): one.get("type") for one in described.iterfind("property")}
    call = Message(destination=NAME, path=PATH, interface=PROPERTIES, member="GetAll", signature="s", body=[interface])
    answer = await panel.bus.call(call)
    assert {name: value.signature for name, value in answer.body[0].items()} == announced
    panel.leave()
