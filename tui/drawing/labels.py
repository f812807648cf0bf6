"""Short texts for rows and headings: dates, durations, counts."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from player.model.episode import Episode, LiveState
from player.model.filters import Order, SavedList, State, View, ViewName
from player.model.podcast import Podcast
from player.text.durations import brief
from player.text.regional import Grouped, time_of_day
from player.text.sentences import _, mark, plural, translate
from player.text.times import (
    day_and_month,
    day_in_figures,
    day_month_year,
    full_moment,
    month_and_year,
    month_name,
    weekday_name,
)
from tui.drawing.cells import cut, width
from tui.look.glyphs import Glyphs

DATE_CELLS, SHORT_DATE_CELLS, LONG_DATE_CELLS = 9, 6, 11
LENGTH_CELLS, SHORT_LENGTH_CELLS = 8, 7

_LEAST_LEFT_MS = 1_000
"""The least time left that is shown: an episode that was stopped in its last second isn't over yet."""


def short_date(moment: datetime | None, today: date, cells: int = DATE_CELLS) -> str:
    """A date as `today`, `yesterday`, `Mon`, `12 Apr` or `12 Apr 2024`, in the local time zone.

    In fewer than LONG_DATE_CELLS cells, `Apr 2024`; in fewer than DATE_CELLS, `2024`, and the day of the week in place
    of yesterday.
    """
    if moment is None:
        return ""
    day = moment.astimezone().date()
    age = (today - day).days
    if 0 <= age < 7:
        word = _("today") if age == 0 else _("yesterday") if age == 1 else ""
        return word if word and width(word) <= cells else weekday_name(day)
    if day.year == today.year:
        text = day_and_month(day)
        return text if width(text) <= cells else day_in_figures(day)
    texts = (day_month_year(day), month_and_year(day))
    return next((text for text in texts if width(text) <= cells), str(day.year))


def month_date_cells() -> int:
    """What `Apr 2024` takes at most, for any month."""
    return max(width(month_name(month)) for month in range(1, 13)) + len(" 2024")


def live_words(episode: Episode) -> str:
    """“live now”, “live on 24 Nov 2026, 20:00”, “live on 24 Nov 2026” for one that is over; "" for an ordinary
    episode."""
    if episode.live is None:
        return ""
    if episode.live is LiveState.LIVE:
        return _("live now")
    if episode.published is None:
        return _("live soon") if episode.live is LiveState.PENDING else _("was live")
    over = episode.live is LiveState.ENDED
    return _("live on {date}", date=full_date(episode.published) if over else full_moment(episode.published))


def live_date(episode: Episode, today: date, cells: int = DATE_CELLS) -> str:
    """What stands in place of a live show's date: `live now`, `Tue 20:00`, `20:00` today, or else the date."""
    if episode.live is LiveState.LIVE:
        words = _("live now")
        return words if width(words) <= cells else _("live")
    if episode.published is None or episode.live is LiveState.ENDED:
        return short_date(episode.published, today, cells)
    local = episode.published.astimezone()
    days, time = (local.date() - today).days, time_of_day(local)
    texts = (time,) if days == 0 else (f"{weekday_name(local)} {time}", weekday_name(local)) if 0 < days < 7 else ()
    return next((text for text in texts if width(text) <= cells), "") or short_date(episode.published, today, cells)


def is_new_day(moment: datetime | None, today: date) -> bool:
    """Whether a moment is today or yesterday, in the local time zone."""
    return moment is not None and (today - moment.astimezone().date()).days in (0, 1)


def day_words(day: date, today: date) -> str:
    """A day as `Today`, `Yesterday`, `Thu 12 Apr` or `Thu 12 Apr 2024`."""
    age = (today - day).days
    if age in (0, 1):
        return _("Yesterday") if age else _("Today")
    rest = day_and_month(day) if day.year == today.year else day_month_year(day)
    return _("{weekday} {date}", weekday=weekday_name(day), date=rest)


def full_date(moment: datetime) -> str:
    """A date as `12 Apr 2024`, in the local time zone."""
    return day_month_year(moment.astimezone())


def left_ms(episode: Episode) -> int | None:
    """The time left of a started episode, in ms; None for any other."""
    if not episode.in_progress or episode.duration_ms is None:
        return None
    return max(0, episode.duration_ms - episode.position_ms)


def length(episode: Episode, minus: str, cells: int = LENGTH_CELLS) -> str:
    """The length of an episode or the time left, as `24m` or `16m left`, in at most `cells` cells (`−1h 05m` if `1h 05m
    left` would be too long)."""
    return length_words(episode.duration_ms, left_ms(episode), minus, cells)


def length_words(duration_ms: int | None, left: int | None, minus: str, cells: int = LENGTH_CELLS) -> str:
    """As `length`; `left` is the time left of a started episode, in ms."""
    if left is None:
        return "" if duration_ms is None else brief(duration_ms)
    left = max(left, _LEAST_LEFT_MS)
    text = _("{time} left", time=brief(left))
    return text if width(text) <= cells else minus + brief(left)


def progress(episode: Episode) -> float:
    """The played share of a started episode, 0 to 1."""
    if not episode.in_progress or not episode.duration_ms:
        return 0.0
    return min(1.0, episode.position_ms / episode.duration_ms)


def bar(part: float, cells: int) -> tuple[int, bool]:
    """A bar of `cells` cells: the number of full cells, and whether a half one follows.

    It is never empty.
    """
    halves = max(1, min(2 * cells, round(part * 2 * cells)))
    return halves // 2, bool(halves % 2)


def count(number: int, one: str, many: str) -> str:
    """A number with its noun: `1 episode`, `2 episodes`."""
    return f"{Grouped(number):,} {one if number == 1 else many}"


def ordinal(number: int) -> str:
    """An ordinal number: `1st`, `2nd`, `11th`."""
    if number % 100 in (11, 12, 13):
        return _("{n:,}th", n=number)
    endings = {1: mark("{n:,}st"), 2: mark("{n:,}nd"), 3: mark("{n:,}rd")}
    return translate(endings.get(number % 10, mark("{n:,}th")), n=number)


_VIEW_TITLES = {
    ViewName.NEW: mark("New"),
    ViewName.QUEUE: mark("Queue"),
    ViewName.IN_PROGRESS: mark("In progress"),
    ViewName.STARRED: mark("Starred"),
    ViewName.HISTORY: mark("History"),
    ViewName.DOWNLOADS: mark("Downloads"),
    ViewName.BOOKMARKS: mark("Bookmarks"),
    ViewName.ALL: mark("All episodes"),
}


def view_title(view: View, podcast: Podcast | None, saved: SavedList | None = None) -> str:
    if saved is not None:
        return saved.title
    if podcast is not None:
        return podcast.title
    if view.tag is not None:
        return view.tag
    return translate(_VIEW_TITLES.get(view.name, ""))


def view_facts(view: View, shown: int, dot: str, *, more: bool = False, is_cut: bool = False) -> tuple[str, ...]:
    """The facts next to the title of a list, from long to short."""
    if view.title:
        return (_("{n:,}+ matches", n=shown) if more else plural(shown, "{n:,} match", "{n:,} matches"),)
    if not shown:
        return ()
    number = f"{Grouped(shown):,}"
    if view.name is ViewName.HISTORY:
        sessions = _("{n:,}+ sessions", n=shown) if more else plural(shown, "{n:,} session", "{n:,} sessions")
        return f"{sessions} {dot} {_('last played first')}", sessions
    if view.name is ViewName.BOOKMARKS:
        return (plural(shown, "{n:,} bookmark", "{n:,} bookmarks"), number)
    order = lower_first(order_words(view.order))
    hidden = _("played hidden") if State.UNPLAYED in view.filter.states else ""
    if view.filter.here is not None:
        hidden = f"{hidden} {dot} {_('playable offline')}" if hidden else _("playable offline")
    episodes = _("{n:,}+ episodes", n=shown) if more else plural(shown, "{n:,} episode", "{n:,} episodes")
    facts: tuple[str, ...] = (f"{episodes} {dot} {order}", episodes, number)
    if view.order is Order.OWN and not hidden:
        return episodes, number
    if hidden or view.order in _BY_CHOICE:
        # The listener's own choices come before the number.
        chosen = f"{order} {dot} {hidden}" if hidden and view.order in _BY_CHOICE else hidden or order
        both = f" {dot} ".join(filter(None, (episodes, order, hidden)))
        facts = (
            both,
            f"{episodes} {dot} {chosen}",
            f"{number} {dot} {chosen}",
            chosen,
            hidden or order,
            number,
        )
    return (f"{episodes} {dot} {_('its feed may have more')}", *facts) if is_cut else facts


_ORDER_WORDS = {
    Order.NEWEST: mark("Newest first"),
    Order.OLDEST: mark("Oldest first"),
    Order.LONGEST: mark("Longest first"),
    Order.SHORTEST: mark("Shortest first"),
    Order.LAST_HEARD: mark("Last played first"),
    Order.OWN: mark("In the list's own order"),
    Order.QUEUE: mark("In the order of the queue"),
}


_BY_CHOICE = (Order.OLDEST, Order.LONGEST, Order.SHORTEST)


def order_words(order: Order) -> str:
    return translate(_ORDER_WORDS[order])


def upper_first(words: str) -> str:
    """At the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def lower_first(words: str) -> str:
    return words[:1].lower() + words[1:]


KeyOf = Callable[[str], str]
"""Returns the listener's key for an action as sentences name it, given the action's id."""


def empty_words(
    view: View, podcast: Podcast | None, key_of: KeyOf, *, any_podcast: bool, saved: SavedList | None = None
) -> str:
    """The words on an empty list: a sentence, then lines with a key, two spaces, and what it does.

    `saved` is the listener's own list that the view shows, if any.
    """

    def with_keys(sentence: str, **keys: str) -> str:
        return "\n".join([sentence, *(f"{key_of(one)}  {does}" for one, does in keys.items())])

    if podcast is not None and podcast.suggested and not view.title:
        sentence = _("Suggested by Earmark: the first episode you play subscribes to it")
        return with_keys(sentence, play=_("open it"), remove=_("remove it"))
    if not any_podcast:
        return with_keys(
            _("No podcasts yet"),
            add=_("find some, or add one by its URL"),
            play=_("see suggestions"),
            help=_("type “import” for OPML or another app"),
        )
    if view.title and view.name is ViewName.BOOKMARKS:
        return with_keys(_("No bookmarks match “{words}”", words=view.title), back=_("clear the filter"))
    if view.title:
        sentence = _("Nothing matches “{words}”") if view.filter.names else _("No titles match “{words}”")
        does = _("search notes and transcripts")
        return with_keys(sentence.format(words=view.title), back=_("clear the filter"), search=does)
    if view.filter.here is not None:
        return with_keys(_("Nothing here can be played offline"), offline=_("go online"))
    if State.UNPLAYED in view.filter.states:
        return with_keys(_("Everything here is played"), hide_played=_("show it"))
    if saved is not None and saved.is_playlist:
        return with_keys(_("This playlist is empty"), playlist=_("on an episode adds it"))
    if saved is not None:
        sentence = _("Nothing fits “{query}” now", query=saved.query)
        return with_keys(sentence, refresh_all=_("check all podcasts"), help=_("type “edit” to change the search"))
    if podcast is not None and podcast.error is not None:
        return with_keys(_("Nothing could be loaded"), refresh=_("try again"), about=_("see details"))
    if podcast is not None and podcast.last_refreshed is None:
        return with_keys(_("Not loaded yet. Earmark retries automatically."), refresh=_("try now"))
    return _of_view(view, with_keys)


def _of_view(view: View, with_keys: Callable[..., str]) -> str:
    """The words on an empty view without filters."""
    match view.name:
        case ViewName.NEW:
            return with_keys(_("Nothing new"), refresh_all=_("check all podcasts"), undo=_("undo the last change"))
        case ViewName.QUEUE:
            does = _("on an episode plays it next")
            return with_keys(_("The queue is empty"), queue=_("on an episode adds it"), queue_next=does)
        case ViewName.DOWNLOADS:
            return with_keys(_("Nothing downloaded yet"), download=_("on an episode downloads it"))
        case ViewName.IN_PROGRESS:
            return with_keys(_("Nothing in progress yet"), play=_("on an episode plays it"))
        case ViewName.HISTORY:
            return with_keys(_("Nothing heard yet"), play=_("on an episode plays it, and lists it here"))
        case ViewName.BOOKMARKS:
            note = _("the same, with a note")
            return with_keys(_("No bookmarks yet"), bookmark=_("bookmarks this moment"), bookmark_note=note)
        case ViewName.STARRED:
            return with_keys(_("Nothing starred yet"), star=_("on an episode stars it"))
        case _:
            return with_keys(_("No episodes yet"), refresh=_("check for new ones"))


def empty_glyph(view: View, glyphs: Glyphs, *, any_podcast: bool, saved: SavedList | None = None) -> str:
    """The glyph above the words on an empty list."""
    if not any_podcast or (saved is not None and saved.is_playlist):
        return glyphs.playlist
    if saved is not None:
        return glyphs.smart
    signs = {
        ViewName.NEW: glyphs.new,
        ViewName.QUEUE: glyphs.queued,
        ViewName.IN_PROGRESS: glyphs.started,
        ViewName.STARRED: glyphs.star,
        ViewName.DOWNLOADS: glyphs.downloaded,
        ViewName.BOOKMARKS: glyphs.bookmark,
        ViewName.HISTORY: glyphs.history,
    }
    return signs.get(view.name, glyphs.all)


def page_words(podcast: Podcast | None, key_of: KeyOf, *, any_podcast: bool) -> tuple[str, ...]:
    """The lines in place of notes if there is no episode: a title, then lines.

    A line may begin with a key and two spaces, followed by what the key does.
    """
    if podcast is not None and podcast.suggested:
        return (
            podcast.title,
            _("Suggested by Earmark"),
            "",
            f"{key_of('play')}  {_('open it')}",
            f"{key_of('remove')}  {_('remove it')}",
            f"{key_of('add')}  {_('add another podcast')}",
        )
    if not any_podcast:
        return (
            _("No podcasts yet"),
            "",
            f"{key_of('add')}  {_('find some, see suggestions, or add one by its URL')}",
            f"{key_of('help')}  {_('type “import” to bring yours from another app')}",
        )
    return (_("No episode selected"),)


_BAR = 10


def progress_words(done: int, total: int, glyphs: Glyphs, key_of: KeyOf) -> str:
    """The progress of a refresh: a bar, and how many feeds are left."""
    stops = f"{glyphs.dot} {_('{key} stops', key=key_of('back'))}"
    if total == 1:
        return f"{_('Refreshing')} {stops}"
    cells = done * _BAR // total
    bar = glyphs.line * cells + glyphs.line_thin * (_BAR - cells)
    return f"{_('Refreshing')} {bar} {_('{n:,} left', n=total - done)} {stops}"


class FailedFeed(NamedTuple):
    """A podcast that couldn't be refreshed, and the reason as a sentence and in a few words."""

    title: str
    sentence: str
    reason: str


_NAMED = 3


def failure_words(failed: Sequence[FailedFeed], refreshed: int, most: int) -> tuple[str, str]:
    """Which podcasts couldn't be refreshed, and why, as a title and lines. `refreshed` is the number of the podcasts
    that were.

    Podcasts with the same reason share a line; after `most` reasons, the remaining podcasts are counted.
    """
    if len(failed) == 1 and not refreshed:
        return failed[0].title, failed[0].sentence
    titles: dict[str, list[str]] = {}
    for one in failed:
        titles.setdefault(one.reason or _("Couldn't be read"), []).append(one.title)
    reasons = sorted(titles.items(), key=lambda item: -len(item[1]))
    lines = [f"{reason}: {_names(some)}" for reason, some in reasons[:most]]
    if more := sum(len(some) for _reason, some in reasons[most:]):
        lines.append(plural(more, "{n:,} more for another reason", "{n:,} more for other reasons"))
    title = _("{refreshed:,} refreshed, {failed:,} failed", refreshed=refreshed, failed=len(failed))
    return title, "\n".join([*lines, _("Select one marked ! for details.")])


def _names(titles: Sequence[str]) -> str:
    """The first few names, each shortened."""
    named = [cut(title, 24) for title in titles[:_NAMED]]
    more = len(titles) - len(named)
    return ", ".join(named) + (_(" and {n:,} more", n=more) if more else "")


def refresh_words(new: int, failed: int, dot: str) -> str:
    """The result of a refresh in a few words."""
    words = plural(new, "{n:,} new episode", "{n:,} new episodes") if new else _("Nothing new")
    return f"{words} {dot} {plural(failed, '{n:,} feed failed', '{n:,} feeds failed')}" if failed else words


_SORTS = {"bonus": mark("bonus"), "trailer": mark("trailer")}


def numbered(season: int | None, number: str, sort: str) -> str:
    """The number of an episode in words, such as “Season 2, episode 7, bonus”; "" for none. `sort` is the feed's
    episode type: “bonus”, “trailer” or ""."""
    parts = (
        _("season {number}", number=season) if season else "",
        _("episode {number}", number=number) if number else "",
        translate(_SORTS.get(sort, sort)),
    )
    words = ", ".join(filter(None, parts))
    return words[:1].upper() + words[1:]


_HOW = {"off": mark("off"), "gentle": mark("gentle"), "strong": mark("strong")}


def effect_words(how: str) -> str:
    """How strong an effect on the sound is."""
    return translate(_HOW[how])
