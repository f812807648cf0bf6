"""config.toml is saved while Earmark runs: its parts follow, and what needs a restart is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from player.directory.directories import Directories
from player.events import Notice, SettingsChanged
from player.model.playback import Severity
from player.paths import Paths
from player.playback.outputs import SoundOutput
from player.player import Player
from player.settings import Desktop, Playback, Settings
from player.watching import words_about
from tests.player.playback.support import wait_until

QUIET = '[playback]\nengine = "silent"\n'
OTHER = (
    QUIET
    + """
rewind = "7"
seek_back = "20"
[queue]
interrupted = false
[audio]
output = "alsa"
[chapters]
skip = ["Ad"]
[transcripts]
fetch = "all"
[sleep]
from = "23:00"
[media]
cache_limit = "1 GB"
downloads = "/tmp/elsewhere"
[downloads]
at_once = 5
newest = 3
tags = false
[inbox]
enabled = false
[hooks]
left = ["true"]
[desktop]
media_keys = false
[bookmarks]
file = "~/moments.md"
[directories]
country = "fr"
[appearance]
ascii = true
[keys]
star = "f"
"""
)


@pytest.fixture
def notices() -> list[Notice]:
    return []


@pytest.fixture
def player(paths: Paths, notices: list[Notice], monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    monkeypatch.setattr("player.watching.WATCH_S", 0.02)
    paths.config.mkdir(parents=True)
    paths.settings.write_text(QUIET)
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    made.bus.subscribe(Notice, notices.append)
    made.start()
    yield made
    made.close()


def saved(path: Path, text: str) -> None:
    """As an editor does it: the old file is moved away first."""
    path.rename(path.with_suffix(".bak"))
    path.write_text(text)


def test_the_parts_follow_and_what_needs_a_restart_is_named(player: Player, notices: list[Notice]) -> None:
    seen: list[SettingsChanged] = []
    player.bus.subscribe(SettingsChanged, seen.append)
    services, keys, directories = player.services, player.services.media_keys, player.directories
    saved(player.paths.settings, OTHER)
    wait_until(lambda: notices, "the notice")
    (event,) = seen
    assert {"playback.rewind", "hooks.left", "appearance.ascii", "keys"} <= {*event.names}
    assert notices[0].text == (
        "config.toml was read again. These take effect when Earmark is restarted: appearance.ascii"
    )
    configured = services.session.configured
    assert (configured.playback.rewind, configured.queue.interrupted, configured.skip.of("x")) == ("7", False, ("Ad",))
    assert configured.sleep_hours is not None
    assert (services.media.limit, services.file_maker.folder) == (10**9, Path("/tmp/elsewhere"))
    assert services.file_maker._tagger is None
    assert services.downloads._at_once == 5
    assert services.rules._around.settings.general.newest == 3
    assert not services.jobs.uses_inbox
    assert services.attachments.backlog._when == "all"
    assert services.output.now == SoundOutput("alsa")
    assert services.hooks is not None
    assert len(services.hooks._ends) == 1, "it is told of one kind of event"
    assert services.media_keys is not keys
    assert player.bookmarks.settings.file == "~/moments.md"
    assert isinstance(player.directories, Directories)
    assert (player.directories is directories, player.directories.country) == (False, "FR")
    hooks = services.hooks
    saved(player.paths.settings, OTHER.replace('left = ["true"]', ""))
    wait_until(lambda: len(seen) == 2, "the second change")
    assert seen[1].names == ("hooks.left",)
    assert (services.hooks is hooks, hooks._programs, hooks._ends) == (True, {}, [])


def test_a_broken_file_changes_nothing_and_is_named_with_its_line(player: Player, notices: list[Notice]) -> None:
    saved(player.paths.settings, QUIET + "[sleep\n")
    wait_until(lambda: notices, "the notice")
    assert (len(notices), notices[0].severity) == (1, Severity.WARNING)
    assert "line 3" in notices[0].text
    assert player.settings == Settings(playback=Playback(engine="silent"))
    saved(player.paths.settings, QUIET + '[desktop]\nnext = "song"\nprevious = "chapter"\n')
    wait_until(lambda: len(notices) == 3, "the mistake, and what was read")
    assert notices[1].text.startswith("In line 4 of ")
    assert player.settings.desktop == Desktop(previous="chapter")


def test_what_needs_a_restart_is_named_alone_where_nothing_else_was_changed() -> None:
    assert words_about(("playback.engine",)) == "These take effect when Earmark is restarted: playback.engine"
    assert words_about(("playback.rewind",)) == "config.toml was read again."


def test_what_earmark_itself_writes_applies_without_a_word(player: Player, notices: list[Notice]) -> None:
    player.change_setting("playback.rewind", ["7"]).result(10)
    wait_until(lambda: player.settings.playback.rewind == "7", "the change")
    player.change_setting("appearance.ascii", ["on"]).result(10)
    wait_until(lambda: notices, "the notice")
    assert [one.text for one in notices] == ["These take effect when Earmark is restarted: appearance.ascii"]
    player.change_setting("playback.rewind", None).result(10)
    wait_until(lambda: player.settings.playback.rewind == "3", "the default")
    assert player.paths.settings.read_text() == QUIET + "\n[appearance]\nascii = true\n"
