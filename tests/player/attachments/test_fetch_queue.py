"""The queue of files that episodes lack: closing it ends every request."""

import threading

import pytest

from player.attachments import fetch_queue as fetching
from player.attachments.fetch_queue import Want, Worker
from player.errors import AttachmentError
from player.library import AttachmentKind
from player.model.episode import EpisodeId
from player.net.loop import NetworkLoop


def test_closing_ends_the_request_of_each_thread_that_fetches(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Barrier(3)
    aborted: list[str] = []

    class Endless:
        def __init__(self, *_how: object, **_more: object) -> None:
            self._ended = threading.Event()
            self._url = ""

        def fetch(self, url: str, *_how: object) -> None:
            self._url = url
            begun.wait(10)
            assert self._ended.wait(10)
            aborted.append(self._url)
            raise AttachmentError("ended")

        def abort(self) -> None:
            self._ended.set()

    monkeypatch.setattr(fetching, "Fetcher", Endless)
    wants = {number: (Want(AttachmentKind.CHAPTERS, f"https://example.org/{number}", 10),) for number in (1, 2)}
    worker = Worker(
        lambda one: wants[one], lambda *_what: None, lambda _one: None, NetworkLoop(5.0, 5.0), lambda _address: None
    )
    asked = threading.Thread(target=worker.fetch, args=(EpisodeId(2),), daemon=True)
    asked.start()
    worker.want(EpisodeId(1))
    begun.wait(10)
    worker.close()
    asked.join(10)
    assert sorted(aborted) == ["https://example.org/1", "https://example.org/2"]
