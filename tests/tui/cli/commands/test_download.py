"""`earmark download` makes files; what it can't do it says."""

from pathlib import Path

from mutagen.id3 import ID3

from player.library import Library
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.tui.cli.conftest import Earmark

BODY = mp3(500)


def test_it_says_where_the_file_is_and_fetches_nothing_twice(
    earmark: Earmark, library: Library, server: LoopbackServer, paths: Paths
) -> None:
    item = episode(1, url=server.audio("/1.mp3", BODY))
    (added,) = apply_feed(library, library.podcasts.add(URL, "A show"), item).new
    ended = earmark("download", "Episode 1")
    assert (ended.code, ended.err) == (0, "")
    said, _, path = ended.out.strip().partition(": ")
    assert said == "Downloaded Episode 1"
    assert Path(path).read_bytes().endswith(BODY)
    assert str(ID3(path)["TIT2"]) == "Episode 1"
    assert Path(path).is_relative_to(paths.data / "episodes" / "A show")
    again = earmark("download", str(added), "--json")
    assert (again.code, again.json[0]["downloaded"], "Already downloaded" in again.err) == (0, True, True)
    assert len(server.seen) == 1


def test_the_folder_can_be_chosen(earmark: Earmark, library: Library, server: LoopbackServer, paths: Paths) -> None:
    paths.config.mkdir(parents=True, exist_ok=True)
    folder = paths.data.parent / "mine"
    paths.settings.write_text(
        f'[media]\ndownloads = "{folder}"\n[downloads]\ntags = false\nname = "{{title}} ({{year}})"\n'
    )
    apply_feed(library, library.podcasts.add(URL, "A show"), episode(1, url=server.audio("/1.mp3", BODY)))
    assert earmark("download", "Episode 1").code == 0
    (path,) = folder.iterdir()
    assert (path.read_bytes(), path.name) == (BODY, f"Episode 1 ({NEWEST.year}).mp3")


def test_one_that_fails_does_not_keep_the_others(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    items = (episode(1, url=server.page("/1.mp3", b"", status=404)), episode(2, url=server.audio("/2.mp3", BODY)))
    apply_feed(library, library.podcasts.add(URL, "A show"), *items)
    ended = earmark("download", "Episode 1", "Episode 2", "Nothing of that name")
    assert ended.code == 1
    assert "Downloaded Episode 2" in ended.out
    assert "The episode is no longer available on 127.0.0.1 (404)" in ended.err
    assert "Nothing of that name" in ended.err
