"""Real shells complete the names of what is in the library, and execute nothing of them."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ptyprocess import PtyProcessUnicode

from player.feeds.check import decide
from player.library import Library
from player.model.feed import Feed, FeedEpisode, FeedState
from player.paths import Paths

ROOT = Path(__file__).resolve().parents[4]
SHIPPED = ROOT / "tui" / "cli" / "shipped"
STARTED = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], f"source {SHIPPED}/earmark.bash"),
    "zsh": (["zsh", "-f", "-i"], f"fpath=({SHIPPED} $fpath); autoload -U compinit; compinit -D -u"),
    "fish": (["fish", "--no-config", "-i"], f"source {SHIPPED}/earmark.fish"),
}
EPISODES = (
    "Alpha: part one", "Beta $(touch pwned) x", "Gamma `touch pwned`", "Delta's \"big\" day!",
    "Epsilon\\back; touch pwned * &", "Zeta ~/x {a,b} [c]? #no", "Éta ünïcødé 日本", "Theta\n$(touch pwned)",
    "kappa lower", "Kappa Upper", "!! Touch pwned",
)  # fmt: skip
PODCAST = "Hostile `touch pwned` cast"
TYPED = (
    ("earmark play Alp\t", ["play", EPISODES[0]]),
    ("earmark show beta\t", ["show", EPISODES[1]]),
    ("earmark queue add Alp\t Delt\t Gam\t", ["queue", "add", EPISODES[0], EPISODES[3], EPISODES[2]]),
    ('earmark play "Delt\t', ["play", EPISODES[3]]),
    ("earmark play 'Delt\t", ["play", EPISODES[3]]),
    ("earmark play Eps\t --at 1", ["play", EPISODES[4], "--at", "1"]),
    ("earmark play Zet\t", ["play", EPISODES[5]]),
    ("earmark bookmark éta\t", ["bookmark", EPISODES[6]]),
    ("earmark play Thet\t", ["play", "Theta $(touch pwned)"]),
    ("earmark play Kappa\\ u\t", ["play", EPISODES[9]]),
    ("earmark episodes Hos\t --list q\t", ["episodes", PODCAST, "--list", "queue"]),
    ("earmark sleep ch\t", ["sleep", "chapter"]),
    ("earmark queue sort sh\t", ["queue", "sort", "shortest"]),
    ("earmark set Hos\t new=q\t spe\t1.4", ["set", PODCAST, "new=queue", "speed=1.4"]),
    ("earmark bookmark lis\t Delt\t", ["bookmark", "list", EPISODES[3]]),
    ("earmark download Alp\t Delt\t", ["download", EPISODES[0], EPISODES[3]]),
)
FEW = (0, 2, 3, 8, 10, 12, 13, 14)
"""Of those that are typed, the ones that `make test` types."""


@pytest.fixture
def said(tmp_path: Path, paths: Paths) -> Path:
    """Where an `earmark` that only completes writes what else it is told, in a library of hostile names."""
    library = Library(paths)
    library.open()
    podcast = library.podcasts.add("https://h.example/feed", PODCAST)
    at = datetime(2026, 5, 1, tzinfo=UTC)
    items = tuple(
        FeedEpisode(guid=title, title=title, url=f"https://m.example/{number}", published=at + timedelta(number))
        for number, title in enumerate(EPISODES)
    )
    library.podcasts.apply(podcast.id, Feed(title=PODCAST, episodes=items), FeedState(), decide)
    library.close()
    command, written = tmp_path / "bin" / "earmark", tmp_path / "said"
    command.parent.mkdir()
    command.write_text(
        "#!/bin/sh\n"
        f'if [ "$1" = complete ]; then PYTHONPATH={ROOT} exec {sys.executable} -m tui "$@"; fi\n'
        f"printf '%s\\037' \"$@\" >> {written}; printf '\\036' >> {written}\n"
    )
    command.chmod(0o755)
    (tmp_path / "home").mkdir(exist_ok=True)
    return written


@pytest.fixture
def start(tmp_path: Path, said: Path) -> Iterator[Callable[[str], PtyProcessUnicode]]:
    processes: list[PtyProcessUnicode] = []

    def started(shell: str) -> PtyProcessUnicode:
        if not shutil.which(shell):
            pytest.skip(f"there is no {shell}")
        command, loading = STARTED[shell]
        environ = {
            **os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path / "home"),
            "TERM": "xterm", "LC_ALL": "C.UTF-8", "HISTFILE": "",
        }  # fmt: skip
        process = PtyProcessUnicode.spawn(command, cwd=str(tmp_path / "home"), env=environ, dimensions=(40, 200))
        processes.append(process)
        threading.Thread(target=drained, args=(process,), daemon=True).start()
        process.write(f"{loading}\nearmark ready\n")
        assert told(said, 1) == [["ready"]]
        return process

    yield started
    for process in processes:
        process.terminate(force=True)


def drained(process: PtyProcessUnicode) -> None:
    """A terminal that is never read would fill up."""
    with suppress(EOFError, OSError, ValueError):
        while True:
            process.read(65536)


def told(said: Path, count: int) -> list[list[str]]:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        found = said.read_text(encoding="utf-8").split("\036")[:-1] if said.exists() else []
        if len(found) >= count:
            return [one.split("\037")[:-1] for one in found]
        time.sleep(0.02)
    raise AssertionError(f"told {count - 1} times only: {found[-1:]}")


def try_out(process: PtyProcessUnicode, said: Path, *which: int) -> None:
    for number, (line, expected) in enumerate([TYPED[one] for one in which], 2):
        process.write(f"{line}\n")
        assert told(said, number)[-1] == expected, line
    assert not list(said.parent.rglob("pwned"))


def test_bash_completes_names(start: Callable[[str], PtyProcessUnicode], said: Path) -> None:
    try_out(start("bash"), said, *FEW)


@pytest.mark.long
@pytest.mark.parametrize("shell", STARTED)
def test_every_shell_completes_names(start: Callable[[str], PtyProcessUnicode], said: Path, shell: str) -> None:
    try_out(start(shell), said, *range(len(TYPED)))


def test_where_several_names_begin_so_bash_puts_in_what_they_share(
    start: Callable[[str], PtyProcessUnicode], said: Path
) -> None:
    process = start("bash")
    process.write("earmark play kap\tu\t\n")
    assert told(said, 2)[-1] == ["play", "Kappa Upper"]
