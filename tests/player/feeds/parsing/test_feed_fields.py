"""What feeds write into their fields."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.feeds.parsing import feed_fields
from player.model.podcast import WELCOME_URL


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3723", 3723), ("3723.5", 3723.5), (" 3723 ", 3723), ("62:03", 3723), ("1:02:03", 3723), ("01:02:03", 3723),
        ("01:02:03.000", 3723), ("01:02:03:000", 3723), ("1h 2m 3s", 3723), ("1h2m3s", 3723), ("PT1H2M3S", 3723),
        ("PT62M", 3720), ("62 min", 3720), ("62 minutes", 3720), ("1 hour, 2 minutes", 3720), ("45s", 45),
        ("0:45", 45), ("3723000", 3723), ("90 secs", 90), ("1 Std 5 Min", 3900), ("120:00", 7200), ("1:2:3", 3723),
    ],
)  # fmt: skip
def test_a_duration_is_read_in_each_of_its_spellings(text: str, seconds: float) -> None:
    assert feed_fields.duration(text) == int(seconds * 1000)


@pytest.mark.parametrize(
    "text", ["", "0", "00:00", "00:00:00", "-5", "soon", ":", "1:", "PT", "h", "1:2:3:4:5", "9" * 50, "NaN", "١٢"]
)
def test_a_duration_that_says_nothing_is_none(text: str) -> None:
    assert feed_fields.duration(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 15 Jan 2024 10:30:00 +0000", "Mon, 15 Jan 2024 10:30:00 GMT", "15 Jan 2024 10:30:00 Z",
        "15 Jan 24 10:30 UT",
        "Fri, 15 Jan 2024 10:30:00 +0000", "Mon, 15 January 2024 05:30:00 EST", "Monday, January 15th, 2024 10:30 am",
        "Mon, 15 Jan 2024 12:30:00 +0200 (EET)", "Mon, 15 Jan 2024 12:30:00 GMT+2", "Mon,15 Jan 2024 10:30:00 +0000",
        "2024-01-15T10:30:00Z", "2024-01-15T12:30:00+02:00", "2024-01-15 10:30", "2024/01/15 10:30:00",
        "2024-01-15T10:30:00.123456Z", "Mo, 15 Jan 2024 11:30:00 CET", "15. Januar 2024 10:30",
        "lun., 15 janv. 2024 10:30:00",
        "Mon, 15 Jan 2024 10:30:00 AM", "  Mon,  15  Jan  2024  10:30:00  +0000 ",
        "Mon Jan 15 2024 03:30:00 GMT-0700", "Mon Jan 15 2024 03:30:00 GMT-0700 (Mountain Standard Time)",
        "Mon, 15 Jan 2024 010:30:00 GMT", "Mon Jan 15 10:30:00 2024", "Mon Jan 15 05:30:00 EST 2024",
        "Mon, 15 Jan 2024 10:30:00 -3000", "Mon, 15 Jan 2024 10:30:00 -5100", "2024-01-15T10:30:00+99:99",
    ],
)  # fmt: skip
def test_a_date_is_read_in_each_of_its_formats(text: str) -> None:
    assert feed_fields.date(text) == datetime(2024, 1, 15, 10, 30, tzinfo=UTC)


def test_a_date_without_a_time_is_midnight() -> None:
    assert feed_fields.date("Mon, 15 Jan 2024") == datetime(2024, 1, 15, tzinfo=UTC)


def test_midnight_may_be_called_24() -> None:
    assert feed_fields.date("Mon, 15 Jan 2024 24:00:00 GMT") == datetime(2024, 1, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "32 Jan 2024", "15 Foo 2024", "2024-13-01", "Thu, 01 Jan 1970 00:00:00 +0000", "15 Jan 0001",
     "15 Jan 9999 10:00:00 -1200", "Thu, 118 Jun 2015 10:30:00 GMT", "1983"],
)  # fmt: skip
def test_a_date_that_says_nothing_is_none(text: str) -> None:
    assert feed_fields.date(text) is None


@given(st.text(max_size=300) | st.from_regex(r"[0-9:.hmsPT +-]{0,40}", fullmatch=True))
def test_no_field_raises(text: str) -> None:
    feed_fields.duration(text)
    feed_fields.size(text)
    feed_fields.web_url(text, "https://example.com/feed")
    feed_fields.media_type(text, feed_fields.web_url(text))
    moment = feed_fields.date(text)
    assert moment is None or moment.tzinfo is UTC


@given(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1)))
def test_every_well_written_date_is_read_exactly(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    assert feed_fields.date(moment.strftime("%a, %d %b %Y %H:%M:%S +0000")) == moment
    assert feed_fields.date(moment.isoformat()) == moment


@pytest.mark.parametrize(
    ("text", "size"),
    [("12345", 12345), ("12,345", 12345), (" 12 345 ", 12345), ("0", None), ("-1", None), ("", None), ("big", None),
     ("9" * 30, None)],
)  # fmt: skip
def test_a_size_is_a_number_of_bytes_or_none(text: str, size: int | None) -> None:
    assert feed_fields.size(text) == size


@pytest.mark.parametrize(
    ("declared", "name", "expected"),
    [
        ("audio/mpeg", "a.mp3", "audio/mpeg"), ("Audio/MPEG; charset=x", "a", "audio/mpeg"),
        ("", "a.MP3", "audio/mpeg"),
        ("application/octet-stream", "a.opus", "audio/ogg"), ("application/ogg", "a", "audio/ogg"),
        ("video/mp4", "a.mp4", "video/mp4"), ("", "a.m4a?x=1", "audio/mp4"), ("image/jpeg", "a.jpg", ""),
        ("application/x-bittorrent", "a.torrent", ""), ("", "a", ""), ("text/html", "", ""),
        ("application/octet-stream", "download.php?file=ep1.mp3", "audio/mpeg"),
        ("", "get?a=1&file=shows/ep1.M4A&b=2", "audio/mp4"), ("", "get?file=ep1.mp3#t=1", "audio/mpeg"),
        ("binary/octet-stream", "get?next=a.example&f=x.ogg", "audio/ogg"), ("", "a.mp3?from=b.mp4", "audio/mpeg"),
        ("application/octet-stream", "get?file=cover.jpg", ""), ("image/jpeg", "get?of=ep1.mp3", ""),
        ("text/html", "play?file=ep1.mp3", ""), ("mp3", "1", "audio/mpeg"), ("audio", "1", "audio/mpeg"),
        ("audio", "1.ogg", "audio/ogg"), ("application/mp3", "1", "audio/mpeg"), ("mpeg/audio", "1", "audio/mpeg"),
        ("application/x-mp3", "1", "audio/mpeg"), ("mp4/video", "1", "video/mp4"),
        ("application/x-mpegURL", "1", "audio/mpegurl"), ("application/vnd.apple.mpegurl", "1", "audio/mpegurl"),
        ("", "a.m3u8", "audio/mpegurl"),
        ("image/x-ogg", "1", ""), ("application/pdf", "1", ""),
    ],
)  # fmt: skip
def test_what_can_be_heard_is_known_by_type_or_name(declared: str, name: str, expected: str) -> None:
    assert feed_fields.media_type(declared, f"https://example.com/{name}") == expected


def test_only_the_built_in_feed_may_name_files_of_the_built_in_show() -> None:
    assert feed_fields.web_url("earmark:welcome/1.opus", WELCOME_URL) == "earmark:welcome/1.opus"
    assert feed_fields.web_url("earmark:welcome/1.opus", "https://example.com/feed") == ""
    assert feed_fields.web_url("earmark:welcome/../secret", WELCOME_URL) == ""
    assert feed_fields.web_url("file:///etc/passwd", WELCOME_URL) == ""
