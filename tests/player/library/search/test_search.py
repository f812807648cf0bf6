"""Searching everything, and an index that is kept in step beside the library."""

import sqlite3
import time
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.errors import LibraryError
from player.library import Interrupted, Library
from player.library.lists import compiler
from player.library.lists.compiler import NAMED_PODCASTS, Match
from player.library.search.index import SearchIndex
from player.library.search.query import parse
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING, State, View
from player.model.podcast import STARTER_URL, Podcast, PodcastId
from player.paths import Paths
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode, other_process
from tests.quick import examples

NOTES = "<p>Ways of <b>inference</b> &amp; caf&eacute; talk.</p><a href='https://secret.example'>link</a>"


def found(library: Library, text: str, **how: Any) -> list[str]:
    ids = library.search.find(text, 50, **how).ids
    return [row.title for row in library.episodes.rows(ids)]


@pytest.fixture
def shows(library: Library) -> tuple[Podcast, Podcast]:
    """Two shows of which everything can be found."""
    pytorch = library.podcasts.add(STARTER_URL)
    apply_feed(
        library,
        pytorch,
        episode(0, title="CUDA graphs", notes=NOTES),
        episode(1, title="Compiled autograd", notes="all about graphs of a tape"),
        episode(2, title="Straße nach Café", notes="ein Gespräch"),
        title="PyTorch Developer Podcast",
    )
    talk = library.podcasts.add("https://talk.example", "Talk Python")
    items = (
        episode(number, title=name, published=NEWEST - timedelta(days=number, hours=6), notes=f"graphs {number}")
        for number, name in enumerate(("Typing", "東京の話", "Packaging"))
    )
    apply_feed(library, talk, *items, title="Talk Python")
    assert library.search.catch_up()
    return pytorch, talk


@pytest.mark.usefixtures("shows")
def test_titles_and_notes_are_searched(library: Library) -> None:
    for text, titles in (
        ("graphs ", ["CUDA graphs", "Typing", "Compiled autograd", "東京の話", "Packaging"]),
        ("gra", ["CUDA graphs", "Typing", "Compiled autograd", "東京の話", "Packaging"]),
        ("gra ", []),
        ("compil* tape ", ["Compiled autograd"]),
        ('"of a tape" ', ["Compiled autograd"]),
        ('"tape of" ', []),
        ("cafe ", ["CUDA graphs", "Straße nach Café"]),
        ("STRASSE gesprach ", ["Straße nach Café"]),
        ("graphs -cuda ", ["Typing", "Compiled autograd", "東京の話", "Packaging"]),
        ("京 ", ["東京の話"]),
        ("podcast:talk graphs ", ["Typing", "東京の話", "Packaging"]),
        ("podcast:talk podcast:pytorch typing ", ["Typing"]),
        ("podcast:nobody graphs ", []),
        ("podcast:pytorch ", ["CUDA graphs", "Compiled autograd", "Straße nach Café"]),
        ("after:2026-03-01 ", ["CUDA graphs", "Typing"]),
        ("graphs before:2026-02-28 ", ["Packaging"]),
        ("href ", []),
        ("secret ", []),
        ("p2 ", []),
        ("", []),
        ("%", []),
        ("is:starred ", []),
    ):
        assert found(library, text) == titles, text


@pytest.mark.parametrize("unit", ["<", "< ", "&", "&#", "&#9", "<b", "日", "\u0301"])
def test_notes_of_any_kind_are_taken_in_and_what_comes_after_them_too(library: Library, unit: str) -> None:
    podcast = library.podcasts.add(URL, "A show")
    heap = unit * (500_000 // len(unit))
    apply_feed(
        library, podcast, episode(0, title="Heap", notes=heap), episode(1, title="Needle", notes="x &#" + "9" * 5000)
    )
    start = time.process_time()
    assert library.search.catch_up()
    assert found(library, "heap needle ") == []
    assert found(library, "needle ") == ["Needle"]
    ids = library.search.find("heap ", 1)
    library.search.passages(library.episodes.rows(ids.ids), ids, 80)
    assert time.process_time() - start < 3  # measured: 0.05 to 0.5; a quadratic look at the first took 40 minutes


def test_an_index_of_an_older_earmark_is_made_afresh(library: Library, paths: Paths, podcast: Podcast) -> None:
    """One that stuck at an episode, or took other words from it."""
    apply_feed(library, podcast, episode(0, title="Needle"))
    assert library.search.catch_up()
    with sqlite3.connect(paths.search) as index:
        index.execute("PRAGMA user_version = 3")
        index.execute("INSERT INTO words (words) VALUES ('delete-all')")
    index.close()
    assert found(library, "needle ") == []
    assert library.search.catch_up()
    assert found(library, "needle ") == ["Needle"]


def test_what_a_reference_stands_for_never_moves_the_cursor(library: Library, podcast: Podcast) -> None:
    notes = "needle &#x9d;52;c;UVE=&#x9c; &#144;q &#x202e;turned &#x2066;x &#27;[2J &#7; &shy;caf&eacute; &#x26;lt;"
    apply_feed(library, podcast, episode(0, notes=notes))
    library.search.catch_up()
    hit = library.search.find("needle ", 1)
    (passage,) = library.search.passages(library.episodes.rows(hit.ids), hit, 200)
    assert passage.text == "needle 52;c;UVE=œ q turned x [2J café &lt;"
    assert not any(unicodedata.category(letter) in ("Cc", "Cf") for letter in passage.text)


@pytest.mark.usefixtures("shows")
def test_marks_sort_out(library: Library) -> None:
    typing, cuda, compiled = (library.episodes.find(name).id for name in ("Typing", "CUDA", "Compiled"))
    library.episodes.set_starred([typing, compiled], True)
    library.episodes.set_played([cuda], True)
    library.progress.save(compiled, 5000, None, datetime.now(UTC))
    assert found(library, "graphs is:starred ") == ["Typing", "Compiled autograd"]
    assert found(library, "is:starred ") == ["Typing", "Compiled autograd"]
    assert found(library, "graphs is:played ") == ["CUDA graphs"]
    assert found(library, "cafe is:unplayed ") == ["Straße nach Café"]
    assert found(library, "graphs is:in-progress ") == ["Compiled autograd"]
    assert found(library, "is:in-progress is:starred podcast:pytorch after:2026 ") == ["Compiled autograd"]
    assert found(library, "is:in-progress podcast:talk ") == []
    library.downloads.put(cuda, Path("/somewhere/cuda.mp3"))
    library.downloads.put(typing, Path("/somewhere/typing.mp3"))
    assert found(library, "is:downloaded ") == ["CUDA graphs", "Typing"]
    assert found(library, "graphs is:downloaded podcast:pytorch ") == ["CUDA graphs"]
    assert found(library, "is:downloaded is:starred ") == ["Typing"]


@pytest.mark.usefixtures("shows")
def test_the_best_first_puts_titles_on_top(library: Library) -> None:
    apply_feed(library, library.podcasts.add(URL), episode(90, title="Graphs", notes="old"))
    library.search.catch_up()
    assert found(library, "graphs ")[-1] == "Graphs"
    assert found(library, "graphs ", best=True)[:3] == ["CUDA graphs", "Graphs", "Typing"]
    assert found(library, "graphs tape ", best=True) == ["Compiled autograd"]
    assert found(library, "inference cuda ", best=True) == found(library, "cuda inference ") == ["CUDA graphs"]


@pytest.mark.usefixtures("shows")
def test_a_filter_of_everything_is_found_in_the_index_where_words_begin_so(library: Library) -> None:
    def filtered(text: str) -> list[str]:
        return [row.title for row in library.episodes.rows(library.listing(View().narrowed(text)).page(0, 50))]

    assert filtered("graph") == ["CUDA graphs"], "titles alone, not notes"
    assert filtered("comp auto") == filtered("comp") == ["Compiled autograd"]
    assert filtered("CAFE") == ["Straße nach Café"]
    assert filtered("raphs") == ["CUDA graphs"], "inside a word, where none begins so"
    assert filtered("cu") == ["CUDA graphs"]
    assert library.search.titles("graph", 10) is not None
    assert library.search.titles("raphs", 10) is None
    found = library.search.titles("pack", 0)
    assert found is not None
    assert found.more
    assert filtered("graphs u") == ["CUDA graphs"]
    assert filtered("graphs %") == []
    assert library.search.titles("graphs u", 10) is not None, "the titles found are looked at for the rest"
    assert library.search.titles("pack u", 0) is None, "but not any number of them"
    apply_feed(library, library.podcasts.add(URL), episode(-1, title="Graphite"))
    assert filtered("graph") == ["Graphite", "CUDA graphs"], "what isn't in the index yet is found all the same"


@pytest.mark.usefixtures("shows")
def test_no_more_than_asked_for(library: Library) -> None:
    answer = library.search.find("graphs ", 2)
    assert (len(answer.ids), answer.more) == (2, True)
    assert not library.search.find("graphs ", 5).more


@pytest.mark.usefixtures("shows")
def test_an_answer_that_is_not_wanted_any_more_ends(library: Library) -> None:
    items = (episode(number, title="same words", notes="") for number in range(1000, 4000))
    apply_feed(library, library.podcasts.add(URL), *items)
    library.search.catch_up()
    with pytest.raises(Interrupted):
        library.search.find("same is:played ", 50, cancelled=lambda: True)


def test_what_was_moved_renamed_and_removed_is_found_as_it_is(library: Library, shows: tuple[Podcast, Podcast]) -> None:
    pytorch, talk = shows
    apply_feed(
        library,
        pytorch,
        episode(0, title="Renamed", notes="fresh", published=NEWEST - timedelta(days=9)),
        title="PyTorch",
    )
    assert library.search.left()
    assert library.search.catch_up()
    assert library.search.left() == 0
    assert found(library, "cuda ") == found(library, "inference ") == []
    assert found(library, "fresh ") == ["Renamed"]
    assert found(library, "podcast:pytorch ")[-1] == "Renamed"
    library.podcasts.remove(talk.id)
    library.search.catch_up()
    assert found(library, "typing ") == []
    assert found(library, "graphs ") == ["Compiled autograd"]


WRITES = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, 4), st.sampled_from(["red", "green", "blue", "café"])),
        st.tuples(st.just("remove"), st.just(0), st.just("")),
        st.tuples(st.just("catch up"), st.just(0), st.just("")),
    ),
    max_size=12,
)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(writes=WRITES)
def test_the_index_ends_up_the_same_whatever_came_between(library: Library, paths: Paths, writes: list[Any]) -> None:
    podcast = library.podcasts.by_url(URL) or library.podcasts.add(URL)
    for what, number, word in writes:
        if what == "say":
            apply_feed(library, podcast, episode(number, title=f"{word} {number}", notes=f"<p>{word} notes"))
        elif what == "remove":
            library.podcasts.remove(podcast.id)
            podcast = library.podcasts.add(URL)
        else:
            library.search.catch_up()
    library.search.catch_up()
    texts = {word: found(library, f"{word} ") for word in ("red", "green", "blue", "cafe", "notes")}
    library._index.throw_away()
    library.search.catch_up()
    assert texts == {word: found(library, f"{word} ") for word in texts}
    database = sqlite3.connect(paths.library)
    assert database.execute("SELECT count(*) FROM search_changes").fetchone() == (0,)
    database.close()


# -- beside the library ---------------------------------------------------------------------------------------


def test_a_new_episode_costs_no_write_but_its_own(library: Library, paths: Paths, podcast: Podcast) -> None:
    apply_feed(library, podcast, *(episode(number) for number in range(50)))
    database = sqlite3.connect(paths.library)
    assert database.execute("SELECT count(*) FROM search_changes").fetchone() == (0,)
    database.close()
    assert not paths.search.exists()


def test_the_library_is_written_to_while_the_index_is(library: Library, podcast: Podcast, paths: Paths) -> None:
    apply_feed(library, podcast, *(episode(number) for number in range(5)))
    library.search.catch_up()
    writer = sqlite3.connect(paths.search, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    index = SearchIndex(paths.search, paths.library, 50)
    apply_feed(library, podcast, episode(9))
    assert index.left() == 1
    with pytest.raises(Exception, match="busy"):
        index.catch_up(lambda change: None)
    writer.execute("ROLLBACK")
    writer.close()
    with index._open() as connection:
        connection.execute("BEGIN")
        connection.execute("UPDATE main.reached SET change_id = change_id")
        apply_feed(library, podcast, episode(10))
        connection.execute("ROLLBACK")


def test_a_search_uses_the_connection_of_the_one_before(
    library: Library, podcast: Podcast, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_feed(library, podcast, episode(1, title="Walruses"))
    library.search.catch_up()
    opened: list[sqlite3.Connection] = []
    connect = SearchIndex._opened

    def noted(index: SearchIndex) -> sqlite3.Connection:
        opened.append(connect(index))
        return opened[-1]

    monkeypatch.setattr(SearchIndex, "_opened", noted)
    for _ in range(3):
        assert found(library, "walruses ") == ["Walruses"]
    assert len(opened) == 1
    library._index.throw_away()
    assert found(library, "walruses ") == [], "it was noticed"
    assert len(opened) == 2
    library.search.catch_up()
    monkeypatch.setattr("player.library.search.index.has_room", lambda _path: False)
    for _ in range(2):
        assert found(library, "walruses ") == ["Walruses"]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[-1].execute("SELECT 1")
    monkeypatch.undo()
    assert found(library, "walruses ") == ["Walruses"]
    search = library.search
    library.close()
    assert search._index._kept is None


def test_it_goes_on_where_it_was_stopped(library: Library, podcast: Podcast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.library.search.index._AT_ONCE", 10)
    monkeypatch.setattr("player.library.search.index._LOOKS_EVERY", 1)
    apply_feed(library, podcast, *(episode(number) for number in range(25)))
    looks = iter([False] * 11 + [True])
    assert not library.search.catch_up(lambda: next(looks))
    assert library.search.left() == 15
    looks = iter([False] * 5 + [True])
    assert not library.search.catch_up(lambda: next(looks))
    assert library.search.left() == 15, "what was begun is undone"
    assert library.search.catch_up()
    assert len(library.search.find("episode", 100).ids) == 25


def test_in_bulk_only_what_fills_a_transaction_is_taken_in(
    library: Library, podcast: Podcast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.library.search.index._AT_ONCE", 10)
    apply_feed(library, podcast, *(episode(number) for number in range(25)))
    assert library.search.catch_up(in_bulk=True)
    assert library.search.left() == 5
    assert library.search.catch_up()
    assert library.search.left() == 0


def _damage(paths: Paths, damage: str) -> None:
    for suffix in ("-wal", "-shm"):
        paths.search.with_name(f"search.db{suffix}").unlink(missing_ok=True)
    if damage == "gone":
        paths.search.unlink()
    elif damage == "pages":
        whole = bytearray(paths.search.read_bytes())
        whole[4096:] = b"\xff" * (len(whole) - 4096)
        paths.search.write_bytes(whole)
    else:
        paths.search.write_bytes(b"garbage" * 1000 if damage == "garbage" else b"")


@pytest.mark.parametrize("damage", ["garbage", "gone", "empty", "pages"])
def test_a_damaged_index_is_made_afresh(
    library: Library, shows: tuple[Podcast, Podcast], paths: Paths, damage: str
) -> None:
    _damage(paths, damage)
    assert library.search.catch_up()
    assert found(library, "typing ") == ["Typing"]


@pytest.mark.usefixtures("shows")
def test_a_search_that_meets_damage_says_so_and_lets_it_be_made_again(library: Library, paths: Paths) -> None:
    _damage(paths, "pages")
    with pytest.raises(LibraryError, match="being rebuilt"):
        library.search.find("graphs ", 50)
    library.search.catch_up()
    assert found(library, "typing ") == ["Typing"]


@pytest.mark.usefixtures("shows")
def test_an_index_of_another_library_is_not_used(paths: Paths, library: Library) -> None:
    database = sqlite3.connect(paths.library)
    database.execute("UPDATE state SET value = 'other' WHERE key = 'search_stamp'")
    database.commit()
    database.close()
    assert found(library, "typing ") == []
    assert library.search.left() > 3
    library.search.catch_up()
    assert found(library, "typing ") == ["Typing"]


KILLED = """
import os, threading
from player.library import Interrupted, Library
from player.paths import Paths
from player.library.search import index as search_index
search_index._AT_ONCE = 20
library = Library(Paths.of())
library.open()
print("open")
input()
library.search.catch_up()
"""


def test_killed_at_any_moment_it_goes_on(library: Library, podcast: Podcast, paths: Paths) -> None:
    apply_feed(library, podcast, *(episode(number) for number in range(2000)))
    for _ in range(3):
        with other_process(KILLED) as other:
            assert other.line() == "open"
            other.go_on()
            while library.search.left() in (0, 2000) and not paths.search.exists():
                pass
    assert library.search.catch_up()
    assert len(library.search.find("episode", 5000).ids) == 2000
    index = sqlite3.connect(paths.search)
    index.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    index.close()


# -- plans ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shows")
@pytest.mark.parametrize(
    "rest", ["words", "", "after:2026 words", "podcast:talk", "podcast:talk before:2026 two words"]
)
def test_no_search_reads_the_big_table(library: Library, rest: str) -> None:
    for best, mark, podcasts in product([False, True], ["", *State], ([2], [2, 3], range(2, 400))):
        reads_no_big_table(library, mark, rest, best, podcasts)


def reads_no_big_table(library: Library, mark: str, rest: str, best: bool, podcasts: Iterable[int]) -> None:
    chosen = parse(f"{rest} {f'is:{mark}' if mark else ''} ").filter
    if chosen == EVERYTHING:
        return
    if chosen.podcast_titles:
        chosen = replace(chosen, podcasts=frozenset(map(PodcastId, podcasts)), podcast_titles=())
    matches: list[Match | None] = [*chain.from_iterable(compiler.matches(chosen, best=best))]
    for match in matches or [None]:
        # Where few of the newest fit, all are read in the file's order: test_query_plans has that.
        since = 7 if not match and compiler.reads_all(chosen) else None
        sql, values = compiler.select(chosen, match=match, since=since, limit=50)
        with library.search._index.reading() as connection:
            steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
        scans = [step for step in steps if step.startswith("SCAN") and "VIRTUAL TABLE" not in step]
        few = {"in-progress": "SCAN g", "downloaded": "SCAN d", "queued": "SCAN u", "new": "SCAN i"}.get(mark)
        assert all("INDEX" in step or step == few for step in scans), (mark, best, podcasts, steps)
        sorts = [step for step in steps if "TEMP B-TREE" in step]
        # Of so many podcasts the index of words has no order: all of their episodes are read, of no others.
        assert not sorts or few or (not match and len(chosen.podcasts) > NAMED_PODCASTS), (mark, best, podcasts, steps)


def test_an_episode_that_is_gone_is_not_shown(library: Library, shows: tuple[Podcast, Podcast]) -> None:
    library.podcasts.remove(shows[1].id)
    assert found(library, "typing ") == []
    assert EpisodeId(0) not in library.search.find("graphs ", 50).ids
