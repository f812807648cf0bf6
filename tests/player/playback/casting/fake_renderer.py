"""A DLNA renderer: it answers SOAP over HTTP, fetches what it is told to play, and plays it in real time."""

import re
import socket
import struct
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from xml.sax.saxutils import unescape

from player.playback.casting.device import FoundDevice
from player.playback.outputs import SoundOutput
from tests.loopback import LoopbackServer, Request

UDN = "uuid:22222222-3333-4444-5555-666666666666"
OUTPUT = SoundOutput("dlna", UDN)
_RENDERER = "urn:schemas-upnp-org:device:MediaRenderer:1"
_SERVICES = {
    "AVTransport": {
        "SetAVTransportURI": ("CurrentURI", "CurrentURIMetaData"),
        "GetTransportInfo": (),
        "GetPositionInfo": (),
        "Play": ("Speed",),
        "Pause": (),
        "Stop": (),
        "Seek": ("Unit", "Target"),
    },
    "RenderingControl": {"GetVolume": ("Channel",), "SetVolume": ("Channel", "DesiredVolume")},
}
_SAID = {
    "GetTransportInfo": ("CurrentTransportState", "CurrentTransportStatus", "CurrentSpeed"),
    "GetPositionInfo": ("Track", "TrackDuration", "TrackURI", "RelTime"),
    "GetVolume": ("CurrentVolume",),
}
_NUMBERS = {"Track": "ui4", "CurrentVolume": "ui2", "DesiredVolume": "ui2"}
_RATE, _HEADER = 96_000, 44


class FakeRenderer:
    """One device on 127.0.0.1, whose volume goes to 50. `heard` are the seconds whose bytes it asked for."""

    def __init__(self, server: LoopbackServer) -> None:
        self._server = server
        self.state, self.url, self.title, self.volume = "NO_MEDIA_PRESENT", "", "", 20
        self.log: list[str] = []
        self.heard: list[float] = []
        self.duration = 0.0
        self._position, self._since = 0.0, time.monotonic()
        self.says: Callable[[float], str] = lambda seconds: _clock(seconds)
        """What it says its position is."""
        self.raw: bytes | None = None
        """Sent in place of every answer."""
        self.hangs = threading.Event()
        self.free = threading.Event()
        """Ends hanging."""
        self.location = server.page("/description.xml", _description().encode(), "text/xml")
        for service in _SERVICES:
            server.page(f"/{service}.xml", _scpd(service).encode(), "text/xml")
            server.answer(f"/{service}", self._control)

    @property
    def found(self) -> FoundDevice:
        return FoundDevice(OUTPUT, "Living room", "Living room (DLNA)", "127.0.0.1", location=self.location)

    @property
    def position(self) -> float:
        return self._position + (time.monotonic() - self._since if self.state == "PLAYING" else 0.0)

    def at(self, position: float, state: str | None = None) -> None:
        self._position, self._since = position, time.monotonic()
        self.state = state or self.state

    def _control(self, request: Request) -> None:
        found = re.search(r"#(\w+)", request.headers["SOAPAction"])
        assert found
        name = found[1]
        values = {
            key: unescape(value)
            for key, value in re.findall(r"<(\w+)>([^<]*)</\1>", request.body.decode())
        }  # fmt: skip
        self.log.append(name)
        if self.hangs.is_set():
            self.free.wait(30)
            return
        if self.raw is not None:
            request.reply(self.raw, "text/xml")
            return
        said = self._do(name, values)
        body = "".join(f"<{key}>{value}</{key}>" for key, value in said.items())
        service = request.path.removeprefix("/")
        request.reply(
            (
                '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
                f'<u:{name}Response xmlns:u="urn:schemas-upnp-org:service:{service}:1">{body}</u:{name}Response>'
                "</s:Body></s:Envelope>"
            ).encode(),
            "text/xml",
        )

    def _do(self, name: str, values: dict[str, str]) -> dict[str, object]:
        match name:
            case "SetAVTransportURI":
                self.url, self.title = values["CurrentURI"], values["CurrentURIMetaData"]
                self.at(0.0, "STOPPED")
            case "Play":
                if self.state == "STOPPED":
                    self._fetch(0.0)
                self.at(self.position, "PLAYING")
            case "Pause":
                self.at(self.position, "PAUSED_PLAYBACK")
            case "Stop":
                self.at(0.0, "STOPPED")
            case "Seek":
                hours, minutes, seconds = values["Target"].split(":")
                self.at(int(hours) * 3600 + int(minutes) * 60 + int(seconds))
                self._fetch(self.position)
            case "GetTransportInfo":
                return {
                    "CurrentTransportState": self.state, "CurrentTransportStatus": "OK", "CurrentSpeed": "1",
                }  # fmt: skip
            case "GetPositionInfo":
                return {
                    "Track": 1, "TrackDuration": _clock(self.duration), "TrackURI": self.url,
                    "RelTime": self.says(self.position),
                }  # fmt: skip
            case "GetVolume":
                return {"CurrentVolume": self.volume}
            case "SetVolume":
                self.volume = int(values["DesiredVolume"])
        return {}

    def _fetch(self, second: float) -> None:
        parts = urllib.parse.urlsplit(self.url)
        at = _HEADER + int(second * _RATE) // 2 * 2
        connection = HTTPConnection(str(parts.hostname), parts.port, timeout=10)
        with suppress(OSError, HTTPException):
            connection.request("GET", parts.path, headers={"Range": f"bytes={at}-{at + 1023}"})
            answer = connection.getresponse()
            answer.read()
            if answer.status == 206:
                self.heard.append((at - _HEADER) / _RATE)
                self.duration = (int(answer.headers["Content-Range"].rpartition("/")[2]) - _HEADER) / _RATE
        connection.close()


@contextmanager
def answering(renderer: FakeRenderer, location: str | None = None) -> Iterator[None]:
    """It answers searches on 127.0.0.1 (SSDP), with its own `location` or another."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("239.255.255.250", 1900))
    group = struct.pack("4s4s", socket.inet_aton("239.255.255.250"), socket.inet_aton("127.0.0.1"))
    listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    listener.settimeout(0.1)
    over = threading.Event()

    def answer() -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                data, asker = listener.recvfrom(2048)
                if _RENDERER.encode() in data:
                    listener.sendto(
                        (
                            "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nEXT:\r\n"
                            f"LOCATION: {location or renderer.location}\r\nSERVER: Fake UPnP/1.0\r\nST: {_RENDERER}\r\n"
                            f"USN: {UDN}::{_RENDERER}\r\n\r\n"
                        ).encode(),
                        asker,
                    )

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        listener.close()


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _description() -> str:
    services = "".join(
        f"<service><serviceType>urn:schemas-upnp-org:service:{name}:1</serviceType>"
        f"<serviceId>urn:upnp-org:serviceId:{name}</serviceId><SCPDURL>/{name}.xml</SCPDURL>"
        f"<controlURL>/{name}</controlURL><eventSubURL>/{name}-events</eventSubURL></service>"
        for name in _SERVICES
    )
    return (
        '<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major>'
        f"<minor>0</minor></specVersion><device><deviceType>{_RENDERER}</deviceType>"
        "<friendlyName>Living room</friendlyName><manufacturer>Nobody</manufacturer><modelName>Fake</modelName>"
        f"<UDN>{UDN}</UDN><serviceList>{services}</serviceList></device></root>"
    )


def _scpd(service: str) -> str:
    actions, variables = "", {"InstanceID": "ui4"}
    for name, sent in _SERVICES[service].items():
        arguments = ""
        for direction, names in (("in", ("InstanceID", *sent)), ("out", _SAID.get(name, ()))):
            for one in names:
                variables[one] = _NUMBERS.get(one, variables.get(one, "string"))
                arguments += (
                    f"<argument><name>{one}</name><direction>{direction}</direction>"
                    f"<relatedStateVariable>{one}</relatedStateVariable></argument>"
                )
        actions += f"<action><name>{name}</name><argumentList>{arguments}</argumentList></action>"
    if service == "RenderingControl":
        variables["Volume"] = "ui2"
    table = "".join(
        f'<stateVariable sendEvents="no"><name>{name}</name><dataType>{kind}</dataType>'
        + (
            "<allowedValueRange><minimum>0</minimum><maximum>50</maximum><step>1</step></allowedValueRange>"
            if name == "Volume"
            else ""
        )
        + "</stateVariable>"
        for name, kind in variables.items()
    )
    return (
        '<?xml version="1.0"?><scpd xmlns="urn:schemas-upnp-org:service-1-0"><specVersion><major>1</major>'
        f"<minor>0</minor></specVersion><actionList>{actions}</actionList>"
        f"<serviceStateTable>{table}</serviceStateTable></scpd>"
    )
