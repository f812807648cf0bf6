"""Replies as a thread, whatever a server answers."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.comments.thread import MOST, Attached, Thread, api_address, read_thread
from tests.fediverse import by, status

ADDRESS = "https://social.example/api/v1/statuses/1"


def thread(*replies: Any, **root: Any) -> Thread:
    post = status(1, **root)
    return read_thread(json.dumps(post).encode(), json.dumps({"descendants": replies}).encode(), ADDRESS)


@pytest.mark.parametrize(
    ("path", "post_id"),
    [
        ("/@show/107185918284627417", "107185918284627417"),
        ("/@show@other.example/107185918284627417/", "107185918284627417"),
        ("/users/show/statuses/107185918284627417", "107185918284627417"),
        ("/ap/users/1/statuses/107", "107"),
        ("/web/@show/107", "107"),
        ("/web/statuses/107", "107"),
        ("/@show/statuses/01HX5Y8Z9GQ0ABCD", "01HX5Y8Z9GQ0ABCD"),
        ("/notice/AkjfD9vUqDxXWnQpOq", "AkjfD9vUqDxXWnQpOq"),
        ("/notes/9x3k2m1", "9x3k2m1"),
        ("/p/show/547", "547"),
        ("/@show", ""),
        ("/@show/107/embed/../..", ""),
        ("/objects/6f9619ff-8b86-d011-b42d-00cf4fc964ff", ""),
        ("/@show/1%2F..%2F2", ""),
        ("/", ""),
    ],
)
def test_the_address_of_a_post_tells_where_the_api_has_it(path: str, post_id: str) -> None:
    expected = f"https://social.example/api/v1/statuses/{post_id}" if post_id else ""
    assert api_address(f"https://social.example{path}?x=1#y") == expected


def test_a_login_in_the_address_of_a_post_is_never_sent() -> None:
    assert api_address("https://name:secret@social.example:8443/@show/1") == (
        "https://social.example:8443/api/v1/statuses/1"
    )


def test_each_reply_stands_below_what_it_replies_to_and_earlier_ones_come_first() -> None:
    found = thread(status(5, 2), status(3, 1), status(4, 2), status(2, 1), status(6, 5))
    assert [(one.id, one.depth) for one in found.posts] == [("1", 0), ("2", 1), ("4", 2), ("5", 2), ("6", 3), ("3", 1)]
    assert found.replies == 5
    assert not found.more


def test_a_reply_to_a_deleted_one_stays_and_replies_in_a_circle_are_left_out() -> None:
    found = thread(status(3, 2), status(4, 3), status(8, 9), status(9, 8))
    assert [(one.id, one.depth) for one in found.posts] == [("1", 0), ("3", 1), ("4", 2)]


def test_names_handles_warnings_and_descriptions_are_those_of_the_author() -> None:
    files = [{"type": "image", "description": "Two\ncats"}, {"type": "video", "description": None}, "nonsense"]
    found = thread(
        status(2, 1, spoiler_text="Spoilers\x1b[31m", sensitive=True, media_attachments=files, **by("", "grace")),
        status(3, 1),
    )
    two, three = found.posts[1:]
    assert (two.name, two.handle, two.warning) == ("grace", "@grace@social.example", "Spoilers[31m")
    assert (two.is_sensitive, two.attached) == (
        True, (Attached("image", "Two cats"), Attached("video"), Attached("unknown")),
    )  # fmt: skip
    assert (three.name, three.handle) == ("Ada :verified:", "@ada@other.example")
    assert three.url == "https://other.example/@ada/3"


def test_a_thread_that_the_server_cuts_says_so() -> None:
    assert thread(status(2, 1), replies_count=3).more
    assert not thread(status(2, 1), replies_count=1).more
    many = thread(*(status(number, 1) for number in range(2, MOST + 10)))
    assert (many.replies, many.more) == (MOST, True)


def test_a_thread_as_deep_as_a_server_may_send_is_read() -> None:
    found = thread(*(status(number, number - 1) for number in range(2, MOST + 2)))
    assert found.posts[-1].depth == MOST


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from([*status(1)]), inside, max_size=6),
    max_leaves=12,
)


@given(root=NONSENSE, replies=st.lists(NONSENSE | st.just(status(2, 1)), max_size=4))
def test_nonsense_of_any_type_is_read_or_refused(root: Any, replies: list[Any]) -> None:
    context = json.dumps({"descendants": replies}).encode()
    try:
        found = read_thread(json.dumps(root).encode(), context, ADDRESS)
    except ValueError:
        return
    assert all(one.url.startswith("http") or not one.url for one in found.posts)


@pytest.mark.parametrize(
    ("post", "context"),
    [
        (b"<html>", b"{}"),
        (b"[" * 100_000, b"{}"),
        (b'{"error": "Record not found"}', b'{"descendants": []}'),
        (b'{"id": "1"}', b'{"error": "no"}'),
        (b'{"id": "1"}', b'{"descendants": {}}'),
        (b"\xff\xfe", b"{}"),
    ],
)
def test_what_is_no_post_with_replies_is_refused(post: bytes, context: bytes) -> None:
    with pytest.raises(ValueError):
        read_thread(post, context, ADDRESS)
