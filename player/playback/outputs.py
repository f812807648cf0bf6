"""Where the sound goes: the outputs that libvlc finds, devices on the network, and the one that the listener chose."""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from player.text.sentences import _

REMEMBERED_AS = "output"
"""The key under which the choice is stored in the library's state."""
_NAMES = {
    "pulse": "PulseAudio", "alsa": "ALSA", "jack": "JACK", "oss": "OSS", "auhal": "macOS", "pipewire": "PipeWire",
}  # fmt: skip
_REAL_ALSA = ("default", "sysdefault:", "plughw:", "hdmi:", "iec958:")
"""The ALSA devices that are offered, out of dozens."""


class SoundOutput(Struct, frozen=True):
    """libvlc's names of an output (`pulse`, `alsa`, `auhal`) and of one of its devices; or a kind of device on the
    network (`chromecast`, `dlna`), and the device's ID.

    Without an output libvlc takes the first one that works; without a device the output takes its default.
    """

    output: str = ""
    device: str = ""


class FoundOutput(Struct, frozen=True):
    """`title` is for a person: `USB Headset (PulseAudio)`."""

    output: SoundOutput
    title: str


class OutputChoice:
    """The current output: the output in config.toml, or an output chosen later, which applies until config.toml
    changes.

    Written by one thread at a time, read by any.
    """

    def __init__(self, configured: SoundOutput) -> None:
        self._configured = configured
        self.now = configured
        self._titled = FoundOutput(configured, "")

    @property
    def title(self) -> str:
        """What the current output was called when it was chosen; "" if that isn't known."""
        return self._titled.title if self._titled.output == self.now else ""

    def choose(self, output: SoundOutput, title: str = "") -> str:
        """Applies the choice, and returns the text to give to `restore` after a restart."""
        self.now, self._titled = output, FoundOutput(output, title)
        return json.dumps([astuple(output), astuple(self._configured), title])

    def configure(self, configured: SoundOutput) -> None:
        """config.toml names another output, which applies from now on."""
        self._configured = self.now = configured

    def restore(self, chosen: str | None) -> None:
        """Applies the choice from an earlier run, unless config.toml has changed since."""
        try:
            names, configured, *title = json.loads(chosen or "null")
            output, device = map(str, names)
        except (ValueError, TypeError):
            return
        if configured == list(astuple(self._configured)):
            self.now = SoundOutput(output, device)
            self._titled = FoundOutput(self.now, str(title[0]) if title else "")


def direct(player: Any, output: SoundOutput) -> None:
    """Sends the sound of a libvlc player to this output."""
    if output.output:
        player.audio_output_set(output.output)
    if output.device:
        # PulseAudio's module takes a device only once it is the output in use; the other modules take it only together
        # with the module's name.
        module = None if output.output in ("", "pulse") else output.output
        player.audio_output_device_set(module, output.device)


def found_outputs(vlc: Any, instance: Any) -> tuple[FoundOutput, ...]:
    """The devices to choose from, found with python-vlc's module and an instance. May wait for a sound server."""
    found = []
    listed = _listed(vlc.libvlc_audio_output_list_get(instance), "name", vlc.libvlc_audio_output_list_release)
    for name, _title in listed:
        if name in _NAMES:
            found += [FoundOutput(SoundOutput(name), _("{system} (default device)", system=_NAMES[name]))]
            found += [
                FoundOutput(SoundOutput(name, device), f"{title} ({_NAMES[name]})")
                for device, title in _devices(vlc, instance, name)
                if device and (name != "alsa" or device.startswith(_REAL_ALSA))
            ]
    return tuple(found)


def _devices(vlc: Any, instance: Any, output: str) -> list[tuple[str, str]]:
    release = vlc.libvlc_audio_output_device_list_release
    listed = list(_listed(vlc.libvlc_audio_output_device_list_get(instance, output.encode()), "device", release))
    if listed or output != "pulse":
        return listed
    # The output knows its devices only while it is running.
    player = instance.media_player_new()
    try:
        player.audio_output_set(output)
        return list(_listed(player.audio_output_device_enum(), "device", release))
    finally:
        player.release()


def _listed(first: Any, name: str, release: Any) -> Iterator[tuple[str, str]]:
    """The names and descriptions of one of libvlc's linked lists."""
    entry = first
    while entry:
        contents = entry.contents
        text = (contents.description or getattr(contents, name) or b"").decode(errors="replace")
        yield (getattr(contents, name) or b"").decode(errors="replace"), " ".join(text.split())
        entry = contents.next
    if first:
        release(first)
