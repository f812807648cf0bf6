"""The commands of the control socket that are for the app's screen.

`{"command": "run", "action": "star", "count": 1}` carries out an action by its id, as if its key had been pressed on
the screen that is in front; without a screen those of playback. It is answered with `ran`, the id.
`{"command": "open", "address": "earmark://play?feed=…&guid=…"}` opens such an address, and is answered with `opened`:
`playing`, `shown` or `offered` (a podcast that isn't subscribed to).
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from player.errors import ControlError
from player.integrations.arguments import Arguments, only, whole
from player.integrations.screen.asked import MOST_TIMES, Asked
from player.links.earmark_address import LONGEST
from player.text.sentences import _

Answer = dict[str, Any]
_LONGEST_ACTION = 60


class HasScreen(Protocol):
    @property
    def asked(self) -> Asked: ...


def _run(machine: HasScreen, arguments: Arguments) -> Answer:
    only(arguments, "action", "count")
    action_id = _text(arguments, "action", _LONGEST_ACTION)
    machine.asked.run(action_id, whole({"count": 1, **arguments}, "count", 1, MOST_TIMES))
    return {"ran": action_id}


def _open(machine: HasScreen, arguments: Arguments) -> Answer:
    only(arguments, "address")
    return {"opened": machine.asked.open(_text(arguments, "address", LONGEST))}


def _text(arguments: Arguments, name: str, longest: int) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value or len(value) > longest:
        raise ControlError(_("{argument} must be a text of at most {n} characters", argument=name, n=longest))
    return value


SCREEN_ORDERS: Mapping[str, Callable[[HasScreen, Arguments], Answer]] = {"run": _run, "open": _open}
