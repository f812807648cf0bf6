"""Failures in words, and the pause that a server asks for."""

import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.directory.directory_errors import DIRECTORY
from player.feeds.feed_errors import FEED
from player.media.fetching.media_errors import EPISODE
from player.net.failures import FailureReason, RequestFailed, Subject, explain, pause_asked, refusal
from player.sync.web.server_errors import SYNC

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
URL = "https://ada:secret@example.org/feed?page=2"
SUBJECTS = [Subject("the thing", "Look elsewhere."), FEED, EPISODE, DIRECTORY, SYNC]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.what)
@pytest.mark.parametrize("reason", FailureReason)
def test_every_failure_says_what_happened_to_what(reason: FailureReason, subject: Subject) -> None:
    failed = RequestFailed(reason, "a\x1b[2J reason", URL, limit=5 * 1024**2, status=499)
    what, advice = explain(failed, subject)
    for sentence in (what, advice):
        assert sentence.isprintable()
        assert "secret" not in sentence
        assert all(field is None for _text, field, _spec, _to in string.Formatter().parse(sentence)), sentence
    names = ("example.org", subject.what, "the sync server")
    assert any(name in what for name in names) or reason is FailureReason.OFFLINE
    assert not what.endswith(".")
    assert advice == "" or advice.endswith((".", "/…"))


def test_a_directory_is_called_by_its_name_and_a_redirect_s_server_by_its_host() -> None:
    refused = RequestFailed(FailureReason.REFUSED, url="https://cdn.example/x")
    subject = Subject("the thing", "Look elsewhere.", later="Later.")
    assert explain(refused, subject, URL) == ("cdn.example refused the connection", "Later.")
    assert explain(refused, subject, URL, server="Apple Podcasts")[0] == "Apple Podcasts refused the connection"
    own = Subject("the thing", "Look elsewhere.", own={FailureReason.REFUSED: ("", "Knock again.")})
    assert explain(refused, own, URL) == ("cdn.example refused the connection", "Knock again.")


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (204, FailureReason.ODD_STATUS), (401, FailureReason.LOGIN), (404, FailureReason.NOT_FOUND),
        (410, FailureReason.REMOVED), (425, FailureReason.BUSY), (429, FailureReason.TOO_MANY),
        (500, FailureReason.FAULT), (599, FailureReason.FAULT),
    ],
)  # fmt: skip
def test_a_status_is_a_failure_with_the_pause_asked_for(status: int, reason: FailureReason) -> None:
    failed = refusal(status, {"Retry-After": "30"}, URL)
    assert (failed.reason, failed.status, failed.pause_s) == (reason, status, 30.0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", None), ("30", 30), (" 7 ", 7), ("120", 120), ("-1", None), ("soon", None), ("1e9", None), ("²", None),
        ("9" * 400, 999_999_999), ("Sun, 01 Mar 2026 12:01:30 GMT", 90), ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("Sun, 01 Mar 2026 12:01:30", 90),
    ],
)  # fmt: skip
def test_retry_after_comes_as_seconds_or_as_a_date(text: str, seconds: float | None) -> None:
    assert pause_asked({"Retry-After": text}, NOON) == seconds


@given(st.text(max_size=60))
def test_whatever_a_server_asks_for_is_a_pause_or_none(text: str) -> None:
    assert (pause_asked({"Retry-After": text}, NOON) or 0.0) >= 0.0
