"""The listener's programs, for commands that do what they are to be told of."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tui.cli.command import Context

if TYPE_CHECKING:
    from player.events import Bus
    from player.library import Library

_HAND_OVER_S = 2.0
"""How long the command waits at most until they are asked for; it doesn't wait for them."""


@contextmanager
def hooks_run(context: Context, library: "Library", bus: "Bus", setting: str) -> Iterator[None]:
    """Within it, the program of that setting runs at what is published on the bus, which ends with it."""
    if setting not in context.settings.hooks.programs:
        yield
        return
    from msgspec.structs import replace

    from player.integrations.hooks.event_hooks import EventHooks
    from player.settings import HOOKS

    others: dict[str, tuple[str, ...]] = {name: () for name in HOOKS if name != setting}
    hooks = EventHooks(replace(context.settings.hooks, **others), library, bus, context.paths.hook_failures)
    hooks.start()
    try:
        yield
    finally:
        hooks.close()
        bus.close(_HAND_OVER_S)
