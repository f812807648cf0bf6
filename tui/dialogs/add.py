"""The dialog that adds a podcast by its address."""

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input

from player.errors import HttpFailure, SignInNeeded
from player.links.urls import host, split_login, with_login
from player.model.podcast import Podcast
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural, translate
from tui.dialogs.dialog import Dialog, OptionsDialog, field
from tui.drawing.cells import steady
from tui.framework.screen import MOST_LETTERS

if TYPE_CHECKING:
    from player.feeds.source import Offered
    from player.player import Player
    from tui.dialogs.confirm import LoginScreen

_TITLE = 38
"""Most characters of a title in a list of podcasts, so that the text after it fits."""
_WHAT = mark("URL of a feed, website or server, or a folder of audio")


class PodcastChooser(OptionsDialog["tuple[Offered, ...]"]):
    """Answers with the chosen podcasts, or with the one under the cursor if none was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("add")),
        ("escape", "close", mark("cancel")),
        ("x", "choose", mark("choose")),
        ("a", "choose_all", mark("all")),
    ]

    def __init__(self, heading: str, offered: "tuple[Offered, ...]") -> None:
        self._offered = offered
        self._chosen: set[int] = set()
        super().__init__(heading, *map(self._line_of, range(len(offered))))

    def action_take(self) -> None:
        at = self.list.highlighted
        chosen = self._chosen or ({at} if at is not None and not self._offered[at].known else set())
        if chosen:
            self.dismiss(tuple(self._offered[one] for one in sorted(chosen)))

    def action_choose(self) -> None:
        if (at := self.list.highlighted) is not None:
            self._choose({at}, choose=at not in self._chosen)
            self.list.move_by(1)

    def action_choose_all(self) -> None:
        every = {at for at, one in enumerate(self._offered) if not one.known}
        self._choose(every, choose=self._chosen != every)

    def _choose(self, some: set[int], *, choose: bool) -> None:
        self._chosen = self._chosen | some if choose else self._chosen - some
        self._chosen -= {at for at in some if self._offered[at].known}
        for at in some:
            self.list.replace_option_prompt_at_index(at, self._line_of(at))

    def _line_of(self, at: int) -> Content:
        one = self._offered[at]
        sign = "   " if one.known else "[x]" if at in self._chosen else "[ ]"
        count = "" if one.episodes is None else plural(one.episodes, "{n:,} episode", "{n:,} episodes")
        about = _("subscribed") if one.known else ", ".join(filter(None, (one.place, count)))
        return Content(f"{sign} {steady(clean_line(one.title, _TITLE))}" + (f" ({steady(about)})" if about else ""))


class AddScreen(Dialog[bool]):
    """Closes with True when the podcast has been added; events tell the screen below.

    A failure is shown here, with the address kept. Closing the dialog before the answer cancels the subscription.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("add")), ("escape", "close", mark("cancel"))]

    def __init__(self, player: "Player", address: str = "") -> None:
        """An `address` is added at once."""
        super().__init__(_("Add a podcast"), translate(_WHAT))
        self._address = address
        self._player = player
        self._asked_for = ""
        self._input = Input(address, placeholder="https://", select_on_focus=False, max_length=MOST_LETTERS)

    def contents(self) -> ComposeResult:
        yield field(_("URL"), self._input)
        yield self.line
        yield self.told

    def on_mount(self) -> None:
        if self._address:
            self._ask_player(self._address)

    def action_take(self) -> None:
        if self.busy:
            return
        if url := self._input.value.strip():
            self._ask_player(url)
        else:
            self.tell(translate(_WHAT))

    def _ask_player(self, url: str) -> None:
        self._asked_for = url
        self.begin(_("Fetching feed"), self._player.add(url), self._added)

    def _added(self, _podcast: Podcast) -> None:
        self.dismiss(True)

    def failed(self, error: Exception) -> None:
        from player.feeds.source import SeveralPodcasts
        from player.feeds.subscribe import feed_address
        from tui.dialogs.confirm import LoginScreen

        if isinstance(error, SeveralPodcasts):
            self.tell(translate(_WHAT))
            self.app.push_screen(PodcastChooser(error.what, error.offered), self._chosen)
            return
        super().failed(error)
        if isinstance(error, SignInNeeded):
            login = split_login(self._asked_for)[1]
            name, trouble = (login[0], str(error)) if login else ("", "")
            self._sign_in(error.server, LoginScreen(host(error.server), name, takes_key=True, trouble=trouble))
        elif isinstance(error, HttpFailure) and error.status == 401:
            address = feed_address(self._input.value)
            self._sign_in(address, LoginScreen(host(address)))

    def _sign_in(self, address: str, screen: "LoginScreen") -> None:
        def given(login: tuple[str, str] | None) -> None:
            if login is not None:
                self._ask_player(with_login(address, *login))

        self.app.push_screen(screen, given)

    def _chosen(self, offered: "tuple[Offered, ...] | None") -> None:
        if not offered:
            return
        if len(offered) == 1:
            self._ask_player(offered[0].url)
        else:
            self._player.subscribe(offered)
            self.dismiss(True)

    @on(Input.Changed)
    def _changed(self) -> None:
        if not self.busy:
            self.tell(translate(_WHAT))

    def action_close(self) -> None:
        if self.busy:
            self._player.cancel_add(self._asked_for)
        self.dismiss(False)
