"""The commands of the control socket about the network, the sound output, and the process.

`{"command": "offline", "on": true}` makes Earmark go offline until it ends, `false` online; `"only_here": true`, too,
lists only what can be played then. It is answered with `offline`: `on`, `by_hand` (the listener wants it so) and
`only_here`; without arguments nothing changes.
`{"command": "output", "output": "pulse", "device": "headset"}` has the sound come out there, by libvlc's names; each
may be "" for the default. It is answered with `output`, which has both names; without arguments nothing changes.
`{"command": "quit"}` makes Earmark end, as a key does: the position is saved. The answer comes first.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from player.errors import ControlError, EarmarkError
from player.integrations.arguments import Arguments, only, truth
from player.integrations.screen.asked import Asked
from player.integrations.screen.orders import SCREEN_ORDERS
from player.integrations.sync_orders import SYNC_ORDERS, Syncing
from player.model.playback import Running
from player.playback.engines.outputs import OutputChoice, SoundOutput
from player.text.sentences import _

Answer = dict[str, Any]

_LONGEST_NAME = 500


class Offline(Protocol):
    """Offline mode."""

    @property
    def on(self) -> bool: ...
    @property
    def by_hand(self) -> bool: ...
    @property
    def only_here(self) -> bool: ...
    def choose(self, offline: bool, *, only_here: bool = False) -> None: ...


class Machine(Protocol):
    """What is needed of the services. What `choose_output` returns writes the choice down, for the next start."""

    @property
    def offline(self) -> Offline: ...
    @property
    def output(self) -> OutputChoice: ...
    @property
    def running(self) -> Running: ...
    @property
    def asked(self) -> Asked: ...
    @property
    def sync(self) -> Syncing: ...
    def ask_to_quit(self) -> None: ...
    def choose_output(self, output: SoundOutput, /) -> Callable[[], None]: ...


def _offline(machine: Machine, arguments: Arguments) -> Answer:
    only(arguments, "on", "only_here")
    if arguments:
        on, only_here = truth(arguments, "on"), truth({"only_here": False, **arguments}, "only_here")
        machine.offline.choose(on, only_here=on and only_here)
    now = machine.offline
    return {"offline": {"on": now.on, "by_hand": now.by_hand, "only_here": now.only_here}}


def _output(machine: Machine, arguments: Arguments) -> Answer:
    only(arguments, "output", "device")
    if arguments:
        wanted = SoundOutput(_name(arguments, "output"), _name(arguments, "device"))
        try:
            machine.choose_output(wanted)()
        except EarmarkError as error:
            raise ControlError(str(error)) from error
    now = machine.output.now
    return {"output": {"output": now.output, "device": now.device}}


def _quit(machine: Machine, arguments: Arguments) -> Answer:
    only(arguments)
    machine.ask_to_quit()
    return {}


def _name(arguments: Arguments, name: str) -> str:
    value = arguments.get(name, "")
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        raise ControlError(_("{argument} must be a name", argument=name))
    return value


MACHINE_ORDERS: Mapping[str, Callable[[Machine, Arguments], Answer]] = {
    "offline": _offline,
    "output": _output,
    "quit": _quit,
    **SCREEN_ORDERS,
    **SYNC_ORDERS,
}
