"""Times as the library stores them: whole milliseconds since 1970 in UTC."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
TOMORROW = "(CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 86400000)"
"""In SQL: what is stored as later than this was stored while the clock was ahead."""


def stored(moment: datetime) -> int:
    """An aware datetime as milliseconds since 1970, rounded down."""
    return (moment - _EPOCH) // _MS


def moment(ms: int) -> datetime:
    return _EPOCH + ms * _MS


def stored_maybe(value: datetime | None) -> int | None:
    return None if value is None else stored(value)


def moment_maybe(ms: int | None) -> datetime | None:
    return None if ms is None else moment(ms)
