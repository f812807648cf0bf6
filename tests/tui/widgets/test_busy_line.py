"""A line that moves while something is under way."""

from tests.tui.alone import Alone, text_of
from tui.widgets.busy_line import BusyLine


async def test_a_part_of_the_line_moves_from_end_to_end_while_it_is_busy() -> None:
    line = BusyLine()
    async with Alone(line).run_test(size=(10, 3)) as pilot:
        assert text_of(line) == ["─" * 10]
        line.busy = True
        seen = []
        for _step in range(18):
            seen += text_of(line)
            line._advance()
        assert seen[:3] == ["━━────────", "─━━───────", "──━━──────"]
        assert seen[8:10] == ["────────━━", "───────━━─"]
        assert seen[16:] == seen[:2]
        line.busy = False
        await pilot.pause()
        assert text_of(line) == ["─" * 10]
