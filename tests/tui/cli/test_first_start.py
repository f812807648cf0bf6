"""The first command on a new machine."""

from tests.tui.cli.conftest import Earmark


def test_a_new_library_holds_the_built_in_show_read_already_and_no_suggestion(earmark: Earmark) -> None:
    table = earmark("podcasts").out.splitlines()
    assert [line.split("  ")[0].strip() for line in table] == ["ID", "1"]
    assert table[1].split()[-3:-1] == ["3", "3"]
    assert "PyTorch" not in earmark("export").out


def test_the_built_in_show_can_be_listed_and_read_at_once(earmark: Earmark) -> None:
    assert [episode["title"] for episode in earmark("episodes", "--json").json] == [
        "1. Press play",
        "2. Find your way",
        "3. Make it yours",
    ]
    assert "Keys to try now" in earmark("show", "press play").out


def test_a_show_that_was_removed_does_not_come_back(earmark: Earmark) -> None:
    earmark("remove", "welcome", "--yes")
    assert earmark("podcasts", "--json").json == []
