"""What comes along when a part of Earmark is imported, seen in fresh processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import player
import tui
from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tui.cli.registry import commands

_SCREEN = {"textual", "rich", "tui"}
_HEAVY = {"vlc", "pycurl", "lxml", "feedparser"}

_AFTER_THE_FIRST_FRAME = {
    *_HEAVY, "html", "tomllib", "ssl", "_hashlib",
    "player.attachments", "player.net.credentials", "player.downloads.downloader", "player.jobs.runner",
    "player.services", "player.notes", "player.directory",
    "player.sync", "player.merging", "player.library.syncing", "player.model.syncing",
    "player.feeds.schedule", "player.feeds.parsing.parse", "player.feeds.refresh",
    "player.feeds.parsing.rss", "player.library.search.search", "player.library.search.query",
    "player.library.search.words", "player.media",
    "player.playback.controller", "player.playback.engine", "player.playback.service", "player.playback.casting",
    "player.integrations.control_socket", "player.integrations.desktop", "dbus_fast", "pulsectl",
    "textual.widgets._data_table", "textual.widgets._markdown",
    "textual.widgets._text_area", "textual.command", "textual.widgets._option_list", "textual.widgets._select",
    "textual.widgets._tree", "bidi", "tui.drawing.bidi",
    "tui.actions.palette", "tui.dialogs.add", "tui.dialogs.confirm",
    "tui.dialogs.damaged", "tui.dialogs.export", "tui.screens.help", "tui.screens.search",
    "tui.drawing.notes.notes_page", "tui.actions.presets", "tui.actions.remapping", "tui.controllers.suspending",
    "tui.drawing.cover_cells", "tui.pictures.layer",
}  # fmt: skip

_MOST_BEFORE_THE_FIRST_FRAME = 327
"""Modules of ours. Each that is more delays every start by 0.1 to 0.5 ms."""

_LAST_SCREEN = """
import json, os, sys
from tui.cli import main
from tui.terminal.last_frame import LastFrame

def show(_self):
    print(json.dumps([*sys.modules]))
    sys.exit()

LastFrame.show = show
main.is_terminal = lambda _stream: True
os.environ["PYTHON_VLC_LIB_PATH"] = sys.executable  # so that it asks nothing
main.main([])
"""

_IMPORTED = "import json, sys; print('MODULES', json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"

_WATCHED = """
import sys

FORBIDDEN = {
    "socket.connect", "socket.bind", "sqlite3.connect", "subprocess.Popen", "os.system", "os.posix_spawn", "os.fork",
    "os.mkdir", "os.remove", "os.rename", "os.chmod",
}
NOT_OURS = ("/sys/", "/proc/", "pyvenv.cfg")
seen = []

def watch(event, arguments):
    if event in FORBIDDEN:
        seen.append([event, repr(arguments)])
    elif event == "open":
        path, mode, flags = arguments
        writes = isinstance(mode, str) and any(letter in mode for letter in "wax+") or (flags or 0) & 3
        if writes or not str(path).endswith((".py", ".pyc", ".so")) and not isinstance(path, int):
            seen.append([event, repr(arguments)])

import importlib, json, encodings.idna, encodings.utf_8_sig, re, logging, typing, dataclasses, platformdirs
sys.dont_write_bytecode = True
sys.addaudithook(watch)
for name in sys.argv[1:]:
    importlib.import_module(name)
names = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([names, [event for event in seen if not any(part in event[1] for part in NOT_OURS)]]))
"""


_FIRST_FRAME = """
import json, sys
from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tui.framework.left_out import COMMAND_PALETTE, HASHES_OF_OPENSSL, TLS, left_out, missing
with left_out(COMMAND_PALETTE), missing(TLS), missing(HASHES_OF_OPENSSL):
    from tui.app import EarmarkApp
import asyncio
from tui.framework.first_frame import FirstFrame

player = Player(Paths.of(), Settings())
player.open()

def take_down(first_frame):
    loaded.append(sorted(sys.modules))
    first_frame.screen.app.exit(0)

async def main():
    await EarmarkApp(player).run_async(headless=True, size=(120, 40))

from tui.controllers import page
from tui.framework import first_frame

# On a slow machine patience ends, and the cursor rests, before all rows are there.
first_frame._PATIENCE_S = page._REST_S = 60

loaded = []
FirstFrame.let_go = take_down
asyncio.run(main())
print(json.dumps(loaded[0]))
"""


def modules_of(package: object) -> list[str]:
    """Every module of a package, but those that run when they are imported."""
    folder = Path(str(package.__file__)).parent  # type: ignore[attr-defined]
    names = (path.relative_to(folder.parent).with_suffix("").parts for path in folder.rglob("*.py"))
    return sorted(".".join(name).removesuffix(".__init__") for name in names if name[-1] != "__main__")


def imported_by(script: str, *arguments: str) -> set[str]:
    """The top-level modules that a fresh process has after `script`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\n{_IMPORTED}", *arguments], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.rpartition("MODULES")[2]))


def watched_importing(*names: str) -> tuple[set[str], str]:
    """The top-level modules that a fresh process has then, and what was read, written or connected to meanwhile."""
    done = subprocess.run([sys.executable, "-c", _WATCHED, *names], capture_output=True, text=True, check=True)
    modules, events = json.loads(done.stdout)
    return set(modules), "\n".join(map(str, events))


@pytest.fixture
def started_before(paths: Paths) -> None:
    """A library that has read its first feed."""
    player = Player(paths, Settings())
    player.open()
    player.close()


def after_command(*arguments: str) -> set[str]:
    return imported_by("import sys\nfrom tui.cli.main import main\nmain(sys.argv[1:])", *arguments)


def after_commands(*commands: tuple[str, ...]) -> set[str]:
    """One after the other, in the same process."""
    script = "import json, sys\nfrom tui.cli.main import main\nfor command in json.loads(sys.argv[1]): main(command)"
    return imported_by(script, json.dumps(commands))


def test_the_player_knows_no_screen_and_importing_it_does_no_input_or_output() -> None:
    names = modules_of(player)
    assert "player.player" in names
    modules, events = watched_importing(*names)
    assert "player" in modules
    assert not modules & _SCREEN
    assert events == ""


def test_a_start_loads_nothing_heavy_and_pays_for_no_import_hook() -> None:
    found = imported_by("import tui, player.player")
    assert not found & _HEAVY
    assert not [name for name in found if name.startswith("__editable__")]


def test_input_and_output_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "reader.py").write_text("open('/etc/hostname')")
    (tmp_path / "writer.py").write_text("open('/dev/null', 'w')")
    _, events = watched_importing("reader", "writer")
    assert "/etc/hostname" in events
    assert "/dev/null" in events


def test_help_loads_neither_screen_nor_sound() -> None:
    tried = [*[(name, "--help") for name in commands()], ("--help",), ("--version",), ("nonsense",)]
    assert not after_commands(*tried) & (_HEAVY | {"textual"})


def test_steering_loads_next_to_nothing() -> None:
    commands = ("status",), ("toggle",), ("seek", "+30"), ("volume", "50")
    assert not after_commands(*commands) & (_HEAVY | {"textual", "rich", "sqlite3", "tomllib"})


@pytest.mark.usefixtures("started_before")
def test_reading_the_library_loads_neither_screen_nor_sound_nor_network() -> None:
    commands = ("podcasts",), ("episodes",), ("show", "1"), ("podcasts", "--json"), ("remove", "pytorch", "--yes")
    assert not after_commands(*commands) & (_HEAVY | {"textual"})


@pytest.mark.usefixtures("started_before")
def test_showing_an_episode_loads_nothing_that_plays_fetches_or_draws() -> None:
    script = "import sys\nfrom tui.cli.main import main\nmain(['show', '1'])\nprint('LOADED', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("LOADED")[2].split())
    assert "player.chapters.texts" in loaded
    for name in ("player.media.store", "player.media.fetching", "player.net", "player.transcripts", "player.playback",
                 "player.events", "player.library.statistics", "tui.drawing.runs"):  # fmt: skip
        assert name not in loaded


def test_the_last_screen_of_before_waits_for_next_to_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", _LAST_SCREEN], capture_output=True, text=True, check=False)
    loaded = {name for name in json.loads(done.stdout) if name.partition(".")[0] in ("player", "tui")}
    assert "tui.terminal.last_frame" in loaded
    late = ("player.links", "player.model", "player.settings", "player.text.catalogues", "tui.app")
    assert sorted(name for name in loaded if name.startswith(late)) == []


@pytest.mark.usefixtures("started_before")
def test_the_first_frame_waits_for_nothing_that_comes_later() -> None:
    done = subprocess.run([sys.executable, "-c", _FIRST_FRAME], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "tui.screens.main" in loaded
    assert sorted(loaded & _AFTER_THE_FIRST_FRAME) == []
    ours = [name for name in loaded if name.partition(".")[0] in ("player", "tui")]
    assert len(ours) <= _MOST_BEFORE_THE_FIRST_FRAME, "load later what the first frame doesn't need"


def test_what_is_left_out_is_there_for_whoever_imports_it_later() -> None:
    script = """
import sys
from tui.framework.left_out import COMMAND_PALETTE, HASHES_OF_OPENSSL, TLS, left_out, missing
with left_out(COMMAND_PALETTE), missing(TLS), missing(HASHES_OF_OPENSSL):
    import asyncio, hashlib, textual.app
assert not {COMMAND_PALETTE, TLS, HASHES_OF_OPENSSL} & sys.modules.keys()
assert "libcrypto" not in open("/proc/self/maps").read() if sys.platform == "linux" else True
assert hashlib.blake2b(b"cover").hexdigest() and hashlib.sha256(b"cover").hexdigest()
async def listens():
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0): pass
asyncio.run(listens())
from textual.command import Provider
import ssl
assert hasattr(Provider, "search") and ssl.get_default_verify_paths()
"""
    assert "ssl" in imported_by(script)


@pytest.mark.parametrize(("options", "unwanted"), [((), {"textual"}), (("--headless",), {"textual", "rich"})])
def test_playing_in_a_terminal_or_without_one_loads_no_screen(options: tuple[str, ...], unwanted: set[str]) -> None:
    assert not after_command("play", *options) & unwanted


def test_every_part_of_the_screen_can_be_imported() -> None:
    assert "textual" in imported_by("import " + ", ".join(modules_of(tui)))
