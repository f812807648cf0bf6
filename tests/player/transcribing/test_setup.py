"""Finding a way to make transcripts on this computer, trying it, and saving it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.errors import TranscriptionError
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.settings_file import load_settings
from player.transcribing import setup
from player.transcribing.engine import Choice
from player.transcribing.engines import server as server_engine
from player.transcribing.setup import Trial, choices, trial
from tests.loopback import LoopbackServer, Request
from tests.player.transcribing.engines import odd_program

_WHISPER_CPP_PAGE = b"""<html><head><title>Whisper.cpp Server</title></head><body>
<h1>Whisper.cpp Server</h1><h2>/inference</h2></body></html>"""


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(1, 1)
    yield loop
    loop.close()


@pytest.fixture(autouse=True)
def nothing_here(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the tester's programs, models and servers."""
    monkeypatch.setenv("PATH", str(own_home / "bin"))
    monkeypatch.setattr(server_engine, "_PORTS", ())
    monkeypatch.setattr("player.transcribing.models._WHISPER_CPP", ("~/models",))
    monkeypatch.setattr("player.transcribing.engines.whisper.find_spec", lambda _name: None)
    (own_home / "bin").mkdir()


def program(name: str, home: Path) -> None:
    path = home / "bin" / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o700)


def file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_where_there_is_nothing_nothing_is_found(network: NetworkLoop) -> None:
    assert choices(Transcribe(), network) == []


def test_programs_are_found_with_each_of_their_models(own_home: Path, network: NetworkLoop) -> None:
    for name in ("whisper-cli", "whisper", "main"):
        program(name, own_home)
    cpp = [file(own_home / "models" / f"ggml-{name}.bin") for name in ("base", "tiny.en")]
    file(own_home / ".cache" / "whisper" / "small.pt")
    found = choices(Transcribe(language="en"), network)
    assert {one.title for one in found} == {
        "whisper-cli, ggml-base.bin",
        "whisper-cli, ggml-tiny.en.bin",
        "whisper, small",
    }
    assert {one.settings.command[2] for one in found if one.title.startswith("whisper-cli")} == {
        str(one) for one in cpp
    }
    assert {(one.settings.engine, one.settings.language) for one in found} == {("command", "en")}
    assert all({"{audio}", "{out}", "{threads}"} <= {*one.settings.command} for one in found)


def test_servers_on_this_computer_are_found_with_their_models(
    server: LoopbackServer, network: NetworkLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [
        {"id": "Systran/faster-whisper-small"},
        {"id": "oruk/orukeet", "task": "automatic-speech-recognition"},
        {"id": "llama-3"},
        {"id": ["whisper"]},
        "whisper",
    ]
    server.page("/v1/models", json.dumps({"data": models}).encode(), "application/json")
    with LoopbackServer() as other:
        other.page("/", _WHISPER_CPP_PAGE, "text/html")
        monkeypatch.setattr(server_engine, "_PORTS", (server.server_port, other.server_port))
        found = choices(Transcribe(model="x"), network)
        assert [(one.settings.url, one.settings.model, one.settings.engine) for one in found] == [
            (server.url(""), "Systran/faster-whisper-small", "server"),
            (server.url(""), "oruk/orukeet", "server"),
            (other.url("/inference"), "", "server"),
        ]
        assert found[2].title == f"whisper.cpp, 127.0.0.1:{other.server_port}"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"data": 3}', b"<html>" + b"Whisper.cpp Server" * 10_000, b"[" * 100_000]
)
def test_other_servers_on_this_computer_are_passed_over(
    server: LoopbackServer, network: NetworkLoop, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    monkeypatch.setattr(server_engine, "_PORTS", (server.server_port, 1))
    server.otherwise = lambda request: request.reply(body, "application/json")
    assert choices(Transcribe(), network) == []


def test_a_trial_hears_ten_seconds_and_says_how_long_an_hour_takes(
    server: LoopbackServer, network: NetworkLoop
) -> None:
    heard: list[int] = []

    def answer(request: Request) -> None:
        heard.append(len(request.body) // 32_000)
        assert b'name="language"\r\n\r\nen\r\n' in request.body
        request.reply(b'{"segments": [{"start": 1, "end": 2, "text": "Hello!"}]}', "application/json")

    server.answer("/v1/audio/transcriptions", answer)
    choice = Choice("a server", Transcribe(url=server.url(""), engine="server", language="de"))
    tried = trial(choice, network, lambda _url: None, CancelToken())
    assert (tried.words, heard) == ("Hello!", [10, 110])
    assert tried.audio_ms == 110_000


@pytest.mark.parametrize(
    ("seconds", "pace"),
    [
        (2.0, "about 4 min for an hour here"),
        (0.01, "about 1 min for an hour here"),
        (75, "about 2 h 30 min for an hour here"),
    ],
)
def test_the_pace_is_a_sentence(seconds: float, pace: str) -> None:
    assert Trial("words", seconds, 30_000).pace == pace


def test_a_slow_one_isnt_tried_twice(network: NetworkLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_PACES", ((-1.0, 110_000),))
    words = (sys.executable, str(odd_program.__file__), "vtt", "{audio}", "{out}", "en", "1")
    tried = trial(Choice("", Transcribe(command=words)), network, lambda _url: None, CancelToken())
    assert (tried.words, tried.audio_ms) == ("Good day.", 10_000)


def test_one_that_hears_nothing_is_told(network: NetworkLoop) -> None:
    words = (sys.executable, str(odd_program.__file__), "silence", "{audio}", "{out}", "en", "1")
    with pytest.raises(TranscriptionError, match="heard no words"):
        trial(Choice("", Transcribe(command=words)), network, lambda _url: None, CancelToken())
    with pytest.raises(TranscriptionError, match="Nothing that makes transcripts is set up"):
        trial(Choice("", Transcribe()), network, lambda _url: None, CancelToken())


def test_a_choice_is_saved_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('# mine\n[transcribe]\nmodel = "old"\nthreads = 3 # few\n', encoding="utf-8")
    setup.save(path, Choice("", Transcribe(command=("hark", "{audio}", "it's"), engine="command")))
    saved = load_settings(path)
    assert saved.problems == ()
    assert saved.settings.transcribe == Transcribe(("hark", "{audio}", "it's"), engine="command", threads=3)
    assert path.read_text().startswith("# mine\n")
    assert "# few" in path.read_text()
