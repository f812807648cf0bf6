"""The state of syncing, as labels with sentences beside them."""

from collections.abc import Set
from datetime import datetime, timedelta

from msgspec import Struct

from player.model.syncing import Carried, KnownDevice, SyncStatus
from player.sync import sync_sentences
from player.text.cleaning import clean_line
from player.text.regional import time_of_day
from player.text.sentences import _, plural
from player.text.times import full_moment

_MOST_DEVICES, _MOST_REFUSALS = 5, 5
_NAME, _SENTENCE = 60, 200


class Standing(Struct, frozen=True):
    """The contents of the page. `carries` is empty if it isn't known. `devices` are all known devices, including this
    one, the one heard of last first. `refusals` are sentences."""

    status: SyncStatus = SyncStatus()
    carries: Set[Carried] = frozenset()
    devices: tuple[KnownDevice, ...] = ()
    refusals: tuple[str, ...] = ()
    offline: bool = False


class Row(Struct, frozen=True):
    """A label with `lines` of text beside it. `trouble`: the lines describe a problem."""

    label: str
    lines: list[str]
    trouble: bool = False


def standing_rows(standing: Standing, now: datetime) -> list[Row]:
    """The rows of the page, which always have the same labels; rows with nothing to say have no lines."""
    status, account = standing.status, standing.status.account
    missing = sync_sentences.not_carried_words(standing.carries)
    last = _("syncing now") if status.busy else sync_sentences.since_words(status.state.succeeded_at, now)
    rows = [
        Row(_("Syncs with"), [sync_sentences.target_words(account)] if account else []),
        Row(_("Problem"), _problem(standing, now), trouble=bool(sync_sentences.failure_words(status))),
        Row(_("This device"), [clean_line(account.name or account.device, _NAME)] if account else []),
        Row(_("Others"), _others(standing, now) or [_("no other device yet")]),
        Row(_("Last synced"), [last]),
        Row(_("Waiting"), [sync_sentences.waiting_words(status) or _("nothing")]),
        Row(_("Refused"), _refused(standing)),
        Row(_("Syncs"), [sync_sentences.carried_words(standing.carries)] if standing.carries else []),
        Row(_("Doesn't sync"), [missing] if standing.carries and missing else []),
    ]
    return rows if account else [Row(row.label, []) for row in rows]


def _others(standing: Standing, now: datetime) -> list[str]:
    account = standing.status.account
    others = [one for one in standing.devices if account is None or one.id != account.device]
    lines = [
        _(
            "{device}, last seen {when}",
            device=clean_line(one.name or one.id, _NAME),
            when=sync_sentences.since_words(one.last_at, now),
        )
        if one.last_at
        else clean_line(one.name or one.id, _NAME)
        for one in others[:_MOST_DEVICES]
    ]
    if more := len(others) - len(lines):
        lines.append(plural(more, "and {n:,} more", "and {n:,} more"))
    return lines


def _problem(standing: Standing, now: datetime) -> list[str]:
    if standing.status.busy:
        return []
    if failure := sync_sentences.failure_words(standing.status):
        return [failure, *_next_try(standing, now)]
    return [_("Offline: it waits for the network.")] if standing.offline else []


def _next_try(standing: Standing, now: datetime) -> list[str]:
    if standing.offline:
        return [_("Earmark tries again when there is a network.")]
    if (at := standing.status.next_at) is None:
        return []
    local = at.astimezone()
    when = time_of_day(local) if at - now < timedelta(hours=12) else full_moment(local)
    return [_("Earmark tries again at {time}.", time=when)]


def _refused(standing: Standing) -> list[str]:
    count = standing.status.counts.refused
    if not count:
        return []
    shown = [clean_line(one, _SENTENCE) for one in standing.refusals[:_MOST_REFUSALS]]
    return [plural(count, "{n:,} change was rejected:", "{n:,} changes were rejected:"), *shown]
