"""How a row of the sidebar shares its cells: the name has all that nothing else needs."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.style import Style

from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from tests.quick import examples
from tui.drawing import cells
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets.sidebar_rows import Entry, Mark, SidebarRow

CHANGELOG = Entry("Changelog", View.of(ViewName.PODCAST, PodcastId(7)), count=9)
TITLES = st.lists(st.sampled_from([*"ab ", "日", "e\u0301", "🎙", "ע"]), max_size=40).map("".join)
ENTRIES = st.builds(
    Entry,
    TITLES,
    st.sampled_from([None, View(), View.of(ViewName.HISTORY), View.of(ViewName.PODCAST, PodcastId(7))]),
    st.sampled_from(["", "▴", "●"]),
    st.integers(0, 10**6),
    st.sampled_from(Mark),
    group=st.none() | st.just("work"),
    is_hint=st.booleans(),
    has_new=st.booleans(),
)


def drawn(entry: Entry, width: int = 24, row: SidebarRow | None = None) -> list[tuple[str, str]]:
    """The pieces of a row, each with its role."""
    pieces = (row or SidebarRow()).draw(entry, width, UNICODE, lambda role: Style(link=role), at_cursor=False)
    return [(piece.text, str(piece.style and piece.style.link)) for piece in pieces if piece.text.strip()]


def text(entry: Entry, width: int = 24, row: SidebarRow | None = None) -> str:
    pieces = (row or SidebarRow()).draw(entry, width, UNICODE, lambda _role: Style(), at_cursor=False)
    return "".join(piece.text for piece in pieces)


@given(ENTRIES, st.integers(0, 60), st.sampled_from(["", "▶"]), st.booleans(), st.sampled_from([UNICODE, ASCII]))
@settings(max_examples=examples(300), deadline=None)
def test_a_row_is_exactly_as_wide_as_it_may_be(
    entry: Entry, width: int, plays: str, hues: bool, glyphs: Glyphs
) -> None:
    row = SidebarRow(plays, hues)
    pieces = row.draw(entry, width, glyphs, lambda _role: Style(), at_cursor=False)
    assert cells.width("".join(piece.text for piece in pieces)) == width


def test_a_podcast_has_a_mark_in_its_hue_and_numbers_are_straight() -> None:
    assert text(CHANGELOG) == "▎ Changelog            9"
    assert drawn(CHANGELOG)[0] == ("▎ ", "hue-5")
    assert text(Entry("Oxide and Friends", CHANGELOG.view, count=131)) == "▎ Oxide and Friends  131"
    assert text(Entry("Work", CHANGELOG.view, count=0)).rstrip() == "▎ Work", "nothing is no number"


def test_a_name_is_cut_only_where_its_last_cell_is_needed() -> None:
    long = Entry("A name of more cells than there are", CHANGELOG.view, count=9)
    assert text(long) == "▎ A name of more cell… 9"
    assert text(Entry(long.title, long.view, count=0)) == "▎ A name of more cells… "


def test_the_accent_marks_the_podcast_that_plays_and_those_with_something_new() -> None:
    assert all(role != "alive" for _text, role in drawn(CHANGELOG))
    assert drawn(CHANGELOG, row=SidebarRow("▶"))[0] == ("▶ ", "alive")
    new = Entry("Changelog", CHANGELOG.view, count=9, has_new=True)
    assert drawn(new)[-1] == (" 9", "alive")


def test_without_colours_what_plays_is_marked_beside_the_number() -> None:
    assert text(CHANGELOG, row=SidebarRow("▶", hues=False)) == "Changelog            ▶ 9"


def test_a_podcast_that_failed_is_dimmed_and_says_so_in_a_glyph() -> None:
    failed = Entry("CoRecursive", CHANGELOG.view, count=7, mark=Mark.FAILED)
    assert text(failed) == "▎ CoRecursive        ! 7"
    assert [role for _text, role in drawn(failed)] == ["hue-5", "muted", "failed", "muted"]
