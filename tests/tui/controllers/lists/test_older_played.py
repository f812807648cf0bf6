"""Marking what is older in a list as played: in every list, of that list alone, and undone by one key."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from player.library import Library
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.listening import ListeningSpan, Moment
from player.player import Player
from tests.tui.shelf import episodes_of
from tests.tui.stage import Stage, opened, stocked_player

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
Fill = Callable[[Player, list[EpisodeId]], View]


def _queue(player: Player, ids: list[EpisodeId]) -> View:
    player.library.queue.clear()
    player.library.queue.add_last(ids)
    return View.of(ViewName.QUEUE)


def _inbox(player: Player, ids: list[EpisodeId]) -> View:
    player.library.inbox.remove([EpisodeId(one) for one in player.library.inbox.ids()])
    player.library.inbox.add(ids)
    return View.of(ViewName.NEW)


def _starred(player: Player, ids: list[EpisodeId]) -> View:
    starred = player.library.episodes.ids(View.of(ViewName.STARRED))
    player.library.episodes.set_starred([EpisodeId(one) for one in starred], False)
    player.library.episodes.set_starred(ids, True)
    return View.of(ViewName.STARRED)


def _bookmarks(player: Player, ids: list[EpisodeId]) -> View:
    for one in (*ids, *ids):
        player.library.bookmarks.put(one, Moment(10_000 * len(player.library.bookmarks.all())))
    return View.of(ViewName.BOOKMARKS)


def _history(player: Player, ids: list[EpisodeId]) -> View:
    for number, one in enumerate((*ids, *ids)):
        ended = AT + timedelta(hours=number)
        player.library.progress.save(one, 40_000, None, ended, heard=[ListeningSpan(one, 0, 40_000, ended)])
    return View.of(ViewName.HISTORY)


def _playlist(player: Player, ids: list[EpisodeId]) -> View:
    playlist = player.library.lists.add("By hand").id
    player.library.lists.add_episodes(playlist, ids)
    return View.of_list(playlist)


def _smart_list(player: Player, ids: list[EpisodeId]) -> View:
    assert ids
    return View.of_list(player.library.lists.add("Smart", "podcast:pytorch is:unplayed limit:20").id)


def _podcast(player: Player, _ids: list[EpisodeId]) -> View:
    return View.of(ViewName.PODCAST, player.library.podcasts.find("pytorch").id)


def _all(_player: Player, _ids: list[EpisodeId]) -> View:
    return View()


def unplayed(library: Library) -> list[Episode]:
    """Of one podcast, the newest first."""
    return [one for one in episodes_of(library, library.podcasts.find("pytorch").id) if not one.played]


FILLS: tuple[Fill, ...] = (
    _queue, _smart_list, _podcast, _history, _inbox, _starred, _bookmarks, _playlist, _all,
)  # fmt: skip


async def test_what_is_older_in_a_list_is_marked_and_comes_back() -> None:
    player = stocked_player()
    ids = [one.id for one in unplayed(player.library)[:10]]
    async with opened(player) as stage:
        before = played(stage)
        for fill in FILLS:
            view = fill(player, ids[:6])
            stage.screen.parts.lists.show(view, ids[2])
            await stage.until(partial(is_at, stage, view, ids[2]), fill.__name__)
            await stage.settle()
            listing = stage.episodes.listing
            listed = {one for one in listing.page(0, len(listing)) if one}
            older = {one for one in listed if stage.library.episodes.older([EpisodeId(one)], ids[2])}
            expected = older - before
            assert expected >= set(ids[3:6]), fill
            stage.screen.parts.marks.older_played()
            words = f"Marked {len(expected)} episodes as played · U undoes"
            await stage.until(partial(says, stage, words), words)
            assert played(stage) - before == expected, fill
            await stage.press("U")
            await stage.until(lambda: played(stage) == before, "undoing")
            await stage.until(lambda: stage.screen.episode_id is not None, "the list again")


def is_at(stage: Stage, view: View, episode_id: EpisodeId) -> bool:
    return stage.screen.view == view and stage.screen.episode_id == episode_id


def says(stage: Stage, words: str) -> bool:
    return stage.news == words


def played(stage: Stage) -> set[int]:
    ids = stage.library.episodes.ids(View())
    return {one.id for one in stage.library.episodes.rows(ids) if one.played}
