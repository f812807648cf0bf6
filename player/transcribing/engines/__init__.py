"""The kinds of engine, each a module with an ENGINE; its name is that of the module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Login
    from player.settings import Transcribe
    from player.transcribing.engine import Engine, EngineKind


def engine_kinds() -> Mapping[str, EngineKind]:
    """By name, in the order in which they are preferred where the setting `engine` is empty."""
    return _kinds(tuple(__path__))


@cache
def _kinds(folders: Sequence[str]) -> Mapping[str, EngineKind]:
    """Only once: while Earmark runs, another version may be installed over it."""
    names = sorted(found.name for found in iter_modules(folders))
    return {name: import_module(f"{__name__}.{name}").ENGINE for name in names}


def engine_for(settings: Transcribe, network: NetworkLoop, login: Login) -> Engine | None:
    """The engine that the settings choose; None if none is set up. `login` finds the key for a server: it is the
    password."""
    kinds = engine_kinds()
    chosen = [kinds[settings.engine]] if settings.engine in kinds else kinds.values()
    found = next((kind for kind in chosen if kind.is_set_up(settings)), None)
    return found.open(settings, network, login) if found else None
