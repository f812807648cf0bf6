"""Lines of journals: what is written is read again, and what isn't intact isn't read."""

import json
from hashlib import sha256
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName, Fact, FactKind
from player.model.syncing import SubscriptionChange as Change
from player.sync.folder.records import (
    LONGEST_LINE,
    Record,
    Refused,
    content,
    content_of,
    header_line,
    numbered,
    parse,
)
from tests.player.sync.folder.helpers import action, change, fact

_moments = st.integers(0, SEEN_PLAYED)
_addresses = st.text(st.sampled_from("abcXYZ019-_/?=&%ü"), max_size=30).map("https://a.example/".__add__)
_words = st.text(st.sampled_from([*printable[:62], "ü", "名", "🎧"]), max_size=20)
_devices = st.text(st.sampled_from("abcXYZ019._-ü"), min_size=1, max_size=20)
records: st.SearchStrategy[Record] = st.one_of(
    st.builds(
        Action,
        st.builds(EpisodeName, _addresses, _addresses, _words),
        _devices,
        _moments,
        st.sampled_from(ActionKind),
        st.none() | _moments,
        _moments,
        st.none() | _moments,
        _moments,
    ),
    st.builds(Change, _addresses, st.booleans(), _moments, _devices, _words, _words),
    st.builds(
        Fact,
        st.sampled_from(FactKind),
        _words,
        st.recursive(st.none() | st.integers() | _words, st.lists).map(json.dumps) | st.just(""),
        _moments,
        _devices,
    ),
)


@given(records, st.integers(1, 1 << 50))
def test_what_is_written_is_read_again(record: Record, n: int) -> None:
    written = content(record)
    line = numbered(written, n)
    read = parse(line)
    assert read is not None
    assert (read.n, read.record) == (n, record)
    assert content_of(line) == written
    assert b"\n" not in line


@given(records, st.data())
def test_a_line_that_was_changed_anywhere_is_not_read(record: Record, data: st.DataObject) -> None:
    line = bytearray(numbered(content(record), 3))
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] ^= data.draw(st.integers(1, 255))
    assert parse(bytes(line)) is None
    assert parse(bytes(line[:at])) is None


@given(st.binary() | st.binary().map(lambda some: numbered(some, 1)) | st.text().map(str.encode))
def test_no_bytes_raise(line: bytes) -> None:
    read = parse(line)
    assert read is None or read.record is None


def test_other_programs_find_json_and_its_checksum() -> None:
    """As docs/sync-folder.md has it."""
    line = numbered(content(action(1)), 3).decode()
    found = json.loads(line)
    assert found["n"] == 3
    assert found["action"]["podcast"] == "https://a.example/feed"
    assert found["action"]["position_ms"] == 1001
    assert found["sum"] == sha256(line.split(",", 1)[1].encode()).hexdigest()[:16]
    header = json.loads(header_line("laptop", "My laptop", "0123abcd", 2))
    assert header["journal"] == {
        "format": "earmark-journal", "version": 1, "device": "laptop", "name": "My laptop", "writer": "0123abcd",
        "part": 2,
    }  # fmt: skip


def test_fields_that_are_added_later_change_nothing() -> None:
    written = content(action(1)).replace(b'{"podcast"', b'{"mood":"good","podcast"')
    read = parse(numbered(written, 1))
    assert read is not None
    assert read.record == action(1)


@pytest.mark.parametrize(
    "written",
    [
        b'"dream":{"of":"sheep"}',
        content(action(1)).replace(b'"play"', b'"whistled"'),
        content(fact(1)).replace(b'"star"', b'"moon"'),
        content(action(1)).replace(b"1700000000001", b"-5"),
        content(action(1)).replace(b"1700000000001", b"1e400"),
        content(action(1)).replace(b'"laptop"', b'"../../etc"'),
        content(action(1)).replace(b"https://a.example/1.mp3", b"file:///etc/passwd"),
        content(change(1)).replace(b"https://b.example/1", b"file:///etc"),
        content(change(1)).replace(b"feed-1", b"a\\u001b[2J"),
        content(fact(1)).replace(b'"\\"x\\""', b'"{"'),
        b'"action":' + b"[" * 100_000,
    ],
)
def test_what_this_version_does_not_know_or_accept_is_intact_and_no_record(written: bytes) -> None:
    read = parse(numbered(written, 1))
    assert read is not None
    assert read.record is None


@pytest.mark.parametrize(
    "record",
    [
        replace(action(1), episode=EpisodeName("file:///home/music", "file:///home/music/1.mp3")),
        replace(action(1), episode=EpisodeName("https://a.example/feed", "https://a.example/" + "x" * 9000)),
        replace(action(1), device="my laptop"),
        replace(change(1), podcast="javascript:alert(1)"),
        fact(1, json.dumps("x" * LONGEST_LINE)),
        fact(1, "no JSON"),
        fact(1, '"\ud800"'),
    ],
)
def test_what_could_not_be_read_is_not_written(record: Record) -> None:
    with pytest.raises(Refused, match=r"can't be synced: it is too long, or has no address on the web\.$"):
        content(record)


def test_titles_are_cleaned() -> None:
    read = parse(numbered(content(replace(change(1), title="Show\x1b[2J\n1")), 1))
    assert read is not None
    assert read.record == replace(change(1), title="Show[2J 1")
