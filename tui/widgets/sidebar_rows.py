"""The rows of the sidebar: the views, the listener's own lists and the podcasts, how they are arranged, and how they
are drawn."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum, StrEnum
from functools import lru_cache, partial
from typing import Self

from msgspec import Struct, field
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style

from player.model.filters import SavedList, View, ViewCounts, ViewName
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold
from player.text.regional import Grouped
from player.text.sentences import _, mark, translate
from tui.drawing import cells
from tui.look.colours import hue_of
from tui.look.glyphs import UNICODE, Glyphs


class PodcastOrder(StrEnum):
    """The orders of podcasts. Their values are stored."""

    NAME = "name"
    NEWEST = "newest"
    """By their newest episodes, the latest first."""
    UNPLAYED = "unplayed"
    """The most unplayed episodes first."""


_HIDDEN = "hidden"
_ORDER_WORDS = {
    PodcastOrder.NAME: (mark("By name"), ""),
    PodcastOrder.NEWEST: (mark("Newest episodes first"), mark("newest")),
    PodcastOrder.UNPLAYED: (mark("Most unplayed first"), mark("unplayed")),
}


class Arrangement(Struct, frozen=True):
    """How podcasts are arranged. `hides_played`: podcasts without unplayed episodes are hidden. `folded` are the tags
    of folded groups."""

    order: PodcastOrder = PodcastOrder.NAME
    hides_played: bool = False
    folded: frozenset[str] = frozenset()

    def reordered(self) -> Self:
        """The arrangement with the next order."""
        orders = list(PodcastOrder)
        return replace(self, order=orders[(orders.index(self.order) + 1) % len(orders)])

    def with_folded(self, tag: str, *, folded: bool) -> Self:
        return replace(self, folded=self.folded | {tag} if folded else self.folded - {tag})

    # -- storing ----------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The arrangement as text to remember: a line such as `newest hidden`, then a line for each folded tag."""
        first = f"{self.order} {_HIDDEN if self.hides_played else ''}".rstrip()
        return "\n".join((first, *sorted(self.folded)))

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Reads a remembered `text`; the default arrangement if it isn't valid."""
        first, *folded = text.split("\n")
        order, _space, hidden = first.partition(" ")
        known = PodcastOrder(order) if order in set(PodcastOrder) else PodcastOrder.NAME
        return cls(known, hidden == _HIDDEN, frozenset(folded))

    # -- in words ---------------------------------------------------------------------------------------------

    def order_words(self) -> str:
        return translate(_ORDER_WORDS[self.order][0])

    def heading_words(self, dot: str) -> tuple[str, ...]:
        """The words next to the heading, fewer for less room; () for the default arrangement."""
        word = _ORDER_WORDS[self.order][1]
        order, hidden = translate(word) if word else "", translate(_HIDDEN_WORD) if self.hides_played else ""
        both = (f"{order} {dot} {hidden}",) if order and hidden else ()
        return (*both, *filter(None, (hidden or order,)))


_HIDDEN_WORD = mark("hidden")


KeyOf = Callable[[str], str]
"""Returns the listener's key for an action as sentences name it, given the action's id."""


class Mark(Enum):
    """The mark next to a podcast's name."""

    NONE = "none"
    FAILED = "failed"
    WAITING = "waiting"
    SUGGESTED = "suggested"
    """Has no sign and no number: a heading says what it is."""


class Entry(Struct, frozen=True):
    """A row; without a `view`, it is a heading, a gap or, with `is_hint`, a sentence.

    `group` is the tag of the group that contains the row, or whose heading it is. `words` are texts to show next to a
    heading, of which the first that fits is shown.
    """

    title: str = ""
    view: View | None = None
    sign: str = ""
    count: int = 0
    mark: Mark = Mark.NONE
    more: bool = False
    """Whether there are more than `count`."""
    group: str | None = None
    words: tuple[str, ...] = ()
    is_hint: bool = False
    has_new: bool = False
    """Whether some of the counted episodes are new."""

    @property
    def number(self) -> str:
        return f"{Grouped(self.count):,}{'+' if self.more else ''}" if self.count else ""

    @property
    def hue(self) -> int | None:
        """The number of the podcast's hue; None for other rows."""
        podcast_id = self.view.podcast_id if self.view is not None else None
        return None if podcast_id is None else hue_of(podcast_id)

    @property
    def heads_group(self) -> bool:
        return self.view is not None and self.view.name is ViewName.TAG

    @property
    def indent(self) -> int:
        """The indent in cells."""
        return 2 if self.group is not None and not self.heads_group else 0


class Shelf(Struct, frozen=True):
    """The contents of the sidebar.

    `newest` are the sort keys of the podcasts' newest episodes, if the order needs them. `new` are how many episodes of
    each podcast are new; None: the listener doesn't want New. `suggested` podcasts aren't subscribed to. `wanted_cells`
    is how wide a sidebar would show most titles of podcasts whole.
    """

    podcasts: Sequence[Podcast] = ()
    counts: ViewCounts = field(default_factory=ViewCounts)
    lists: Sequence[SavedList] = ()
    newest: Mapping[PodcastId, int] | None = None
    new: Mapping[PodcastId, int] | None = None
    suggested: Sequence[Podcast] = ()
    wanted_cells: int = 0

    def number(self, podcast: Podcast, arrangement: Arrangement) -> int:
        """The number beside a podcast: of its new episodes, or of all unplayed ones if they decide on the order or
        there is no New."""
        new = None if arrangement.order is PodcastOrder.UNPLAYED else self.new
        return podcast.unplayed_count if new is None else new.get(podcast.id, 0)


def mark_of(podcast: Podcast) -> Mark:
    if podcast.error is not None:
        return Mark.FAILED if podcast.last_refreshed is not None else Mark.WAITING
    return Mark.WAITING if podcast.last_refreshed is None else Mark.NONE


def has_nothing_to_show(podcast: Podcast) -> bool:
    """Whether all episodes of the podcast are played, and there is nothing to report about it."""
    return not podcast.unplayed_count and mark_of(podcast) is Mark.NONE


WHEN_THERE_ARE_ANY = frozenset(map(View.of, (ViewName.STARRED, ViewName.DOWNLOADS, ViewName.BOOKMARKS)))
"""The views that are left out while they are empty: nobody needs them before they have anything."""


def view_rows(shelf: Shelf, glyphs: Glyphs, cursor_on: View | None = None) -> list[Entry]:
    """The rows of the views with something in them, and of the view `cursor_on`."""
    left_out = WHEN_THERE_ARE_ANY - {cursor_on}
    return [one for one in _views(shelf, glyphs) if one.count or one.view not in left_out]


def _views(shelf: Shelf, glyphs: Glyphs) -> list[Entry]:
    counts = shelf.counts
    new = [Entry(_("New"), View.of(ViewName.NEW), glyphs.new, counts.new, has_new=True)]
    return [
        Entry(_("Listen")),
        *(new if shelf.new is not None else []),
        Entry(_("Queue"), View.of(ViewName.QUEUE), glyphs.queued, counts.to_come),
        Entry(_("In progress"), View.of(ViewName.IN_PROGRESS), glyphs.started, counts.in_progress),
        Entry(_("Starred"), View.of(ViewName.STARRED), glyphs.star, counts.starred),
        Entry(_("Downloads"), View.of(ViewName.DOWNLOADS), glyphs.downloaded, counts.downloaded),
        Entry(_("Bookmarks"), View.of(ViewName.BOOKMARKS), glyphs.bookmark, counts.bookmarks),
        Entry(_("History"), View.of(ViewName.HISTORY), glyphs.history),
        Entry(_("All episodes"), View(), glyphs.all),
    ]


def places(shelf: Shelf) -> list[tuple[str, View]]:
    """The views and the listener's own lists, with their titles."""
    entries = [*_views(shelf, UNICODE), *list_rows(shelf.lists, UNICODE)]
    return [(entry.title, entry.view) for entry in entries if entry.view is not None]


def list_rows(lists: Sequence[SavedList], glyphs: Glyphs) -> list[Entry]:
    """The rows of the listener's own lists, whose episodes are counted later."""
    entries = [Entry(), Entry(_("Lists"))] if lists else []
    for one in lists:
        entries.append(Entry(one.title, View.of_list(one.id), glyphs.playlist if one.is_playlist else glyphs.smart))
    return entries


def podcast_rows(
    shelf: Shelf, arrangement: Arrangement, kept: Collection[View], glyphs: Glyphs, key_of: KeyOf
) -> list[Entry]:
    """The rows of podcasts: the pinned ones, the groups, the podcasts without tags, and below a heading the suggested
    ones.

    A podcast with several tags is in each of their groups. Podcasts in `kept` are never hidden, and neither are
    podcasts with something to report: a failed refresh, or that they haven't been loaded yet.
    """
    heading = [Entry(), Entry(_("Podcasts"), words=arrangement.heading_words(glyphs.dot))]
    suggested = [_entry(one.id, one.title, "", 0, Mark.SUGGESTED, False, None) for one in shelf.suggested]
    suggested = [Entry(), Entry(_("Suggested")), *suggested] if suggested else []
    if not shelf.podcasts:
        return [*heading, _hint(_("{key} adds one", key=key_of("add"))), *suggested]
    shown = _in_order(shelf, arrangement.order)
    if arrangement.hides_played:
        ids = {view.podcast_id for view in kept}
        shown = [one for one in shown if one.id in ids or not has_nothing_to_show(one)]
    number = partial(shelf.number, arrangement=arrangement)
    some_new = shelf.new or {}

    def row(podcast: Podcast, *, sign: str = "", group: str | None = None) -> Entry:
        return _row(podcast, number(podcast), podcast.id in some_new, sign=sign, group=group)

    rows = [row(one, sign=glyphs.pinned) for one in shown if one.pinned]
    groups: dict[str, list[Podcast]] = {}
    for one in shown:
        for tag in one.tags:
            groups.setdefault(tag, []).append(one)
    for view in kept:
        if view.tag is not None and any(view.tag in one.tags for one in shelf.podcasts):
            groups.setdefault(view.tag, [])
    for tag in sorted(groups, key=lambda tag: (fold(tag), tag)):
        is_folded = tag in arrangement.folded
        count = sum(map(number, groups[tag]))
        rows.append(Entry(tag, View.of_tag(tag), glyphs.folded if is_folded else glyphs.unfolded, count, group=tag))
        if not is_folded:
            rows += [row(one, group=tag) for one in groups[tag]]
    rows += [row(one) for one in shown if not (one.pinned or one.tags)]
    if not rows:
        rows = [_hint(_("Everything is played")), _hint(_("{key}, “hide”: show all", key=key_of("help")))]
    return [*heading, *rows, *suggested]


def matching_rows(
    shelf: Shelf, arrangement: Arrangement, words: str, folded: Callable[[Podcast], str], key_of: KeyOf
) -> list[Entry]:
    """The rows of the podcasts with all of the words in their names, regardless of case and accents.

    Names that begin with the words come first, then names in which a later word does. `folded` returns the name of a
    podcast without case and accents.
    """
    parts = fold(words).split()
    found = [one for one in _in_order(shelf, arrangement.order) if all(part in folded(one) for part in parts)]
    start = " ".join(parts)

    def rank(podcast: Podcast) -> int:
        name = folded(podcast)
        return 0 if name.startswith(start) else 1 if f" {start}" in name else 2

    new = shelf.new or {}
    rows = [_row(one, shelf.number(one, arrangement), one.id in new) for one in sorted(found, key=rank)]
    none = [
        _hint(_("No podcast matches")),
        _hint(_("{key} clears", key=key_of("back"))),
        _hint(_("{key} finds episodes", key=key_of("search"))),
    ]
    return [Entry(_("Podcasts")), *(rows or none)]


@lru_cache(4096)
def view_of(podcast_id: PodcastId) -> View:
    """The view of a podcast; cached."""
    return View.of(ViewName.PODCAST, podcast_id)


def _row(podcast: Podcast, count: int, has_new: bool, *, sign: str = "", group: str | None = None) -> Entry:
    return _entry(podcast.id, podcast.title, sign, count, mark_of(podcast), has_new, group)


@lru_cache(16_384)
def _entry(podcast_id: PodcastId, title: str, sign: str, count: int, mark: Mark, new: bool, group: str | None) -> Entry:
    """The row of a podcast. Cached, because thousands of rows are rebuilt for each changed number, and few of them
    differ."""
    return Entry(title, view_of(podcast_id), sign, count, mark, group=group, has_new=new)


def _hint(words: str) -> Entry:
    return Entry(words, is_hint=True)


def _in_order(shelf: Shelf, order: PodcastOrder) -> Sequence[Podcast]:
    """The podcasts in this order, the pinned ones first; equal ones stay sorted by name."""
    if order is PodcastOrder.NEWEST and shelf.newest is not None:
        newest = shelf.newest
        never = min(newest.values(), default=0) - 1
        return sorted(shelf.podcasts, key=lambda one: (not one.pinned, -newest.get(one.id, never)))
    if order is PodcastOrder.UNPLAYED:
        return sorted(shelf.podcasts, key=lambda one: (not one.pinned, -one.unplayed_count))
    return shelf.podcasts


SIGN_CELLS = 2
_HUES_FROM = 16
"""Rows at least this wide have a sign in the podcast's hue."""

_BESIDE_TITLE = 8
"""The cells of a sidebar for the edge, the sign before a title, and a number of two digits with the spaces around it:
the width must not change with the numbers."""
_WHOLE = 0.8
"""The share of podcasts whose titles the sidebar wants to show whole; a few are too long for any."""


def wanted_cells(podcasts: Sequence[Podcast]) -> int:
    """How wide a sidebar would show most of these titles whole."""
    titles = sorted(cells.width(one.title) for one in podcasts)
    return titles[math.ceil(_WHOLE * len(titles)) - 1] + _BESIDE_TITLE if titles else 0


class SidebarRow(Struct, frozen=True):
    """Draws the row of an entry. `plays` is the sign of the playback state if the episode in the player bar is of this
    podcast, otherwise "". It replaces the sign in the podcast's hue or, without colours that distinguish podcasts
    (`hues`), is shown beside the number. `lit`: the sidebar has the focus."""

    plays: str = ""
    hues: bool = True
    lit: bool = False

    def draw(
        self, entry: Entry, width: int, glyphs: Glyphs, ink: Callable[[str], Style], *, at_cursor: bool
    ) -> Sequence[Segment]:
        """The row in exactly `width` cells."""
        if entry.is_hint:
            return [Segment(cells.fit(entry.title, width, ellipsis=glyphs.ellipsis), ink("muted"))]
        if entry.view is None:
            return self._heading(entry, width, glyphs, ink)
        indent = min(entry.indent, width)
        sign, sign_role = self._sign(entry, width, glyphs)
        number, number_role = _number(entry)
        mark, mark_role = _mark(entry.mark, glyphs)
        if self.plays and not self._has_hues(width):
            mark, mark_role = f" {self.plays}", "alive"
        room = width - indent - cells.width(sign) - cells.width(mark)
        title = cells.fit(entry.title, max(0, room - cells.width(number)), ellipsis=glyphs.ellipsis)
        role = "strong" if at_cursor else "muted" if entry.mark is Mark.FAILED else "title"
        pieces = [
            Segment(" " * indent),
            Segment(sign, ink(sign_role)),
            Segment(title, ink(role)),
            Segment(mark, ink(mark_role)),
            Segment(number, ink(number_role)),
        ]
        return pieces if width >= cells.width("".join(one.text for one in pieces)) else [Segment(" " * width)]

    def _has_hues(self, width: int) -> bool:
        return self.hues and width >= _HUES_FROM

    def _heading(self, entry: Entry, width: int, glyphs: Glyphs, ink: Callable[[str], Style]) -> Sequence[Segment]:
        room = width - cells.width(entry.title) - 2
        words = next((words for words in entry.words if cells.width(words) <= room), "")
        title = cells.fit(entry.title.upper(), width - cells.width(words), ellipsis=glyphs.ellipsis)
        return [Segment(title, ink("heading-lit" if self.lit else "heading")), Segment(words, ink("faint"))]

    def _sign(self, entry: Entry, width: int, glyphs: Glyphs) -> tuple[str, str]:
        """The sign before the title, with a space after it. A podcast's is in its hue, unless its episode is in the
        player bar."""
        if entry.hue is None or not self._has_hues(width):
            return (f"{entry.sign} " if entry.sign else ""), "muted"
        if self.plays:
            return f"{self.plays} ", "alive"
        return f"{entry.sign or glyphs.hue} ", f"hue-{entry.hue}"


def _number(entry: Entry) -> tuple[str, str]:
    """The number, after a space; in the accent if some of the episodes are new."""
    if entry.number:
        return f" {entry.number}", "alive" if entry.has_new else "muted"
    return "", "faint"


def mark_sign(mark: Mark, glyphs: Glyphs) -> str:
    return {Mark.FAILED: glyphs.failed, Mark.WAITING: glyphs.waiting}.get(mark, "")


def _mark(mark: Mark, glyphs: Glyphs) -> tuple[str, str]:
    sign = mark_sign(mark, glyphs)
    return (f" {sign}" if sign else ""), ("failed" if mark is Mark.FAILED else "muted")
