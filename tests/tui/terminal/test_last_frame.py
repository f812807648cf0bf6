"""The last frame: when it is still true, and how it leaves a terminal."""

import os
import pty
import select
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from player.paths import Paths
from player.text import sentences
from tui.terminal import last_frame as module
from tui.terminal.capabilities import quiet_stderr
from tui.terminal.input import early_ground
from tui.terminal.last_frame import LastFrame

SIZE = (80, 24)
ENVIRON = {"TERM": "xterm", "LANG": "en_US.UTF-8"}
_LEAVE = "\x1b[?1049l"
TEXT = "\x1b[1;1HEpisodes – and the rest"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """Both ends of a terminal of 80x24: ours, and the one that Earmark draws on."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (SIZE[1], SIZE[0]))
    monkeypatch.setattr(module, "in_foreground", lambda _handle: True)
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def printed(ours: int, until: str = "") -> str:
    """What was printed, at least to `until`."""
    text = b""
    while select.select([ours], [], [], 5 if until.encode() not in text else 0)[0]:
        text += os.read(ours, 65536)
    return text.decode()


def library_with(paths: Paths) -> None:
    for file in (paths.library, paths.settings):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("as it was", encoding="utf-8")


def saved(paths: Paths, theirs: int) -> None:
    last = LastFrame(paths, theirs, ENVIRON)
    last.keep(TEXT, SIZE)
    last.save()


def shown(paths: Paths, terminal: tuple[int, int], environ: dict[str, str] = ENVIRON) -> str:
    """What a start prints before anything else."""
    ours, theirs = terminal
    last = LastFrame(paths, theirs, environ)
    last.show()
    text = printed(ours, TEXT if last.is_shown else "")
    last.end()
    printed(ours, _LEAVE if last.is_shown else "")
    return text


def test_where_nothing_has_changed_it_is_shown_once(paths: Paths, terminal: tuple[int, int]) -> None:
    library_with(paths)
    saved(paths, terminal[1])
    assert TEXT in shown(paths, terminal)
    assert not shown(paths, terminal)


def _touch(path: Path) -> None:
    path.write_text("something else", encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda paths, _theirs: _touch(paths.library),
        lambda paths, _theirs: _touch(paths.library.with_name("library.db-wal")),
        lambda paths, _theirs: _touch(paths.settings),
        lambda paths, _theirs: paths.library.unlink(),
        lambda _paths, theirs: termios.tcsetwinsize(theirs, (30, 80)),
    ],
    ids=["library", "its log", "settings", "no library", "size"],
)
def test_after_a_change_it_is_not_shown(
    paths: Paths, terminal: tuple[int, int], change: Callable[[Paths, int], Any]
) -> None:
    library_with(paths)
    saved(paths, terminal[1])
    change(paths, terminal[1])
    assert not shown(paths, terminal)


@pytest.mark.parametrize("name", ["TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "TZ"])
def test_on_another_kind_of_terminal_it_is_not_shown(paths: Paths, terminal: tuple[int, int], name: str) -> None:
    library_with(paths)
    saved(paths, terminal[1])
    assert not shown(paths, terminal, {**ENVIRON, name: "1"})


def test_in_another_language_it_is_not_shown(
    paths: Paths, terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    library_with(paths)
    saved(paths, terminal[1])
    monkeypatch.setattr(sentences, "_spoken", "de")
    assert not shown(paths, terminal)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\n\xff", b"no condition", b"('0.1.0',\nx"])
def test_a_file_that_is_something_else_is_not_shown(paths: Paths, terminal: tuple[int, int], content: bytes) -> None:
    library_with(paths)
    saved(paths, terminal[1])
    paths.last_frame.write_bytes(content)
    assert not shown(paths, terminal)
    assert not paths.last_frame.exists()


def test_nobody_else_can_read_it(paths: Paths, terminal: tuple[int, int]) -> None:
    library_with(paths)
    saved(paths, terminal[1])
    assert paths.last_frame.stat().st_mode & 0o777 == 0o600


def test_a_cache_that_cannot_be_written_ends_nothing(paths: Paths, terminal: tuple[int, int]) -> None:
    library_with(paths)
    paths.cache.parent.mkdir(parents=True, exist_ok=True)
    paths.cache.write_text("a file where the folder should be", encoding="utf-8")
    saved(paths, terminal[1])
    assert not shown(paths, terminal)


def test_what_ends_before_the_app_gives_the_terminal_back(paths: Paths, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    library_with(paths)
    before = termios.tcgetattr(theirs)
    saved(paths, theirs)
    last = LastFrame(paths, theirs, ENVIRON)
    last.show()
    assert not termios.tcgetattr(theirs)[3] & termios.ECHO
    last.end()
    last.end()
    assert printed(ours, _LEAVE).count(_LEAVE) == 1
    assert termios.tcgetattr(theirs) == before


def test_it_gives_the_terminal_back_while_standard_error_is_the_log(paths: Paths, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    library_with(paths)
    saved(paths, theirs)
    standard_error = os.dup(2)
    try:
        os.dup2(theirs, 2)
        last = LastFrame(paths, 2, ENVIRON)
        last.show()
        with quiet_stderr(paths.log):
            last.end()
    finally:
        os.dup2(standard_error, 2)
        os.close(standard_error)
    assert _LEAVE in printed(ours, _LEAVE)
    assert not paths.log.read_text(encoding="utf-8")


def test_whoever_draws_next_gets_the_attributes_from_before(paths: Paths, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    library_with(paths)
    before = termios.tcgetattr(theirs)
    saved(paths, theirs)
    last = LastFrame(paths, theirs, ENVIRON)
    last.show()
    assert last.hand_over() == before
    printed(ours, TEXT)
    last.end()
    assert not printed(ours)


def test_a_terminal_that_does_not_read_delays_nothing_for_long(paths: Paths, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    library_with(paths)
    last = LastFrame(paths, theirs, ENVIRON)
    last.keep("x" * 100_000, SIZE)
    last.save()
    again = LastFrame(paths, theirs, ENVIRON)
    again.show()  # returns
    printed(ours)


def test_the_answer_to_an_early_question_is_read_without_echo_with_the_keys_around_it(
    paths: Paths, terminal: tuple[int, int]
) -> None:
    ours, theirs = terminal
    last = LastFrame(paths, theirs, ENVIRON)
    last.ask("\x1b]11;?\x1b\\")
    assert printed(ours, "11;?") == "\x1b]11;?\x1b\\"
    assert last.typed() == b""
    os.write(ours, b"j\x1b]11;rgb:ffff/ffff/ffff\x07?")
    select.select([theirs], [], [], 5)
    assert early_ground(last.typed()) == (True, b"j?")
    last.end()
    assert printed(ours) == ""


def test_an_answer_that_the_app_never_read_is_left_to_nobody(paths: Paths, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    last = LastFrame(paths, theirs, ENVIRON)
    before = termios.tcgetattr(theirs)
    last.ask("?")
    os.write(ours, b"\x1b]11;rgb:0/0/0\x07")
    last.end()
    assert termios.tcgetattr(theirs) == before
    assert not select.select([theirs], [], [], 0)[0]
    assert _LEAVE not in printed(ours, "?")


def test_what_a_frame_covers_is_asked_nothing(paths: Paths, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    library_with(paths)
    saved(paths, theirs)
    last = LastFrame(paths, theirs, ENVIRON)
    last.show()
    last.ask("?question?")
    assert "?question?" not in printed(ours, TEXT)
    last.end()
