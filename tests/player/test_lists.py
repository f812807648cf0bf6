"""The listener's changes to lists are on the disk, and published, when their futures are done."""

from collections.abc import Iterator

import pytest

from player.events import ListsChanged
from player.model.filters import Order, View, ViewName, ViewSettings
from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.player.library.helpers import URL, apply_feed, episode


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    opened = Player(paths, Settings())
    opened.open()
    yield opened
    opened.close()


def test_every_change_of_a_list_is_on_the_disk_and_published_once(player: Player) -> None:
    first, second, third = apply_feed(player.library, player.library.podcasts.add(URL), *map(episode, range(3))).new
    events: list[ListsChanged] = []
    player.bus.subscribe(ListsChanged, events.append)
    lists, known = player.lists, player.library.lists
    mine = lists.new_playlist("Mine", [first]).result(10).id
    assert lists.add_to_playlist(mine, [first, second, third]).result(10) == [second, third]
    assert list(known.episodes(mine)) == [first, second, third]
    lists.move_in_playlist(mine, [third], -2).result(10)
    lists.take_out(mine, [first]).result(10)
    assert list(known.episodes(mine)) == [third, second]
    found = lists.save_search("Short", "duration:<15m").result(10).id
    lists.change(found, "Long", "duration:>1h").result(10)
    before = [one.id for one in known.all()]
    lists.move(found, -1).result(10)
    moved = [one.id for one in known.all()]
    assert moved.index(found) == before.index(found) - 1
    assert [(one.title, one.query) for one in known.all() if one.id in (mine, found)] == [
        ("Long", "duration:>1h"), ("Mine", None),
    ]  # fmt: skip
    lists.remove(mine).result(10)
    assert known.get(mine) is None
    assert len(events) == 8


def test_how_a_view_is_shown_and_whether_it_plays_on_is_on_the_disk(player: Player) -> None:
    view = View.of(ViewName.STARRED)
    assert [lists_on.result(10) for lists_on in map(player.lists.continue_in_turn, [view] * 3)] == [False, True, None]
    shown = ViewSettings(Order.LONGEST, hide_played=True)
    player.lists.set_view_settings(view.key, shown).result(10)
    assert player.library.view_settings.get(view.key) == shown
