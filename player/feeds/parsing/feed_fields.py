"""Parses the fields of feeds. Nothing here raises: what can't be parsed is None or "".

Sources: RSS 2.0 (dates as RFC 822, `length` in bytes), Atom (RFC 3339), Apple's podcast tags (`itunes:duration` as
seconds or H:MM:SS), and other spellings in real feeds.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import urlsplit

from player.links.urls import web_address
from player.model.podcast import WELCOME_URL
from player.text.cleaning import clean_line, fold

_SIZE_LIMIT = 1 << 40
_BETWEEN_DIGITS = re.compile(r"[\s,.]")
_MOST_DIGITS = 15
_HUNDRED_HOURS_S = 360_000

# -- addresses ------------------------------------------------------------------------------------------------

_WELCOME_FILE = re.compile(re.escape(WELCOME_URL) + r"/[A-Za-z0-9][A-Za-z0-9._-]*")


def web_url(text: str, base: str = "") -> str:
    """An absolute http or https address, resolved against `base`, safe to show; "" if there is none.

    Only the built-in feed (`base` is its address) may name the files of the built-in podcast.
    """
    if base == WELCOME_URL and _WELCOME_FILE.fullmatch(text.strip()):
        return text.strip()
    return web_address(text, base)


# -- audio and video ----------------------------------------------------------------------------------------

HLS_TYPE = "audio/mpegurl"
"""A playlist of HLS (RFC 8216), by any of its names."""

_TYPES = {
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg",
    "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "aif": "audio/aiff",
    "aiff": "audio/aiff", "wma": "audio/x-ms-wma", "mka": "audio/x-matroska", "weba": "audio/webm",
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mkv": "video/x-matroska",
    "ogv": "video/ogg", "mpg": "video/mpeg", "mpeg": "video/mpeg", "avi": "video/x-msvideo",
    "m3u8": HLS_TYPE, "mpegurl": HLS_TYPE,
}  # fmt: skip

_AUDIO = frozenset(kind for kind in _TYPES.values() if kind.startswith("audio/"))


# What servers send for unknown files.
_ANY_FILE = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/force-download",
                       "application/x-download", "application/download", "unknown/unknown"})  # fmt: skip
_FILE_IN_QUERY = re.compile(r"[^/?&=;#]\.([a-zA-Z0-9]{2,5})(?=[&;#]|$)")


def media_type(declared: str, url: str) -> str:
    """`audio/...` or `video/...` as declared, or by the file's extension; "" for anything else."""
    if declared in _AUDIO:
        return declared
    kind = clean_line(declared.partition(";")[0], 100).lower()
    if kind.startswith(("audio/", "video/")):
        return kind
    parts = urlsplit(url)
    name = parts.path.rpartition("/")[2]
    by_name = _TYPES.get(name.rpartition(".")[2].lower(), "")
    if kind in _ANY_FILE and not by_name:  # `download.php?file=1.mp3`
        endings = _FILE_IN_QUERY.findall(parts.query)
        return next((_TYPES[ending.lower()] for ending in endings if ending.lower() in _TYPES), "")
    return by_name or _misspelt(kind)


def _misspelt(kind: str) -> str:
    """`mp3`, `application/mp3`, `mpeg/audio`, `application/x-ogg`: types whose words are swapped or misspelt."""
    if kind.startswith(("image/", "text/")):
        return ""
    words = re.split(r"[/.+_ -]", kind)
    known = [_TYPES[word] for word in words if word in _TYPES]
    if "audio" in words:
        return next((one for one in known if one.startswith("audio/")), "audio/mpeg")
    return known[0] if known else ""


def size(text: str) -> int | None:
    """Bytes; None if absent, zero or implausible."""
    digits = text if text.isdigit() else _BETWEEN_DIGITS.sub("", text[:40])
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
        return None
    claimed = int(digits)
    return claimed if 0 < claimed < _SIZE_LIMIT else None


def number(text: str) -> int | float | None:
    """A number as in JSON; an int if it is whole."""
    found = re.fullmatch(r"\s*([0-9]{1,15})(?:\.([0-9]{1,9}))?\s*", text[:60], re.ASCII)
    if not found:
        return None
    return float(f"{found[1]}.{found[2]}") if (found[2] or "").strip("0") else int(found[1])


# -- durations ------------------------------------------------------------------------------------------------

_CLOCK = re.compile(r"(?:(\d{1,3})\s*:\s*)?(\d{1,4})\s*:\s*(\d{1,2})(?:[.,:]\d{1,9})?", re.ASCII)
_SECONDS = re.compile(r"(\d{1,12})(?:[.,](\d{1,9}))?\s*(?:s|secs?|seconds?)?", re.ASCII | re.IGNORECASE)
_SPOKEN = re.compile(
    r"(?:P?T?)(?:(\d{1,4})\s*(?:h|hrs?|hours?|std|stunden?)\W{0,3})?(?:(\d{1,5})\s*(?:m|mins?|minutes?|minuten)\W{0,3})?"
    r"(?:(\d{1,6})(?:\.\d{1,9})?\s*(?:s|secs?|seconds?|sekunden)\W{0,3})?",
    re.ASCII | re.IGNORECASE,
)


def duration(text: str) -> int | None:
    """Milliseconds. None if absent, zero or unreadable.

    Reads `3723`, `3723.5`, `62:03`, `1:02:03`, `01:02:03.000`, `1h 2m 3s`, `62 min`, `PT1H2M3S`.
    """
    text = text[:60].strip()
    if ":" not in text and (found := _SECONDS.fullmatch(text)):
        seconds, fraction = int(found[1]), found[2]
        if seconds >= _HUNDRED_HOURS_S:
            return _believable(seconds)  # no episode is a hundred hours long: these are milliseconds
        return _believable(seconds * 1000 + int((fraction or "0")[:3].ljust(3, "0")))
    found = _CLOCK.fullmatch(text) or (_SPOKEN.fullmatch(text) if text else None)
    if not found:
        return None
    hours, minutes, rest = found.groups()
    return _believable((int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(rest or 0)) * 1000)


def position(text: str) -> int | None:
    """A position in an episode, in milliseconds: like a duration, but zero is valid (`0`, `00:00:00.000`, `1:00`)."""
    text = text.strip()[:60]
    if re.fullmatch(r"[0:]{1,9}(?:[.,]0{1,9})?", text):
        return 0
    if found := re.fullmatch(r"(.+)[.,]([0-9]{1,9})", text):
        whole = position(found[1])
        return None if whole is None else whole + int(found[2][:3].ljust(3, "0"))
    return duration(text)


def _believable(ms: int) -> int | None:
    return ms if 0 < ms < _HUNDRED_HOURS_S * 1000 else None


# -- dates ----------------------------------------------------------------------------------------------------

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan ene gen", "feb fev fevr", "mar mrt maa mae mrz", "apr abr avr", "may mai mei mag", "jun giu juin",
            "jul lug juil", "aug ago aou", "sep set", "oct okt out ott", "nov", "dec dez dic",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_ZONES = {
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    "cet": 1, "cest": 2, "bst": 1, "msk": 3, "jst": 9, "aest": 10, "aedt": 11,
}  # fmt: skip
_TIME = r"(?:\D{1,4}?0?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d{1,9})?)?\s*(am|pm|a\.m\.|p\.m\.)?)?(.{0,40})"
_DAY_FIRST = re.compile(
    r"(?:[^\W\d]{1,12}\.?,?\s*)?(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]{1,3}([^\W\d]{3,12})\.?,?[\s-]{1,3}(\d{4}|\d{2})"
    + _TIME
)
_MONTH_FIRST = re.compile(
    r"(?:[^\W\d]{1,12}(?:\.?,\s*|\s))?([^\W\d]{3,12})\.?\s{1,3}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,3}(\d{4})" + _TIME
)
_YEAR_LAST = re.compile(r"([^\W\d]{3} [^\W\d]{3} \d{1,2})( \d{1,2}:\d{2}:\d{2}(?: [a-z]{3,4})?) (\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + _TIME)
# RFC 822's format, which most feeds use, is parsed without the general parser's work.
_USUAL = re.compile(
    r"(?:[A-Z][a-z]{2}, )?([0-9]{1,2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) "
    r"(?:GMT|([+-][0-9]{2}:?[0-9]{2}))"
)
_USUAL_MONTHS = {
    "Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06",
    "Jul": "07", "Aug": "08", "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
}  # fmt: skip
_OFFSET = re.compile(r"\s*(?:gmt|utc|ut)?\s*([+-])(\d{1,2}):?(\d{2})?\b")
_FARTHEST = timedelta(hours=24)
"""An offset greater than that of any time zone: a mistake, but the time itself is right."""
_NAME = re.compile(r"\s*([a-z]{3,4})\b")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def date(text: str) -> datetime | None:
    """A moment in UTC. A missing zone is UTC, a missing time midnight; a wrong day of the week doesn't matter.

    The start of the epoch means unknown: None.
    """
    if (usual := _USUAL.fullmatch(text)) and (moment := _usual_date(*usual.groups())):
        return moment
    text = _YEAR_LAST.sub(r"\1 \3\2", fold(" ".join(text[:120].split())), count=1)  # C's asctime, `date`
    if found := _YEAR_FIRST.match(text):
        year, month, day = int(found[1]), int(found[2]), int(found[3])
    elif found := _DAY_FIRST.match(text):
        year, month, day = _full_year(found[3]), _month(found[2]), int(found[1])
    elif found := _MONTH_FIRST.match(text):
        year, month, day = int(found[3]), _month(found[1]), int(found[2])
    else:
        return None
    hour, minute, second = (int(part or 0) for part in found.group(4, 5, 6))
    if found[7]:
        hour = hour % 12 + (12 if found[7].startswith("p") else 0)
    try:
        local = datetime(year, month, day, tzinfo=UTC) + timedelta(hours=hour, minutes=minute, seconds=second)
        moment = local.replace(tzinfo=_zone(found[8])).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if 1900 <= moment.year < 2200 and moment != _EPOCH else None


def _usual_date(day: str, month: str, year: str, time: str, offset: str | None) -> datetime | None:
    """None if it isn't in that format."""
    if not "1970" < year < "2199":
        return None
    try:
        moment = datetime.fromisoformat(f"{year}-{_USUAL_MONTHS[month]}-{day:0>2}T{time}{offset or '+0000'}")
    except (KeyError, ValueError):
        return None
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _month(name: str) -> int:
    """0 if unknown."""
    return _MONTHS.get(name[:4], _MONTHS.get(name[:3], 0))


def _full_year(digits: str) -> int:
    year = int(digits)
    if len(digits) == 4:
        return year
    return year + (2000 if year < 70 else 1900)


def _zone(text: str) -> timezone:
    if found := _OFFSET.match(text):
        away = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(-away if found[1] == "-" else away) if away < _FARTHEST else UTC
    named = _NAME.match(text)
    return timezone(timedelta(hours=_ZONES.get(named[1], 0) if named else 0))
