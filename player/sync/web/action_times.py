"""Times of actions: as servers and other apps write them, and as they are sent."""

from datetime import UTC, datetime, timedelta

LATEST = timedelta(days=7)
"""How far a time may lie ahead: a device's clock may be wrong, but a clock that is wrong by years would decide for
years which action is the latest. Such an action is read once its time has come."""


def read_moment(value: object, now: datetime) -> int | None:
    """In ms since 1970, from ISO 8601, in UTC if it names no zone, or from a number of seconds or milliseconds. None
    for anything that can't be a time."""
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
    """In the form of the API's documentation, on which some servers insist: UTC without a zone, in whole seconds;
    rounded up, so that it isn't before anything this device had seen."""
    return datetime.fromtimestamp(-(-at // 1000), UTC).strftime("%Y-%m-%dT%H:%M:%S")
