"""A list that was read before something changed shows the change."""

from player.library.lists.row_window import read_rows
from tests.tui.stage import stocked


async def test_what_changes_while_a_list_is_read_is_in_the_list() -> None:
    async with stocked() as stage:
        rows = stage.episodes
        episode = rows.episode
        assert episode is not None
        assert episode.starred
        rows.will_read()
        read = read_rows(rows.listing, stage.library.episodes.rows, 0, 40)
        stage.library.episodes.set_starred([episode.id], False)
        rows.forget([episode.id])
        rows.show(rows.listing, rows.cursor, "", "", mixed=False, read=read)
        await stage.until(lambda: rows.episode is not None and not rows.episode.starred, "the row as it is now")


async def test_what_is_shown_before_the_library_has_it_stays_shown() -> None:
    async with stocked() as stage:
        rows = stage.episodes
        episode = rows.episode
        assert episode is not None
        rows.will_read()
        read = read_rows(rows.listing, stage.library.episodes.rows, 0, 40)
        await stage.press("s")
        rows.show(rows.listing, rows.cursor, "", "", mixed=False, read=read)
        assert rows.episode is not None
        assert not rows.episode.starred
