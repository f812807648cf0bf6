"""Which terminals put text in reading order themselves, and where Earmark does."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from textual import events

from player.text.directions import without_marks
from player.text.sentences import _
from tests.tui.alone import Alone
from tests.tui.stage import stocked
from tui.drawing.bidi import reordered
from tui.drawing.cells import steady
from tui.drawing.runs import Run, wrap
from tui.terminal.bidi import Bidi, ReadingOrder, bidi_for
from tui.widgets.page_view import PageView

T = TypeVar("T")


@pytest.mark.parametrize(
    ("environ", "who"),
    [
        ({}, Bidi.EARMARK),
        ({"TERM": "xterm-256color"}, Bidi.EARMARK),
        ({"VTE_VERSION": "7006"}, Bidi.TERMINAL),
        ({"VTE_VERSION": "5202"}, Bidi.EARMARK),
        ({"KONSOLE_VERSION": "230804"}, Bidi.TERMINAL),
        ({"MLTERM": "3.9.0"}, Bidi.EARMARK),
        ({"MLTERM": "3.9.0", "TMUX": "/tmp/x"}, Bidi.TERMINAL),
        ({"TERM_PROGRAM": "Apple_Terminal"}, Bidi.TERMINAL),
        ({"TERM_PROGRAM": "mintty"}, Bidi.TERMINAL),
        ({"TERM_PROGRAM": "tmux", "TMUX": "/tmp/x", "VTE_VERSION": "7006"}, Bidi.TERMINAL),
        ({"TERM_PROGRAM": "tmux", "TMUX": "/tmp/x"}, Bidi.EARMARK),
        ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, Bidi.WORDS),
        ({"TERM": "xterm-kitty"}, Bidi.WORDS),
        ({"TERM_PROGRAM": "WezTerm"}, Bidi.EARMARK),
        ({"TERM_PROGRAM": "iTerm.app"}, Bidi.EARMARK),
    ],
)
def test_what_terminals_do_is_known(environ: dict[str, str], who: Bidi) -> None:
    assert bidi_for("auto", environ) is who
    assert bidi_for("always", environ) is Bidi.EARMARK
    assert bidi_for("never", environ) is Bidi.TERMINAL


class InOrder(Alone):
    def on_load(self) -> None:
        self._filters.append(ReadingOrder(self._reordered))

    def _reordered(self, pieces: Iterable[tuple[str, T]]) -> list[tuple[str, T]]:
        return reordered(pieces, Bidi.EARMARK)


async def test_a_click_on_a_reordered_line_hits_the_link_that_is_drawn_there() -> None:
    view = PageView()
    app = InOrder(view)
    async with app.run_test(size=(40, 5)) as pilot:
        view.show_lines(wrap([Run("ראו את "), Run("האתר", "link", "https://a.example"), Run(" של Ada")], 30))
        await pilot.pause()
        (line,) = [strip.text.rstrip() for strip in view.render_lines(view.size.region)[:1]]
        assert line.strip() == "Ada לש רתאה תא ואר"
        at = line.index("רתאה")
        for x in range(40):
            assert bool(view.href_at(x, 0)) is (at <= x < at + 4), x
        await pilot.click(view, offset=(at, 0))
        assert app.heard == ["https://a.example"]


async def test_what_is_selected_on_a_reordered_line_is_copied_as_it_was_written() -> None:
    view = PageView()
    app = InOrder(view)
    async with app.run_test(size=(40, 6)) as pilot:
        view.show_lines(wrap([Run("ראו את האתר של Ada עכשיו (1)")], 20))
        await pilot.pause()
        lines = [strip.text for strip in view.render_lines(view.size.region)[:2]]
        assert [line.strip() for line in lines] == ["Ada לש רתאה תא ואר", "(1) וישכע"]
        at = lines[0].index("רתאה")

        async def drag(start: tuple[int, int], end: tuple[int, int]) -> None:
            for kind, offset in ((events.MouseDown, start), (events.MouseMove, end), (events.MouseUp, end)):
                await pilot._post_mouse_events([kind], view, offset, button=1)

        await drag((at, 0), (at + 3, 0))
        assert view.selected_text == "האתר"
        await drag((19, 0), (10, 1))
        assert view.selected_text == "ראו את האתר של Ada עכשיו (1)"


def test_marks_that_only_show_a_text_are_not_part_of_it() -> None:
    assert without_marks(steady("פרק 12: שלום")) == "פרק 12: שלום"


DRAWN = "&#160;" + "פודקאסט עברי"[::-1].replace(" ", "&#160;")
"""The title of a podcast as it is sent to a terminal, at the right of its column."""


async def test_titles_from_right_to_left_read_so_in_the_list_in_sentences_and_behind_a_dialog() -> None:
    async with stocked() as stage:
        for sentence, shown in (
            (_("“{title}” has moved", title="פודקאסט עברי"), "“ירבע טסאקדופ” has moved"),
            (_("{title}: {n} episodes", title="פודקאסט", n=12), "טסאקדופ: 12 episodes"),
            (_("{n} of {title} 3", n=1, title="Ada של"), "1 of Ada לש 3"),
        ):
            stage.screen.say(sentence)
            await stage.settle()
            picture = stage.app.export_screenshot()
            assert shown in picture.replace("&#160;", " ").replace("&#8220;", "“").replace("&#8221;", "”")
            assert DRAWN in picture
        await stage.press("t")
        assert DRAWN in stage.app.export_screenshot()
    assert _("“{title}”", title="עברי") == "“עברי”", "commands print no marks"
