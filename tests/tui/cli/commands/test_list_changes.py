"""`lists`, where it makes, changes and deletes."""

from player.library import Library
from player.model.filters import Order, View, ViewName, ViewSettings
from tests.tui.cli.conftest import Earmark


def names(library: Library) -> list[tuple[str, str | None]]:
    return [(one.title, one.query) for one in library.lists.all()]


def test_a_search_is_saved_edited_and_deleted(earmark: Earmark, library: Library) -> None:
    made = earmark("lists", "--new", "Short ones", "--search", "duration:<20m")
    assert made.out.splitlines()[0] == "Made the list “Short ones”."
    assert earmark("lists", "--new", "Evening", "--json").json[0]["kind"] == "playlist"
    changed = earmark("lists", "short", "--rename", "Short", "--search", "duration:<15m")
    assert changed.out.splitlines()[0] == "The list is now called “Short”. It finds: duration:<15m"
    assert names(library) == [("Short", "duration:<15m"), ("Evening", None)]
    assert earmark("lists", "evening", "--move", "-1").out.splitlines()[0] == "It is now number 1 of your 2 lists."
    refused = earmark("lists", "short", "--delete")
    assert (refused.code, refused.err) == (
        1,
        "earmark: Delete the list “Short”? Its episodes stay. Can't ask without a terminal; add --yes to confirm.\n",
    )
    assert earmark("lists", "short", "--delete", "--yes").out == "Deleted the list “Short”.\n"
    assert names(library) == [("Evening", None)]


def test_what_cannot_be_is_a_sentence_and_changes_nothing(earmark: Earmark, library: Library) -> None:
    library.lists.add("Evening")
    for arguments, code, sentence in (
        (("--new", "Wrong", "--search", "is:nonsense"), 1, "Unknown filter"),
        (("--new", "Wrong", "--search", " "), 1, "The search is empty"),
        (("--new", " "), 1, "A list needs a name"),
        (("--new", "Evening"), 1, "There is a list called “Evening” already"),
        (("evening", "--search", "rain"), 1, "“Evening” is a playlist, which has no search"),
        (("starred", "--rename", "Stars"), 1, "“Starred” comes with Earmark"),
        (("starred", "--delete", "--yes"), 1, "“Starred” comes with Earmark"),
        (("queue", "--order", "oldest"), 1, "See: earmark queue sort"),
        (("history", "--order", "oldest"), 1, "History is in the order you listened"),
        (("queue", "--hide-played", "yes"), 1, "“Queue” has no played episodes to hide"),
        (("history", "--continue", "newest"), 1, "Only lists of episodes play on"),
        (("evening", "--continue", "newest"), 1, "It can be one of yes, no."),
        (("--rename", "X"), 2, "LIST is missing"),
        (("--search", "rain"), 2, "LIST is missing"),
        (("evening", "--new", "X"), 2, "--new can only be combined with --search"),
        (("evening", "--delete", "--rename", "X"), 2, "--delete can only be combined with --yes"),
    ):
        ended = earmark("lists", *arguments)
        assert (ended.code, ended.out) == (code, ""), arguments
        assert sentence in ended.err
        assert names(library) == [("Evening", None)], arguments


def test_a_list_is_shown_and_continued_as_asked(earmark: Earmark, library: Library) -> None:
    library.lists.add("Evening")
    ended = earmark("lists", "starred", "--order", "oldest", "--hide-played", "yes", "--continue", "newest")
    assert ended.out.splitlines()[1:3] == [
        "Played episodes are hidden.", "After the queue this list plays on, newest first.",
    ]  # fmt: skip
    starred = View.of(ViewName.STARRED)
    assert library.view_settings.get(starred.key) == ViewSettings(Order.OLDEST, hide_played=True)
    assert library.continued.newest_first(starred) is True
    (shown,) = earmark("lists", "starred", "--json").json
    assert (shown["order"], shown["hide_played"], shown["continues"]) == ("oldest", True, "newest")
    earmark("lists", "starred", "--order", "default", "--hide-played", "no", "--continue", "no")
    assert library.view_settings.get(starred.key) == ViewSettings()
    assert library.continued.newest_first(starred) is None
    assert earmark("lists", "evening", "--continue", "yes", "--json").json[0]["continues"] == "yes"


def test_all_changes_are_made_or_none(earmark: Earmark, library: Library) -> None:
    saved = library.lists.add("Evening")
    assert earmark("lists", "evening", "--rename", "Night", "--continue", "newest").code == 1
    assert names(library) == [("Evening", None)]
    assert library.continued.newest_first(View.of_list(saved.id)) is None
