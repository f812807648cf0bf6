"""How the listener wants a view shown is known the next time, and nothing is kept where it is as it was."""

import sqlite3

from player.library import Library
from player.model.filters import Order, View, ViewName, ViewSettings
from player.model.podcast import PodcastId
from player.paths import Paths


def test_a_view_is_shown_as_it_was_set(library: Library, paths: Paths) -> None:
    settings = library.view_settings
    podcast = View.of(ViewName.PODCAST, PodcastId(3))
    assert (podcast.key, View().key) == ("podcast 3", "all")
    assert settings.get(podcast.key) == ViewSettings()
    settings.set(podcast.key, ViewSettings(Order.OLDEST, hide_played=True))
    settings.set("all", ViewSettings(hide_played=True))
    assert settings.get(podcast.key) == ViewSettings(Order.OLDEST, hide_played=True)
    assert settings.get("all") == ViewSettings(hide_played=True)
    settings.set("all", ViewSettings())
    assert settings.get("all") == ViewSettings()
    with sqlite3.connect(paths.library) as connection:
        assert connection.execute("SELECT view FROM view_settings").fetchall() == [("podcast 3",)]


def test_an_order_of_a_later_version_is_the_views_own(library: Library, paths: Paths) -> None:
    with sqlite3.connect(paths.library) as connection:
        connection.execute("INSERT INTO view_settings VALUES ('all', 'loudest', 1)")
    connection.close()
    assert library.view_settings.get("all") == ViewSettings(hide_played=True)
