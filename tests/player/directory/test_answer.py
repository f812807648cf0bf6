"""JSON of any shape is read as records, or is nonsense."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.directory.answers import Answer
from player.errors import DirectoryError


def answer(value: Any) -> Answer:
    return Answer("Somewhere", json.dumps(value).encode())


def test_records_are_the_objects_of_a_list() -> None:
    assert list(answer([{"a": 1}, 2, None, [], {"b": {}}]).records()) == [{"a": 1}, {"b": {}}]
    assert list(answer({"feed": {"results": [{"a": 1}]}}).records("feed", "results")) == [{"a": 1}]
    wrong: list[Any] = [{"feed": {}}, {"feed": []}, {"feed": {"results": {}}}, [], None, "x"]
    for value in wrong:
        with pytest.raises(DirectoryError, match="Somewhere sent a response that Earmark can't read"):
            answer(value).records("feed", "results")


def test_too_many_and_too_large_ones_are_left_out() -> None:
    assert len(list(answer([{}] * 100_000).records())) == 200
    assert list(answer([{"a": "x" * 70_000}, {"b": 1}]).records()) == [{"b": 1}]


def test_a_list_may_be_missing_or_a_single_object() -> None:
    assert list(answer({"feed": {}}).one_or_more("feed", "entry")) == []
    assert list(answer({"feed": {"entry": {"a": 1}}}).one_or_more("feed", "entry")) == [{"a": 1}]
    assert list(answer({"feed": {"entry": [{"a": 1}, {"b": 2}]}}).one_or_more("feed", "entry")) == [{"a": 1}, {"b": 2}]
    assert list(answer({"feed": {"entry": 7}}).one_or_more("feed", "entry")) == []
    with pytest.raises(DirectoryError):
        answer([]).one_or_more("feed", "entry")


def test_a_short_text() -> None:
    assert [answer({"status": value}).text("status") for value in ("true", True, 1, None)] == [
        "true",
        "true",
        "1",
        "null",
    ]
    assert answer({}).text("status") == ""
    assert len(answer({"status": "x" * 1000}).text("status")) < 101


_TOKENS = [b"{", b"}", b"[", b"]", b'"feed"', b":", b",", b"1", b'"\xff"', b"null", b"\xef\xbb\xbf"]
_NEARLY_JSON = st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(_TOKENS)).map(b"".join))


@given(_NEARLY_JSON)
def test_any_bytes_are_records_or_nonsense(body: bytes) -> None:
    read = Answer("Somewhere", body)
    for path in ((), ("feed",), ("feed", "feed")):
        with suppress(DirectoryError):
            assert all(isinstance(one, dict) for one in read.records(*path))
    for ask in (read.one_or_more, read.text):
        for path in (("feed",), ("feed", "feed")):
            with suppress(DirectoryError):
                assert list(ask(*path)) is not None
