"""The two interfaces of MPRIS2 (MPRIS D-Bus Interface Specification 2.2) that Earmark has, and data to introspect them.

Left out is what the specification makes optional and a podcast player has no use for: LoopStatus, Shuffle, Fullscreen,
and the interfaces TrackList and Playlists.
"""

from collections.abc import Mapping

from msgspec import Struct, field

PATH = "/org/mpris/MediaPlayer2"
ROOT = "org.mpris.MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = "org.freedesktop.DBus.Properties"
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"


class Argument(Struct, frozen=True):
    """`signature` is the D-Bus type."""

    name: str
    signature: str
    out: bool = False


class Property(Struct, frozen=True):
    """`tells`: a new value is sent with PropertiesChanged."""

    signature: str
    writable: bool = False
    tells: bool = True


class Interface(Struct, frozen=True):
    methods: Mapping[str, tuple[Argument, ...]]
    properties: Mapping[str, Property] = field(default_factory=dict)
    signals: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)


INTERFACES: Mapping[str, Interface] = {
    ROOT: Interface(
        methods={"Raise": (), "Quit": ()},
        properties={
            "CanQuit": Property("b"),
            "CanRaise": Property("b"),
            "HasTrackList": Property("b"),
            "Identity": Property("s"),
            "DesktopEntry": Property("s"),
            "SupportedUriSchemes": Property("as"),
            "SupportedMimeTypes": Property("as"),
        },
    ),
    PLAYER: Interface(
        methods={
            "Next": (),
            "Previous": (),
            "Pause": (),
            "PlayPause": (),
            "Stop": (),
            "Play": (),
            "Seek": (Argument("Offset", "x"),),
            "SetPosition": (Argument("TrackId", "o"), Argument("Position", "x")),
            "OpenUri": (Argument("Uri", "s"),),
        },
        properties={
            "PlaybackStatus": Property("s"),
            "Rate": Property("d", writable=True),
            "Metadata": Property("a{sv}"),
            "Volume": Property("d", writable=True),
            "Position": Property("x", tells=False),
            "MinimumRate": Property("d"),
            "MaximumRate": Property("d"),
            "CanGoNext": Property("b"),
            "CanGoPrevious": Property("b"),
            "CanPlay": Property("b"),
            "CanPause": Property("b"),
            "CanSeek": Property("b"),
            "CanControl": Property("b", tells=False),
        },
        signals={"Seeked": (Argument("Position", "x"),)},
    ),
}

STANDARD: Mapping[str, Interface] = {
    PROPERTIES: Interface(
        methods={
            "Get": (Argument("interface", "s"), Argument("property", "s"), Argument("value", "v", out=True)),
            "GetAll": (Argument("interface", "s"), Argument("properties", "a{sv}", out=True)),
            "Set": (Argument("interface", "s"), Argument("property", "s"), Argument("value", "v")),
        },
        signals={
            "PropertiesChanged": (
                Argument("interface", "s"),
                Argument("changed", "a{sv}"),
                Argument("invalidated", "as"),
            )
        },
    ),
    INTROSPECTABLE: Interface(methods={"Introspect": (Argument("data", "s", out=True),)}),
}
"""What every object on D-Bus may be asked (D-Bus Specification, "Standard Interfaces")."""

_DOCTYPE = (
    '<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"\n'
    ' "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">\n'
)
_TELLS = "org.freedesktop.DBus.Property.EmitsChangedSignal"


def introspection(path: str) -> str | None:
    """The data of the object at `path`: the player, or what leads there. None for any other."""
    if path == PATH:
        interfaces = "".join(_interface(name, one) for name, one in {**INTERFACES, **STANDARD}.items())
        return f"{_DOCTYPE}<node>\n{interfaces}</node>\n"
    above = path.rstrip("/") + "/"
    if not PATH.startswith(above):
        return None
    return f'{_DOCTYPE}<node>\n  <node name="{PATH.removeprefix(above).partition("/")[0]}"/>\n</node>\n'


def _interface(name: str, interface: Interface) -> str:
    lines = [f'  <interface name="{name}">']
    for method, arguments in interface.methods.items():
        lines += _member("method", method, arguments)
    for signal, arguments in interface.signals.items():
        lines += _member("signal", signal, arguments)
    for one, kind in interface.properties.items():
        access = "readwrite" if kind.writable else "read"
        lines.append(f'    <property name="{one}" type="{kind.signature}" access="{access}">')
        lines.append(f'      <annotation name="{_TELLS}" value="{"true" if kind.tells else "false"}"/>')
        lines.append("    </property>")
    return "\n".join([*lines, "  </interface>", ""])


def _member(kind: str, name: str, arguments: tuple[Argument, ...]) -> list[str]:
    lines = [f'    <{kind} name="{name}">']
    for one in arguments:
        way = f' direction="{"out" if one.out else "in"}"' if kind == "method" else ""
        lines.append(f'      <arg name="{one.name}" type="{one.signature}"{way}/>')
    return [*lines, f"    </{kind}>"]
