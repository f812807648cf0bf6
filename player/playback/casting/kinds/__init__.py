"""The kinds of device, each a module with a KIND; its name is that of the module, and of the sound output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from player.playback.casting.device import DeviceKind


def is_kind(name: str) -> bool:
    """Whether a sound output of that name is a device on the network. Loads none of them."""
    return name in _names(tuple(__path__))


def device_kinds() -> Mapping[str, DeviceKind]:
    """By name: those whose libraries are installed."""
    return _kinds(tuple(__path__))


@cache
def _names(folders: Sequence[str]) -> frozenset[str]:
    return frozenset(found.name for found in iter_modules(folders))


@cache
def _kinds(folders: Sequence[str]) -> Mapping[str, DeviceKind]:
    kinds = {name: import_module(f"{__name__}.{name}").KIND for name in sorted(_names(folders))}
    return {name: kind for name, kind in kinds.items() if all(find_spec(needed) for needed in kind.needs)}
