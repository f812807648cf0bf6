"""`earmark undo` and `earmark redo`."""

import json

from player.library import Library
from tests.tui.cli.conftest import Earmark


def test_what_was_removed_comes_back_and_goes_again(earmark: Earmark, library: Library) -> None:
    earmark("podcasts")
    before = [podcast.title for podcast in library.podcasts.all()]
    earmark("remove", "welcome", "--yes")
    assert earmark("undo").out == "Undone: unsubscribed from “Welcome to Earmark”\n"
    assert [podcast.title for podcast in library.podcasts.all()] == before
    assert json.loads(earmark("redo", "--json").out)["kind"] == "unsubscribed"
    assert len(library.podcasts.all()) == len(before) - 1


def test_without_anything_to_do_it_says_so_and_succeeds(earmark: Earmark, library: Library) -> None:
    for command, words in (("undo", "Nothing to undo\n"), ("redo", "Nothing to redo\n")):
        ended = earmark(command)
        assert (ended.code, ended.out) == (0, words)
    assert json.loads(earmark("undo", "--json").out) is None
