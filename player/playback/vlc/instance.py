"""libvlc itself: loading it, starting it, its log, and its sound outputs. The only file that imports `vlc`."""

import ctypes
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from player.errors import NoSoundLibrary
from player.playback.outputs import FoundOutput, SoundOutput, direct, found_outputs
from player.playback.vlc import installing
from player.text.sentences import _

log = logging.getLogger(__name__)

_LOG_WARNING, _LOG_ERROR = 3, 4
_HEARD = (b"resampling stopped", b"playback too late", b"inserting ")
"""How messages begin that are heard though they are for debugging: they say when the pitch is right again."""
_NO_ERRORS = ("Invalid get/release function pointers",)
"""For bytes from callbacks libvlc first tries a module of the same name that takes whole frames; it always refuses.

Then libvlc uses the right one. The message means nothing.
"""
_DEVICE_LOG = {
    "failed to create audio output": False,
    # PulseAudio and PipeWire
    "cannot write: ": True,
    # ALSA
    "cannot recover playback stream": True,
}
"""What libvlc logs when it has no sound device, and whether that means it had one before."""


class VlcInstance:
    """libvlc itself, and a listener for its log. Raises NoSoundLibrary if it can't be loaded."""

    def __init__(
        self, device_failed: Callable[[bool], None], heard: Callable[[str], None], output: Callable[[], SoundOutput]
    ) -> None:
        """`heard` gets each warning, each error and what tells of the pitch, on a thread of libvlc's."""
        self.vlc = _import_vlc()
        self.instance = _new_instance(self.vlc)
        self._device_failed = device_failed
        self._heard = heard
        self._output = output
        self._logged: set[str] = set()
        self._log_callback = self.vlc.CallbackDecorators.LogCb(self._on_log)
        self.instance.log_set(self._log_callback, None)

    def new_player(self) -> Any:
        """A libvlc player whose sound goes to the chosen output."""
        player = self.instance.media_player_new()
        direct(player, self._output())
        return player

    def close(self) -> None:
        self.instance.log_unset()
        self.instance.release()

    def _on_log(self, _data: int, level: int, _context: int, form: bytes, arguments: int) -> None:
        """On any thread of libvlc's; libvlc must not be called here."""
        if level < _LOG_WARNING and not form.startswith(_HEARD):
            return
        text = _formatted(form, arguments)
        self._heard(text)
        if level < _LOG_ERROR:
            return
        # Without a device libvlc repeats the message fifty times a second.
        if text not in self._logged and text not in _NO_ERRORS:
            self._logged.add(text)
            log.info("libvlc: %s", text)
        for start, was_there in _DEVICE_LOG.items():
            if text.startswith(start):
                self._device_failed(was_there)


def version() -> str:
    """The version as libvlc names it. Raises NoSoundLibrary."""
    return str(_import_vlc().libvlc_get_version().decode(errors="replace"))


def find_outputs() -> tuple[FoundOutput, ...]:
    """The sound outputs of this machine. Not on the session's thread, as it may wait. Raises NoSoundLibrary."""
    vlc = _import_vlc()
    instance = _new_instance(vlc)
    try:
        return found_outputs(vlc, instance)
    finally:
        instance.release()


def _new_instance(vlc: Any) -> Any:
    if vlc.plugin_path is not None:
        os.environ.setdefault("VLC_PLUGIN_PATH", vlc.plugin_path)
    # None if a plugin folder is missing, or if this build doesn't know an option.
    instance = _started(vlc, _arguments()) or _started(vlc, ["--quiet"])
    if instance is None:
        raise NoSoundLibrary(_("libvlc can't start because its plugins are missing"), installing.advice())
    return instance


def _started(vlc: Any, arguments: list[str]) -> Any:
    """A libvlc instance; None if there can't be one.

    python-vlc's Instance isn't used: it puts a program's name first, where libvlc expects none and takes it for a file
    to open: "vlc", in the folder that Earmark was started in.
    """
    return vlc.libvlc_new(len(arguments), [argument.encode() for argument in arguments])


def _import_vlc() -> Any:
    """python-vlc, with libvlc behind it.

    If it doesn't find libvlc, it raises arbitrary exceptions, exits the program, or continues with a library without
    functions. It must not stay imported then: libvlc may be installed before the next try.
    """
    try:
        import vlc

        vlc.dll.libvlc_new  # noqa: B018
    except (SystemExit, Exception) as error:
        sys.modules.pop("vlc", None)
        raise installing.missing() from error
    return vlc


def _arguments() -> list[str]:
    arguments = ["--quiet", "--intf=dummy", "--no-video", "--no-spu", "--no-osd", "--no-stats", "--role=music"]
    return [*arguments, "--no-xlib"] if sys.platform == "linux" else arguments


def _formatted(form: bytes, arguments: int) -> str:
    buffer = ctypes.create_string_buffer(500)
    ctypes.CDLL(None).vsnprintf(buffer, len(buffer), ctypes.c_char_p(form), ctypes.c_void_p(arguments))
    return buffer.value.decode(errors="replace")
