"""Values of unknown type, as another program's file has them, made a text, a number or a moment; never an error."""

import math
from datetime import UTC, datetime, timedelta

from player.text.cleaning import clean_line

MOST = 2**53
"""Larger numbers mean nothing that Earmark reads."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_MS = 32_503_680_000_000
"""The year 3000."""


def line_of(value: object, limit: int = 500) -> str:
    """A line that is safe to show and to store; "" for what is no text. A number is written as its digits."""
    if isinstance(value, bytes):
        value = value[: limit * 4].decode("utf-8", "replace")
    if isinstance(value, str):
        return clean_line(value, limit)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST else ""


def whole_of(value: object) -> int | None:
    """A whole number from 0 on, rounded down, also from a text of digits; None for anything else."""
    if isinstance(value, str) and len(value) < 32:
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return int(value) if 0 <= value < MOST else None


def is_true(value: object) -> bool:
    """True, any number but 0, and the texts that other programs write for it."""
    if isinstance(value, str):
        return value.strip().lower() in ("1", "true", "yes")
    return isinstance(value, int | float) and value == value and value != 0


def moment_of_ms(value: object) -> datetime | None:
    """Milliseconds since 1970; None for 0 (never), and for what can't be a moment."""
    ms = whole_of(value)
    return _EPOCH + timedelta(milliseconds=ms) if ms and ms < _LATEST_MS else None


def moment_of_s(value: object) -> datetime | None:
    """Seconds since 1970; as `moment_of_ms`."""
    if isinstance(value, str):
        value = whole_of(value)
    return moment_of_ms(value * 1000) if isinstance(value, int | float) else None


def moment_of_text(value: object) -> datetime | None:
    """ISO 8601; a time without a zone is UTC. None for what can't be a moment."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        found = datetime.fromisoformat(value.strip())
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found if found > _EPOCH else None


def moment_of_date(value: object) -> datetime | None:
    """ISO 8601, or the form of RFC 5322 that feeds have (`Thu, 02 Jan 2025 00:00:00 GMT`)."""
    from email.utils import parsedate_to_datetime  # 15 ms

    if not isinstance(value, str) or len(value) > 100:
        return None
    if (found := moment_of_text(value)) is not None:
        return found
    try:
        found = parsedate_to_datetime(value)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return found if found > _EPOCH else None


def ms_of_s(value: object) -> int:
    """Milliseconds of seconds, which may have a fraction; 0 for what is no length."""
    if isinstance(value, str):
        value = whole_of(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return round(value * 1000) if 0 <= value < MOST / 1000 else 0
