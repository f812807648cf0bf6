"""The results of a refresh: the podcasts that failed, by reason, with a key to try again, and those with new
episodes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from player.feeds.refresh_summary import RefreshSummary
from player.model.podcast import PodcastId
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural
from tui.actions.keys import MovingKeys
from tui.actions.table import ACTIONS, CURSOR_MOVES, bindings
from tui.dialogs.dialog import Dialog
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice
from tui.widgets.command_rows import CommandRow, CommandRows
from tui.widgets.virtual_list import VirtualList

_LONGEST = 300
Retry = Callable[[PodcastId], "Future[RefreshSummary]"]


class Refreshed(Struct, frozen=True):
    """A podcast after a refresh: why it failed, in a few words (`reason`) and as a sentence, or its number of `new`
    episodes.

    `state` is the progress or outcome of another attempt.
    """

    podcast_id: PodcastId
    title: str
    reason: str = ""
    sentence: str = ""
    new: int = 0
    state: str = ""


class RefreshedScreen(Dialog[PodcastId]):
    """Answers with the chosen podcast. `retry` refreshes a podcast again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(CURSOR_MOVES),
        *bindings(action for action in ACTIONS if action.id == "refresh"),
        ("enter", "take", mark("open")),
        ("escape,q", "close", mark("close")),
    ]

    DEFAULT_CSS = """
    RefreshedScreen {
        & #dialog { width: 76; height: 76vh; padding: 1 0 0 1; overflow: hidden; }
        & CommandRows { height: 1fr; }
        & #told { height: auto; max-height: 4; padding: 0 2 0 1; margin-top: 1; color: $muted; }
        &.-low #dialog { height: 100%; padding: 0; }
        &.-low #told { max-height: 2; margin: 0; }
    }
    """

    def __init__(self, podcasts: Sequence[Refreshed], retry: Retry, key: str) -> None:
        """`key` is the key for trying again."""
        super().__init__()
        self._podcasts = list(podcasts)
        self._retry = retry
        self._key = key
        self._list = CommandRows(id="refreshed")
        self.runs = {**self.runs, **MovingKeys(lambda: self._list).runs, "refresh": self._try_again}

    def heading(self) -> str:
        if failed := sum(bool(one.reason) for one in self._podcasts):
            return plural(failed, "{n:,} podcast couldn't be refreshed", "{n:,} podcasts couldn't be refreshed")
        return _("Refreshed")

    def choices(self) -> list[Choice]:
        again = Choice("act('refresh')", self._key, _("try again"))
        return [*super().choices(), *([again] if any(one.reason for one in self._podcasts) else [])]

    def contents(self) -> ComposeResult:
        yield self._list
        yield self.told

    def on_mount(self) -> None:
        self._list.focus()
        self._show()

    def _show(self) -> None:
        rows = refreshed_rows(self._podcasts)
        self._list.show_rows(rows, _("Nothing new."), from_top=False)
        self.call_after_refresh(self._tell)

    @property
    def _chosen_one(self) -> Refreshed | None:
        row = self._list.chosen
        return next((one for one in self._podcasts if row and str(one.podcast_id) == row.answer), None)

    @on(VirtualList.Moved)
    def _tell(self) -> None:
        one = self._chosen_one
        self.tell(clean_line(one.sentence, _LONGEST) if one else "")

    # -- keys -------------------------------------------------------------------------------------------------

    def _try_again(self) -> None:
        one = self._chosen_one
        if one is None or not one.reason or one.state:
            return
        self._put(replace(one, state=_("Refreshing{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis)))
        put_back = lambda _error: self._put(replace(one, state=""))  # noqa: E731
        self.read(self._retry(one.podcast_id), partial(self._retried, one), put_back)

    def _retried(self, one: Refreshed, summary: RefreshSummary) -> None:
        reason, sentence = next(iter(dict(summary.reasons).values()), ""), next(iter(dict(summary.failed).values()), "")
        if sentence:
            self._put(replace(one, reason=reason or one.reason, sentence=sentence, state=_("failed again")))
        else:
            new = plural(summary.new, "{n:,} new", "{n:,} new") if summary.new else _("nothing new")
            self._put(replace(one, sentence="", state=f"{_('refreshed')}, {new}"))

    def _put(self, changed: Refreshed) -> None:
        self._podcasts = [changed if one.podcast_id == changed.podcast_id else one for one in self._podcasts]
        self._show()

    def action_take(self) -> None:
        if (one := self._chosen_one) is not None:
            self.dismiss(one.podcast_id)


def refreshed(summary: RefreshSummary, titles: "dict[PodcastId, str]") -> list[Refreshed]:
    """The podcasts of a summary, without the ones that have been removed meanwhile."""
    reasons = dict(summary.reasons)
    failed = [
        Refreshed(one, titles[one], reasons.get(one) or _("Couldn't be read"), sentence)
        for one, sentence in summary.failed
        if one in titles
    ]
    return failed + [Refreshed(one, titles[one], new=new) for one, new in summary.news if one in titles]


def refreshed_rows(podcasts: Sequence[Refreshed]) -> list[CommandRow]:
    """The rows of the table: the failed podcasts by reason, the most frequent reason first; then the podcasts with new
    episodes."""
    groups: dict[str, list[Refreshed]] = {}
    for one in podcasts:
        groups.setdefault(one.reason, []).append(one)
    ordered = sorted(groups, key=lambda reason: (not reason, -len(groups[reason])))
    rows: list[CommandRow] = []
    for reason in ordered:
        if rows:
            rows.append(CommandRow("", heading=True))
        rows.append(CommandRow(reason or _("New episodes"), heading=True))
        for one in groups[reason]:
            beside = one.state or (f"{one.new:,}" if one.new else "")
            rows.append(CommandRow(one.title, beside, answer=str(one.podcast_id), quiet=True))
    return rows
