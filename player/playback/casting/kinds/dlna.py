"""DLNA renderers: loudspeakers, receivers and televisions that UPnP's AVTransport tells what to play (UPnP AV 1.0)."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from player.net.exchange import Upload
from player.net.fetch import Request, fetch
from player.net.loop import NetworkLoop
from player.playback.casting.device import DeviceFailed, DeviceKind, DeviceState, FoundDevice, Playable, Reading
from player.playback.outputs import SoundOutput
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    from async_upnp_client.client import UpnpDevice, UpnpService

T = TypeVar("T")

_TARGET = "urn:schemas-upnp-org:device:MediaRenderer:1"
_WAIT_S = 2
"""How long devices may take to answer a search, so that they don't all do it at once."""
_CONNECTS_S, _ANSWERS_S, _PLAYS_S = 3.0, 4.0, 8.0
_LOADS_S = 12.0
"""How long a device may take to answer what makes it fetch the audio."""
_LOADING = ("SetAVTransportURI", "Play")
_LARGEST = 512 * 1024
"""The most bytes of an answer."""
_LEVEL_EVERY = 8
"""How often the volume is asked for: once for so many times that the position is."""
_DIDL = (
    '<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="0" parentID="-1" restricted="1">'
    "<dc:title>{title}</dc:title><upnp:class>object.item.audioItem.musicTrack</upnp:class>"
    "<res protocolInfo={info}{size}{duration}>{url}</res></item></DIDL-Lite>"
)
"""UPnP ContentDirectory, appendix B."""
_TIME = re.compile(r"(\d{1,4}):(\d\d):(\d\d)(?:\.(\d{1,6}))?", re.ASCII)
_STATES = {
    "PLAYING": DeviceState.PLAYING,
    "TRANSITIONING": DeviceState.BUFFERING,
    "PAUSED_PLAYBACK": DeviceState.PAUSED,
    "STOPPED": DeviceState.STOPPED,
    "NO_MEDIA_PRESENT": DeviceState.STOPPED,
}


def _find(addresses: Sequence[str], seconds: float, found: Callable[[FoundDevice], bool]) -> None:
    """By SSDP, through each address."""
    network = NetworkLoop(_CONNECTS_S, _ANSWERS_S, direct=True)
    try:
        network.run(_search(network, addresses, seconds, found)).result(seconds + 1)
    finally:
        network.close()


async def _search(
    network: NetworkLoop, addresses: Sequence[str], seconds: float, found: Callable[[FoundDevice], bool]
) -> None:
    from async_upnp_client.search import async_search

    enough = asyncio.Event()
    seen: set[str] = set()

    async def answered(headers: Any) -> None:
        location, host = str(headers.get("location", "")), str(headers.get("_host", ""))
        # A device speaks for itself: one that names an address elsewhere would have this computer ask that.
        if location in seen or len(seen) >= 200 or urlsplit(location).hostname != host:
            return
        seen.add(location)
        identity = str(headers.get("usn", "")).partition("::")[0]
        try:
            described = await fetch(network, Request(url=location, size=_LARGEST, total_s=_ANSWERS_S, redirects=0))
            device = _described(described.body, identity, host, location)
        except Exception:  # noqa: BLE001 - what answers may be anything; others are still to come
            return
        if device is not None and found(device):
            enough.set()

    searches = [
        asyncio.create_task(async_search(answered, _WAIT_S, _TARGET, source=(address, 0))) for address in addresses
    ]
    try:
        async with asyncio.timeout(seconds):
            await enough.wait()
    except TimeoutError:
        pass
    finally:
        for one in searches:
            one.cancel()
        await asyncio.gather(*searches, return_exceptions=True)


def _described(body: bytes, identity: str, host: str, location: str) -> FoundDevice | None:
    """The device in a description (UPnP Device Architecture 1.0, 2.1). Raises what a parser of XML raises."""
    from defusedxml.ElementTree import fromstring

    root = fromstring(body)
    said = {element.tag.rpartition("}")[2]: element.text or "" for element in reversed(list(root.iter()))}
    if not identity.startswith("uuid:"):
        return None
    name = clean_line(said.get("friendlyName", ""), 60) or clean_line(said.get("modelName", ""), 60) or host
    if room := clean_line(said.get("roomName", ""), 40):  # Sonos has the room here, and an address in the name
        title, name = _("{room}: {device} (DLNA)", room=room, device=clean_line(said.get("modelName", ""), 40)), room
    else:
        title = f"{name} (DLNA)"
    return FoundDevice(SoundOutput("dlna", clean_line(identity, 100)), name, title, host, location=location)


class _Renderer:
    """Implements Device."""

    slowest = fastest = 1.0
    step_ms = 1_000

    def __init__(self, found: FoundDevice) -> None:
        """Connects. Raises DeviceFailed."""
        self._network = NetworkLoop(_CONNECTS_S, _ANSWERS_S, direct=True)
        self._host = found.host
        self._url = ""
        self._asked = 0
        self._level: float | None = None
        try:
            self._device = self._do(self._described(found.location), 4 * _ANSWERS_S)
            self._transport = self._service("AVTransport")
            self._rendering = self._service("RenderingControl", needed=False)
        except DeviceFailed:
            self._network.close()
            raise

    def load(self, what: Playable, start_s: float) -> None:
        self._url = what.url
        size = f' size="{what.size}"' if what.size is not None else ""
        duration = f' duration="{_written(what.duration_ms / 1000)}"' if what.duration_ms else ""
        info = quoteattr(f"http-get:*:{what.content_type}:DLNA.ORG_OP=01;DLNA.ORG_CI=0")
        data = _DIDL.format(title=escape(what.title), info=info, size=size, duration=duration, url=escape(what.url))
        self._call("SetAVTransportURI", CurrentURI=what.url, CurrentURIMetaData=data)
        self._call("Play", Speed="1")
        if start_s:
            # Only what plays can be sent elsewhere.
            deadline = time.monotonic() + _PLAYS_S
            while self.read().state is not DeviceState.PLAYING and time.monotonic() < deadline:
                time.sleep(0.1)
            self.seek(start_s)

    def play(self) -> None:
        self._call("Play", Speed="1")

    def pause(self) -> None:
        self._call("Pause")

    def seek(self, position_s: float) -> None:
        self._call("Seek", Unit="REL_TIME", Target=_written(position_s))

    def set_speed(self, speed: float) -> None:
        """There is only one."""

    def set_level(self, level: float) -> None:
        if self._rendering is not None:
            loudest = self._loudest(self._rendering)
            self._call("SetVolume", self._rendering, Channel="Master", DesiredVolume=round(level * loudest))
            self._level = level

    def stop(self) -> None:
        self._call("Stop")

    def read(self) -> Reading:
        state = _STATES.get(str(self._call("GetTransportInfo").get("CurrentTransportState")), DeviceState.OPENING)
        said = self._call("GetPositionInfo")
        url = said.get("TrackURI")
        if isinstance(url, str) and url.startswith("http") and urlsplit(url).path != urlsplit(self._url).path:
            state = DeviceState.TAKEN
        self._read_level()
        duration_s = _seconds(said.get("TrackDuration"))
        return Reading(state, _seconds(said.get("RelTime")), duration_s or None, self._level)

    def close(self) -> None:
        self._network.close()

    # -- inside ---------------------------------------------------------------------------------------------------

    def _read_level(self) -> None:
        self._asked += 1
        if self._rendering is None or self._asked % _LEVEL_EVERY != 1:
            return
        try:
            volume = self._call("GetVolume", self._rendering, Channel="Master").get("CurrentVolume")
        except DeviceFailed:
            self._rendering = None  # it has none, whatever its description says
            return
        if isinstance(volume, int):
            self._level = min(1.0, max(0, volume) / self._loudest(self._rendering))

    def _loudest(self, rendering: UpnpService) -> float:
        """The number for the highest volume."""
        try:
            most = rendering.state_variable("Volume").max_value
        except Exception:  # noqa: BLE001 - it has no such variable
            most = None
        return float(most) if most and most > 0 else 100.0

    def _call(self, name: str, service: UpnpService | None = None, **values: Any) -> dict[str, Any]:
        """The values that an action returns. Raises DeviceFailed."""
        called = service or self._transport
        if not called.has_action(name):
            raise DeviceFailed(f"no action {name}", lasting=name in _LOADING)
        seconds = _LOADS_S if name in _LOADING else _ANSWERS_S
        return dict(self._do(called.action(name).async_call(InstanceID=0, **values), seconds))

    def _service(self, name: str, *, needed: bool = True) -> Any:
        found = (one for one in self._device.all_services if f":service:{name}:" in one.service_type)
        service = next(found, None)
        if service is None and needed:
            raise DeviceFailed(f"no service {name}", lasting=True)
        return service

    async def _described(self, location: str) -> UpnpDevice:
        from async_upnp_client.client import UpnpRequester
        from async_upnp_client.client_factory import UpnpFactory
        from async_upnp_client.const import HttpRequest, HttpResponse

        network, host = self._network, self._host

        class Bounded(UpnpRequester):
            """Asks nothing but the device itself, and reads no more than an answer may have."""

            async def async_http_request(self, http_request: HttpRequest) -> HttpResponse:
                body = http_request.body
                if urlsplit(http_request.url).hostname != host:
                    raise DeviceFailed("an address that isn't the device's", lasting=True)
                headers = {name.title(): value for name, value in (http_request.headers or {}).items()}
                kind = headers.pop("Content-Type", 'text/xml; charset="utf-8"')
                for own in ("Host", "Content-Length"):
                    headers.pop(own, None)
                upload = None if body is None else Upload(body.encode(), kind)
                answer = await fetch(
                    network,
                    Request(
                        url=http_request.url,
                        size=_LARGEST,
                        total_s=_LOADS_S,
                        silence_s=_LOADS_S,
                        headers=headers,
                        upload=upload,
                        redirects=0,
                    ),
                )
                return HttpResponse(200, dict(answer.headers), answer.body.decode("utf-8", "replace"))

        return await UpnpFactory(Bounded(), non_strict=True).async_create_device(location)

    def _do(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        async def bounded(it: Awaitable[T]) -> T:
            async with asyncio.timeout(seconds):
                return await it

        try:
            return self._network.run(bounded(work)).result(seconds + 1)
        except DeviceFailed:
            raise
        except (Exception, CancelledError) as error:
            # async-upnp-client raises its own errors, and what comes of answers that make no sense.
            raise DeviceFailed(repr(error)) from error


def _seconds(text: object) -> float | None:
    """`H:MM:SS`, with a fraction or without; None for anything else, like `NOT_IMPLEMENTED`."""
    found = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found:
        return None
    return 3600 * int(found[1]) + 60 * int(found[2]) + int(found[3]) + float(f"0.{found[4] or 0}")


def _written(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


KIND = DeviceKind(title="DLNA", needs=("async_upnp_client", "defusedxml", "ifaddr"), find=_find, connect=_Renderer)
