"""The sidebar by keys: sorted, hidden, folded, filtered, and remembered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from player.events import PodcastAdded
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from player.player import Player
from tests.tui.shelf import episodes_of
from tests.tui.stage import QUIET, Stage, opened, stocked_player


@asynccontextmanager
async def tagged(
    tags: dict[str, tuple[str, ...]] | None = None,
    played: str = "",
    show: str = "PyTorch Developer Podcast",
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Stage]:
    """The stocked library with these tags; all of `played` is played."""
    player = stocked_player(show=show)
    library = player.library
    for title, some in (tags or {}).items():
        library.shelf.set_tags(library.podcasts.find(title).id, some)
    if played:
        ids = [one.id for one in episodes_of(library, library.podcasts.find(played).id)]
        library.episodes.set_played(ids, True)
    async with opened(player, size) as stage:
        yield stage


def podcasts(stage: Stage) -> list[str]:
    """What the sidebar has below its heading “Podcasts”."""
    titles = [entry.title for entry in stage.sidebar._entries]
    return titles[titles.index("Podcasts") + 1 :]


def spot(stage: Stage) -> tuple[str, str | None]:
    """The title under the sidebar's cursor, and the group that it is in."""
    entry = stage.sidebar._entries[stage.sidebar.cursor]
    return entry.title, entry.group


async def go_to(stage: Stage, title: str, group: str | None = None) -> None:
    await stage.press("h", "h", "g")
    while spot(stage) != (title, group):
        before = stage.sidebar.cursor
        await stage.press("j")
        assert stage.sidebar.cursor != before, f"no {title} in {podcasts(stage)}"


async def test_z_sorts_the_podcasts_and_says_so_at_their_heading() -> None:
    async with tagged() as stage:
        by_name = podcasts(stage)
        await stage.press("z")
        assert (stage.news, podcasts(stage)) == ("Oldest first", by_name), "in the list it sorts the list"
        await stage.press("h", "z")
        assert stage.news == "Newest episodes first"
        assert podcasts(stage)[:2] == ["PyTorch Developer Podcast", "Signs & scripts"]
        assert podcasts(stage)[-1] == "Unplugged Radio"
        assert any("PODCASTS" in line and "newest" in line for line in stage.lines())
        await stage.press("z")
        assert podcasts(stage)[:3] == ["PyTorch Developer Podcast", "Oxide and Friends", "Talk Python To Me"]
        await stage.press("z")
        assert (podcasts(stage), stage.news) == (by_name, "By name")
        assert spot(stage)[0] == "PyTorch Developer Podcast"


async def test_h_hides_podcasts_with_nothing_unplayed_but_not_the_one_under_the_cursor() -> None:
    async with tagged(played="Changelog") as stage:
        await stage.press("h")
        await stage.run("hide_played")
        assert stage.news == "Podcasts with nothing unplayed are hidden"
        assert "Changelog" not in podcasts(stage)
        assert "Unplugged Radio" in podcasts(stage)
        await stage.run("hide_played")
        assert "Changelog" in podcasts(stage)
        await go_to(stage, "Changelog")
        await stage.run("hide_played")
        assert spot(stage)[0] == "Changelog"
        following = stage.sidebar._entries[stage.sidebar.cursor + 1].title
        await stage.press("j")
        assert "Changelog" not in podcasts(stage), "it leaves with the cursor"
        assert spot(stage)[0] == following
        assert stage.screen.view == stage.sidebar.view


@pytest.mark.long
async def test_a_podcast_that_is_played_to_its_end_under_the_cursor_is_hidden_when_it_is_left() -> None:
    async with tagged({"Changelog": ("dev",)}) as stage:
        changelog = stage.library.podcasts.find("Changelog").id
        await stage.press("h")
        await stage.run("hide_played")
        await go_to(stage, "Changelog", "dev")
        stage.player.acts.set_played([one.id for one in episodes_of(stage.library, changelog)], True).result(10)
        await stage.until(lambda: not stage.sidebar.podcast or not stage.sidebar.podcast.unplayed_count, "the number")
        assert spot(stage) == ("Changelog", "dev")
        await stage.press("k")
        assert spot(stage) == ("dev", "dev"), "its heading stays as long as the cursor is on it"
        assert "Changelog" not in podcasts(stage)
        await stage.press("k")
        assert "dev" not in podcasts(stage)
        assert not stage.shows("Changelog")


async def test_the_podcast_in_the_player_bar_is_not_hidden() -> None:
    async with tagged(played="PyTorch Developer Podcast") as stage:
        assert stage.screen.status.episode is not None
        await stage.press("h", "g")
        await stage.run("hide_played")
        assert "PyTorch Developer Podcast" in podcasts(stage)


async def test_a_group_is_folded_by_enter_and_its_list_has_all_of_the_tag() -> None:
    async with tagged({"Changelog": ("dev",), "CoRecursive": ("dev", "stories")}) as stage:
        await go_to(stage, "dev", "dev")
        assert stage.screen.view == View.of_tag("dev")
        assert stage.episodes.row_count() == 9 + 7
        assert stage.shows("dev  16 episodes")
        assert stage.lines()[-1].startswith("  enter fold")
        await stage.press("enter")
        assert podcasts(stage)[:4] == ["dev", "stories", "CoRecursive", "Oxide and Friends"]
        assert (spot(stage), stage.focus) == (("dev", "dev"), "sidebar")
        assert stage.lines()[-1].startswith("  enter unfold")
        await stage.press("enter")
        assert podcasts(stage)[:5] == ["dev", "Changelog", "CoRecursive", "stories", "CoRecursive"]
        await stage.press("l")
        assert stage.focus == "episodes"


@pytest.mark.long
async def test_on_a_group_r_is_about_all_of_its_podcasts() -> None:
    async with tagged({"Changelog": ("dev",), "CoRecursive": ("dev", "stories")}) as stage:
        await go_to(stage, "dev", "dev")
        titles = [stage.library.podcasts.get(one).title for one in stage.screen.parts.selection.podcasts_here or ()]
        assert titles == ["Changelog", "CoRecursive"]
        assert "r refresh   " in stage.lines()[-1]
        await stage.press("g")
        assert stage.screen.parts.selection.podcasts_here is None
        assert "r refresh all" in stage.lines()[-1]


async def test_a_podcast_in_two_groups_counts_once_and_the_cursor_stays_in_its_group() -> None:
    async with tagged({"CoRecursive": ("dev", "stories")}) as stage:
        await stage.press("h", "z", "z")
        assert any("PODCASTS" in line and "unplayed" in line for line in stage.lines())
        numbers = {entry.title: entry.count for entry in stage.sidebar._entries}
        assert (numbers["dev"], numbers["stories"]) == (7, 7)
        await go_to(stage, "CoRecursive", "stories")
        before = podcasts(stage)
        await stage.press("slash", *"oxide")
        assert podcasts(stage) == ["Oxide and Friends"]
        await stage.press("escape")
        assert (podcasts(stage), spot(stage), stage.focus) == (before, ("CoRecursive", "stories"), "sidebar")
        assert stage.title.startswith("CoRecursive")
        await stage.press("l", "m")
        await stage.until(lambda: stage.sidebar._entries[stage.sidebar.cursor].count == 6, "the new count")
        assert spot(stage) == ("CoRecursive", "stories")
        numbers = {entry.title: entry.count for entry in stage.sidebar._entries}
        assert (numbers["dev"], numbers["stories"]) == (6, 6)


async def test_a_click_on_the_sign_of_a_group_folds_it_around_the_cursor() -> None:
    async with tagged({"Changelog": ("dev",)}, show="Changelog") as stage:
        assert spot(stage) == ("Changelog", "dev")
        row = [entry.title for entry in stage.sidebar._entries].index("dev")
        await stage.pilot.click("#sidebar", offset=(1, row))
        await stage.settle()
        assert "Changelog" not in podcasts(stage)
        assert spot(stage) == ("dev", "dev")
        assert stage.screen.view == View.of_tag("dev")
        await stage.pilot.double_click("#sidebar", offset=(8, row))
        await stage.settle()
        assert podcasts(stage)[:2] == ["dev", "Changelog"]


@pytest.mark.long
async def test_the_group_of_a_podcast_that_is_gone_to_is_unfolded() -> None:
    async with tagged({"Changelog": ("dev",)}) as stage:
        await go_to(stage, "dev", "dev")
        await stage.press("enter")
        changelog = stage.library.podcasts.find("Changelog").id
        stage.screen.parts.sidebar.select(View.of(ViewName.PODCAST, changelog))
        await stage.settle()
        assert spot(stage) == ("Changelog", "dev")
        await stage.press("h")
        assert stage.sidebar.arrangement.folded == frozenset()


@pytest.mark.long
async def test_a_tag_that_is_taken_away_leaves_the_cursor_on_a_row() -> None:
    async with tagged({"Changelog": ("dev",)}) as stage:
        await go_to(stage, "dev", "dev")
        stage.library.shelf.set_tags(stage.library.podcasts.find("Changelog").id, ())
        stage.screen.parts.sidebar.load()
        await stage.settle()
        assert stage.sidebar._entries[stage.sidebar.cursor].view == stage.screen.view != View.of_tag("dev")


@pytest.mark.long
async def test_a_start_has_the_podcasts_arranged_as_they_were_and_the_tag_that_was_open(paths: Paths) -> None:
    async with tagged({"Changelog": ("dev",), "CoRecursive": ("dev & more",)}, played="Oxide and Friends") as stage:
        await stage.press("h", "z", "z")
        await stage.run("hide_played")
        await go_to(stage, "dev", "dev")
        await stage.press("enter")
        await go_to(stage, "dev & more", "dev & more")
        left = podcasts(stage)
    player = Player(paths, QUIET)
    player.open()
    async with opened(player) as stage:
        assert podcasts(stage) == left
        assert "Oxide and Friends" not in left
        assert stage.screen.view == View.of_tag("dev & more")
        assert any("PODCASTS" in line and "hidden" in line for line in stage.lines())


# -- a filter -------------------------------------------------------------------------------------------------


async def test_a_podcast_that_is_hidden_is_shown_where_it_is_gone_to_by_its_name_or_otherwise() -> None:
    async with tagged(played="Changelog") as stage:
        changelog = View.of(ViewName.PODCAST, stage.library.podcasts.find("Changelog").id)
        other = stage.screen.view
        await stage.press("h")
        await stage.run("hide_played")
        stage.player.bus.publish(PodcastAdded(PodcastId(changelog.podcast_id or 0)))
        await stage.until(lambda: stage.screen.view == changelog, "its list")
        assert spot(stage)[0] == "Changelog"
        await stage.press("ctrl+o")
        assert stage.screen.view == other
        assert "Changelog" not in podcasts(stage)

        await stage.press("h", "slash", *"CHANGÉ")
        assert podcasts(stage) == ["Changelog"]
        assert stage.lines()[-1].startswith("  enter open   esc clear")
        assert stage.screen.view == changelog
        await stage.press("enter")
        assert stage.focus == "episodes"
        assert spot(stage)[0] == "Changelog"
        assert len(podcasts(stage)) > 1


@pytest.mark.long
async def test_arrows_move_among_the_podcasts_that_were_found() -> None:
    async with tagged() as stage:
        await stage.press("h", "slash", *"to")
        assert podcasts(stage) == ["Talk Python To Me", "Welcome to Earmark", "PyTorch Developer Podcast"]
        first = spot(stage)[0]
        await stage.press("down")
        assert spot(stage)[0] == podcasts(stage)[1] != first
        await stage.press("enter")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.id == PodcastId(stage.screen.view.podcast_id or 0)


async def test_a_name_that_nothing_has_leaves_the_list_as_it_is_and_names_the_way_back() -> None:
    async with tagged() as stage:
        view = stage.screen.view
        await stage.press("h", "slash", *"zzz")
        assert podcasts(stage) == ["No podcast matches", "esc clears", "ctrl+f finds episodes"]
        assert stage.screen.view == view
        await stage.press("enter")
        assert stage.focus == "name-filter"
        await stage.press("escape")
        assert (stage.screen.view, stage.focus) == (view, "sidebar")


@pytest.mark.long
async def test_going_elsewhere_ends_the_filter() -> None:
    async with tagged() as stage:
        await stage.press("h", "slash", *"oxide", "tab", "'")
        assert len(podcasts(stage)) > 1
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.title == "PyTorch Developer Podcast"


@pytest.mark.long
async def test_on_a_small_terminal_podcasts_are_found_and_folded_too() -> None:
    async with tagged({"Changelog": ("dev",)}, size=(50, 15)) as stage:
        await stage.press("h", "slash", *"changelog", "enter")
        assert stage.title == "Changelog 9"
        await stage.press("h", "k")
        assert spot(stage) == ("dev", "dev")
        await stage.press("enter")
        assert "Changelog" not in podcasts(stage)
