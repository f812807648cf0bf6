"""The directories, one module for each with an ADAPTER: every directory in this folder is asked for podcasts."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from msgspec import defstruct

from player.directory.adapter import Adapter
from player.settings import DirectorySettings


def adapters() -> tuple[Adapter, ...]:
    """All directories, in the order of their modules' names."""
    return _in(tuple(__path__))


def by_trust() -> list[Adapter]:
    """All directories, the most trusted first."""
    return sorted(adapters(), key=lambda one: -one.trust)


def settings_kind() -> type[Any]:
    """The section [directories]: DirectorySettings with each directory's own settings."""
    return _kind(tuple(__path__))


@cache
def _in(places: tuple[str, ...]) -> tuple[Adapter, ...]:
    names = sorted(found.name for found in iter_modules(places))
    modules = (import_module(f"{__name__}.{name}") for name in names)
    return tuple(module.ADAPTER for module in modules if hasattr(module, "ADAPTER"))


@cache
def _kind(places: tuple[str, ...]) -> type[Any]:
    found = _in(places)
    keyed = [(one, one.key) for one in found if one.key is not None]
    by_key = "".join(f" `{one.name}` is asked only with a key of your own." for one, _key in keyed)
    words = {key.secret: key.words for _one, key in keyed}
    words["ask"] = f"Which directories to ask for podcasts.{by_key}"
    urls = [url for one in found for url in one.urls.items()]
    servers = " and ".join(("the directories", *(one.charts for one in found if one.charts and len(one.urls) > 1)))
    words[urls[-1][0]] = f"Where {servers} are, in case one moves, or you use a server of your own."
    secret = frozenset(name for _one, key in keyed for name in (key.key, key.secret))

    def fields() -> Iterator[tuple[str, Any, Any]]:
        yield "ask", tuple[str, ...], tuple(sorted(one.name for one in found))
        for _one, key in keyed:
            yield key.key, str, ""
            yield key.secret, str, ""
        for name, default in urls:
            yield name, str, default

    return defstruct(
        "AllDirectorySettings",
        fields(),
        bases=(DirectorySettings,),
        namespace={"WORDS": words, "SECRET": secret},
        frozen=True,
    )
