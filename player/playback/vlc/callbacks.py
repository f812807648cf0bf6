"""Passes the events of a libvlc player to Python functions. The caller imports libvlc."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

log = logging.getLogger(__name__)

Handlers = Mapping[int, Callable[[Any], None]]


def attach(vlc: Any, player: Any, handlers: Handlers) -> Callable[[], None]:
    """Calls a handler for each event of its kind, on a thread of libvlc's.

    Returns a handle that ends it; keep it till then.

    python-vlc's EventManager isn't used, because it keeps every player it ever saw.
    """

    @vlc.CallbackDecorators.Callback  # type: ignore[untyped-decorator]
    def on_event(event: Any, _data: int) -> None:
        try:
            found = event.contents
            handlers[found.type.value](found)
        except Exception:
            log.exception("an event of libvlc's failed")

    manager = vlc.libvlc_media_player_event_manager(player)
    for kind in handlers:
        vlc.libvlc_event_attach(manager, kind, on_event, None)

    def detach() -> None:
        for kind in handlers:
            vlc.libvlc_event_detach(manager, kind, on_event, None)

    return detach
