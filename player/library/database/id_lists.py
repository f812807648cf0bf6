"""Many ids in one statement: as a JSON array, which SQLite takes apart by `json_each`."""

from collections.abc import Sequence
from itertools import islice

_AT_ONCE = 1_000


def as_json(ids: Sequence[int]) -> str:
    """For `json_each`. Written a thousand at a time: of 100,000 written at once a key would wait 12 ms, as Python lets
    no other thread run meanwhile."""
    left = iter(ids)
    pieces = iter(lambda: ",".join(map(str, islice(left, _AT_ONCE))), "")
    return f"[{','.join(pieces)}]"
