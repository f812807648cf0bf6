"""Notes read like a page, whatever a feed puts into them; the pane scrolls and never holds up the cursor."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.resources import files

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from textual import events

from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.notes import read_notes
from player.paths import Paths
from player.text.directions import without_marks
from tests.player.notes.test_corpus import CASES, notes_of
from tests.tui.alone import Alone, real_app, text_of, until
from tui.drawing.notes.notes_page import Request, body, head, read_on
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets.notes_pane import NotesPane

PYTORCH = """<p>The post-grad passes run once the graph has been made functional and split into forward and
backward.</p><p>Further reading.</p><ul>
<li><a href="https://github.com/pytorch/pytorch/pull/130935">Pull request #130935</a></li>
<li>Lowering guide: https://github.com/pytorch/xla/blob/master/OP_LOWERING_GUIDE.md</li>
<li><a href="https://dev-discuss.pytorch.org/t/501">https://dev-discuss.pytorch.org/t/501</a></li></ul>
<p><strong>Timestamps</strong></p>
<p>0:00 What a pass may assume<br/>6:41 - Pattern matcher<br/>(14:05) Reinplacing</p>"""


def an_episode(number: int = 1, title: str = "Inductor - Post-grad FX passes") -> Episode:
    return Episode(
        EpisodeId(number),
        PodcastId(1),
        "PyTorch Developer Podcast",
        title,
        "g",
        "u",
        published=datetime(2024, 4, 12, 12, tzinfo=UTC),
        duration_ms=24 * 60_000,
    )


def page(notes: str, columns: int = 76, glyphs: Glyphs = UNICODE, duration_ms: int | None = None) -> list[Line]:
    return body(read_notes(notes), columns, glyphs, duration_ms)


def text(lines: list[Line]) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def in_role(lines: list[Line], role: str) -> list[str]:
    return [piece.text for line in lines for piece in line if role in piece.role.split()]


# -- the page -------------------------------------------------------------------------------------------------


def test_further_reading_and_timestamps_stand_in_columns() -> None:
    lines = page(PYTORCH)
    assert text(lines) == [
        "The post-grad passes run once the graph has been made functional and split",
        "into forward and backward.",
        "",
        "Further reading.",
        "1  Pull request #130935  pytorch/pytorch",
        "2  Lowering guide  pytorch/xla",
        "3  dev-discuss.pytorch.org/t/501",
        "",
        "Timestamps",
        "0:00   What a pass may assume",
        "6:41   Pattern matcher",
        "14:05  Reinplacing",
    ]
    assert in_role(lines, "heading") == ["Further reading.", "Timestamps"]
    assert in_role(lines, "time") == ["0:00", "6:41", "14:05"]
    assert [where.strip() for where in in_role(lines, "muted")] == ["pytorch/pytorch", "pytorch/xla"]


def test_a_link_amid_prose_is_numbered_and_collected_below() -> None:
    lines = page(
        '<p>See the <a href="https://www.example.org/guide">guide</a>, or <a href="mailto:a@b.org">write</a>.</p>'
    )
    assert text(lines) == ["See the guide¹, or write².", "", "Links", "1  guide  example.org", "2  write  a@b.org"]
    assert {piece.href for line in lines for piece in line if piece.text == "guide"} == {
        "https://www.example.org/guide"
    }


def test_a_link_is_listed_once_however_often_it_is_named() -> None:
    notes = '<p><a href="https://a.org/x">One</a> and <a href="https://a.org/x">again</a>.</p>'
    assert text(page(notes)) == ["One¹ and again¹.", "", "Links", "1  One  a.org"]


@pytest.mark.parametrize("above", ["<h2>Links</h2>", "<p>Links:</p>"])
def test_a_list_of_links_in_the_notes_has_those_amid_the_text_too_in_its_order(above: str) -> None:
    notes = (
        "<p>By <a href='https://a.org'>Ann</a>, of <a href='https://c.org'>Cee</a>.</p>"
        f"{above}<ul><li><a href='https://b.org'>Bee</a></li><li><a href='https://a.org'>Ann's page</a></li></ul>"
        "<h2>Thanks</h2><p>To you.</p>"
    )
    lines = text(page(notes))
    assert sum(line.startswith("Links") for line in lines) == 1
    start = next(at for at, line in enumerate(lines) if line.startswith("Links"))
    listed = [line for line in lines[start + 1 : lines.index("Thanks")] if line]
    assert [line.split() for line in listed] == [
        ["1", "Ann's", "page", "a.org"], ["2", "Cee", "c.org"], ["3", "Bee", "b.org"],
    ]  # fmt: skip


def test_a_bare_address_is_shown_short_without_trackers_and_needs_no_row() -> None:
    (line,) = page("<p>More at https://www.example.org/a/?utm_source=feed today</p>")
    assert text([line]) == ["More at example.org/a¹ today"]
    assert {piece.href for piece in line if piece.href} == {"https://www.example.org/a/?utm_source=feed"}


def test_a_time_leads_to_its_place_in_the_episode() -> None:
    lines = page(
        "<p>6:41 Matcher, then 8:00</p><p>At 12:30 pm we met, at 7:30 (3:05) we said so.</p>", duration_ms=600_000
    )
    leads = {piece.text: piece.href for line in lines for piece in line if piece.href}
    assert leads == {
        "6:41": "earmark:time/401000",
        "8:00": "earmark:time/480000",
        "7:30": "earmark:time/450000",
        "3:05": "earmark:time/185000",
    }


def test_where_a_link_leads_is_the_real_host() -> None:
    notes = '<ul><li><a href="https://github.com@evil.example/pytorch/pytorch">github.com</a></li></ul>'
    assert text(page(notes)) == ["1  github.com  evil.example"]


def test_lists_nest_with_hanging_indents() -> None:
    notes = """<ul><li>One item that is long enough to be wrapped<ul><li>Nested and wrapped as well here</li></ul></li>
    <li>Two</li></ul><ol start="9"><li>Nine</li><li>Ten goes on below its text</li></ol>"""
    assert text(page(notes, 24)) == [
        "• One item that is long",
        "  enough to be wrapped",
        "  – Nested and wrapped",
        "    as well here",
        "• Two",
        "",
        "9. Nine",
        "10. Ten goes on below",
        "    its text",
    ]


def test_code_keeps_its_spaces_on_a_ground_of_its_own_and_quotes_have_a_bar_without_gaps() -> None:
    lines = page("<pre>def f():\n    return 1</pre><blockquote><p>One</p><p>Two</p></blockquote>", 30)
    assert [line.rstrip() for line in text(lines)] == [" def f():", "     return 1", "", "▎ One", "▎", "▎ Two"]
    assert {width_of(line) for line in lines if line and line[0].role == "codeblock"} == {30}


def test_code_is_tinted_in_calm_roles_and_its_links_work() -> None:
    lines = page(
        "<pre><code class='language-python'>def f():\n    return 'x'  # see https://a.org/why\n</code></pre>", 60
    )
    assert in_role(lines, "keyword") == ["def", "return"]
    assert in_role(lines, "string") == ["'x'"]
    assert "".join(in_role(lines, "comment")) == "# see https://a.org/why"
    assert [piece.href for line in lines for piece in line if piece.text == "https://a.org/why"] == [
        "https://a.org/why"
    ]
    assert {width_of(line) for line in lines} == {60}


@pytest.mark.parametrize(
    ("notes", "words"),
    [
        ("<pre>$ pip install x\nDone</pre>", ["$ ", "Done"]),
        ("<pre>import os  # os</pre>", ["# os"]),
        ("<pre>Just words, of no language</pre>", []),
        ("```nonsense\nlet it = 1 // be\n```", []),
        ("<pre>" + "import os  # os\n" * 3_000 + "</pre>", []),
    ],
)
def test_code_that_does_not_say_its_language_is_guessed_or_left_as_it_is(notes: str, words: list[str]) -> None:
    assert in_role(page(notes, 40), "comment") == words


GEAR = """<table><tr><th>Item</th><th>Grams</th><th>Why</th></tr>
<tr><td><a href="https://tents.example/one">Tent One</a></td><td>1,240</td><td>Stands by itself, even on rock</td></tr>
<tr><td>Stove</td><td>83</td><td>Boils a litre</td></tr></table>"""


def test_a_table_stands_in_columns_where_they_fit_and_in_rows_of_labels_where_not() -> None:
    assert text(page(GEAR, 60)) == [
        "Item       Grams  Why",
        "─────────  ─────  ──────────────────────────────",
        "Tent One¹  1,240  Stands by itself, even on rock",
        "Stove         83  Boils a litre",
        "",
        "Links",
        "1  Tent One  tents.example",
    ]
    assert text(page(GEAR, 36))[2:5] == [
        "Tent One¹  1,240  Stands by itself,",
        "                  even on rock",
        "Stove         83  Boils a litre",
    ]
    assert text(page(GEAR, 20))[:7] == [
        "Item: Tent One¹",
        "Grams: 1,240",
        "Why: Stands by",
        "itself, even on rock",
        "",
        "Item: Stove",
        "Grams: 83",
    ]


def test_numbers_of_links_are_aligned_among_those_that_stand_together() -> None:
    links = [f'<li><a href="https://a.org/{number}">Page {number}</a></li>' for number in range(1, 11)]
    lines = text(page(f"<ul>{''.join(links[:2])}</ul><p>And then more of them:</p><ul>{''.join(links[2:])}</ul>"))
    assert lines[0] == "1  Page 1  a.org"
    assert lines[-2:] == ["9   Page 9  a.org", "10  Page 10  a.org"]


def test_long_lists_take_no_more_time_for_each_of_their_rows() -> None:
    notes = read_notes("".join(f"{number // 60}:{number % 60:02} a\n" for number in range(3_000)))
    start = time.process_time()
    body(notes, 60, UNICODE)
    assert time.process_time() - start < 2  # measured: 0.15; it was the square of it


@pytest.mark.parametrize("columns", [24, 60, 76])
@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_notes_fits_its_page_with_all_of_its_links(case: str, columns: int) -> None:
    notes = read_notes(notes_of(case))
    lines = body(notes, columns, UNICODE)
    assert max(map(width_of, lines), default=0) <= columns
    assert {piece.href for line in lines for piece in line if "://" in piece.href or "mailto" in piece.href} == set(
        notes.links
    )


def test_a_time_beyond_the_end_is_no_place_in_the_episode() -> None:
    notes = "<p>We met at (12:30) and said at (3:05) what mattered.</p>"
    assert in_role(page(notes, duration_ms=600_000), "time") == ["3:05"]


def test_long_addresses_are_cut_at_a_slash_or_a_dash() -> None:
    address = "https://example.org/a-quite-long-path/that-does-not/fit-in-one-line"
    assert text(page(f"<p>See {address}</p>", 32)) == [
        "See",
        "example.org/a-quite-long-path/",
        "that-does-not/fit-in-one-line¹",
    ]


def test_chinese_is_broken_between_characters_and_korean_between_words() -> None:
    assert text(wrap([Run("日本語のテキストは、どこでも改行できます。")], 16)) == [
        "日本語のテキスト",
        "は、どこでも改行",
        "できます。",
    ]
    assert text(wrap([Run("테크 토크는 재미있다")], 12)) == ["테크 토크는", "재미있다"]


def test_hebrew_is_kept_as_it_was_written() -> None:
    """And begins where its reader looks for it."""
    assert without_marks(text(page("<p>שלום, זהו פודקאסט</p>"))[0]) == f"{'שלום, זהו פודקאסט':>76}"


def test_a_paragraph_keeps_its_side_in_lines_that_begin_with_english() -> None:
    lines = text(page("<p>פודקאסט על שפת Python ועל Rust</p>", 18))
    assert list(map(without_marks, lines)) == [f"{'פודקאסט על שפת':>18}", f"{'Python ועל Rust':>18}"]
    assert text(page("<p>one two</p>", 20)) == ["one two"]


def test_the_bullet_of_a_hebrew_item_is_at_its_right() -> None:
    lines = [without_marks(line) for line in text(page("<ul><li>שלום עולם ושוב שלום</li><li>one</li></ul>", 20))]
    assert lines == ["      שלום עולם ושוב •"[-20:], "              שלום"[-18:], "• one"]


def test_the_head_tells_podcast_date_and_length_and_breaks_between_them() -> None:
    assert text(head(an_episode(), 76, UNICODE)) == [
        "Inductor - Post-grad FX passes",
        "PyTorch Developer Podcast · 12 Apr 2024 · 24 min",
    ]
    assert text(head(an_episode(), 30, UNICODE))[1:] == ["PyTorch Developer Podcast", "12 Apr 2024 · 24 min"]
    assert text(head(replace(an_episode(), downloaded=True), 76, UNICODE))[1].endswith("24 min · downloaded")


def test_the_welcome_show_reads_well() -> None:
    feed = files("player.welcome").joinpath("feed.xml").read_text(encoding="utf-8")
    for notes in re.findall(r"<!\[CDATA\[(.*?)\]\]>", feed, re.DOTALL):
        for columns in (30, 44, 76):
            lines = page(notes, columns)
            assert max(map(width_of, lines)) <= columns
            assert in_role(lines, "time")
            assert in_role(lines, "heading")


def test_ascii_is_ascii() -> None:
    notes = (
        PYTORCH
        + '<ul><li>a<ul><li>b</li></ul></li></ul><blockquote>q</blockquote><hr><p>x <a href="https://a.org">l</a></p>'
    )
    assert "".join(text(page(notes, glyphs=ASCII))).isascii()


_TAGS = [
    "p",
    "li",
    "ul",
    "ol",
    "h2",
    "b",
    "i",
    "code",
    "pre",
    "blockquote",
    "br",
    "hr",
    "a href='https://x.example/y'",
    "/a",
    *("table", "tr", "td", "th", "dl", "dt", "dd", "pre class='language-python'", "img alt='a picture'", "sup"),
]
_BITS = st.one_of(
    st.text(max_size=40),
    st.sampled_from([f"<{tag}>" for tag in _TAGS] + [f"</{tag}>" for tag in _TAGS]),
    st.sampled_from(
        ["\n```py\nimport x  # why\n```\n", "def f(): return 'x'", "- a\n- b\n", "**b** ", "1. a 2. b 3. c"]
    ),
    st.sampled_from(["0:10 ", "(12:34)", "https://example.org/a/b ", "日本語、", "שלום ", "👩‍👩‍👧🇩🇪", " - "]),
)


@given(st.lists(_BITS, max_size=30).map("".join), st.integers(20, 100), st.sampled_from([UNICODE, ASCII]))
@settings(deadline=None)
def test_no_line_is_wider_than_the_page_whatever_the_notes_are(notes: str, columns: int, glyphs: Glyphs) -> None:
    for line in page(notes, columns, glyphs, 3_600_000):
        assert width_of(line) <= columns


@given(st.text(max_size=300), st.integers(4, 40))
@example("\u0590", 4)
@example("שלום world", 6)
@settings(deadline=None)
def test_wrapping_loses_nothing_but_space(words: str, columns: int) -> None:
    """What is read from right to left comes within isolates, with a mark after it."""
    words = re.sub(r"[\x00-\x1f\x7f-\x9f\u200e\u2066-\u2069]", "", words)
    lines = wrap([Run(words)], columns)
    assert re.sub("[ \u200e\u2066-\u2069]", "", "".join(text(lines))) == words.replace(" ", "")
    assert all(width_of(line) <= columns for line in lines)


# -- the pane -------------------------------------------------------------------------------------------------


def shown(pane: NotesPane) -> str:
    return "\n".join(text_of(pane))


async def test_title_facts_and_text_are_there_in_one_frame() -> None:
    pane = NotesPane()
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        pane.show(an_episode(), PYTORCH)
        assert "Inductor - Post-grad FX passes" in shown(pane)
        assert "12 Apr 2024 · 24 min" in shown(pane)
        assert "1  Pull request #130935  pytorch/pytorch" in shown(pane)


async def test_an_episode_without_notes_says_so_and_no_episode_says_nothing() -> None:
    pane = NotesPane()
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        pane.show(an_episode(), "")
        assert "This episode has no notes." in shown(pane)
        pane.show(None, "")
        assert shown(pane).strip() == ""


async def test_it_scrolls_by_lines_pages_and_wheel_and_starts_each_episode_at_its_top() -> None:
    pane = NotesPane()
    notes = "".join(f"<p>Paragraph {number}.</p>" for number in range(60))
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        pane.show(an_episode(), notes)
        await pilot.pause()
        pane.move_by(2)
        pane.move_by(1)
        assert pane.scroll_offset.y == 3
        pane.move_by_pages(0.5)
        assert pane.scroll_offset.y > 10
        pane.move_to(10**6)
        assert "Paragraph 59." in shown(pane)
        pane.post_message(events.MouseScrollUp(pane, 5, 5, 0, 0, 0, False, False, False))
        await until(pilot, lambda: "Paragraph 59." not in shown(pane))
        kept = pane.scroll_offset.y
        pane.show(an_episode(), notes)
        assert pane.scroll_offset.y == kept
        pane.show(an_episode(2, "Strides"), notes)
        assert pane.scroll_offset.y == 0
        assert "Strides" in shown(pane)


def at_top(pane: NotesPane) -> int:
    return int(re.findall(r"Number (\d+)", shown(pane))[0])


async def test_a_resize_wraps_anew_and_stays_at_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, pane = threading.Event(), NotesPane()

    def held(request: Request, wanted: Callable[[], bool]) -> Iterator[tuple[list[Line], bool]]:
        go_on.wait(30)
        return read_on(request, wanted)

    monkeypatch.setattr("tui.drawing.notes.notes_page.read_on", held)
    notes = "".join(f"<p>Number {number}: {'words and more ' * 12}</p>" for number in range(40))
    async with Alone(pane).run_test(size=(100, 30)) as pilot:
        pane.show(an_episode(), notes)
        pane.move_to(60)
        first = at_top(pane)
        for columns in (44, 70, 31, 100):
            await pilot.resize_terminal(columns, 30)
            await pilot.pause()
            go_on.set()  # the first time, only the beginning had been laid out
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            assert max(len(line) for line in text_of(pane)) < columns
            assert at_top(pane) == first


MEGABYTE = "".join(f"<p>Paragraph {number}, neither short nor long, as they are.</p>" for number in range(17_000))


@pytest.mark.long
async def test_a_megabyte_of_notes_is_read_from_its_first_frame_on_and_its_rest_comes_soon() -> None:
    pane = NotesPane()
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        pane.show(an_episode(), MEGABYTE)
        assert "Inductor" in shown(pane)
        assert "Paragraph 9," in shown(pane)
        pane.move_by(5)
        await until(pilot, lambda: pane.virtual_size.height > 34_000)
        assert pane.scroll_offset.y == 5
        pane.move_to(10**6)
        assert "Paragraph 16999," in shown(pane)


async def test_long_notes_stay_near_what_was_read_when_the_page_gets_narrower() -> None:
    pane = NotesPane()
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        notes = MEGABYTE[: len(MEGABYTE) // 10]
        pane.show(an_episode(), notes)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        pane.move_to(1_600)
        first = int(re.findall(r"Paragraph (\d+)", shown(pane))[0])
        await pilot.resize_terminal(44, 30)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert max(len(line) for line in text_of(pane)) <= 44
        assert abs(int(re.findall(r"Paragraph (\d+)", shown(pane))[0]) - first) <= 2


async def test_notes_that_come_late_never_replace_those_of_the_next_episode() -> None:
    pane = NotesPane()
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        pane.show(an_episode(), "<p>Long and late.</p>" * 3_000)
        pane.show(an_episode(2, "Strides"), "<p>Short and here.</p>")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "Short and here." in shown(pane)
        assert "Long and late." not in shown(pane)


async def test_links_can_be_opened_by_the_terminal() -> None:
    pane = NotesPane()
    async with Alone(pane).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        pane.show(an_episode(), PYTORCH)
        links = {
            segment.text: segment.style.link
            for row in range(pane.size.height)
            for segment in pane.render_line(row)
            if segment.style and segment.style.link
        }
        assert links["Pull request #130935"] == "https://github.com/pytorch/pytorch/pull/130935"


@pytest.mark.parametrize("theme", ["ink", "paper"])
async def test_focus_is_seen_at_the_title_and_a_new_theme_colours_the_page_anew(theme: str) -> None:
    pane = NotesPane()
    app = Alone(pane, theme=theme)
    async with app.run_test(size=(80, 30)) as pilot:
        pane.show(an_episode(), PYTORCH)
        pane.focus()
        await pilot.pause()
        assert "▌ Inductor" in shown(pane)
        before = [segment.style for segment in pane.render_line(2)]
        app.set_focus(None)
        app.theme = "paper" if theme == "ink" else "ink"
        await pilot.pause()
        assert "▌" not in shown(pane)
        assert [segment.style for segment in pane.render_line(2)] != before


async def test_in_earmark_the_notes_follow_the_cursor_and_keys_scroll_them(paths: Paths) -> None:
    async with real_app(paths, (120, 20)) as (app, pilot):
        pane = app.screen.query_one(NotesPane)
        await until(pilot, lambda: "1. Press play" in shown(pane))
        await pilot.press("j")
        await until(pilot, lambda: "2. Find your way" in shown(pane))
        await pilot.press("tab", "j", "down")
        assert pane.scroll_offset.y == 2
        await pilot.press("ctrl+d")
        assert pane.scroll_offset.y > 4
        await pilot.press("G", "g")
        assert pane.scroll_offset.y == 0
        await pilot.press("right")
        assert pane.scroll_offset.x == 0
