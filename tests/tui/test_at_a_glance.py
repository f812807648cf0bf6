"""What the screen says before a key is pressed: whose an episode is, what a number counts, where the keys go."""

import pytest
from rich.cells import cell_len
from rich.style import Style

from player.model.filters import ViewName
from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked

SHOW = "PyTorch Developer Podcast"


def style_of(stage: Stage, text: str) -> Style:
    """Of the first character of `text` where it stands on the screen first."""
    for strip in stage.app.screen._compositor.render_strips():
        if text in strip.text:
            cell = cell_len(strip.text[: strip.text.index(text)])
            (segment,) = strip.crop(cell, cell + 1)
            assert segment.style is not None
            return segment.style
    raise AssertionError(f"{text!r} isn't on the screen:\n" + "\n".join(stage.lines()))


@pytest.mark.parametrize("width", mostly_long([80, 160, 120, 100]))
async def test_a_row_of_a_mixed_list_says_whose_episode_it_is(width: int) -> None:
    async with stocked((width, 24)) as stage:
        for view in (ViewName.ALL, ViewName.IN_PROGRESS, ViewName.STARRED):
            await stage.press(*stage.way_to(view), "l")
            assert stage.sidebar.podcast is None
            episodes = stage.library.episodes.rows(stage.library.episodes.ids(stage.sidebar.view)[:5])
            theirs = [episode for episode in episodes if stage.library.podcasts.get(episode.podcast_id).title == SHOW]
            assert theirs
            shown = stage.lines()[2:]
            firsts = [next(at for at, line in enumerate(shown) if one.title[:12] in line) for one in theirs]
            rows = ["".join(shown[at : at + stage.episodes._lines.height]) for at in firsts]
            assert all(SHOW[:7] in row for row in rows), view


async def test_numbers_in_the_sidebar_count_what_is_new_and_what_the_lists_have() -> None:
    async with stocked() as stage:
        number, accent = style_of(stage, "1  Pull request"), stage.app.theme_variables["accent"]
        assert number.color is not None
        assert number.color.name != accent.lower(), "`2` opens Chapters; links' numbers don't look like keys"

        def number_of(title: str) -> int:
            return next(entry.count for entry in stage.sidebar._entries if entry.title == title)

        for view, title in (
            (ViewName.NEW, "New"),
            (ViewName.STARRED, "Starred"),
            (ViewName.IN_PROGRESS, "In progress"),
        ):
            await stage.press(*stage.way_to(view))
            assert number_of(title) == stage.episodes.row_count()
        await stage.press(*stage.way_to(ViewName.NEW), "l", "g")
        assert stage.screen.episode is not None
        podcast = stage.screen.episode.podcast
        before = number_of("New"), number_of(podcast)
        await stage.press("x")
        await stage.until(lambda: (number_of("New"), number_of(podcast)) == (before[0] - 1, before[1] - 1), "one less")


async def test_the_heading_of_the_pane_with_the_focus_is_the_bright_one_also_after_a_change_of_theme() -> None:
    async with stocked() as stage:
        for theme in ("ink", "paper", "ink"):
            if stage.app.theme != theme:
                await stage.app.run_action("theme")
                await stage.settle()
                await stage.press(*theme, "enter")
                await stage.until(lambda theme=theme: stage.ready and stage.app.theme == theme)  # type: ignore[misc]
            roles = stage.app.theme_variables
            bright, muted = style_of(stage, "36 episodes").color, style_of(stage, "LISTEN").color
            await stage.press("h")
            away, lit = style_of(stage, "36 episodes").color, style_of(stage, "LISTEN").color
            assert bright is not None
            assert away is not None
            assert bright != away
            assert muted != lit
            assert bright.name == roles["muted"].lower()
            await stage.press("l")
            assert style_of(stage, "36 episodes").color == bright
