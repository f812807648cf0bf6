"""Which records of a journal are still needed."""

from collections.abc import Sequence

from player.model.syncing.actions import Action, Fact, SubscriptionChange
from player.sync.folder.records import Record


def needed(records: Sequence[Record]) -> list[Record]:
    """Without what is there twice, and of a fact or a subscription only the latest, in the order they have.

    Actions all stay: what one leads to depends on those of other devices.
    """
    latest: dict[object, Record] = {}
    for record in records:
        key = _key(record)
        other = latest.get(key)
        if other is None or _at(record) >= _at(other):
            latest[key] = record
    return [record for record in dict.fromkeys(records) if latest[_key(record)] == record]


def _key(record: Record) -> object:
    match record:
        case Action():
            return record
        case SubscriptionChange(podcast=podcast, device=device):
            return "subscription", podcast, device
        case Fact(kind=kind, key=key, device=device):
            return kind, key, device


def _at(record: Record) -> int:
    return record.at
