"""Times of actions: as servers and other apps write them, and as they are sent."""

from datetime import UTC, datetime, timedelta

LATEST = timedelta(days=7)
"""How far a time may lie ahead: a device's clock may be wrong, but one that is wrong by years would decide what is the
latest for years. Such an action is read once its time has come."""


def read_moment(value: object, now: datetime) -> int | None:
    """In ms since 1970: ISO 8601, in UTC where it names no zone, or a number of seconds or milliseconds. None for what
    can't be."""
    if isinstance(value, str):
        text = value.strip()[:41]
        found = float(text) if text.isascii() and text.isdecimal() and 9 <= len(text) <= 13 else _iso(text)
    else:
        found = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if found is None or not 0 <= found < 1e14:
        return None
    ms = round(found if found >= 1e11 else found * 1000)
    return ms if ms <= (now + LATEST).timestamp() * 1000 else None


def _iso(text: str) -> float | None:
    try:
        read = datetime.fromisoformat(text.upper()) if len(text) <= 40 else None
        return None if read is None else (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def written(at: int) -> str:
    """As the API's documentation has it, which some servers insist on: UTC without saying so, in whole seconds; the
    next one, so that it isn't before what this device had seen."""
    return datetime.fromtimestamp(-(-at // 1000), UTC).strftime("%Y-%m-%dT%H:%M:%S")
