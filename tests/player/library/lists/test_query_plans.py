"""No list is made by reading the big table: each has an index that gives both its members and their order."""

from itertools import product

import pytest

from player.library import Library, episodes
from player.library.database.connections import Connections
from player.library.lists import listing
from player.model.filters import EpisodeQuery, View
from player.model.podcast import PodcastId
from player.paths import Paths

LISTS = [
    EpisodeQuery(view, PodcastId(1) if view is View.PODCAST else None, text, unplayed, limit)
    for view, text, unplayed, limit in product(View, ("", "two words"), (False, True), (None, 50))
]


def plan(paths: Paths, sql: str, values: object = ()) -> list[str]:
    connections = Connections(paths.library, 1000, lambda: None)
    try:
        with connections.reading() as connection:
            rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)  # type: ignore[arg-type]
            return [row[3] for row in rows]
    finally:
        connections.close()


@pytest.mark.parametrize("query", LISTS, ids=str)
@pytest.mark.usefixtures("library")
def test_a_list_comes_from_its_index_in_order(paths: Paths, query: EpisodeQuery) -> None:
    first, *then = plan(paths, *episodes._ids_sql(query))
    if query.view is View.IN_PROGRESS:
        assert first == "SCAN g USING COVERING INDEX progress_last_heard", "as long as what was begun and not finished"
        assert then == ["SEARCH e USING INTEGER PRIMARY KEY (rowid=?)", "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"]
    elif query.view is View.ALL and query.text:
        assert [first, *then] == ["SCAN e", "USE TEMP B-TREE FOR ORDER BY"], "titles are read once, in the file's order"
    else:
        covering = not query.text and not query.unplayed
        assert ("COVERING INDEX" in first) is covering
        assert " INDEX episodes_" in first
        assert first.startswith("SEARCH") is (query.view is not View.ALL)
        assert then == []


@pytest.mark.usefixtures("library")
def test_a_filter_of_everything_reads_the_newest_titles_through_the_index(paths: Paths) -> None:
    (step,) = plan(paths, episodes._NEWEST, (20_000,))
    assert step == "SCAN e USING COVERING INDEX episodes_newest"
    (step,) = plan(paths, *episodes._ids_sql(EpisodeQuery(text="x", limit=5), since=7))
    assert step == "SEARCH e USING INDEX episodes_newest (sort>?)"


@pytest.mark.usefixtures("library")
def test_rows_and_counts_touch_only_what_they_show(paths: Paths) -> None:
    rows = plan(paths, f"{episodes._ROW} WHERE e.id IN {episodes._GIVEN}", ("[1, 2]",))
    assert not [step for step in rows if step.startswith("SCAN") and "json_each" not in step], rows
    assert rows[0] == "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"


PAGED = [query for query in LISTS if not query.text and query.limit is None and query.view is not View.IN_PROGRESS]


@pytest.mark.parametrize("query", PAGED, ids=str)
def test_a_page_and_a_place_come_from_the_index_of_the_list(
    paths: Paths, library: Library, query: EpisodeQuery
) -> None:
    terms, values = episodes._listed(query)
    where = listing._where
    for order, side, ties in (listing._FORWARDS, listing._BACKWARDS):
        (step,) = plan(paths, f"SELECT count(*) FROM episodes e{where([*terms, ties])}", [*values, 5, 7])
        assert " INDEX episodes_" in step
        assert "sort=? AND rowid" in step
        for more, given in (([], []), ([side], [5])):
            sql = f"SELECT e.id, e.sort FROM episodes e{where([*terms, *more])} ORDER BY {order} LIMIT ? OFFSET ?"
            (step,) = plan(paths, sql, [*values, *given, 50, 0])
            assert " INDEX episodes_" in step, step
            assert ("COVERING" in step) is not query.unplayed, step
            assert not given or "SEARCH" in step
    sql = f"SELECT 1 FROM episodes e{where([*terms, listing._BEFORE, listing._FROM])} LIMIT ?"
    (step,) = plan(paths, sql, [*values, 5, 5, 7, 5, 5, 7, -1])
    assert step.startswith("SEARCH e USING")
    assert "sort>? AND sort<?" in step
    for start in (None, (9, 3), (5, 3)):
        for term, bounds in listing._ranges(start, (5, 7)):
            (step,) = plan(paths, f"SELECT count(*) FROM episodes e{where([*terms, term])}", [*values, *bounds])
            assert step.startswith("SEARCH e USING"), step
            assert " INDEX episodes_" in step
    assert not [step for step in plan(paths, *episodes._count_sql(query, terms, values)) if step == "SCAN e"]
    assert not [step for step in plan(paths, f"SELECT {episodes._STATE}") if " e" in step]
