"""Syncing in sentences: what arrived, what a first merge would change, and the state of syncing."""

from collections.abc import Iterable, Set
from datetime import datetime
from itertools import islice

from player.model.syncing import Carried, ChangedEpisode, FactKind, SyncAccount, SyncPlan, SyncStatus, Taken
from player.sync import ways
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _, mark, plural, translate

_TITLES = 3
_TITLE = 60
_CARRIED = {
    Carried.POSITIONS: mark("positions"),
    Carried.PLAYED: mark("played"),
    Carried.UNPLAYED: mark("unplayed"),
    Carried.SUBSCRIPTIONS: mark("subscriptions"),
    Carried.STARS: mark("stars"),
    Carried.QUEUE: mark("the queue"),
    Carried.BOOKMARKS: mark("bookmarks"),
    Carried.SEGMENTS: mark("segments"),
    Carried.HISTORY: mark("the listening history"),
    Carried.SETTINGS: mark("podcasts' settings"),
    Carried.DISMISSED: mark("dismissals from New"),
}


def target_words(account: SyncAccount) -> str:
    """Where it syncs: `gpodder server https://example.com as ann`."""
    way, address = ways.find(account.target), clean_line(account.address, 200)
    kind = account.target if way is None else translate(way.title)
    if not account.user:
        return _("{kind} {address}", kind=kind, address=address)
    return _("{kind} {address} as {user}", kind=kind, address=address, user=clean_line(account.user, 80))


def carried_words(carries: Set[Carried]) -> str:
    return _names(carries)


def not_carried_words(carries: Set[Carried]) -> str:
    """ "" if it carries everything."""
    return _names(set(Carried) - carries)


def _names(of: Set[Carried]) -> str:
    names = {one: translate(words) for one, words in _CARRIED.items() if one in of}
    if {Carried.PLAYED, Carried.UNPLAYED} <= of:
        names |= {Carried.PLAYED: _("played and unplayed")}
        del names[Carried.UNPLAYED]
    return ", ".join(names.values())


# -- the first merge --------------------------------------------------------------------------------------------


def plan_lines(plan: SyncPlan, target: str) -> list[str]:
    """What the first merge changes here, then what is sent to `target`, as lines of text."""
    here, there = _here(plan.here), _there(plan)
    return [
        _("Here:"),
        *(f"  {line}" for line in here or [_("Nothing changes.")]),
        _("To {target}:", target=target),
        *(f"  {line}" for line in there or [_("Nothing is sent.")]),
    ]


def _here(taken: Taken) -> list[str]:
    played = [one for one in taken.changed if one.played and not one.was_played]
    unplayed = [one for one in taken.changed if one.was_played and not one.played]
    moved = [one for one in taken.changed if one.played is one.was_played]
    lines = []
    if count := len(moved):
        lines += [plural(count, "{n:,} position changes:", "{n:,} positions change:"), *_first(map(_moved, moved))]
    if count := len(played):
        sentence = plural(count, "{n:,} episode is marked as played:", "{n:,} episodes are marked as played:")
        lines += [sentence, *_first(map(_title, played))]
    if count := len(unplayed):
        sentence = plural(count, "{n:,} episode is no longer played:", "{n:,} episodes are no longer played:")
        lines += [sentence, *_first(map(_title, unplayed))]
    if count := len(taken.subscribe):
        titles = (clean_line(one.title or one.podcast, _TITLE) for one in taken.subscribe)
        lines += [plural(count, "{n:,} podcast is added:", "{n:,} podcasts are added:"), *_first(titles)]
    if count := len(taken.unsubscribe):
        lines.append(plural(count, "{n:,} podcast is removed.", "{n:,} podcasts are removed."))
    return [*lines, *_rest(taken)]


def _rest(taken: Taken) -> list[str]:
    lines = []
    if count := len(taken.others):
        lines.append(
            plural(
                count,
                "{n:,} episode gets stars, bookmarks, segments or history.",
                "{n:,} episodes get stars, bookmarks, segments or history.",
            )
        )
    if taken.queue:
        lines.append(_("The queue changes."))
    if count := len(taken.arranged):
        lines.append(plural(count, "{n:,} podcast's settings change.", "{n:,} podcasts' settings change."))
    if count := taken.coming:
        lines.append(
            plural(
                count,
                "{n:,} episode of the added podcasts is updated once its feed is read.",
                "{n:,} episodes of the added podcasts are updated once their feeds are read.",
            )
        )
    if count := taken.unmatched - taken.coming:
        lines.append(
            plural(
                count,
                "{n:,} synced episode isn't in any feed here yet.",
                "{n:,} synced episodes aren't in any feed here yet.",
            )
        )
    return lines


def _there(plan: SyncPlan) -> list[str]:
    found = [
        (plan.positions, plural(plan.positions, "{n:,} position", "{n:,} positions")),
        (plan.played, plural(plan.played, "{n:,} played episode", "{n:,} played episodes")),
        (plan.unplayed, plural(plan.unplayed, "{n:,} episode marked as unplayed", "{n:,} episodes marked as unplayed")),
    ]
    lines = [sentence for count, sentence in found if count]
    if count := plan.subscribed:
        titles = (clean_line(title, _TITLE) for title in plan.titles)
        lines += [plural(count, "{n:,} subscription:", "{n:,} subscriptions:"), *_first(titles)]
    if count := plan.unsubscribed:
        lines.append(plural(count, "{n:,} podcast to remove", "{n:,} podcasts to remove"))
    if plan.kinds:
        lines.append(", ".join(_facts(kind, count) for kind, count in plan.kinds))
    return lines


def _facts(kind: FactKind, count: int) -> str:
    match kind:
        case FactKind.STAR:
            return plural(count, "{n:,} star", "{n:,} stars")
        case FactKind.QUEUE:
            return plural(count, "{n:,} queued", "{n:,} queued")
        case FactKind.BOOKMARK:
            return plural(count, "{n:,} bookmark", "{n:,} bookmarks")
        case FactKind.SEGMENT:
            return plural(count, "{n:,} segment", "{n:,} segments")
        case FactKind.SPAN:
            return plural(count, "{n:,} history entry", "{n:,} history entries")
        case FactKind.SETTINGS:
            return plural(count, "{n:,} podcast's tags and settings", "{n:,} podcasts' tags and settings")
        case FactKind.DISMISSED:
            return plural(count, "{n:,} dismissed from New", "{n:,} dismissed from New")
        case FactKind.FORGOTTEN:
            return _("the deletion of the history")


def _first(titles: Iterable[str]) -> list[str]:
    """A few titles, and a sign for more."""
    found = list(islice(titles, _TITLES + 1))
    return [*(f"  {title}" for title in found[:_TITLES]), *(["  …"] if len(found) > _TITLES else [])]


def _title(one: ChangedEpisode) -> str:
    return f"{clean_line(one.title, _TITLE)} · {clean_line(one.podcast, _TITLE)}"


def _moved(one: ChangedEpisode) -> str:
    before, after = clock(one.before_ms), clock(one.position_ms)
    return _("{title}: {before} → {after}", title=clean_line(one.title, _TITLE), before=before, after=after)


# -- afterwards -------------------------------------------------------------------------------------------------


def arrived_words(taken: Taken) -> str:
    """What other devices changed here."""
    parts = []
    if count := len(taken.changed):
        parts.append(plural(count, "{n:,} episode changed", "{n:,} episodes changed"))
    if count := len(taken.subscribe):
        parts.append(plural(count, "{n:,} podcast added", "{n:,} podcasts added"))
    if count := len(taken.unsubscribe):
        parts.append(plural(count, "{n:,} podcast removed", "{n:,} podcasts removed"))
    return _("Synced: {changes}.", changes=", ".join(parts)) if parts else _("Synced: nothing changed here.")


def waiting_words(status: SyncStatus) -> str:
    """What hasn't been sent yet, and what waits for feeds; "" for nothing."""
    parts = []
    if count := status.counts.outgoing:
        parts.append(plural(count, "{n:,} change waits to be sent", "{n:,} changes wait to be sent"))
    if count := status.counts.unmatched:
        parts.append(plural(count, "{n:,} episode waits for its feed", "{n:,} episodes wait for their feeds"))
    return "; ".join(parts)


def failure_words(status: SyncStatus) -> str:
    """Why the last attempt failed, or any attempt would, in sentences; "" if it didn't fail."""
    state, account = status.state, status.account
    if state.what:
        return f"{state.what}. {state.advice}".strip()
    return str(ways.unknown(account.target)) if account and ways.find(account.target) is None else ""


def since_words(moment: datetime | None, now: datetime) -> str:
    """When syncing last succeeded."""
    if moment is None:
        return _("never")
    minutes = max(0, int((now - moment).total_seconds() // 60))
    if minutes < 1:
        return _("just now")
    if minutes < 60:
        return plural(minutes, "{n} minute ago", "{n} minutes ago")
    if minutes < 48 * 60:
        return plural(minutes // 60, "{n} hour ago", "{n} hours ago")
    return plural(minutes // (24 * 60), "{n} day ago", "{n} days ago")
