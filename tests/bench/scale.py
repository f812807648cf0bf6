"""Libraries of ten, of 50,000 and of a million episodes: first paint, keys, lists, searches, side by side."""

import random
import select
import shutil
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate, count, islice
from pathlib import Path
from typing import TypeVar

from player.library import Library, Listing
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from player.text.cleaning import fold
from tests.bench.house import BUILD
from tests.bench.table import print_table
from tests.pty.terminal import KEYS, Terminal
from tui.chosen import write_view

T = TypeVar("T")

SIZES = (10, 50_000, 1_000_000)
_A_PODCAST_S = 1000
_WORDS_OF_NOTES = 60
_ROUNDS = 5
_KEYS = 120
_RARE = "zanzibarium"
_SETTINGS = "[feeds]\nrefresh_on_start = false\nrefresh_minutes = 0\n"


def measure() -> None:
    homes = [stocked(size) for size in SIZES]
    heads = ("", *(f"{size:,}" for size in SIZES))
    print_table("Libraries: the library by itself (medians)", heads, list(_library_rows(homes)))
    print_table(
        f"Libraries: the app in a terminal (medians of {_ROUNDS}; keys: {_KEYS} each)",
        heads,
        list(_app_rows(homes)),
    )


# -- libraries ------------------------------------------------------------------------------------------------


def stocked(size: int) -> Paths:
    """A home with `size` indexed episodes; removed by `make clean`."""
    home = BUILD / f"library-{size}"
    paths = Paths.of({"EARMARK_HOME": str(home)})
    done = home / "done"
    if not done.exists():
        shutil.rmtree(home, ignore_errors=True)
        started = time.monotonic()
        paths.config.mkdir(parents=True)
        paths.settings.write_text(_SETTINGS, encoding="utf-8")
        library = Library(paths)
        library.open()
        try:
            _fill(paths.library, size)
            filled = time.monotonic()
            library.search.catch_up()
            library.state.set("screen", write_view(View(), None))
        finally:
            library.close()
        note = f"{filled - started:.1f} s to fill, {time.monotonic() - filled:.1f} s to make findable"
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in (paths.library, paths.search))
        done.write_text(f"{note}; {sizes}\n")
    print(f"  {size:,} episodes: {done.read_text().strip()}", flush=True)
    return paths


def _fill(path: Path, size: int) -> None:
    """Straight into the tables, as a refresh would leave them."""
    dice = random.Random(7)
    texts = _texts(dice)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("BEGIN")
    database.execute("DELETE FROM podcasts")
    database.execute("DELETE FROM podcast_counts")
    podcasts = max(1, size // _A_PODCAST_S)
    for number in range(podcasts):
        title = f"{texts(2).title()} {number}"
        database.execute(
            "INSERT INTO podcasts (id, url, url_key, title, folded, description, last_refreshed)"
            " VALUES (?, ?, ?, ?, ?, ?, 1)",
            (100 + number, f"https://{number}.example/feed", f"{number}.example/feed", title, fold(title), texts(60)),
        )
    rows = ((number, dice.randrange(1_000_000_000, 1_790_000_000) * 1000) for number in range(size))
    for batch in iter(lambda: list(islice(rows, 10_000)), []):
        database.executemany(
            "INSERT INTO episodes (id, podcast_id, sort, published, duration_ms, size, guid, title, folded, url,"
            " media_type, link, fingerprint) VALUES (?, ?, ?, ?, 1800000, 30000000, ?, ?, ?, ?, 'audio/mpeg', ?, ?)",
            (_episode(number, sort, podcasts, size, texts) for number, sort in batch),
        )
        database.executemany(
            "INSERT INTO details (episode_id, image_url, number, explicit, chapters_url, transcripts, notes)"
            " VALUES (?, '', '', 0, '', '[]', ?)",
            ((1 + number, f"<p>{texts(_WORDS_OF_NOTES)}</p>") for number, _sort in batch),
        )
    database.execute(
        "UPDATE podcast_counts SET (episodes, unplayed) ="
        " (SELECT count(*), count(*) FROM episodes e WHERE e.podcast_id = podcast_counts.podcast_id)"
    )
    database.execute("COMMIT")
    database.close()


def _episode(number: int, sort: int, podcasts: int, size: int, texts: Callable[[int], str]) -> tuple[object, ...]:
    title = f"Episode {number}: {texts(5)}" + (f" {_RARE}" if number == size // 3 else "")
    url = f"https://media.example/{number}.mp3"
    return (
        1 + number, 100 + number * podcasts // size, sort, sort, f"guid-{number}", title, fold(title), url,
        f"https://show.example/{number}", f"{number:016x}",
    )  # fmt: skip


def _texts(dice: random.Random) -> Callable[[int], str]:
    """A function for texts of n words, as frequent as words of a language are; most texts have `the`."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["the", *("".join(dice.choices(letters, k=dice.randint(3, 9))) for _ in range(30_000))]
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    drawn = dice.choices(words, cum_weights=weights, k=400_000)

    def text(size: int) -> str:
        at = dice.randrange(len(drawn) - size)
        return " ".join(drawn[at : at + size])

    return text


# -- the library by itself ------------------------------------------------------------------------------------


def _library_rows(homes: list[Paths]) -> Iterator[tuple[str, ...]]:
    columns = [dict(_library_column(paths)) for paths in homes]
    for name in columns[0]:
        yield name, *(column[name] for column in columns)


def _library_column(paths: Paths) -> Iterator[tuple[str, str]]:
    library = Library(paths)
    library.open()
    try:
        everything = View()
        size = len(library.episodes.listing(everything))
        page, half = 60, size // 2
        middle = EpisodeId(library.episodes.listing(everything).page(half, 1)[0])

        def fresh(do: Callable[[Listing], object]) -> float:
            return _median(lambda: do(library.episodes.listing(everything)))

        yield "list: counted and its first page", _ms(fresh(lambda listing: listing.page(0, page)))
        yield "list: last page", _ms(fresh(lambda listing: listing.page(size - page, page)))
        yield (
            "list: a page in the middle, at first",
            _ms(_at_first(paths, lambda listing: listing.page(half, page))),
        )
        yield "list: a page in the middle, later", _ms(fresh(lambda listing: listing.page(half, page)))
        yield "list: rank of the middle one, at first", _ms(_at_first(paths, lambda listing: listing.rank(middle)))
        yield "list: rank of the middle one, later", _ms(fresh(lambda listing: listing.rank(middle)))
        yield "sidebar: podcasts and counts", _ms(_median(lambda: (library.podcasts.all(), library.episodes.counts())))
        for name, text in (
            ("a rare word", _RARE[:6]),
            ("a word of all titles", "episode"),
            ("one letter", "e"),
            ("what is inside a word", _RARE[2:]),
        ):
            query = View().narrowed(text)
            yield f"filter of everything: {name}", _ms(_median(lambda query=query: library.listing(query)))  # type: ignore[misc]
        in_one = View.of(ViewName.PODCAST, PodcastId(100), title="the")
        yield "filter of one podcast", _ms(_median(lambda: library.listing(in_one)))
        for name, text, best in (
            ("search: a rare word", f"{_RARE} ", False),
            ("search: a common word", "the ", False),
            ("search: two common words", "the episode ", False),
            ("search: a phrase", '"the the" ', False),
            ("search: a beginning of three letters", "eta", False),
            ("search: a beginning of two letters", "et", False),
            ("search: a common word, the best first", "the ", True),
            (
                "search: a common word in one podcast",
                f"the podcast:{library.podcasts.all()[0].title.split()[0]} ",
                False,
            ),
            ("search: a common word before 2010", "the before:2010 ", False),
            ("search: a common word that was played", "the is:unplayed ", False),
        ):
            yield name, _ms(_median(lambda text=text, best=best: library.search.find(text, 60, best=best)))  # type: ignore[misc]
    finally:
        library.close()


def _at_first(paths: Paths, do: Callable[[Listing], object]) -> float:
    """Of a library that was just opened."""
    found = []
    for _ in range(_ROUNDS):
        library = Library(paths)
        library.open()
        listing = library.episodes.listing(View())
        start = time.perf_counter()
        do(listing)
        found.append(time.perf_counter() - start)
        library.close()
    return statistics.median(found)


def _median(do: Callable[[], object]) -> float:
    def once() -> float:
        start = time.perf_counter()
        do()
        return time.perf_counter() - start

    return statistics.median(once() for _ in range(_ROUNDS))


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


# -- the app --------------------------------------------------------------------------------------------------


def _app_rows(homes: list[Paths]) -> Iterator[tuple[str, ...]]:
    paints: list[list[float]] = [[] for _ in homes]
    for _ in range(_ROUNDS + 1):
        for paths, found in zip(homes, paints, strict=True):
            found.append(_first_paint(paths))
    yield "first paint with its rows", *(_ms(statistics.median(found[1:])) for found in paints)
    columns = [dict(_app_column(paths)) for paths in homes]
    for name in columns[0]:
        yield name, *(column[name] for column in columns)


def _app_column(paths: Paths) -> Iterator[tuple[str, str]]:
    with _app(paths) as terminal:
        terminal.wait_for("Episode \\d+")
        _quiet(terminal)
        for name, keys in (
            ("j and k", ["j", "j", "k"] * (_KEYS // 3)),
            ("ctrl+d and ctrl+u", ["ctrl+d", "ctrl+d", "ctrl+u"] * (_KEYS // 3)),
            ("G and g", ["G", "g"] * (_KEYS // 2)),
        ):
            waits = sorted(_key(terminal, key) for key in keys)
            yield f"key {name}: median", _ms(statistics.median(waits))
            yield f"key {name}: p99", _ms(waits[int(len(waits) * 0.99) - 1])


def _first_paint(paths: Paths) -> float:
    start = time.perf_counter()
    with _app(paths) as terminal:
        terminal.wait_for("Episode \\d+")
        took = time.perf_counter() - start
        terminal.press("q")
        terminal.wait_exit()
    return took


@contextmanager
def _app(paths: Paths) -> Iterator[Terminal]:
    home = str(paths.data.parent)
    environ = {"HOME": home, "EARMARK_HOME": home, "https_proxy": "http://127.0.0.1:9", "PULSE_SERVER": "unix:/nowhere"}
    with Terminal(environ=environ) as terminal:
        yield terminal


def _key(terminal: Terminal, key: str) -> float:
    """From the key to the last piece of what it changes on the screen; the emulator's own time doesn't count."""
    start = time.perf_counter()
    terminal.process.write(KEYS.get(key, key).encode())
    came = start
    for turn in count():
        if not select.select([terminal.process.fd], [], [], 0.3 if not turn else 0.03)[0]:
            break
        now = time.perf_counter()
        terminal.raw += (printed := terminal.process.read(65536))
        terminal._stream.feed(printed)
        if turn == 0:
            came = now
    return came - start


def _quiet(terminal: Terminal) -> None:
    while select.select([terminal.process.fd], [], [], 0.5)[0]:
        terminal._read(0.01)
