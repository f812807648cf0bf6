"""Chromecasts, and whatever else speaks version 2 of the Cast protocol: loudspeakers, televisions, groups of them."""

from __future__ import annotations

import json
import logging
import socket
import ssl
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any
from uuid import UUID

from player.playback.casting.device import DeviceFailed, DeviceKind, DeviceState, FoundDevice, Playable, Reading
from player.playback.outputs import SoundOutput
from player.text.cleaning import clean_line
from player.text.sentences import _

log = logging.getLogger(__name__)

_SERVICE = "_googlecast._tcp.local."
_LOOKED_UP_MS = 1_500
_CONNECTS_S, _ANSWERS_S, _LOADS_S = 5.0, 3.0, 12.0
"""How long a device may take to be connected, to answer, and to start the app that plays."""
_LONGEST_MESSAGE = 256 * 1024
"""Bytes. The protocol's own limit is 64 KB."""
_GROUP = "Google Cast Group"
_CONNECTION, _HEARTBEAT, _RECEIVER, _MEDIA = (
    f"urn:x-cast:com.google.cast.{name}" for name in ("tp.connection", "tp.heartbeat", "receiver", "media")
)
_PLATFORM, _APP = "receiver-0", "CC1AD845"
"""The device itself, and the app for plain media (Cast's default media receiver)."""
_STATES = {
    "PLAYING": DeviceState.PLAYING,
    "BUFFERING": DeviceState.BUFFERING,
    "PAUSED": DeviceState.PAUSED,
}
_REASONS = {
    "FINISHED": DeviceState.ENDED,
    "ERROR": DeviceState.FAILED,
    "CANCELLED": DeviceState.STOPPED,
    "INTERRUPTED": DeviceState.TAKEN,
}
"""Why a device is idle (Cast's media messages, `idleReason`)."""


def _find(addresses: Sequence[str], seconds: float, found: Callable[[FoundDevice], bool]) -> None:
    """By multicast DNS."""
    from zeroconf import ServiceBrowser, ServiceStateChange, Zeroconf

    names: SimpleQueue[str] = SimpleQueue()

    def changed(name: str, state_change: ServiceStateChange, **_more: object) -> None:
        if state_change is not ServiceStateChange.Removed:
            names.put(name)

    deadline = time.monotonic() + seconds
    network = Zeroconf(interfaces=list(addresses))
    try:
        browser = ServiceBrowser(network, _SERVICE, handlers=[changed])
        try:
            while (left := deadline - time.monotonic()) > 0:
                try:
                    info = network.get_service_info(_SERVICE, names.get(timeout=left), timeout=_LOOKED_UP_MS)
                except Empty:
                    return
                if info is not None and (device := _advertised(info)) and found(device):
                    return
        finally:
            browser.cancel()
    finally:
        network.close()


def _advertised(info: Any) -> FoundDevice | None:
    """The device that a service of zeroconf describes; None if it doesn't say which it is."""
    said = {
        bytes(name).decode("ascii", "replace"): bytes(value or b"").decode("utf-8", "replace")
        for name, value in info.properties.items()
    }
    hosts = info.parsed_addresses()
    try:
        identity = str(UUID(said.get("id", "")))
    except ValueError:
        return None
    if not hosts or not info.port:
        return None
    model = clean_line(said.get("md", ""), 40)
    name = clean_line(said.get("fn", ""), 60) or model or "Chromecast"
    if model == _GROUP:
        title = _("{name} (group of Chromecasts)", name=name)
    elif model in ("", name):
        title = f"{name} (Chromecast)"
    else:
        title = f"{name} ({model})" if "chromecast" in model.lower() else f"{name} ({model}, Chromecast)"
    host = next((one for one in hosts if ":" not in one), hosts[0])
    return FoundDevice(SoundOutput("chromecast", identity), name, title, host, info.port)


class _Channel:
    """A connection to a device, for one thread: messages of JSON within protocol buffers within TLS.

    pychromecast has the messages; its own connection writes to TLS from two threads at a time, which breaks it now and
    then, and reads messages of any length.
    """

    def __init__(self, host: str, port: int) -> None:
        """Raises DeviceFailed."""
        self.app: Mapping[str, Any] = {}
        """What runs there, as the device has said last."""
        self.level: float | None = None
        self.load_failed = False
        """Whether it has said so since this was reset."""
        self._number = 0
        self._buffer = bytearray()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # a device's certificate is signed by its maker, for no name
        try:
            plain = socket.create_connection((host, port), timeout=_CONNECTS_S)
            try:
                self._socket = context.wrap_socket(plain)
            except BaseException:
                plain.close()
                raise
        except OSError as error:
            raise DeviceFailed(repr(error), lasting=True) from error

    def connect(self, destination: str) -> None:
        self._send(_CONNECTION, destination, {"type": "CONNECT", "origin": {}})

    def ask(
        self, namespace: str, destination: str, what: Mapping[str, object], seconds: float | None = None
    ) -> Mapping[str, Any]:
        """Sends a request, and returns the answer. Raises DeviceFailed when there is none in time."""
        self._number += 1
        self._send(namespace, destination, {**what, "requestId": self._number})
        deadline = time.monotonic() + (_ANSWERS_S if seconds is None else seconds)
        while (said := self._receive(deadline)).get("requestId") != self._number:
            pass
        return said

    def wait(self, true: Callable[[], object], seconds: float) -> None:
        """Until what the device says makes that true. Raises DeviceFailed."""
        deadline = time.monotonic() + seconds
        while not true():
            self._receive(deadline)

    def close(self) -> None:
        self._socket.close()

    def _send(self, namespace: str, destination: str, what: Mapping[str, object]) -> None:
        from pychromecast.generated.cast_channel_pb2 import CastMessage

        message = CastMessage()
        message.protocol_version, message.payload_type = CastMessage.CASTV2_1_0, CastMessage.STRING
        message.source_id, message.destination_id, message.namespace = "sender-earmark", destination, namespace
        message.payload_utf8 = json.dumps(what)
        data = message.SerializeToString()
        try:
            self._socket.settimeout(_ANSWERS_S)
            self._socket.sendall(struct.pack(">I", len(data)) + data)
        except OSError as error:
            raise DeviceFailed(repr(error), lasting=True) from error

    def _receive(self, deadline: float) -> Mapping[str, Any]:
        """The next message; {} for one that makes no sense. Answers those that only ask for a sign of life."""
        from google.protobuf.message import DecodeError
        from pychromecast.generated.cast_channel_pb2 import CastMessage

        (length,) = struct.unpack(">I", self._bytes(4, deadline))
        if length > _LONGEST_MESSAGE:
            raise DeviceFailed(f"a message of {length} bytes", lasting=True)
        data = self._bytes(4 + length, deadline)[4:]
        del self._buffer[: 4 + length]
        message = CastMessage()
        try:
            message.ParseFromString(data)
            said = json.loads(message.payload_utf8)
        except (DecodeError, ValueError, RecursionError):
            return {}
        if not isinstance(said, dict):
            return {}
        if said.get("type") == "PING":
            self._send(_HEARTBEAT, message.source_id, {"type": "PONG"})
        elif said.get("type") == "RECEIVER_STATUS":
            self._note(said.get("status"))
        elif said.get("type") in ("LOAD_FAILED", "LOAD_CANCELLED"):
            self.load_failed = True
        return said

    def _bytes(self, count: int, deadline: float) -> bytes:
        """The next `count` bytes, which stay in the buffer."""
        while len(self._buffer) < count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise DeviceFailed("no answer in time")
            try:
                self._socket.settimeout(left)
                data = self._socket.recv(16_384)
            except TimeoutError:
                continue
            except OSError as error:
                raise DeviceFailed(repr(error), lasting=True) from error
            if not data:
                raise DeviceFailed("the connection was closed", lasting=True)
            self._buffer += data
        return bytes(self._buffer[:count])

    def _note(self, status: object) -> None:
        if not isinstance(status, dict):
            return
        apps, volume = status.get("applications"), status.get("volume")
        first = apps[0] if isinstance(apps, list) and apps else {}
        self.app = first if isinstance(first, dict) else {}
        fixed = not isinstance(volume, dict) or volume.get("controlType") == "fixed"
        self.level = None if fixed or not isinstance(volume, dict) else _number(volume.get("level"))


class _Chromecast:
    """Implements Device, with the app that every Cast device has for plain media."""

    slowest, fastest = 0.5, 2.0
    step_ms = 1

    def __init__(self, found: FoundDevice) -> None:
        """Connects. Raises DeviceFailed."""
        self._channel = _Channel(found.host, found.port)
        self._url = ""
        self._transport = ""
        self._session: object = None
        try:
            self._channel.connect(_PLATFORM)
            self._channel.ask(_RECEIVER, _PLATFORM, {"type": "GET_STATUS"})
        except DeviceFailed:
            self._channel.close()
            raise

    def load(self, what: Playable, start_s: float) -> None:
        self._url, self._session = what.url, None
        if not self._is_there:
            self._channel.ask(_RECEIVER, _PLATFORM, {"type": "LAUNCH", "appId": _APP}, _LOADS_S)
            self._channel.wait(lambda: self._is_there, _LOADS_S)
        if self._transport != (transport := str(self._channel.app["transportId"])):
            self._transport = transport
            self._channel.connect(transport)
        media = {
            "contentId": what.url,
            "contentType": what.content_type,
            "streamType": "BUFFERED",
            "metadata": {"metadataType": 0, "title": what.title},
        }
        self._channel.load_failed = False
        what_to_load = {"type": "LOAD", "media": media, "currentTime": start_s, "autoplay": True}
        try:
            said = self._channel.ask(_MEDIA, transport, {**what_to_load, "sessionId": self._session_id})
        except DeviceFailed as failure:
            if failure.lasting:
                raise
            return  # it answers once it has bytes, which may be slow to come
        self._status(said)

    def play(self) -> None:
        self._command("PLAY")

    def pause(self) -> None:
        self._command("PAUSE")

    def seek(self, position_s: float) -> None:
        self._command("SEEK", currentTime=position_s)

    def set_speed(self, speed: float) -> None:
        self._command("SET_PLAYBACK_RATE", playbackRate=speed)

    def set_level(self, level: float) -> None:
        self._channel.ask(_RECEIVER, _PLATFORM, {"type": "SET_VOLUME", "volume": {"level": level}})

    def stop(self) -> None:
        if self._session is not None and self._is_there:
            self._command("STOP")

    def read(self) -> Reading:
        if self._channel.load_failed:
            return Reading(DeviceState.FAILED)
        entry = (
            self._status(self._channel.ask(_MEDIA, self._transport, {"type": "GET_STATUS"})) if self._is_there else {}
        )
        level = self._channel.level
        if not self._is_there:  # which an answer may have said, too
            return Reading(DeviceState.TAKEN if self._channel.app else DeviceState.STOPPED, level=level)
        media = entry.get("media")
        duration_s = _number(media.get("duration")) if isinstance(media, dict) else None
        if isinstance(media, dict) and media.get("contentId") not in (None, self._url):
            return Reading(DeviceState.TAKEN, level=level)
        state = _STATES.get(str(entry.get("playerState")), DeviceState.OPENING)
        if entry.get("playerState") == "IDLE":
            state = _REASONS.get(str(entry.get("idleReason")), DeviceState.OPENING)
        return Reading(state, _number(entry.get("currentTime")), duration_s, level)

    def close(self) -> None:
        try:
            if self._transport and self._is_there:
                self._channel.ask(_RECEIVER, _PLATFORM, {"type": "STOP", "sessionId": self._session_id})
        except DeviceFailed as failure:
            log.debug("the app isn't ended: %s", failure)
        self._channel.close()

    @property
    def _is_there(self) -> bool:
        """Whether the app that plays is the one that runs."""
        app = self._channel.app
        return app.get("appId") == _APP and isinstance(app.get("transportId"), str)

    @property
    def _session_id(self) -> object:
        return self._channel.app.get("sessionId")

    def _command(self, kind: str, **more: object) -> None:
        """Tells the media session something, and waits for the answer."""
        if not self._is_there:
            raise DeviceFailed("its app has ended")
        what = {"type": kind, "mediaSessionId": self._session, "sessionId": self._session_id, **more}
        self._status(self._channel.ask(_MEDIA, self._transport, what))

    def _status(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """What an answer says of the media session; {} if nothing plays."""
        entries = said.get("status")
        if said.get("type") != "MEDIA_STATUS" or not isinstance(entries, list):
            return {}
        entry = next((one for one in entries if isinstance(one, dict)), None)
        if entry is None:
            return {}
        self._session = entry.get("mediaSessionId", self._session)
        return entry


def _number(value: object) -> float | None:
    """None for what is no number, or none of a sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        return None
    return float(value)


KIND = DeviceKind(title="Chromecast", needs=("pychromecast", "zeroconf", "ifaddr"), find=_find, connect=_Chromecast)
