"""What is on this computer is known without looking, and what isn't is refused while Earmark is offline."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from player.media import MediaStore
from player.media.cache import RECORD
from player.media.fetching import range_fetcher
from player.net.connectivity import Seen
from player.paths import Paths
from tests.bad_network import BadFile, reset
from tests.loopback import LoopbackServer
from tests.player.media.conftest import episode, eventually, fetchers, whole
from tests.player.media.sounds import mp3

BODY = mp3(1500)


class Watch:
    def __init__(self) -> None:
        self.offline = False
        self.told: list[Seen] = []

    def seen(self, seen: Seen) -> None:
        self.told.append(seen)


class Here:
    def __init__(self, paths: Paths) -> None:
        self.watch = Watch()
        self.changes: list[frozenset[str]] = []
        self.paths = paths
        self.store = MediaStore(paths, watch=self.watch, cached_changed=self._changed)

    def _changed(self) -> None:
        self.changes.append(self.store.whole.keys)

    def fetch(self, url: str) -> None:
        media = self.store.open(episode(url), lambda: None)
        assert whole(media) == BODY
        media.close()
        eventually(lambda: not fetchers())


@pytest.fixture
def here(paths: Paths) -> Iterator[Here]:
    made = Here(paths)
    yield made
    eventually(lambda: not fetchers())
    made.store.close()


def test_what_was_fetched_whole_is_here_and_again_after_a_restart(here: Here, server: LoopbackServer) -> None:
    one = episode(server.audio("/a.mp3", BODY))
    assert not here.store.is_here(one)
    here.fetch(one.url)
    assert here.store.is_here(one)
    assert len(here.changes) == 1
    again = Here(here.paths)
    assert not again.store.is_here(one)
    again.store.whole.scan()
    assert again.store.is_here(one)
    assert len(again.changes) == 1
    again.store.close()


def test_what_is_deleted_to_make_room_is_no_longer_here(here: Here, server: LoopbackServer) -> None:
    one = episode(server.audio("/a.mp3", BODY))
    here.fetch(one.url)
    assert here.store.make_room(everything=True)
    assert not here.store.is_here(one)


def test_a_damaged_record_or_a_part_of_a_file_is_not_here(here: Here, server: LoopbackServer) -> None:
    one = episode(server.answer("/a.mp3", BadFile(BODY, [reset] * 99, head=200_000)))
    media = here.store.open(one, lambda: None)
    assert media.read(0, 1000)
    media.close()
    eventually(lambda: not fetchers())
    (here.paths.media / f"{'0' * 40}{RECORD}").write_bytes(b'{"format": 1, "origin": []')
    here.store.whole.scan()
    assert not here.store.is_here(one)
    here.watch.offline = True
    assert here.store.why_not(one) is None  # its beginning can be played


def test_a_download_and_the_built_in_podcast_are_here_and_refused_is_what_is_not(here: Here) -> None:
    here.watch.offline = True
    far = episode("https://far.example/a.mp3")
    assert here.store.is_here(replace(far, downloaded=True))
    assert here.store.is_here(replace(far, url="earmark:welcome/1.opus"))
    assert str(here.store.why_not(far)) == (
        "Offline: “One” isn't on this computer. Download it when there is a network."
    )
    media = here.store.open(far, lambda: None)
    assert media.error is not None
    assert media.error.what == "Offline: “One” isn't on this computer"
    here.watch.offline = False
    assert here.store.why_not(far) is None


def test_a_fetch_that_is_cut_off_asks_nobody_and_resumes_when_the_network_is_back(
    here: Here, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (*[0.01] * 200, 60.0))
    file = BadFile(BODY, [reset] * 10_000, head=200_000)
    one = episode(server.answer("/a.mp3", file))
    media = here.store.open(one, lambda: None)
    assert media.read(0, 1000)
    here.watch.offline = True
    eventually(lambda: media.trouble is not None and media.trouble.what == "Earmark is offline")
    before = len(server.seen)
    file.faults.clear()
    eventually(lambda: fetchers()[0]._wake.is_set() is False)  # type: ignore[attr-defined]
    assert len(server.seen) == before
    here.watch.offline = False
    here.store.network_is_back()
    assert whole(media) == BODY
    assert len(server.seen) > before
    media.close()
