"""Links that the terminal opens by itself: handed to those that can, one id for all lines of a link, pages alone."""

import pytest
from rich.segment import Segment

from tests.tui.alone import Alone, until
from tui.drawing.runs import Run, wrap
from tui.terminal.style_codes import has_hyperlinks
from tui.widgets.page_view import PageView


@pytest.mark.parametrize(
    ("wish", "environ", "there"),
    [
        ("auto", {"TERM": "xterm-256color"}, True),
        ("auto", {"TERM": "vte-256color"}, True),
        ("auto", {"TERM": "linux"}, False),
        ("auto", {"TERM": "vt100"}, False),
        ("auto", {"TERM": "dumb"}, False),
        ("auto", {}, False),
        ("auto", {"TERM": "xterm-256color", "FORCE_HYPERLINK": "0"}, False),
        ("auto", {"TERM": "linux", "FORCE_HYPERLINK": "1"}, True),
        ("always", {"TERM": "linux"}, True),
        ("never", {"TERM": "xterm-256color", "FORCE_HYPERLINK": "1"}, False),
    ],
)
def test_a_terminal_gets_them_where_it_can_or_as_the_settings_say(
    wish: str, environ: dict[str, str], there: bool
) -> None:
    assert has_hyperlinks(wish, environ) is there


def linked(view: PageView) -> list[Segment]:
    strips = view.render_lines(view.size.region)
    return [segment for strip in strips for segment in strip if segment.style and segment.style.link]


async def test_the_lines_of_a_link_have_one_id_and_only_pages_have_one() -> None:
    view = PageView()
    pieces = [
        Run("a link of some words", "link", "https://a.org/é?q=1"),
        Run("¹", "number", "https://a.org/é?q=1"),
        Run(" 12:34 ", "time", "earmark:time/754000"),
        Run("evil", "link", "file:///etc/passwd"),
        Run("other", "link", "mailto:a@b.org?attach=/etc/passwd&subject=hi"),
    ]
    app = Alone(view)
    async with app.run_test(size=(12, 12)) as pilot:
        view.show_lines(wrap(pieces, 10))
        await pilot.pause()
        links = {(segment.style.link, segment.style.link_id) for segment in linked(view) if segment.style}
        assert {link for link, _ in links} == {"https://a.org/%C3%A9?q=1", "mailto:a@b.org?subject=hi"}
        assert len([segment for segment in linked(view) if "a.org" in str(segment.style)]) > 2


async def test_without_colours_the_id_is_still_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = PageView()
    async with Alone(view).run_test(size=(12, 12)) as pilot:
        view.show_lines(wrap([Run("a link of some words", "link", "https://a.org/")], 10))
        await pilot.pause()
        assert len({segment.style.link_id for segment in linked(view) if segment.style}) == 1
        assert len(linked(view)) > 1


async def test_a_terminal_that_knows_none_gets_none() -> None:
    view = PageView()
    app = Alone(view)
    app.hyperlinks = False
    async with app.run_test(size=(12, 12)) as pilot:
        view.show_lines([(Run("link", "link", "https://a.org/"),)])
        await pilot.pause()
        assert linked(view) == []


async def test_a_click_on_a_link_or_a_time_says_where_it_leads() -> None:
    view = PageView()
    app = Alone(view)
    async with app.run_test(size=(30, 8)) as pilot:
        view.show_lines(
            [
                (
                    Run("日本 "),
                    Run("link", "link", "https://a.org/"),
                    Run(" "),
                    Run("1:00", "time", "earmark:time/60000"),
                )
            ]
        )
        await pilot.pause()
        for column in (0, 4, 5, 8, 9, 10, 25):
            await pilot.click(view, offset=(column, 0))
        await pilot.click(view, offset=(5, 3))
        await until(pilot, lambda: len(app.heard) == 3)
        assert app.heard == ["https://a.org/", "https://a.org/", "earmark:time/60000"]
