"""What a sync server sent, read piece by piece."""

import pytest

from player.sync.target import SyncError
from player.sync.web.answer import Answer, records

HERE = "https://gpodder.example"


def test_a_list_of_nothing_much_may_not_fill_the_memory() -> None:
    with pytest.raises(SyncError):
        Answer(HERE, b'{"actions": [' + b"0," * 3_000_000 + b"0]}")


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b'{"add": ["a", 5, null, "b", ["c"]]}', ("a", "b")),
        (b'{"add": {"0": "a", "2": "b"}}', ("a", "b")),  # PHP's lists with gaps
        (b'{"add": null}', ()),
        (b'{"add": ""}', ()),
        (b'{"remove": ["a"]}', ()),
        (b'\xef\xbb\xbf {"add": ["a"]}\n', ("a",)),
    ],
)
def test_lists_are_read_as_servers_write_them(sent: bytes, read: tuple[str, ...]) -> None:
    assert Answer(HERE, sent).texts("add") == read


@pytest.mark.parametrize(
    ("sent", "read"),
    [(b"5", 5), (b'"5"', 5), (b"5.7", 5), (b"-1", None), (b"true", None), (b"1e400", None), (b'"soon"', None)],
)
def test_a_timestamp_may_be_text(sent: bytes, read: int | None) -> None:
    assert Answer(HERE, b'{"timestamp": ' + sent + b"}").timestamp() == read
    assert Answer(HERE, b"{}").timestamp() is None


def test_a_web_page_is_told_from_other_nonsense() -> None:
    for read in (lambda body: Answer(HERE, body), lambda body: records(HERE, body)):
        with pytest.raises(SyncError, match="web page"):
            read(b"\n<!DOCTYPE html><html>")
        with pytest.raises(SyncError, match="can't read"):
            read(b"oops")
