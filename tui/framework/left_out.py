"""Skips modules that Textual or the standard library imports with the app, but that Earmark never uses."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

COMMAND_PALETTE = "textual.command"
"""Textual's own palette, and with it trees, selects and lists of options: 12 modules, 10 ms and 1 MB."""

TLS = "ssl"
"""Imported by asyncio, which works without it: libcurl does all requests (`player/net`). 2 MB and 6 ms."""
HASHES_OF_OPENSSL = "_hashlib"
"""Imported by hashlib, which has its own implementations: OpenSSL's library takes 3 MB."""


@contextmanager
def missing(name: str) -> Iterator[None]:
    """While this is active, importing the module fails, as if Python was built without it."""
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
    """While this is active, names imported from the module are empty classes."""
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
