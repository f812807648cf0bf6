"""Work that shows signs of life is waited for; work that hangs is not."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from player.sources.local.local_audio import Stalled, watched


async def test_work_that_beats_may_take_longer_than_the_patience() -> None:
    def work(beat: Callable[[], None]) -> str:
        for _ in range(6):
            beat()
            time.sleep(0.05)
        return "done"

    assert await watched(work, 0.2) == "done"


async def test_work_that_hangs_is_given_up_and_ends_at_its_next_beat() -> None:
    hangs, ended = threading.Event(), threading.Event()

    def work(beat: Callable[[], None]) -> None:
        hangs.wait(10)
        try:
            beat()
        finally:
            ended.set()

    with pytest.raises(Stalled):
        await watched(work, 0.05)
    hangs.set()
    assert ended.wait(10)


async def test_what_the_work_raises_comes_through() -> None:
    def work(beat: Callable[[], None]) -> None:
        raise FileNotFoundError("there")

    with pytest.raises(FileNotFoundError):
        await watched(work, 1)


async def test_cancelling_ends_the_work() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(beat: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                beat()
                time.sleep(0.005)
        finally:
            ended.set()

    task = asyncio.create_task(watched(work, 10))
    while not begun.is_set():
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.wait(10)
