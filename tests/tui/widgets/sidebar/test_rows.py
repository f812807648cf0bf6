"""Which rows the sidebar has, and in which order."""

from collections.abc import Collection
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.model.filters import View, ViewCounts, ViewName
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold
from tui.look.glyphs import UNICODE
from tui.widgets.sidebar_rows import (
    Arrangement,
    Entry,
    PodcastOrder,
    Shelf,
    matching_rows,
    places,
    podcast_rows,
    view_of,
    view_rows,
)

READ = datetime(2026, 11, 20, tzinfo=UTC)


def podcast(number: int, title: str, unplayed: int = 1, *tags: str, pinned: bool = False) -> Podcast:
    return Podcast(
        PodcastId(number), f"http://h/{number}", title, unplayed_count=unplayed, last_refreshed=READ,
        pinned=pinned, tags=tags,
    )  # fmt: skip


ALPHA, BETA = podcast(1, "Alpha", 3), podcast(2, "Beta", 0)
GAMMA, DELTA = podcast(3, "Gamma", 5, "work", "Ärzte"), podcast(4, "Delta", 0, "work")
PINNED = podcast(5, "Zeta", 1, pinned=True)
ALL = (PINNED, ALPHA, BETA, DELTA, GAMMA)
"""As the library has them: the pinned ones first, then by name."""


def rows(
    podcasts: Collection[Podcast] = ALL, arrangement: Arrangement | None = None, *kept: View, **newest: int
) -> list[Entry]:
    dates = {one.id: newest[one.title] for one in podcasts if one.title in newest}
    shelf = Shelf(tuple(podcasts), newest=dates)
    found = podcast_rows(shelf, arrangement or Arrangement(), kept, UNICODE, lambda action: f"<{action}>")
    assert found[:1] == [Entry()]
    return found[1:]


def drawn(entries: list[Entry]) -> list[str]:
    """Each row in a line: its indentation, its sign, its title, its number."""
    return [f"{' ' * one.indent}{one.sign} {one.title} {one.number}".rstrip().removeprefix(" ") for one in entries]


def test_pinned_podcasts_are_first_then_the_groups_by_tag_then_the_podcasts_without_one() -> None:
    assert drawn(rows()) == [
        "Podcasts", "▴ Zeta 1",
        "▾ Ärzte 5", "  Gamma 5",
        "▾ work 5", "  Delta", "   Gamma 5".removeprefix(" "),
        "Alpha 3", "Beta",
    ]  # fmt: skip


def test_a_podcast_has_the_number_of_its_new_episodes_or_of_the_unplayed_ones_that_decide_on_the_order() -> None:
    shelf = Shelf(ALL, new={GAMMA.id: 2, ALPHA.id: 1})
    new, unplayed = (
        drawn(podcast_rows(shelf, arrangement, (), UNICODE, str))[1:]
        for arrangement in (Arrangement(), Arrangement(PodcastOrder.UNPLAYED))
    )
    assert new == [
        "Podcasts", "▴ Zeta", "▾ Ärzte 2", "  Gamma 2", "▾ work 2", "  Delta", "  Gamma 2", "Alpha 1", "Beta",
    ]  # fmt: skip
    assert unplayed == drawn(rows(ALL, Arrangement(PodcastOrder.UNPLAYED)))
    assert unplayed[1] == "▴ Zeta 1"


def test_views_that_are_empty_until_they_are_used_are_left_out_but_never_under_the_cursor() -> None:
    def titles(counts: ViewCounts, cursor_on: View | None = None) -> list[str]:
        return [one.title for one in view_rows(Shelf(counts=counts, new={}), UNICODE, cursor_on)[1:]]

    assert titles(ViewCounts()) == ["New", "Queue", "In progress", "History", "All episodes"]
    assert titles(ViewCounts(), View.of(ViewName.DOWNLOADS))[3] == "Downloads"
    every = titles(ViewCounts(starred=1, downloaded=2, bookmarks=3))
    assert every[3:6] == ["Starred", "Downloads", "Bookmarks"]
    assert [title for title, _view in places(Shelf(new={}))] == every, "each can be gone to"
    assert "New" not in [title for title, _view in places(Shelf())]


def test_a_podcast_with_two_tags_is_in_both_groups_with_one_view() -> None:
    twice = [one for one in rows() if one.view == view_of(GAMMA.id)]
    assert [one.group for one in twice] == ["Ärzte", "work"]


def test_a_folded_group_is_its_heading_with_the_same_number() -> None:
    folded = Arrangement().with_folded("work", folded=True)
    assert drawn(rows(ALL, folded))[4:] == ["▸ work 5", "Alpha 3", "Beta"]
    assert rows(ALL, folded.with_folded("work", folded=False)) == rows()


def test_the_view_of_a_group_is_that_of_its_tag() -> None:
    (group,) = [one for one in rows() if one.title == "work"]
    assert group.heads_group
    assert group.view == View.of_tag("work")


@pytest.mark.parametrize(
    ("order", "titles"),
    [
        (PodcastOrder.NAME, ["Alpha", "Beta", "Eta"]),
        (PodcastOrder.NEWEST, ["Eta", "Alpha", "Beta"]),
        (PodcastOrder.UNPLAYED, ["Eta", "Alpha", "Beta"]),
    ],
)
def test_podcasts_are_sorted_below_the_pinned_ones(order: PodcastOrder, titles: list[str]) -> None:
    some = (PINNED, ALPHA, BETA, podcast(6, "Eta", 9))
    found = rows(some, Arrangement(order), Alpha=20, Eta=30, Zeta=1)  # Beta has no episode
    assert [one.title for one in found[1:]] == ["Zeta", *titles]


def test_podcasts_with_nothing_unplayed_are_hidden_but_for_those_with_something_to_tell() -> None:
    failed, unread = replace(BETA, error="It is gone."), replace(DELTA, last_refreshed=None, tags=())
    hiding = Arrangement(hides_played=True)
    assert drawn(rows(ALL, hiding))[1:] == ["▴ Zeta 1", "▾ Ärzte 5", "  Gamma 5", "▾ work 5", "  Gamma 5", "Alpha 3"]
    assert [one.title for one in rows((failed, unread, podcast(7, "Eta", 0)), hiding)[1:]] == ["Beta", "Delta"]


def test_what_is_kept_is_not_hidden() -> None:
    played = podcast(6, "Eta", 0, "idle")
    hiding = Arrangement(hides_played=True)
    assert [one.title for one in rows((ALPHA, BETA, played), hiding, view_of(BETA.id))[1:]] == ["Alpha", "Beta"]
    assert [one.title for one in rows((ALPHA, played), hiding, View.of_tag("idle"))[1:]] == ["idle", "Alpha"]


def test_a_group_that_is_kept_and_has_no_podcast_any_more_is_gone() -> None:
    assert [one.title for one in rows((ALPHA,), Arrangement(), View.of_tag("gone"))[1:]] == ["Alpha"]


def test_where_nothing_is_left_a_sentence_names_the_key() -> None:
    hidden = rows((BETA,), Arrangement(hides_played=True))
    assert [one.title for one in hidden[1:]] == ["Everything is played", "<help>, “hide”: show all"]
    assert [one.title for one in rows(())] == ["Podcasts", "<add> adds one"]
    assert all(one.view is None and one.is_hint for one in (*hidden[1:], *rows(())[1:]))


def test_the_heading_says_what_differs_in_few_words() -> None:
    assert Arrangement().heading_words("·") == ()
    assert Arrangement(PodcastOrder.NEWEST).heading_words("·") == ("newest",)
    assert Arrangement(hides_played=True).heading_words("·") == ("hidden",)
    assert Arrangement(PodcastOrder.UNPLAYED, True).heading_words("·") == ("unplayed · hidden", "hidden")


# -- a filter -------------------------------------------------------------------------------------------------


def found(words: str, *titles: str) -> list[str]:
    shelf = Shelf(tuple(podcast(number, title, 0) for number, title in enumerate(titles, 1)))
    some = matching_rows(
        shelf, Arrangement(hides_played=True), words, lambda one: fold(one.title), lambda action: f"<{action}>"
    )
    return [one.title for one in some[1:]]


def test_a_filter_finds_parts_of_names_without_regard_to_case_and_accents_and_of_hidden_ones_too() -> None:
    assert found("façade", "The Facades", "Other") == ["The Facades"]
    assert found("CAFE talk", "Talk at the Café", "Café") == ["Talk at the Café"]


def test_names_that_begin_so_come_first_then_those_with_a_word_that_does() -> None:
    assert found("py", "Happy Hour", "Talk Python", "PyTorch") == ["PyTorch", "Talk Python", "Happy Hour"]


def test_a_filter_that_finds_nothing_says_which_key_clears_it() -> None:
    assert found("zz", "Alpha") == ["No podcast matches", "<back> clears", "<search> finds episodes"]


def test_a_filter_shows_a_podcast_with_two_tags_once() -> None:
    some = matching_rows(Shelf((GAMMA,)), Arrangement(), "gam", lambda one: fold(one.title), str)
    assert [(one.title, one.group, one.view and one.view.name) for one in some[1:]] == [
        ("Gamma", None, ViewName.PODCAST)
    ]


# -- remembered -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arrangement",
    [
        Arrangement(),
        Arrangement(PodcastOrder.NEWEST, True, frozenset({"work", "Ä b c"})),
        Arrangement(folded=frozenset({"hidden"})),
    ],
)
def test_an_arrangement_is_remembered_as_it_is(arrangement: Arrangement) -> None:
    assert Arrangement.of_text(arrangement.text) == arrangement


@pytest.mark.parametrize("text", ["", "sideways", "sideways up\n"])
def test_an_arrangement_that_this_earmark_does_not_know_is_as_at_first(text: str) -> None:
    read = Arrangement.of_text(text)
    assert (read.order, read.hides_played) == (PodcastOrder.NAME, False)
