"""The search in 1,000 transcripts of 10,000 words each, with all that a screen shows of what it finds."""

import json
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate

from player.library import Attachment, AttachmentKind, Library, WholeList, read_rows
from player.library.attachments import MADE
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING
from player.paths import Paths
from tests.bench.house import BUILD
from tests.bench.table import print_table
from tests.player.library.helpers import apply_feed, episode

PODCASTS, EPISODES, WORDS = 10, 100, 10_000
_VOCABULARY = 50_000
_ROUNDS = 100
"""Searches of each kind."""
_MOST, _ROWS, _SEEN, _CELLS = 500, 50, 7, 74
"""What the screen asks for in 80 x 24: results, rows that are read at once, rows with a passage and its cells."""
_GUESTS = ("Ada Lovelace", "Grace Hopper", "Barbara Liskov", "Edsger Dijkstra", "Ken Thompson", "Margaret Hamilton")


def measure() -> None:
    words = _Words(random.Random(27))
    paths = _stocked(words)
    library = Library(paths)
    library.open()
    try:
        rows = list(_rows(library, words, random.Random(28)))
    finally:
        library.close()
    print_table(
        f"Search in {PODCASTS * EPISODES:,} transcripts of {WORDS:,} words, with what 80 x 24 shows of it",
        ("", "p50", "p95", "worst"),
        rows,
        f"{_ROUNDS} searches of each kind",
    )


def _rows(library: Library, words: "_Words", dice: random.Random) -> Iterator[tuple[str, ...]]:
    every: list[float] = []
    for name, texts in _typed(words, dice).items():
        times = [_timed(lambda text=text: _shown(library, text)) for text in texts]  # type: ignore[misc]
        every += times
        yield name, *_spread(times)
    yield "all of these", *_spread(every)
    opened = [_timed(lambda text=text: _opened(library, text)) for text in _typed(words, dice)["a word"]]  # type: ignore[misc]
    yield "all hits of an episode", *_spread(opened)
    grown = [_timed(lambda number=number: _grown(library, words, number)) for number in range(10)]  # type: ignore[misc]
    yield "a transcript that has changed, until it is found", *_spread(grown)


def _typed(words: "_Words", dice: random.Random) -> dict[str, list[str]]:
    """What is typed into the search; words by their rank in the language."""

    def some(make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(_ROUNDS)]

    def word(first: int, last: int) -> str:
        return words.known[dice.randrange(first, last)]

    def said() -> str:
        """Three words that are said in one of the episodes."""
        spoken = words.spoken(dice.randrange(PODCASTS * EPISODES))
        at = dice.randrange(len(spoken) - 3)
        return " ".join(spoken[at : at + 3])

    return {
        "a word": some(lambda: f"{word(200, 20_000)} "),
        "a rare word": some(lambda: f"{word(20_000, 40_000)} "),
        "a common word": some(lambda: f"{word(0, 200)} "),
        "two words": some(lambda: f"{word(20, 2_000)} {word(20, 2_000)} "),
        "a phrase": some(lambda: f'"{said()}" '),
        'said:"a phrase"': some(lambda: f'said:"{said()}" '),
        "said:word": some(lambda: f"said:{word(20, 20_000)} "),
        "speaker:name and a word": some(lambda: f"speaker:{dice.choice(_GUESTS).split()[0]} {word(20, 5_000)} "),
        "speaker:name": some(lambda: f"speaker:{dice.choice(_GUESTS).split()[0]} "),
        "two to four letters, while typing": some(lambda: word(0, 5_000)[: dice.randint(2, 4)]),
    }


def _shown(library: Library, text: str) -> None:
    """As the screen of the search does it, with the passages of the rows in sight."""
    search = library.search
    found = search.find(text, _MOST)
    rows = read_rows(WholeList(found.ids), library.episodes.rows, 0, _ROWS).rows
    search.places(found)
    search.left()
    search.passages(rows[:_SEEN], found, _CELLS)


def _opened(library: Library, text: str) -> None:
    found = library.search.find(text, 1)
    for one in found.ids:
        library.search.spoken_hits(EpisodeId(one), found)


def _grown(library: Library, words: "_Words", number: int) -> None:
    _keep(library, EpisodeId(library.search.ids(EVERYTHING, number + 1)[-1]), [*words.spoken(number), f"anew{number}"])
    library.search.catch_up()
    assert library.search.find(f"said:anew{number} ", 1).ids


def _timed(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


def _spread(times: Sequence[float]) -> tuple[str, str, str]:
    ordered = sorted(times)
    found = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1]
    return tuple(f"{one * 1000:.1f} ms" for one in found)  # type: ignore[return-value]


# -- the library ----------------------------------------------------------------------------------------------


class _Words:
    """The words of a language, as frequent as words are (Zipf), and what is said in each episode."""

    def __init__(self, dice: random.Random) -> None:
        letters, weights = "etaoinshrdlucmfwypvbgkjqxz", range(26, 0, -1)
        made = ("".join(dice.choices(letters, weights, k=dice.randint(2, 10))) for _ in range(_VOCABULARY))
        self.known = list(dict.fromkeys(made))
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self.known))))

    def spoken(self, number: int) -> list[str]:
        return random.Random(number).choices(self.known, cum_weights=self._weights, k=WORDS)


def _stocked(words: _Words) -> Paths:
    """The library, with its index; removed by `make clean`."""
    home = BUILD / "transcripts"
    paths = Paths.of({"EARMARK_HOME": str(home)})
    done = home / "done"
    if not done.exists():
        shutil.rmtree(home, ignore_errors=True)
        library = Library(paths)
        library.open()
        try:
            for number in range(PODCASTS):
                podcast = library.podcasts.add(f"https://{number}.example/feed")
                ids = apply_feed(library, podcast, *map(episode, range(EPISODES)), title=f"Show {number}").new
                for at, one in enumerate(ids):
                    _keep(library, one, words.spoken(number * EPISODES + at))
            start = time.monotonic()
            library.search.catch_up()
            took = time.monotonic() - start
        finally:
            library.close()
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in (paths.library, paths.search))
        done.write_text(f"{took:.0f} s to make findable; {sizes}\n")
    print(f"  {PODCASTS * EPISODES:,} transcripts: {done.read_text().strip()}", flush=True)
    return paths


def _keep(library: Library, one: EpisodeId, spoken: Sequence[str]) -> None:
    """A transcript with a sentence of five to 25 words every few seconds, by two speakers in turn, and the time of each
    word."""
    dice = random.Random(one)
    segments: list[object] = []
    pair, at, second = (dice.choice(_GUESTS), "The Host"), 0, 0.0
    while at < len(spoken):
        said = spoken[at : at + dice.randint(5, 25)]
        timed = [{"word": word, "start": round(second + place * 0.4, 2)} for place, word in enumerate(said)]
        at, end = at + len(said), round(second + len(said) * 0.4, 2)
        text = f"{' '.join(said).capitalize()}."
        speaker = pair[len(segments) // 4 % 2]
        segments.append({"startTime": second, "endTime": end, "speaker": speaker, "body": text, "words": timed})
        second = end
    body = json.dumps({"version": "1.0.0", "segments": segments}).encode()
    library.attachments.put(
        one, Attachment(AttachmentKind.TRANSCRIPT, MADE, body, "application/json", "en"), datetime.now(UTC)
    )
