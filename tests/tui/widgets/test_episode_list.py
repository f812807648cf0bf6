"""The rows of a list follow what plays."""

from array import array
from datetime import date

from player.library import RowsRead, WholeList
from player.model.playback import PlaybackState, PlaybackStatus
from tests.tui.alone import Alone, screen_text
from tests.tui.controllers.fake import episode
from tui.widgets.episode_list import EpisodeList


async def test_what_plays_is_marked_in_its_row_until_something_else_does() -> None:
    rows = EpisodeList(lambda _ids: [], lambda: date(2026, 11, 20))
    listed = tuple(episode(number) for number in range(1, 4))
    ids = array("q", [one.id for one in listed])
    async with Alone(rows).run_test(size=(60, 5)) as pilot:
        rows.show(WholeList(ids), 0, read=RowsRead(0, len(ids), ids, listed))
        for playing, marked in ((episode(2), [2]), (episode(3), [3]), (episode(9), []), (episode(1), [1])):
            rows.show_status(PlaybackStatus(PlaybackState.PLAYING, playing))
            await pilot.pause()
            lines = screen_text(pilot.app).split("\n")
            assert all(f"Episode {one.id}" in line for one, line in zip(listed, lines, strict=False))
            assert [number for number, line in enumerate(lines, 1) if "▶" in line] == marked
