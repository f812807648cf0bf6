"""What of a test comes every time, and what only with `make test-long`."""

import math
import os
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

LONG = os.environ.get("EARMARK_EXAMPLES", "same") in ("many", "new")
NEW = os.environ.get("EARMARK_EXAMPLES", "same") == "new"


def mostly_long(values: Iterable[Any], *, quick: int = 1) -> list[Any]:
    """Parameters of which each shows the same with other numbers: the first `quick` come every time. A tuple is one
    value for each name."""
    tuples = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=() if n < quick else pytest.mark.long) for n, value in enumerate(tuples)]


def examples(count: int) -> int:
    """How many examples of Hypothesis: `count` of them with `make test-long`, a sixth every time."""
    return count if LONG else max(4, count // 6)


def seeded() -> random.Random:
    """Gives the same values each time, unless new ones are looked for."""
    return random.Random(None if NEW else 7)


def shortest(run: Callable[[], object], bound_s: float) -> float:
    """Seconds of this process's time that it takes; if they aren't under `bound_s`, the fewest of three runs. Another
    process that fills the shared caches makes the same work half as long again; nothing makes it shorter."""
    fewest_s = math.inf
    for _ in range(3):
        start = time.process_time()
        run()
        fewest_s = min(fewest_s, time.process_time() - start)
        if fewest_s < bound_s:
            break
    return fewest_s
