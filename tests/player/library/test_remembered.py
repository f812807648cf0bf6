"""Small things for the next start: kept in mind at once, written when the disk is ready for them."""

import threading
from collections.abc import Iterator

import pytest

from player.errors import LibraryError
from player.library import Library, Remembered

LONG_S = 10.0


@pytest.fixture
def remembered(library: Library) -> Iterator[Remembered]:
    made = Remembered(library)
    made.load()
    yield made
    made.close()


class SlowDisk:
    """Each write waits until it is let go."""

    def __init__(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started, self.let_go = threading.Event(), threading.Event()
        self.written: list[tuple[str, str]] = []
        write = library.state.set

        def slowly(key: str, value: str) -> None:
            self.started.set()
            self.let_go.wait(60)
            self.written.append((key, value))
            write(key, value)

        monkeypatch.setattr(library.state, "set", slowly)


def test_what_was_put_is_there_at_once_and_in_the_next_run(library: Library, remembered: Remembered) -> None:
    assert remembered.get("theme") == ""
    remembered.put("theme", "paper")
    assert remembered.get("theme") == "paper"
    remembered.close()
    again = Remembered(library)
    again.load()
    assert again.get("theme") == "paper"


def test_a_disk_that_hangs_keeps_nobody_and_gets_only_the_latest(
    library: Library, remembered: Remembered, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(library, monkeypatch)
    remembered.put("width", "0")
    assert disk.started.wait(LONG_S)
    for width in range(1, 100):
        remembered.put("width", str(width))
    remembered.put("theme", "paper")
    assert (remembered.get("width"), remembered.get("theme")) == ("99", "paper")
    disk.let_go.set()
    remembered.close()
    assert disk.written == [("width", "0"), ("width", "99"), ("theme", "paper")]
    assert library.state.get("width") == "99"


def test_a_write_that_fails_is_let_go_and_the_next_one_tried(
    library: Library, remembered: Remembered, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = threading.Event()

    def fail(*_what: object) -> None:
        tried.set()
        raise LibraryError("No space is left", "Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(library.state, "set", fail)
        remembered.put("theme", "paper")
        assert tried.wait(LONG_S)
    remembered.put("width", "80")
    remembered.close()
    assert library.state.get("width") == "80"


def test_nothing_is_written_after_the_end(library: Library, remembered: Remembered) -> None:
    remembered.close()
    remembered.put("theme", "paper")
    assert remembered.get("theme") == "paper"
    assert library.state.get("theme") is None
