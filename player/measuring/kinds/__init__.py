"""Kinds of measurement, each a module with a MEASUREMENT: every kind in this folder is measured."""

from typing import Any

from player.measuring.measurement import Measurement


def folders() -> list[str]:
    """The folders with kinds of measurement."""
    return list(__path__)


def measurements(places: list[str]) -> list[Measurement[Any, Any]]:
    """All kinds in these folders, in the order of their modules' names."""
    from importlib import import_module
    from pkgutil import iter_modules

    __path__[:] = places
    names = sorted(found.name for found in iter_modules(places))
    return [import_module(f"{__name__}.{name}").MEASUREMENT for name in names]
