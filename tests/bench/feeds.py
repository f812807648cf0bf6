"""200 feeds of 250 episodes imported, refreshed and opened, and one of 10,000: Earmark and other players."""

import shutil
import sqlite3
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.feed_server import EPISODES, FEEDS, LARGE, FeedServer, feed_server, write_opml
from tests.bench.house import BUILD, resident_mb, rest
from tests.bench.peers.castero import Castero
from tests.bench.peers.earmark import Earmark
from tests.bench.peers.gpo import Gpo
from tests.bench.peers.newsboat import Newsboat
from tests.bench.peers.peer import Missing, Peer
from tests.bench.table import ms, print_table, ratio

_ROUNDS = 3
_FOLDER = BUILD / "feeds"
_GROWN = FEEDS // 100


@dataclass(frozen=True)
class Row:
    """What is measured in Earmark and, because they may do it another way, in the others.

    `bar_s` and `castero_bar`: the most it may take, in s and as a multiple of castero's time.
    """

    ours: str
    theirs: str
    bar_s: float | None = None
    castero_bar: float | None = None


_IMPORT = "import, findable"
_NOTHING = "refresh, nothing new (304)"
_SOME = "refresh, 1 % with a new episode"
_LARGE = f"add {LARGE:,} episodes"
_PAINT = "first paint"
_AGAIN = "  opened again, nothing changed"
_ANSWERS = "  answers a key typed at once"
_MEMORY = "memory after moving about"
_TIMES = (
    Row(_IMPORT, _IMPORT, castero_bar=1.0),
    Row(_NOTHING, _NOTHING, 0.5, 0.05),
    Row("  in the app, R", _NOTHING, castero_bar=0.05),
    Row(_SOME, _SOME, 1.0),
    Row("  in the app, R to new episodes", _SOME),
    Row(_LARGE, _LARGE, 3.0),
    Row(_PAINT, _PAINT, 0.4),
    Row(_AGAIN, _AGAIN, castero_bar=1.0),
    Row(_ANSWERS, _ANSWERS),
)


@dataclass
class Entrant:
    """A player in the race. One that fails is out of it from then on; `trouble` says why."""

    player: Peer
    measured: dict[str, list[float]] = field(default_factory=dict)
    trouble: str = ""

    def home(self, number: int) -> Path:
        return _FOLDER / f"{self.player.name}-{number}"

    @contextmanager
    def racing(self, what: str) -> Iterator[None]:
        """A failure of this player doesn't stop the others."""
        try:
            yield
        except (Missing, OSError, AssertionError, subprocess.SubprocessError, sqlite3.Error) as error:
            self.trouble = f"{what}: {str(error).splitlines()[0]}"

    def note(self, what: str, *found: float) -> None:
        self.measured.setdefault(what, []).extend(found)

    def has_all(self, number: int, wanted: int) -> None:
        """Raises AssertionError unless its library has `wanted` episodes."""
        found = self.player.episodes(self.home(number))
        assert found == wanted, f"it has {found:,} episodes of {wanted:,}"

    def median(self, what: str) -> float | None:
        return statistics.median(self.measured[what]) if what in self.measured else None


def measure() -> None:
    entrants = [Entrant(peer) for peer in (Earmark(), Castero(), Newsboat(), Gpo())]
    for entrant in entrants:
        with entrant.racing("Not here"):
            print(f"  {entrant.player.name}: {entrant.player.install()}", flush=True)
    with feed_server() as server:
        print(f"  the feed of {LARGE:,} episodes has {server.large_bytes / 1e6:.0f} MB", flush=True)
        for number in range(_ROUNDS):
            _round(number, entrants, server)
    print_table(
        f"Feeds: {FEEDS} of {EPISODES} episodes, over loopback; medians of {_ROUNDS}",
        ("", "Earmark", "least", "most", *_columns(entrants), "bar", ""),
        [_times(row, entrants) for row in _TIMES],
        "Opened again, Earmark shows what it showed last while it loads; castero has its list then, and no earlier.\n"
        "  castero refreshes in its app alone, timed from its key to “Successfully reloaded”.\n"
        "  newsboat's first paint is its list of feeds; gpo has no screen: its shell with the list of podcasts.",
    )
    print_table(
        f"Memory with these {FEEDS * EPISODES:,} episodes, after moving about, without sound",
        [entrant.player.name for entrant in entrants],
        [[_megabytes(entrant.median(_MEMORY)) for entrant in entrants]],
    )
    for entrant in entrants:
        if entrant.trouble:
            print(f"  {entrant.player.name} is out of the race. {entrant.trouble}", flush=True)


def _in_the_race(entrants: Sequence[Entrant]) -> Iterator[Entrant]:
    return (entrant for entrant in entrants if not entrant.trouble)


# -- what is measured -----------------------------------------------------------------------------------------


def _round(number: int, entrants: Sequence[Entrant], server: FeedServer) -> None:
    """Each imports the same list, refreshes it without and with new episodes, and imports the large feed."""
    every = write_opml(_FOLDER / "list.opml", server.feeds)
    alone = write_opml(_FOLDER / "large.opml", [server.large])
    for entrant in _in_the_race(entrants):
        home = entrant.home(number)
        shutil.rmtree(home, ignore_errors=True)
        with entrant.racing("Import and refresh"):
            entrant.note(_IMPORT, entrant.player.import_opml(home, every))
            entrant.has_all(number, server.episodes)
            entrant.note(_NOTHING, entrant.player.refresh(home))
    with entrants[0].racing("Refresh in the app"):
        _refresh_in_the_app(entrants[0], number, server)
    server.grow(_GROWN)
    for entrant in _in_the_race(entrants):
        home = entrant.home(number)
        with entrant.racing("Refresh of what has grown, and opened"):
            entrant.note(_SOME, entrant.player.refresh(home))
            entrant.has_all(number, server.episodes)
            _open(entrant, home)
            if isinstance(entrant.player, Earmark):
                entrant.note(_LARGE, entrant.player.add(home, server.large))
            else:
                apart = home.with_name(f"{home.name}-large")
                shutil.rmtree(apart, ignore_errors=True)
                entrant.note(_LARGE, entrant.player.import_opml(apart, alone))


def _refresh_in_the_app(entrant: Entrant, number: int, server: FeedServer) -> None:
    earmark = entrant.player
    assert isinstance(earmark, Earmark)
    with earmark.opened(entrant.home(number)) as terminal:
        rest(terminal, 1.0)
        entrant.note("  in the app, R", earmark.reload(terminal, "Nothing new"))
        server.grow(_GROWN)
        entrant.note("  in the app, R to new episodes", earmark.reload(terminal, "\\d+ new episodes?"))
        terminal.press("q")
        terminal.wait_exit()


def _open(entrant: Entrant, home: Path) -> None:
    start = time.perf_counter()
    with entrant.player.opened(home) as terminal:
        entrant.note(_PAINT, time.perf_counter() - start)
        rest(terminal, 1.0)
        entrant.player.browse(terminal)
        rest(terminal, 1.0)
        entrant.note(_MEMORY, resident_mb(terminal.process.pid))
        if isinstance(entrant.player, Earmark | Castero):
            terminal.press("q")
            terminal.wait_exit()
            _open_again(entrant, entrant.player, home)


def _open_again(entrant: Entrant, player: Earmark | Castero, home: Path) -> None:
    start = time.perf_counter()
    with player.opened(home) as terminal:
        entrant.note(_AGAIN, time.perf_counter() - start)
        player.ask_for_help(terminal)
        entrant.note(_ANSWERS, time.perf_counter() - start)


# -- the tables -----------------------------------------------------------------------------------------------


def _columns(entrants: Sequence[Entrant]) -> Iterator[str]:
    for entrant in entrants[1:]:
        yield entrant.player.name
        yield "ratio"


def _times(row: Row, entrants: Sequence[Entrant]) -> list[str]:
    ours = entrants[0].median(row.ours)
    every = entrants[0].measured.get(row.ours, [])
    cells = [row.ours, ms(ours), ms(min(every, default=None)), ms(max(every, default=None))]
    for entrant in entrants[1:]:
        theirs = entrant.median(row.theirs)
        cells += [ms(theirs), ratio(ours, theirs)] if theirs else ["", ""]
    bars = []
    held = []
    if row.bar_s is not None:
        bars.append(f"< {ms(row.bar_s)}")
        held.append(ours is not None and ours < row.bar_s)
    castero = entrants[1].median(row.theirs)
    if row.castero_bar is not None and castero is not None:
        bars.append(f"< {row.castero_bar:g}x castero")
        held.append(ours is not None and ours < row.castero_bar * castero)
    return [*cells, ", ".join(bars), ("holds" if all(held) else "MISSED") if held else ""]


def _megabytes(size: float | None) -> str:
    return "" if size is None else f"{size:.0f} MB"
