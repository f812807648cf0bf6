"""The rows of the sidebar: the views, the listener's lists, the podcasts in their groups. Pure."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import lru_cache

from msgspec import Struct, field

from player.model.filters import SavedList, View, ViewCounts, ViewName
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold
from player.text.regional import Grouped
from player.text.sentences import _
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.hues import hue_of
from tui.widgets.sidebar.arrangement import Arrangement, PodcastOrder

KeyOf = Callable[[str], str]
"""How a sentence names the listener's key for an action, by the action's id."""


class Mark(Enum):
    """What is shown next to a podcast's name."""

    NONE = "none"
    FAILED = "failed"
    WAITING = "waiting"


class Entry(Struct, frozen=True):
    """A row; without a `view` it is a heading, a gap, or with `is_hint` a sentence.

    `group` is the tag of the group that it is in, or whose heading it is. `words` are shown next to a heading: the
    first of them that fit.
    """

    title: str = ""
    view: View | None = None
    sign: str = ""
    count: int = 0
    mark: Mark = Mark.NONE
    more: bool = False
    """There are more than were counted."""
    group: str | None = None
    words: tuple[str, ...] = ()
    is_hint: bool = False
    hue: int | None = None
    """A podcast's."""
    has_new: bool = False
    """Whether some of what is counted is new."""

    @property
    def number(self) -> str:
        return f"{Grouped(self.count):,}{'+' if self.more else ''}" if self.count else ""

    @property
    def heads_group(self) -> bool:
        return self.view is not None and self.view.name is ViewName.TAG

    @property
    def indent(self) -> int:
        """In cells."""
        return 2 if self.group is not None and not self.heads_group else 0


class Shelf(Struct, frozen=True):
    """The contents of the sidebar.

    `newest` are the sort keys of the podcasts' newest episodes, if the order needs them. `with_new` are the podcasts
    with episodes in the inbox.
    """

    podcasts: Sequence[Podcast] = ()
    counts: ViewCounts = field(default_factory=ViewCounts)
    lists: Sequence[SavedList] = ()
    newest: Mapping[PodcastId, int] | None = None
    with_new: frozenset[PodcastId] = frozenset()


def mark_of(podcast: Podcast) -> Mark:
    if podcast.error is not None:
        return Mark.FAILED if podcast.last_refreshed is not None else Mark.WAITING
    return Mark.WAITING if podcast.last_refreshed is None else Mark.NONE


def has_nothing_to_show(podcast: Podcast) -> bool:
    """Whether all of it is played, and there is nothing to report about it."""
    return not podcast.unplayed_count and mark_of(podcast) is Mark.NONE


def view_rows(shelf: Shelf, glyphs: Glyphs, *, shows_new: bool) -> list[Entry]:
    counts = shelf.counts
    unplayed = sum(podcast.unplayed_count for podcast in shelf.podcasts)
    new = [Entry(_("New"), View.of(ViewName.NEW), glyphs.new, counts.new, has_new=True)] if shows_new else []
    return [
        Entry(_("Listen"), words=(_("unplayed"),)),
        *new,
        Entry(_("Queue"), View.of(ViewName.QUEUE), glyphs.queued, counts.to_come),
        Entry(_("In progress"), View.of(ViewName.IN_PROGRESS), glyphs.started, counts.in_progress),
        Entry(_("Starred"), View.of(ViewName.STARRED), glyphs.star, counts.starred_unplayed),
        Entry(_("Downloads"), View.of(ViewName.DOWNLOADS), glyphs.downloaded, counts.downloaded_unplayed),
        Entry(_("Bookmarks"), View.of(ViewName.BOOKMARKS), glyphs.bookmark),
        Entry(_("History"), View.of(ViewName.HISTORY), glyphs.history),
        Entry(_("All episodes"), View(), glyphs.all, unplayed),
    ]


def places(shelf: Shelf, *, shows_new: bool) -> list[tuple[str, View]]:
    """The views and the listener's lists, with their titles."""
    entries = [*view_rows(shelf, UNICODE, shows_new=shows_new), *list_rows(shelf.lists, UNICODE)]
    return [(entry.title, entry.view) for entry in entries if entry.view is not None]


def list_rows(lists: Sequence[SavedList], glyphs: Glyphs) -> list[Entry]:
    """Their numbers are counted later."""
    entries = [Entry(), Entry(_("Lists"))] if lists else []
    for one in lists:
        entries.append(Entry(one.title, View.of_list(one.id), glyphs.playlist if one.is_playlist else glyphs.smart))
    return entries


def podcast_rows(
    shelf: Shelf, arrangement: Arrangement, kept: Collection[View], glyphs: Glyphs, key_of: KeyOf
) -> list[Entry]:
    """The pinned podcasts, the groups, and the podcasts without tags.

    A podcast with several tags is in each of their groups. Podcasts in `kept` are never hidden, nor those with
    something to report, such as a failure or that they haven't been loaded yet.
    """
    heading = [Entry(), Entry(_("Podcasts"), words=arrangement.heading_words(glyphs.dot))]
    if not shelf.podcasts:
        return [*heading, _hint(_("{key} adds one", key=key_of("add")))]
    shown = _in_order(shelf, arrangement.order)
    if arrangement.hides_played:
        ids = {view.podcast_id for view in kept}
        shown = [one for one in shown if one.id in ids or not has_nothing_to_show(one)]
    new = shelf.with_new
    rows = [_row(one, new, sign=glyphs.pinned) for one in shown if one.pinned]
    groups: dict[str, list[Podcast]] = {}
    for one in shown:
        for tag in one.tags:
            groups.setdefault(tag, []).append(one)
    for view in kept:
        if view.tag is not None and any(view.tag in one.tags for one in shelf.podcasts):
            groups.setdefault(view.tag, [])
    for tag in sorted(groups, key=lambda tag: (fold(tag), tag)):
        is_folded = tag in arrangement.folded
        unplayed = sum(one.unplayed_count for one in groups[tag])
        rows.append(Entry(tag, View.of_tag(tag), glyphs.folded if is_folded else glyphs.unfolded, unplayed, group=tag))
        if not is_folded:
            rows += [_row(one, new, group=tag) for one in groups[tag]]
    rows += [_row(one, new) for one in shown if not (one.pinned or one.tags)]
    if not rows:
        rows = [_hint(_("Everything is played")), _hint(_("{key} shows all", key=key_of("hide_played")))]
    return [*heading, *rows]


def matching_rows(
    shelf: Shelf, arrangement: Arrangement, words: str, folded: Callable[[Podcast], str], key_of: KeyOf
) -> list[Entry]:
    """The podcasts with all the words in their names, regardless of case and accents.

    Those whose names begin with them come first, then those with a word that does. `folded` returns the folded name of
    a podcast.
    """
    parts = fold(words).split()
    found = [one for one in _in_order(shelf, arrangement.order) if all(part in folded(one) for part in parts)]
    start = " ".join(parts)

    def rank(podcast: Podcast) -> int:
        name = folded(podcast)
        return 0 if name.startswith(start) else 1 if f" {start}" in name else 2

    rows = [_row(one, shelf.with_new) for one in sorted(found, key=rank)]
    none = [
        _hint(_("No podcast matches")),
        _hint(_("{key} clears", key=key_of("back"))),
        _hint(_("{key} finds episodes", key=key_of("search"))),
    ]
    return [Entry(_("Podcasts")), *(rows or none)]


@lru_cache(4096)
def view_of(podcast_id: PodcastId) -> View:
    """The view of a podcast."""
    return View.of(ViewName.PODCAST, podcast_id)


def _row(podcast: Podcast, with_new: Collection[PodcastId], *, sign: str = "", group: str | None = None) -> Entry:
    state = podcast.unplayed_count, mark_of(podcast), podcast.id in with_new
    return _entry(podcast.id, podcast.title, podcast.url, sign, *state, group)


@lru_cache(16_384)
def _entry(
    podcast_id: PodcastId, title: str, url: str, sign: str, unplayed: int, mark: Mark, new: bool, group: str | None
) -> Entry:
    """Cached: of thousands of rows, which are rebuilt for each changed number, few change."""
    return Entry(title, view_of(podcast_id), sign, unplayed, mark, group=group, hue=hue_of(url), has_new=new)


def _hint(words: str) -> Entry:
    return Entry(words, is_hint=True)


def _in_order(shelf: Shelf, order: PodcastOrder) -> Sequence[Podcast]:
    """The pinned ones first; podcasts that are equal in this order stay sorted by name."""
    if order is PodcastOrder.NEWEST and shelf.newest is not None:
        newest = shelf.newest
        never = min(newest.values(), default=0) - 1
        return sorted(shelf.podcasts, key=lambda one: (not one.pinned, -newest.get(one.id, never)))
    if order is PodcastOrder.UNPLAYED:
        return sorted(shelf.podcasts, key=lambda one: (not one.pinned, -one.unplayed_count))
    return shelf.podcasts
