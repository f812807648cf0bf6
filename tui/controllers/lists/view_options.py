"""The options of each list, which are remembered: its order, and whether played episodes are hidden."""

import threading
from concurrent.futures import Future

from player.model.filters import View, ViewSettings
from player.player import Player


class ViewOptions:
    """The options with which lists are read."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._known: dict[str, ViewSettings] = {}
        self._outdated: set[str] = set()
        self._choices = 0
        """The number of choices made here. Options that were read before the latest choice are outdated."""
        self._writing = 0
        self._lock = threading.Lock()

    def shown(self, view: View) -> View:
        """The view with the listener's options for it. Reads the library, on the thread that reads lists."""
        key = view.key
        with self._lock:
            choices, known = self._choices, None if key in self._outdated else self._known.get(key)
        if known is None:
            read = self._player.library.view_settings.get(key)
            with self._lock:
                if key not in self._known or (choices == self._choices and not self._writing):
                    self._known[key] = read
                    self._outdated.discard(key)
                known = self._known[key]
        return view.shown(known)

    def set_elsewhere(self) -> None:
        """The options may have been changed elsewhere, so they are read again with each list."""
        with self._lock:
            self._outdated.update(self._known)

    def known(self, view: View) -> View:
        """As `shown`, without reading: a list that was never shown has the default options."""
        settings = self._known.get(view.key)
        return view if settings is None else view.shown(settings)

    def chosen(self, view: View) -> ViewSettings | None:
        """The options that the listener chose for a list; None until they have been read once."""
        return self._known.get(view.key)

    def choose(self, view: View, settings: ViewSettings) -> None:
        with self._lock:
            self._known[view.key] = settings
            self._choices += 1
            self._writing += 1
        self._player.lists.set_view_settings(view.key, settings).add_done_callback(self._written)

    def _written(self, _future: Future[None]) -> None:
        with self._lock:
            self._writing -= 1
        self._player.session.look_ahead()
