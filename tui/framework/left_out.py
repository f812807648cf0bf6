"""Modules that Earmark never uses, but that are imported with the app: left out of a start."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

COMMAND_PALETTE = "textual.command"
"""Textual's own palette, and with it trees, selects and lists of options: 12 modules, 10 ms and 1 MB."""

TLS = "ssl"
"""Of asyncio, which does without: all requests are libcurl's (`player/net`). 2 MB and 6 ms."""
HASHES_OF_OPENSSL = "_hashlib"
"""Of hashlib, which has its own: 3 MB for the library."""


@contextmanager
def missing(name: str) -> Iterator[None]:
    """Within, importing that module fails, as where Python was built without it; afterwards it is there."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


@contextmanager
def left_out(name: str) -> Iterator[None]:
    """Within, whoever imports from that module gets empty classes; afterwards, the module itself."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = _StandIn(name)
    try:
        yield
    finally:
        del sys.modules[name]


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})
