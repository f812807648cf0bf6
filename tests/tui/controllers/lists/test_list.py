"""Which list is shown: read from a real library, for a sidebar and a pane that aren't there."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.library import Listing, RowsRead
from player.model.episode import Episode, EpisodeId
from player.model.filters import SavedList, View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from tests.tui.controllers.fake import FakeMain
from tests.tui.stage import stocked_player
from tui.controllers.lists import list as list_module
from tui.controllers.lists.list import ListController, Read, read_list
from tui.controllers.page import NotesController
from tui.controllers.sidebar import SidebarController
from tui.controllers.ui import LibraryReader
from tui.drawing.episode_rows import Headings
from tui.widgets.sidebar import SidebarPane
from tui.widgets.sidebar_rows import Arrangement, Shelf
from tui.widgets.three_panes import ThreePanes


class FakeSidebar:
    """Its cursor stands on the view that was wanted last."""

    def __init__(self) -> None:
        self.podcasts: list[Podcast] = []
        self.view = View()
        self.arrangement = Arrangement()

    def show(self, shelf: Shelf, wanted: View | None) -> None:
        self.podcasts = list(shelf.podcasts)
        self.view = wanted or self.view

    def list_of(self, view: View) -> SavedList | None:
        return None

    def podcast_of(self, podcast_id: PodcastId) -> Podcast | None:
        return next((one for one in self.podcasts if one.id == podcast_id), None)


class FakeEpisodes:
    dragging = draggable = all_queued = False

    episode_id: EpisodeId | None = None
    cursor = 0
    selection_began_on: EpisodeId | None = None

    def __init__(self) -> None:
        self.lists: list[tuple[int, int | None]] = []

    def row_count(self) -> int:
        return 0

    def to_top(self) -> None:
        self.cursor = 0

    def will_read(self) -> None:
        pass

    def show(
        self,
        listing: Listing,
        rank: int | None,
        empty: str,
        glyph: str,
        *,
        mixed: bool,
        headings: Headings,
        read: RowsRead,
        began: tuple[EpisodeId | None, int | None],
    ) -> None:
        self.lists.append((len(listing), rank))


class Lists:
    def __init__(self, player: Player, first: View | None = None, episode_id: EpisodeId | None = None) -> None:
        self.ui, self.sidebar, self.episodes = FakeMain(), FakeSidebar(), FakeEpisodes()
        self.ui.load = lambda: self.controller.load()
        self.titles: list[str] = []
        self.read_too: list[Episode] = []
        pane: Any = SimpleNamespace(
            episodes=self.episodes,
            words="",
            drop_filter=lambda: None,
            show_head=lambda title, facts, trouble: self.titles.append(title),
        )
        reader = LibraryReader(self.ui)
        self.filling = SidebarController(
            player,
            self.ui,
            reader,
            cast(SidebarPane, SimpleNamespace(rows=self.sidebar, drop_filter=lambda: None)),
            first,
            lambda _cells: None,
        )
        self.controller = ListController(
            player,
            self.ui,
            reader,
            cast(ThreePanes, SimpleNamespace(sidebar=self.sidebar, pane=pane)),
            filling=self.filling,
            notes=cast(NotesController, SimpleNamespace(read_first=self.read_too.append)),
            first=(first, episode_id),
        )

    def podcast(self, title: str) -> View:
        (found,) = (one for one in self.sidebar.podcasts if one.title == title)
        return View.of(ViewName.PODCAST, found.id)

    async def opened(self) -> "Lists":
        self.filling.load()
        await self.ui.finish()
        return self


@pytest.fixture
def player() -> Iterator[Player]:
    made = stocked_player()
    yield made
    made.close()


async def test_it_opens_at_the_first_view_with_the_cursor_on_the_first_episode(player: Player) -> None:
    (third,) = player.library.listing(View()).page(2, 1)
    lists = await Lists(player, View(), EpisodeId(third)).opened()
    assert lists.titles == ["All episodes"]
    assert [rank for _, rank in lists.episodes.lists] == [2]
    assert [one.id for one in lists.read_too] == [third]
    assert lists.ui.came == 1


async def test_a_filter_narrows_the_list_and_another_view_is_shown_whole(player: Player) -> None:
    lists = await Lists(player).opened()
    lists.controller.filter("inductor")
    await lists.ui.finish()
    (all_of_them, _), (some, _) = lists.episodes.lists
    assert 0 < some < all_of_them
    lists.sidebar.view = lists.podcast("Changelog")
    lists.controller.follow_sidebar()
    await lists.ui.finish()
    assert (lists.controller.view, lists.titles[-1]) == (lists.podcast("Changelog"), "Changelog")


async def test_a_list_that_was_asked_for_and_is_wanted_no_more_is_not_shown(player: Player) -> None:
    lists = await Lists(player).opened()
    lists.controller.filter("inductor")
    late = lists.ui.work.pop("list")
    lists.controller.filter("changelog")
    await late()
    assert len(lists.episodes.lists) == 2
    assert lists.controller.view.title == "changelog"


async def test_a_list_opens_where_its_cursor_was_left(player: Player) -> None:
    lists = await Lists(player).opened()
    (fourth,) = player.library.listing(View()).page(3, 1)
    lists.episodes.episode_id = EpisodeId(fourth)
    lists.controller.remember_cursor()
    for view in (lists.podcast("Changelog"), View()):
        lists.sidebar.view = view
        lists.controller.follow_sidebar()
        await lists.ui.finish()
    assert lists.episodes.lists[-1][1] == 3


@pytest.mark.parametrize(("moved_to", "readings"), [(3, 1), (-1, 2)], ids=["a row that is read", "one far away"])
async def test_a_list_is_read_again_only_if_the_cursor_went_beyond_what_was_read(
    player: Player, monkeypatch: pytest.MonkeyPatch, moved_to: int, readings: int
) -> None:
    lists = await Lists(player).opened()
    lists.ui.rows = 5
    ids = player.library.episodes.ids(View())
    lists.episodes.episode_id = EpisodeId(ids[2])
    read: list[int | None] = []

    def reading(*how: Any) -> Read:
        found = read_list(*how)
        read.append(found.row)
        lists.episodes.episode_id = EpisodeId(ids[moved_to])
        return found

    monkeypatch.setattr(list_module, "read_list", reading)
    lists.controller.load()
    await lists.ui.finish()
    row = range(len(ids))[moved_to]
    assert read == [2, row][:readings]
    assert lists.episodes.lists[-1] == (len(ids), row)


async def test_a_podcast_that_is_wanted_is_gone_to_when_the_sidebar_has_it(player: Player) -> None:
    lists = await Lists(player).opened()
    wanted = lists.podcast("Changelog")
    lists.controller.show(wanted, None)
    await lists.ui.finish()
    assert lists.sidebar.view == wanted


async def test_a_library_that_cannot_be_read_is_told_and_the_first_frame_waits_for_nothing(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    from player.errors import LibraryError

    def fail() -> None:
        raise LibraryError("The disk is gone.")

    monkeypatch.setattr(player.library.podcasts, "all", fail)
    lists = await Lists(player).opened()
    assert lists.ui.panels == [("", "The disk is gone.")]
    assert (lists.episodes.lists, lists.ui.came) == ([], 1)
