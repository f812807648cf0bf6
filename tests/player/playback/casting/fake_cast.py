"""A Chromecast: it speaks Cast v2 over TLS, fetches what it is told to play, and plays it in real time. A test makes it
lie, hang, talk nonsense or vanish."""

import http.client
import json
import math
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from player.playback.casting.device import FoundDevice
from player.playback.outputs import SoundOutput
from tests.certificate import self_signed

ID = UUID("11111111-2222-3333-4444-555555555555")
OUTPUT = SoundOutput("chromecast", str(ID))
_RECEIVER, _MEDIA = "urn:x-cast:com.google.cast.receiver", "urn:x-cast:com.google.cast.media"
_APP, _OTHER_APP = "CC1AD845", "YouTube"
_HEADER = 44
"""Bytes before the samples of a WAV file."""
_RATE = 96_000
"""Bytes per second of the tests' WAV files."""


class FakeCast:
    """One device on 127.0.0.1. What it does is in `log`; `heard` are the seconds whose bytes it played from."""

    def __init__(self, folder: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self_signed(folder))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.RLock()
        self._connections: list[ssl.SSLSocket] = []
        self.log: list[str] = []
        self.heard: list[float] = []
        self.level = 0.4
        self.app: str | None = None
        self.url = ""
        self.duration: object = None
        self.state, self.reason = "IDLE", ""
        self.rate = 1.0
        self._position, self._since = 0.0, time.monotonic()
        self._session = 0
        # What a test may set.
        self.says: Callable[[float], object] = lambda seconds: seconds
        """What it says its position is."""
        self.hangs = self.fetches_nothing = self.refuses = self.ignores_start = self.ignores_jumps = False
        self.answers_no_load = False
        self.raw: bytes | None = None
        """Sent in place of every answer about the media."""
        self.status: object = None
        """Sent as the status of the media."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def found(self) -> FoundDevice:
        return FoundDevice(OUTPUT, "Kitchen", "Kitchen (Chromecast)", "127.0.0.1", self.port)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.vanish()

    # -- what somebody does at the device ---------------------------------------------------------------------------

    def vanish(self) -> None:
        """Its connections end."""
        with self._lock:
            for one in self._connections:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self._connections.clear()

    @property
    def position(self) -> float:
        """Where it is, in seconds."""
        with self._lock:
            passed = (time.monotonic() - self._since) * self.rate if self.state == "PLAYING" else 0.0
            return self._position + passed

    def at(self, position: float, state: str | None = None) -> None:
        """Is moved there, and paused or resumed."""
        with self._lock:
            self._position, self._since = position, time.monotonic()
            self.state = state or self.state

    def pause(self) -> None:
        self.at(self.position, "PAUSED")

    def play(self) -> None:
        self.at(self.position, "PLAYING")

    def end(self, reason: str = "FINISHED") -> None:
        with self._lock:
            self.state, self.reason = "IDLE", reason

    def take(self) -> None:
        """Another app plays."""
        with self._lock:
            self.app, self.state = _OTHER_APP, "IDLE"
        self._broadcast(_RECEIVER, self._receiver_status(0))

    # -- the protocol -----------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        while True:
            try:
                plain, _address = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with suppress(OSError, ValueError):
            connection = self._context.wrap_socket(plain, server_side=True)
            with self._lock:
                self._connections.append(connection)
            with connection, connection.makefile("rb") as file:
                while len(head := file.read(4)) == 4:
                    self._answer(connection, file.read(struct.unpack(">I", head)[0]))

    def _answer(self, connection: ssl.SSLSocket, data: bytes) -> None:
        from pychromecast.generated import cast_channel_pb2

        message = cast_channel_pb2.CastMessage()
        message.ParseFromString(data)
        asked = json.loads(message.payload_utf8)
        kind, number = asked.get("type"), asked.get("requestId", 0)
        if self.hangs:
            return
        if kind == "PING":
            self._send(connection, message.namespace, {"type": "PONG"})
            return
        self.log.append(kind)
        if message.namespace == _RECEIVER:
            self._receiver(asked)
            self._send(connection, _RECEIVER, self._receiver_status(number))
        elif message.namespace == _MEDIA:
            if self.raw is not None:
                connection.sendall(self.raw)
                return
            answer = self._media(asked) | {"requestId": number}
            if not (kind == "LOAD" and self.answers_no_load):
                self._send(connection, _MEDIA, answer)

    def _send(self, connection: ssl.SSLSocket, namespace: str, what: dict[str, Any]) -> None:
        from pychromecast.generated import cast_channel_pb2

        message = cast_channel_pb2.CastMessage()
        message.protocol_version = message.CASTV2_1_0
        message.source_id = "T1" if namespace == _MEDIA else "receiver-0"
        message.destination_id = "*"
        message.namespace, message.payload_type = namespace, message.STRING
        message.payload_utf8 = json.dumps(what)
        sent = message.SerializeToString()
        with self._lock:
            connection.sendall(struct.pack(">I", len(sent)) + sent)

    def _broadcast(self, namespace: str, what: dict[str, Any]) -> None:
        with self._lock:
            for one in self._connections:
                with suppress(OSError):
                    self._send(one, namespace, what)

    def _receiver(self, asked: dict[str, Any]) -> None:
        if asked["type"] == "LAUNCH":
            self.app = asked["appId"]
        elif asked["type"] == "STOP":
            self.app, self.state = None, "IDLE"
        elif asked["type"] == "SET_VOLUME":
            self.level = asked["volume"].get("level", self.level)

    def _receiver_status(self, number: int) -> dict[str, Any]:
        apps = [
            {
                "appId": self.app, "displayName": "", "sessionId": "S1", "transportId": "T1", "statusText": "",
                "namespaces": [{"name": _MEDIA}] if self.app == _APP else [],
            }
        ]  # fmt: skip
        volume = {"level": self.level, "muted": False, "controlType": "attenuation"}
        status = {"applications": apps if self.app else [], "volume": volume, "isActiveInput": True}
        return {"type": "RECEIVER_STATUS", "requestId": number, "status": status}

    def _media(self, asked: dict[str, Any]) -> dict[str, Any]:
        match asked["type"]:
            case "LOAD":
                if self.refuses:
                    return {"type": "LOAD_FAILED"}
                self._load(asked["media"], 0.0 if self.ignores_start else float(asked.get("currentTime") or 0.0))
            case "PLAY":
                self.play()
            case "PAUSE":
                self.pause()
            case "SEEK":
                if not self.ignores_jumps:
                    self.at(asked["currentTime"])
                    self._fetch(asked["currentTime"])
            case "SET_PLAYBACK_RATE":
                self.at(self.position)
                self.rate = asked["playbackRate"]
            case "STOP":
                self.end("CANCELLED")
        return self._status()

    def _load(self, media: dict[str, Any], start: float) -> None:
        with self._lock:
            self._session += 1
            self.url, self.rate, self.reason = media["contentId"], 1.0, ""
            self.state = "BUFFERING"
        if not self.fetches_nothing:
            threading.Thread(target=self._begin, args=(self.url, start), daemon=True).start()

    def _begin(self, url: str, start: float) -> None:
        if self._fetch(start) and self.url == url:
            self.at(start, "PLAYING")

    def _fetch(self, start: float) -> bool:
        """Asks for the bytes of a second, and notes which second's they are."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=10)
        try:
            at = _HEADER + int(start * _RATE) // 2 * 2
            connection.request("GET", parts.path, headers={"Range": f"bytes={at}-{at + 1023}"})
            answer = connection.getresponse()
            data = answer.read()
            whole = int(answer.headers.get("Content-Range", "/0").rpartition("/")[2])
        except (OSError, http.client.HTTPException, ValueError):
            return False
        finally:
            connection.close()
        if answer.status == 206 and data:
            self.heard.append((at - _HEADER) / _RATE)
            if self.duration is None:
                self.duration = (whole - _HEADER) / _RATE
        return answer.status == 206

    def fetch_end(self) -> None:
        """Asks for the last bytes, as a device does before it ends."""
        assert isinstance(self.duration, float)
        self._fetch(self.duration - 1024 / _RATE)

    def _status(self) -> dict[str, Any]:
        with self._lock:
            if self.status is not None:
                return {"type": "MEDIA_STATUS", "status": self.status}
            entry = {
                "mediaSessionId": self._session, "playbackRate": self.rate, "playerState": self.state,
                "currentTime": self.says(self.position), "supportedMediaCommands": 15,
                "volume": {"level": 1.0, "muted": False}, "media": {"contentId": self.url, "duration": self.duration},
            }  # fmt: skip
            if self.state == "IDLE":
                entry["idleReason"] = self.reason
            return {"type": "MEDIA_STATUS", "status": [entry] if self.url else []}


@contextmanager
def advertised(*devices: FakeCast, name: str = "Kitchen", model: str = "Chromecast Audio") -> Iterator[None]:
    """They can be found on 127.0.0.1 by multicast DNS."""
    from zeroconf import ServiceInfo, Zeroconf

    network = Zeroconf(interfaces=["127.0.0.1"])
    try:
        for device in devices:
            network.register_service(
                ServiceInfo(
                    "_googlecast._tcp.local.",
                    f"Fake-{device.port}._googlecast._tcp.local.",
                    addresses=[socket.inet_aton("127.0.0.1")],
                    port=device.port,
                    properties={"id": ID.hex, "fn": name, "md": model},
                    server=f"fake-{device.port}.local.",
                )
            )
        yield
    finally:
        network.close()


NONSENSE: tuple[object, ...] = (
    -3.0, 1e9, math.inf, "12", None, True, [], {}, 7_200.0,
)  # fmt: skip
"""Positions that can't be in an episode of two minutes."""
