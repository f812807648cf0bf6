"""The links in rows: a number goes to its page, letters filter, times come after."""

from player.notes import read_notes
from player.notes.episode_links import Link, Links, links
from tests.tui.alone import Alone, text_of
from tui.widgets.link_list import LinkList

NOTES = (
    "".join(f'<p><a href="https://example.org/{number}">Page {number}</a></p>' for number in range(1, 24))
    + '<p><a href="https://github.com/pytorch/pytorch/pull/130935">The pass</a></p><p>0:00 Start<br>14:05 End</p>'
)
FOUND = links(read_notes(NOTES), 24 * 60_000)


def title(rows: LinkList) -> str:
    assert rows.chosen is not None
    return rows.chosen.title


async def test_pages_have_their_numbers_and_where_they_lead_and_times_follow() -> None:
    rows = LinkList()
    async with Alone(rows).run_test(size=(60, 30)) as pilot:
        rows.show(FOUND)
        await pilot.pause()
        shown = text_of(rows)
        assert shown[0].startswith("▌ 1  Page 1")
        assert shown[0].endswith("example.org")
        assert shown[23].startswith(" 24  The pass ")
        assert shown[23].endswith(" pytorch/pytorch#130935")
        assert [line.strip() for line in shown[24:28]] == ["", "TIMES", "0:00  Start", "14:05  End"]
        assert rows.chosen == FOUND.pages[0]
        rows.move_to(99)
        assert title(rows) == "End"


async def test_a_typed_number_goes_to_its_page() -> None:
    rows = LinkList()
    async with Alone(rows).run_test(size=(60, 30)) as pilot:
        rows.show(FOUND)
        await pilot.pause()
        found = []
        for digit in "2345":
            rows.type_digit(digit)
            found.append(title(rows))
        assert found == ["Page 2", "Page 23", "Page 4", "Page 5"]
        rows.type_digit("2")
        rows.move_by(1)
        rows.type_digit("1")
        assert title(rows) == "Page 1"
        rows.type_digit("0")
        assert title(rows) == "Page 10"


async def test_words_filter_by_title_name_and_host_and_the_cursor_stays_on_its_link() -> None:
    rows = LinkList()
    async with Alone(rows).run_test(size=(60, 30)) as pilot:
        rows.show(FOUND)
        rows.type_digit("7")
        rows.show(FOUND, "page 7")
        assert title(rows) == "Page 7"
        rows.show(FOUND, "PYTORCH #1309")
        assert title(rows) == "The pass"
        rows.show(FOUND, "pull request")
        assert title(rows) == "The pass"
        rows.show(FOUND, "14:05")
        assert title(rows) == "End"
        rows.show(FOUND, "nowhere")
        await pilot.pause()
        assert rows.chosen is None
        assert "No links match “nowhere”." in " ".join(text_of(rows))
        rows.type_digit("1")
        rows.show(Links())
        await pilot.pause()
        assert "This episode has no links." in " ".join(text_of(rows))


async def test_forty_cells_keep_the_title() -> None:
    rows = LinkList()
    wide = Links((Link(1, "가나다라 마바사 아자차카 타파하", "https://a.org", "a-very-long-host.example.org"),))
    async with Alone(rows).run_test(size=(36, 8)) as pilot:
        rows.show(wide)
        await pilot.pause()
        assert "가나다라 마바사" in text_of(rows)[0]
        assert "a-very-long" in text_of(rows)[0]
