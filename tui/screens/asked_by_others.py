"""Runs the requests of other programs, through the control socket, on the screen's thread, as keys do."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from textual.app import App
from textual.widgets import Input

from player.errors import EarmarkError
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.text.sentences import _, translate
from player.text.typed_names import suggestion
from tui.actions.keys import ONLY_BY_KEY
from tui.actions.table import ACTIONS
from tui.screens.base import BaseScreen
from tui.screens.main import MainScreen

_TITLES = {action.id: action.title for action in ACTIONS}


async def serve_others(app: App[Any], main: MainScreen, address: str) -> None:
    """Serves requests from now on, and opens the `earmark:` address with which the app was started, if any."""
    asked = main.player.services.asked
    asked.screen = AskedByOthers(app, main)
    if address:
        try:
            await asyncio.to_thread(asked.open, address)
        except EarmarkError as error:
            app.notify(str(error), severity="warning", markup=False, timeout=10)


class NotNow(EarmarkError):
    """The request can't be done on the topmost screen."""


class AskedByOthers:
    """Implements `player.integrations.requests.Screen`. May be called from any thread."""

    def __init__(self, app: App[Any], main: MainScreen) -> None:
        self._app = app
        self._main = main

    def run(self, action_id: str, times: int, /) -> Future[None]:
        return self._on_screen(lambda: self._run(action_id, times))

    def show_episode(self, episode_id: EpisodeId, /) -> Future[None]:
        return self._on_screen(lambda: self._front().go_to_episode(episode_id))

    def show_podcast(self, podcast_id: PodcastId, /) -> Future[None]:
        return self._on_screen(lambda: self._main_in_front().show_podcast(podcast_id))

    def offer(self, feed: str, /) -> Future[None]:
        return self._on_screen(lambda: self._main_in_front().opening.offer(feed))

    # -- on the screen's thread -------------------------------------------------------------------------------

    def _on_screen(self, work: Callable[[], object]) -> Future[None]:
        done: Future[None] = Future()

        def do() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                work()
            except NotNow as refused:
                done.set_exception(refused)
            except BaseException:
                done.set_exception(NotNow(_("Something went wrong inside Earmark. See the log")))
                raise
            else:
                done.set_result(None)

        if not self._app.call_later(do):
            done.set_exception(NotNow(_("Earmark is ending")))
        return done

    def _run(self, action_id: str, times: int) -> None:
        if action_id not in _TITLES:
            what = _("There is no action “{name}”", name=action_id)
            raise NotNow(what, suggestion(action_id, _TITLES).strip() or _("See: earmark run --list"))
        title = translate(_TITLES[action_id])
        if action_id in ONLY_BY_KEY:
            raise NotNow(_("“{title}” is only for a key", title=title))
        screen = self._front()
        if isinstance(screen.focused, Input):
            raise NotNow(_("A text is being typed in Earmark"), _("Finish that first."))
        if action_id not in screen.runs:
            raise NotNow(_("“{title}” does nothing on the screen that is open", title=title))
        for _time in range(times):
            if self._app.screen is not screen:
                break  # the action has opened another screen
            screen.act(action_id)

    def _front(self) -> BaseScreen:
        """Raises NotNow while a dialog is open."""
        if not isinstance(screen := self._app.screen, BaseScreen):
            raise NotNow(_("A dialog is open in Earmark"), _("Close it first."))
        return screen

    def _main_in_front(self) -> MainScreen:
        """Raises NotNow while a dialog or a page is open."""
        if self._front() is not self._main:
            raise NotNow(_("A page is open in Earmark"), _("Close it first."))
        return self._main
