"""The rows of the Bookmarks view: grouped by episode, cut to any width, found by words."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from rich.style import Style

from player.model.episode import EpisodeId
from player.model.listening import Bookmark, BookmarkId
from tui.drawing import cells
from tui.drawing.bidi import reordered
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.terminal.bidi import Bidi
from tui.widgets.episode_row import NO_EPISODE
from tui.widgets.own_rows import BookmarkRows


def bookmark(number: int, position_ms: int, of: int | None = 1, **more: str) -> Bookmark:
    texts = {"chapter": "", "line": "", "note": "", "episode": f"Episode {of}", "podcast": "Loop", "link": ""}
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return Bookmark(BookmarkId(number), of and EpisodeId(of), position_ms, at, **{**texts, **more})  # type: ignore[arg-type]


MIXED = [
    bookmark(5, 20_000, 2, note="look it up", line="as I said"),
    bookmark(4, 754_000, 1, line="so it is"),
    bookmark(3, 3_754_000, 2, chapter="The end"),
    bookmark(2, 5_000, 1),
    bookmark(1, 1_000, None, episode="Gone", note="from before"),
]


def drawn(rows: BookmarkRows, width: int = 60, glyphs: Glyphs = UNICODE) -> list[str]:
    def line(index: int) -> str:
        pieces = rows.draw(index, width, glyphs, lambda _role: Style(), at_cursor=False)
        return "".join(piece.text for piece in pieces).rstrip()

    return [line(index) for index in range(len(rows))]


def test_the_episode_with_the_latest_comes_first_and_its_bookmarks_in_its_order() -> None:
    assert drawn(BookmarkRows(MIXED)) == [
        "Episode 2  Loop",
        "   0:20  look it up  “as I said”",
        "1:02:34  The end",
        "",
        "Episode 1  Loop",
        "   0:05  Bookmarked on 1 Mar 2026",
        "  12:34  “so it is”",
        "",
        "Gone  Loop  · no longer in your library",
        "   0:01  from before",
    ]


def test_a_clip_has_its_length_beside_it() -> None:
    clip = replace(bookmark(1, 754_000, 1, note="look it up"), length_ms=34_600)
    assert drawn(BookmarkRows([clip]))[1] == "12:34  0:34  look it up"


def test_the_cursor_rests_on_bookmarks_alone_and_each_has_its_episode() -> None:
    rows = BookmarkRows(MIXED)
    assert [index for index in range(len(rows)) if rows.may_rest(index)] == [1, 2, 5, 6, 9]
    assert list(rows.page(0, 99)) == [0, 2, 2, 0, 0, 1, 1, 0, 0, NO_EPISODE]
    assert rows.rank(EpisodeId(1)) == 5
    assert rows.rank(None) is None
    assert rows.count == 5


def test_words_find_notes_lines_chapters_and_titles() -> None:
    for words, count in (("LOOK", 1), ("said look", 1), ("end", 1), ("episode 2", 2), ("loop", 5), ("nothing", 0)):
        assert BookmarkRows(MIXED, words).count == count, words


def test_the_cursor_stays_on_its_bookmark_and_else_on_its_line() -> None:
    before, after = BookmarkRows(MIXED[1:]), BookmarkRows(MIXED)
    assert before.bookmark_at(2) == MIXED[1]
    assert after.same_row(before, 2) == 6
    assert before.same_row(after, 1) is None
    assert after.same_row(object(), 1) is None


def test_an_episode_and_its_podcast_of_another_script_are_apart() -> None:
    (heading, _row) = drawn(BookmarkRows([bookmark(1, 1_000, episode="The lighthouse keeper", podcast="היסטוריה")]))
    assert reordered([(heading, "")], Bidi.EARMARK) == [("The lighthouse keeper  הירוטסיה", "")]


def test_a_changed_bookmark_is_drawn_again() -> None:
    before, after = BookmarkRows(MIXED), BookmarkRows([replace(MIXED[0], note="done"), *MIXED[1:]])
    assert before.key(1) != after.key(1)
    assert before.key(0) == after.key(0)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [0, 1, 5, 9, 10, 24, 48, 120])
def test_every_row_is_as_wide_as_asked(width: int, glyphs: Glyphs) -> None:
    hostile = bookmark(9, 5_000, 3, note="端末で聴く \u202eabc 👩‍💻" * 9, episode="עברית" * 9)
    rows = BookmarkRows([hostile, *MIXED])
    for index in range(len(rows)):
        pieces = rows.draw(index, width, glyphs, lambda _role: Style(), at_cursor=True)
        assert sum(cells.width(piece.text) for piece in pieces) == width
