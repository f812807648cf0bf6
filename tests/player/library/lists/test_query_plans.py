"""No list is made by reading the big table: each has an index that gives both its members and their order."""

from datetime import date
from itertools import product

import pytest

from player.library import Library, episodes
from player.library.lists import compiler, listing
from player.library.lists.compiler import GIVEN, where
from player.model.filters import EpisodeFilter, Order, State, View, ViewName
from player.model.podcast import PodcastId

OTHERS = (ViewName.LIST, ViewName.TAG, ViewName.BOOKMARKS, ViewName.HISTORY)
BUILT_IN = [name for name in ViewName if name not in OTHERS]
"""Those whose rows are the episodes of a filter."""
VIEWS = [
    View.of(name, PodcastId(1) if name is ViewName.PODCAST else None, title=title, states=states)
    for name, title, states in product(BUILT_IN, ("", "two words"), ((), (State.UNPLAYED,), (State.PLAYED,)))
]
PAGED = [view for view in VIEWS if compiler.is_indexed(view.filter)]
FEW = {
    ViewName.DOWNLOADS: "SCAN d",
    ViewName.NEW: "SCAN i",
    ViewName.QUEUE: "SCAN u USING COVERING INDEX queue_by_rank",
}
PLAYED = {State.PLAYED, State.UNPLAYED}


def plan(library: Library, sql: str, values: object = ()) -> list[str]:
    with library._connected.reading() as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)  # type: ignore[arg-type]
        return [row[3] for row in rows]


@pytest.mark.parametrize("limit", [None, 50])
@pytest.mark.parametrize("view", VIEWS)
def test_a_list_comes_from_its_index_in_order(library: Library, view: View, limit: int | None) -> None:
    first, *then = plan(library, *compiler.select(view.filter, view.order, limit=limit))
    if view.name is ViewName.IN_PROGRESS:
        assert first == "SCAN g USING COVERING INDEX progress_last_heard", "as long as what was begun and not finished"
        assert then == ["SEARCH e USING INTEGER PRIMARY KEY (rowid=?)", "USE TEMP B-TREE FOR ORDER BY"]
    elif view.name in FEW:
        assert first == FEW[view.name], "as long as the few that it has"
        *sorted_then, looked_up = reversed(then)
        assert looked_up == "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"
        assert [step for step in sorted_then if not step.startswith("USE TEMP B-TREE FOR")] == []
    elif view.name is ViewName.ALL and (view.title or State.PLAYED in view.filter.states):
        assert [first, *then] == ["SCAN e", "USE TEMP B-TREE FOR ORDER BY"], "each is read once, in the file's order"
    else:
        covering = not view.title and not view.filter.states & PLAYED
        assert ("COVERING INDEX" in first) is covering
        assert " INDEX episodes_" in first
        assert first.startswith("SEARCH") is (view.name is not ViewName.ALL)
        assert then == []


@pytest.mark.parametrize("view", [view for view in PAGED if not view.title])
def test_the_oldest_come_from_the_same_index_the_other_way_round(library: Library, view: View) -> None:
    plans = [plan(library, *compiler.select(view.filter, order, limit=50)) for order in (Order.NEWEST, Order.OLDEST)]
    assert plans[0] == plans[1]
    assert plans[0] == ["SCAN e", "USE TEMP B-TREE FOR ORDER BY"] or len(plans[0]) == 1


@pytest.mark.parametrize("order", [Order.LONGEST, Order.SHORTEST])
def test_by_length_the_episodes_of_the_list_are_sorted_and_no_others_read(library: Library, order: Order) -> None:
    first, *then = plan(library, *compiler.select(View.of(ViewName.PODCAST, PodcastId(1)).filter, order, limit=50))
    assert first == "SEARCH e USING INDEX episodes_of_podcast (podcast_id=?)"
    assert then == ["USE TEMP B-TREE FOR ORDER BY"]
    assert plan(library, *compiler.select(View().filter, order)) == ["SCAN e", "USE TEMP B-TREE FOR ORDER BY"]


@pytest.mark.parametrize(
    "chosen",
    [
        EpisodeFilter(title="x"),
        EpisodeFilter(title="x", after=date(2026, 1, 1)),
        EpisodeFilter(at_least_ms=5, states=frozenset({State.UNPLAYED})),
        EpisodeFilter(states=frozenset({State.PLAYED})),
    ],
)
def test_a_filter_of_everything_reads_the_newest_titles_through_the_index(
    library: Library, chosen: EpisodeFilter
) -> None:
    (step,) = plan(library, listing._NEWEST, (20_000,))
    assert step == "SCAN e USING COVERING INDEX episodes_newest"
    (step,) = plan(library, *compiler.select(chosen, since=7, limit=5))
    assert step == "SEARCH e USING INDEX episodes_newest (sort>?)"
    assert plan(library, *compiler.select(chosen, limit=5)) == ["SCAN e", "USE TEMP B-TREE FOR ORDER BY"]


def test_the_list_of_a_tag_reads_the_podcasts_that_have_it_and_no_others(library: Library) -> None:
    view = View.of_tag("work")
    first, *then = plan(library, *compiler.select(view.filter, view.order))
    assert first == "SEARCH e USING COVERING INDEX episodes_of_podcast (podcast_id=?)"
    assert not [step for step in then if step.startswith("SCAN e")]


def test_what_is_downloaded_is_gone_through_alone(library: Library) -> None:
    chosen = EpisodeFilter(states=frozenset({State.DOWNLOADED, State.UNPLAYED}), title="x")
    first, *then = plan(library, *compiler.select(chosen, limit=5))
    assert first == "SCAN d"
    assert then == ["SEARCH e USING INTEGER PRIMARY KEY (rowid=?)", "USE TEMP B-TREE FOR ORDER BY"]


def test_of_some_episodes_no_others_are_looked_at(library: Library) -> None:
    for view in VIEWS:
        steps = plan(library, *compiler.select(view.filter, view.order, among=[1, 2]))
        assert steps[:2] == ["SCAN j VIRTUAL TABLE INDEX 1:", "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"], view
        assert not [step for step in steps[2:] if step.startswith("SCAN")], view


def test_rows_and_counts_touch_only_what_they_show(library: Library) -> None:
    rows = plan(library, f"{episodes._ROW} WHERE e.id IN {GIVEN}", ("[1, 2]",))
    assert not [step for step in rows if step.startswith("SCAN") and "json_each" not in step], rows
    assert rows[0] == "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"


@pytest.mark.parametrize("view", PAGED)
def test_a_page_and_a_rank_come_from_the_index_of_the_list(library: Library, view: View) -> None:
    terms, values = compiler.conditions(view.filter)
    for order, side, ties in (listing._FORWARDS, listing._BACKWARDS):
        (step,) = plan(library, f"SELECT count(*) FROM episodes e{where([*terms, ties])}", [*values, 5, 7])
        assert " INDEX episodes_" in step
        assert "sort=? AND rowid" in step
        for more, given in (([], []), ([side], [5])):
            sql = f"SELECT e.id, e.sort FROM episodes e{where([*terms, *more])} ORDER BY {order} LIMIT ? OFFSET ?"
            (step,) = plan(library, sql, [*values, *given, 50, 0])
            assert " INDEX episodes_" in step, step
            assert ("COVERING" in step) is not bool(view.filter.states & PLAYED), step
            assert not given or "SEARCH" in step
    sql = f"SELECT 1 FROM episodes e{where([*terms, listing._BEFORE, listing._FROM])} LIMIT ?"
    (step,) = plan(library, sql, [*values, 5, 5, 7, 5, 5, 7, -1])
    assert step.startswith("SEARCH e USING")
    assert "sort>? AND sort<?" in step
    for start in (None, (9, 3), (5, 3)):
        for term, bounds in listing._ranges(start, (5, 7)):
            (step,) = plan(library, f"SELECT count(*) FROM episodes e{where([*terms, term])}", [*values, *bounds])
            assert step.startswith("SEARCH e USING"), step
            assert " INDEX episodes_" in step
    assert not [step for step in plan(library, *compiler.count(view.filter)) if step == "SCAN e"]
    assert not [step for step in plan(library, f"SELECT {episodes._STATE}") if " e" in step]


@pytest.mark.parametrize("view", [view for view in PAGED if view.podcast_id is None])
def test_previews_are_left_out_at_the_end_of_the_index(library: Library, view: View) -> None:
    steps = plan(library, *compiler.count(view.filter))
    assert not [step for step in steps if step.startswith("SCAN e")]
    if State.STARRED not in view.filter.states:
        assert "SEARCH" not in steps[0], "the counts of all podcasts are added up"
        assert steps[-1] == "SEARCH podcasts USING COVERING INDEX podcasts_previewed (previewed_at>?)"
