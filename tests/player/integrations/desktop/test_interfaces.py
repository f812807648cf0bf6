"""The interfaces are those of the specification."""

from lxml import etree

from player.integrations.desktop.interfaces import INTERFACES, PATH, PLAYER, introspection
from player.integrations.desktop.properties import NOTHING_KNOWN, player_properties, root_properties
from player.model.playback import PlaybackStatus
from player.settings import Desktop
from tests.player.integrations.desktop.specification import SPECIFIED

_TELLS = "org.freedesktop.DBus.Property.EmitsChangedSignal"


def members(interface: etree._Element) -> dict[tuple[str, str], object]:
    """Each member of an interface by kind and name, with all that its callers rely on."""
    found: dict[tuple[str, str], object] = {}
    for one in interface:
        arguments = [(arg.get("type"), arg.get("direction"), arg.get("name")) for arg in one.iterfind("arg")]
        note = one.find(f"annotation[@name='{_TELLS}']")
        tells = note.get("value") == "true" if note is not None else one.get("tells") != "no"
        found[str(one.tag), one.get("name", "")] = (arguments, one.get("type"), one.get("access"), tells)
    return found


def test_all_that_is_specified_is_there_and_nothing_else() -> None:
    data = introspection(PATH)
    assert data is not None
    ours = {one.get("name"): one for one in etree.fromstring(data)}
    for specified in etree.fromstring(SPECIFIED):
        theirs = members(specified)
        optional = {(str(one.tag), one.get("name")) for one in specified if one.get("optional")}
        mine = members(ours[specified.get("name")])
        assert mine == {name: one for name, one in theirs.items() if name in mine}
        assert theirs.keys() - mine.keys() <= optional


def test_the_way_to_the_object_is_introspected_too() -> None:
    assert [introspection(path) is not None for path in ("/", "/org", "/org/mpris", "/org/else", "/o")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert '<node name="mpris"/>' in (introspection("/org") or "")


def test_every_property_that_is_announced_has_a_value_of_its_type() -> None:
    values = {
        **root_properties(),
        **player_properties(PlaybackStatus(), NOTHING_KNOWN, None, Desktop()),
    }
    announced = {name: one.signature for has in INTERFACES.values() for name, one in has.properties.items()}
    assert announced.pop("Position") == "x"
    assert {name: value.signature for name, value in values.items()} == announced
    assert PLAYER in INTERFACES
