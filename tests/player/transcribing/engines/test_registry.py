"""Which engine the settings choose, and that one in a file of its own is found with no other file changed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.net.loop import NetworkLoop
from player.paths import Paths
from player.settings import Transcribe, marks_of
from player.transcribing.engines import engine_for, engine_kinds

_ECHO = """
from player.model.episode import Transcript, TranscriptLine
from player.transcribing.engine import Choice, EngineKind


class Echo:
    name = "echo"

    def transcribe(self, audio, length_ms, cancel):
        return Transcript((TranscriptLine(f"{length_ms} ms of {audio.name}", 0, length_ms),))

    def close(self):
        pass


ENGINE = EngineKind(
    lambda settings: settings.engine == "echo",
    lambda settings, network, login: Echo(),
    lambda settings, network: [Choice("an echo", settings)],
)
"""
_LISTEN = """
import sys
from pathlib import Path

from player.net.loop import NetworkLoop
from player.paths import Paths
from player.processes.threads import CancelToken
from player.settings_file import load_settings
from player.transcribing import engines

engines.__path__.append(sys.argv[1])
loaded = load_settings(Paths.of().settings)
assert not loaded.problems, loaded.problems
engine = engines.engine_for(loaded.settings.transcribe, NetworkLoop(1, 1), lambda url: None)
print(engine.name, engine.transcribe(Path("clip.wav"), 1000, CancelToken()).lines[0].text)
"""


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(1, 1)
    yield loop
    loop.close()


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (Transcribe(), None),
        (Transcribe(model="tiny"), None),
        (Transcribe(command=("hark", "{audio}")), "hark"),
        (Transcribe(url="http://127.0.0.1:1"), "127.0.0.1"),
        (Transcribe(command=("hark", "{audio}"), url="http://127.0.0.1:1"), "hark"),
        (Transcribe(command=("hark", "{audio}"), url="http://127.0.0.1:1", engine="server"), "127.0.0.1"),
        (Transcribe(command=("hark", "{audio}"), engine="whisper", model="tiny"), "faster-whisper, tiny"),
        (Transcribe(command=("hark", "{audio}"), engine="server"), None),
    ],
)
def test_the_settings_choose(settings: Transcribe, name: str | None, network: NetworkLoop) -> None:
    engine = engine_for(settings, network, lambda _url: None)
    assert (engine.name if engine else None) == name


def test_the_setting_can_be_each_of_them() -> None:
    (choice,) = marks_of("transcribe.engine")
    assert choice.choices == ("", *engine_kinds()) == ("", "command", "server", "whisper")


def test_an_engine_in_a_file_of_its_own_needs_no_other_file(tmp_path: Path, paths: Paths) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "echo.py").write_text(_ECHO, encoding="utf-8")
    paths.settings.parent.mkdir(parents=True)
    paths.settings.write_text(f"[transcribe]\nengine = {json.dumps('echo')}\n", encoding="utf-8")
    words = [sys.executable, "-c", _LISTEN, str(tmp_path / "more")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "echo 1000 ms of clip.wav\n"
