"""The order of a list, and what it hides: by keys, at once, and remembered for that list alone."""

from functools import partial

from player.model.episode import EpisodeId
from player.model.filters import Order, View, ViewName, ViewSettings
from player.player import Player
from tests.tui.stage import Stage, opened, stocked_player


async def test_each_list_has_an_order_of_its_own_that_is_remembered() -> None:
    player = stocked_player()
    async with opened(player) as stage:
        titles = [stage.episodes._rows.row_at(row) for row in range(len(stage.episodes._rows))]
        await stage.press("z")
        assert stage.news == "Oldest first"
        assert stage.shows("oldest first")
        turned = [stage.episodes._rows.row_at(row) for row in range(len(stage.episodes._rows))]
        assert [row and row.id for row in turned] == [row and row.id for row in reversed(titles)]
        assert stage.episodes.cursor == 0
        view = stage.screen.view
        await stage.until(lambda: player.library.view_settings.get(view.key) == ViewSettings(Order.OLDEST))
        for words in ("Longest first", "Shortest first", "Newest first"):
            await stage.press("z")
            assert stage.news == words
        assert stage.episodes.episode == titles[0]
        await stage.until(lambda: player.library.view_settings.get(view.key) == ViewSettings())


async def test_what_is_played_can_be_hidden_and_comes_back() -> None:
    player = stocked_player()
    async with opened(player) as stage:
        played = player.library.episodes.rows(player.library.episodes.ids(stage.screen.view))
        assert any(one.played for one in played)
        before = stage.episodes.row_count()
        await stage.run("hide_played")
        assert stage.shows("played hidden")
        assert stage.episodes.row_count() == sum(not one.played for one in played) < before
        await stage.run("hide_played")
        assert stage.episodes.row_count() == before
        player.library.episodes.set_played([one.id for one in played], True)
        await stage.run("hide_played")
        assert stage.shows("Everything here is played")
        assert stage.shows("? “Hide or show what is played”  show it")
        stage.screen.parts.lists.show(View.of(ViewName.IN_PROGRESS), None)
        await stage.settle()
        await stage.run("hide_played")
        assert stage.news == "This list has no played episodes to hide"


async def test_a_list_plays_on_after_the_queue_where_that_is_chosen() -> None:
    player = stocked_player()
    async with opened(player) as stage:
        view = stage.screen.view
        for words, newest_first in (("oldest first", False), ("newest first", True), ("doesn't play on", None)):
            before = stage.news
            stage.screen.pane_keys.continue_list()
            await stage.until(partial(_news_after, stage, before))
            assert words in stage.news
            assert player.library.continued.newest_first(view) is newest_first


async def test_a_list_of_ones_own_plays_on_in_its_order_or_not() -> None:
    player = stocked_player()
    async with opened(player) as stage:
        playlist = player.lists.new_playlist("Later", [EpisodeId(1)]).result()
        view = View.of_list(playlist.id)
        await stage.settle()
        stage.screen.parts.lists.show(view, None)
        await stage.until(lambda: stage.screen.view == view, "the list")
        for words, newest_first in (("plays on, in its order", False), ("doesn't play on", None), ("its order", False)):
            before = stage.news
            stage.screen.pane_keys.continue_list()
            await stage.until(partial(_news_after, stage, before))
            assert words in stage.news
            assert player.library.continued.newest_first(view) is newest_first


async def test_another_order_changes_what_is_next() -> None:
    player = stocked_player()
    newest = [EpisodeId(one) for one in player.library.listing(View()).page(0, 3)]
    view = View.of_list(player.library.lists.add("Later").id)
    assert view.list_id is not None
    player.library.lists.add_episodes(view.list_id, [newest[1], newest[2], newest[0]])
    player.library.continued.set(view, False)
    async with opened(player) as stage:
        stage.screen.parts.lists.show(view, newest[1])
        await stage.until(lambda: stage.screen.view == view and stage.screen.episode_id == newest[1], "the list")
        await stage.press("enter")
        await stage.until(partial(_is_next, player, newest[2]), "the one behind it")
        await stage.press("z")
        assert stage.news == "Newest first"
        await stage.press("z")
        await stage.until(partial(_is_next, player, newest[0]), "oldest first")


def _is_next(player: Player, episode_id: EpisodeId) -> bool:
    next_up = player.status.next_up
    return next_up is not None and next_up.episode.id == episode_id


def _news_after(stage: Stage, before: str) -> bool:
    return stage.news != before
