"""The settings of podcasts, with their tags, pins and the listener's titles, as they are shared with other devices
through a folder.

The key of a fact is the address of the podcast. Its value is a JSON object: `title`, `tags`, `pinned`, and `settings`
by the names that `PodcastSettings` has. Defaults are left out; without anything else the value is "". Download rules
and the view settings of lists aren't shared.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.listening.shelf import Shelf
from player.library.lists.ordering import ViewSettingsStore
from player.library.podcast_settings import PodcastSettingsStore
from player.library.syncing.names_here import PodcastsHere
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.model.syncing import Fact
from player.text.cleaning import clean_line, fold
from player.text.typed_names import clean_tags

_OWN = ("downloads", "view")
_LONGEST_TITLE = 300


class Arranged(Struct, frozen=True, omit_defaults=True):
    title: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False
    settings: dict[str, Any] = {}

    def is_like(self, other: "Arranged") -> bool:
        """Compares tags without regard to case, because each device has its own spelling of them."""
        return (self.title, self.pinned, self.settings, sorted(map(fold, self.tags))) == (
            other.title,
            other.pinned,
            other.settings,
            sorted(map(fold, other.tags)),
        )


_NOTHING = Arranged()


def arranged(value: str) -> Arranged | None:
    """None for a value that isn't such an object."""
    try:
        return msgspec.json.decode(value, type=Arranged) if value else _NOTHING
    except (msgspec.DecodeError, RecursionError):
        return None


class ArrangedPodcasts:
    """Used inside a transaction."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._settings = PodcastSettingsStore(connections, ViewSettingsStore(connections))
        self._shelf = Shelf(connections)

    def here(self, podcasts: PodcastsHere, known: Mapping[str, Fact], keys: Mapping[int, str]) -> dict[str, str]:
        """The values of all subscriptions that have settings or had some. `keys` are those of the facts that count for
        the podcasts."""
        tags, values = self._shelf.tags(), {}
        for podcast_id in podcasts.addresses:
            key = keys.get(podcast_id) or podcasts.name(podcast_id)
            if not key:
                continue
            found, before = self._arranged(podcast_id, tags.get(podcast_id, ())), known.get(key)
            if before is None and found == _NOTHING:
                continue
            said = arranged(before.value) if before else None
            same = before is not None and said is not None and said.is_like(found)
            values[key] = before.value if before and same else _value(found)
        return values

    def apply(self, facts: Mapping[int, Fact]) -> set[PodcastId]:
        """Returns the podcasts that have changed."""
        changed: set[PodcastId] = set()
        tags = self._shelf.tags()
        for podcast_id, fact in facts.items():
            wanted, one = arranged(fact.value), PodcastId(podcast_id)
            if wanted is not None and not self._arranged(one, tags.get(one, ())).is_like(wanted):
                self._arrange(one, wanted)
                changed.add(one)
        return changed

    def _arranged(self, podcast_id: PodcastId, tags: tuple[str, ...]) -> Arranged:
        with self._connections.reading() as connection:
            title, pinned = connection.execute(
                "SELECT own_title, pinned FROM podcasts WHERE id = ?", (podcast_id,)
            ).fetchone()
        plain, own = to_builtins(AS_ALL), to_builtins(self._settings.get(podcast_id))
        settings = {name: value for name, value in own.items() if value != plain[name] and name not in _OWN}
        return Arranged(title, tuple(sorted(tags)), bool(pinned), settings)

    def _arrange(self, podcast_id: PodcastId, wanted: Arranged) -> None:
        here = self._settings.get(podcast_id)
        plain = to_builtins(replace(AS_ALL, downloads=here.downloads, view=here.view))
        found = replace(AS_ALL, downloads=here.downloads, view=here.view)
        for name, value in wanted.settings.items():
            if name in plain and name not in _OWN:
                try:
                    found = convert({**to_builtins(found), name: value}, PodcastSettings)
                except ValidationError:
                    continue
        self._settings.set(podcast_id, found)
        self._shelf.set_tags(podcast_id, clean_tags(wanted.tags))
        self._shelf.rename(podcast_id, clean_line(wanted.title, _LONGEST_TITLE))
        self._shelf.set_pinned(podcast_id, wanted.pinned)


def _value(found: Arranged) -> str:
    return "" if found == _NOTHING else msgspec.json.encode(found, order="sorted").decode()
