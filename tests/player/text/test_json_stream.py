"""JSON that is read piece by piece says what it says read at once."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text import untrusted_json
from player.text.untrusted_json import BrokenJson, members

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def dribbling(data: bytes, size: int) -> Any:
    """Gives at most `size` bytes at once, whatever is asked for."""
    file = io.BytesIO(data)
    return lambda wanted: file.read(min(wanted, size))


@given(found=st.dictionaries(st.text(), VALUES, max_size=5), size=st.integers(1, 9), indent=st.sampled_from([None, 3]))
def test_whatever_the_pieces(found: dict[str, Any], size: int, indent: int | None) -> None:
    data = json.dumps(found, indent=indent, ensure_ascii=size % 2 == 0).encode("utf-8", "replace")
    expected: list[tuple[str, Any]] = []
    for name, value in json.loads(data).items():
        expected += [(name, one) for one in value] if isinstance(value, list) else [(name, value)]
    assert list(members(dribbling(data, size))) == expected
    assert list(members(dribbling(b"\xef\xbb\xbf" + data, size))) == expected


@given(cut=st.integers(0, 60))
def test_of_half_a_file_all_that_is_whole_comes_first(cut: int) -> None:
    data = b'{"a": 1, "b": [true, {"c": "d"}, 12.5], "e": {"f": []}}'
    found = []
    try:
        for pair in members(dribbling(data[:cut], 7)):
            found.append(pair)
    except BrokenJson:
        assert cut < len(data)
    whole = [("a", 1), ("b", True), ("b", {"c": "d"}), ("b", 12.5), ("e", {"f": []})]
    assert found == whole[: len(found)]
    assert len(found) == 5 or cut < len(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        '{"a": NaN}',
        '{"a" 1}',
        "{1: 2}",
        '{"a": 1',
        '{"a": [1 2]}',
        '{"a": ' + "[[" * 100_000,
        '{"a": "\n"}',
    ],
)
def test_what_is_no_object_is_broken(text: str) -> None:
    with pytest.raises(BrokenJson):
        list(members(dribbling(text.encode(), 1 << 20)))


def test_an_element_can_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrusted_json, "LARGEST", 1000)
    data = json.dumps({"small": 1, "large": "x" * 500_000}).encode()
    stream = members(dribbling(data, 100))
    assert next(stream) == ("small", 1)
    with pytest.raises(BrokenJson):
        next(stream)
