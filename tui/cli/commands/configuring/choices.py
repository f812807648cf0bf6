"""What was chosen in the app over what config.toml says, as the library remembers it."""

from collections.abc import Mapping
from typing import Any

from player.settings import Settings

_AS = {"appearance.theme": "theme", "reading.width": "reading_width"}
_OUTPUT = ("audio.output", "audio.device")
CHOSEN = (*_AS, *_OUTPUT)
"""What can be chosen in the app."""


class Choices:
    def __init__(self, remembered: Mapping[str, str]) -> None:
        self._remembered = remembered

    def over(self, name: str, value: Any, settings: Settings) -> Any:
        """What applies instead of `value`, that of config.toml."""
        if name in _AS:
            from tui.chosen import chosen_in

            return type(value)(chosen_in(self._remembered.get(_AS[name], ""), str(value)))
        if name in _OUTPUT:
            from player.playback.engines.outputs import REMEMBERED_AS, OutputChoice, SoundOutput

            choice = OutputChoice(SoundOutput(settings.audio.output, settings.audio.device))
            choice.restore(self._remembered.get(REMEMBERED_AS))
            return getattr(choice.now, name.rpartition(".")[2])
        return value
