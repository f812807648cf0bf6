"""A server with podcasts, and the parts with which a signed-in listener adds them."""

from collections.abc import Iterator

import pytest

from player.feeds.subscribe import Subscriber
from player.library import Library
from player.media import MediaStore
from player.model.episode import Episode
from player.model.filters import View, ViewName
from player.model.podcast import Podcast
from player.net.credentials import Credentials
from player.paths import Paths
from player.sources import all_pages, all_sources
from tests.audiobookshelf import PASSWORD, USER, AudiobookshelfServer


@pytest.fixture
def shelf() -> Iterator[AudiobookshelfServer]:
    with AudiobookshelfServer() as server:
        yield server


@pytest.fixture
def credentials(paths: Paths) -> Credentials:
    return Credentials(paths.logins)


@pytest.fixture
def subscriber(library: Library, credentials: Credentials) -> Subscriber:
    return Subscriber(library, credentials, sources=all_sources(credentials=credentials))


@pytest.fixture
def store(paths: Paths, credentials: Credentials) -> Iterator[MediaStore]:
    store = MediaStore(paths, login=credentials.find, pages=all_pages(credentials))
    yield store
    store.close()


def signed_in(address: str, name: str = USER, password: str = PASSWORD) -> str:
    """The address with a login in it, as it is passed on after the login has been typed."""
    from player.links.urls import with_login

    return with_login(address, name, password)


def episodes(library: Library, podcast: Podcast) -> list[Episode]:
    return library.episodes.rows(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id)))
