"""How each list is shown: its order, and whether played episodes are hidden. Remembered for each list."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from msgspec.structs import replace

from player.model.filters import Order, State, View, ViewSettings
from player.player import Player
from player.text.sentences import _, mark, translate
from tui.controllers.lists.list import ListController
from tui.controllers.ui import Ui, say_after
from tui.drawing import labels

_CONTINUES = {
    None: mark("This list doesn't play on by itself"),
    False: mark("After the queue this list plays on, oldest first"),
    True: mark("After the queue this list plays on, newest first"),
}
_CONTINUES_IN_ORDER = mark("After the queue this list plays on, in its order")
_ORDERS = (Order.NEWEST, Order.OLDEST, Order.LONGEST, Order.SHORTEST)


class ViewOptions:
    """`lists` are asked for when a key wants them: they are read with these options."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        lists: Callable[[], ListController],
    ) -> None:
        self._player = player
        self._ui = ui
        self._lists = lists
        self._known: dict[str, ViewSettings] = {}
        self._outdated: set[str] = set()
        self._choices = 0
        """The number of choices made here: what was read before the latest one is outdated."""
        self._writing = 0
        self._lock = threading.Lock()

    def shown(self, view: View) -> View:
        """The view as the listener wants it shown. Reads the library, on the thread that reads lists."""
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

    # -- keys -------------------------------------------------------------------------------------------------

    def order(self) -> None:
        """Changes to the next order; after the last one comes the view's own."""
        view = self._lists().view.whole
        if not self._lists().kind.order() and (settings := self._settings(view)) is not None:
            orders = list(dict.fromkeys((view.order, *_ORDERS)))
            now = settings.order or view.order
            order = orders[(orders.index(now) + 1) % len(orders)] if now in orders else view.order
            self._set(view, replace(settings, order=None if order is view.order else order), from_top=True)
            self._ui.say(labels.order_words(order))

    def hide_played(self) -> None:
        view = self._lists().view.whole
        if self._lists().kind.hide_played():
            return
        if view.filter.states & {State.IN_PROGRESS, State.QUEUED, State.NEW, State.PLAYED}:
            self._ui.say(_("This list has no played episodes to hide"))
        elif (settings := self._settings(view)) is not None:
            settings = replace(settings, hide_played=not settings.hide_played)
            self._set(view, settings, from_top=False)
            self._ui.say(_("Played episodes are hidden") if settings.hide_played else _("Played episodes are shown"))

    def continue_list(self) -> None:
        """Cycles through not continuing, continuing with the oldest first and with the newest first; a list of the
        listener's continues in its own order, or not."""
        view = self._lists().view.whole
        if not self._lists().kind.plays_on:
            self._ui.say(_("Only lists of episodes play on after the queue"))
            return

        def words(how: bool | None) -> str:
            own = how is not None and view.list_id is not None
            return translate(_CONTINUES_IN_ORDER if own else _CONTINUES[how])

        continuing = self._player.lists.continue_in_turn(view)
        continuing.add_done_callback(lambda _future: self._player.session.look_ahead())
        say_after(self._ui, continuing, words)

    def _settings(self, view: View) -> ViewSettings | None:
        settings = self._known.get(view.key)
        if settings is None:
            self._ui.say(_("The list is still being read. Try again in a moment."))
        return settings

    def _set(self, view: View, settings: ViewSettings, *, from_top: bool) -> None:
        with self._lock:
            self._known[view.key] = settings
            self._choices += 1
            self._writing += 1
        self._player.lists.set_view_settings(view.key, settings).add_done_callback(self._written)
        self._lists().show_again(from_top=from_top)

    def _written(self, _future: Future[None]) -> None:
        with self._lock:
            self._writing -= 1
        self._player.session.look_ahead()
