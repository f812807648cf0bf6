"""Earmark speaks the listener's language where there is a catalogue for it, and English otherwise, whatever happens."""

import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from player.paths import Paths
from player.text import sentences
from player.text.sentences import _, plural, speak
from tests.loopback import LoopbackServer

GERMAN = {
    "": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n != 1;\n",
    "there is no section [{name}].": "es gibt keinen Abschnitt [{name}].",
    "“{title}” has no episodes to listen to": "„{title}“ hat keine Folgen",
    "{host} refused the connection": "{host} hat die Verbindung abgelehnt",
    "Offline": "{host!} {",
    "{n:,} feed\0{n:,} feeds": "{n:,} Feed\0{n:,} Feeds auf {file}",
}


def mo(entries: Mapping[str, str]) -> bytes:
    """A compiled catalogue (GNU gettext's manual, "The Format of GNU MO Files")."""
    pairs = sorted((key.encode(), value.encode()) for key, value in entries.items())
    start = 28 + 16 * len(pairs)
    tables: list[bytes] = []
    texts = b""
    for column in (0, 1):
        for pair in pairs:
            tables.append(struct.pack("<II", len(pair[column]), start + len(texts)))
            texts += pair[column] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0) + b"".join(tables) + texts


def earmark(*arguments: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "tui", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def install(folder: Path, language: str, content: bytes) -> None:
    file = folder / language / "LC_MESSAGES" / "earmark.mo"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a German catalogue; the language of before comes back afterwards."""
    monkeypatch.setattr(sentences, "_catalogue", sentences._catalogue)
    monkeypatch.setattr(sentences, "BUNDLED", tmp_path / "bundled")
    install(tmp_path / "locale", "de", mo(GERMAN))
    return tmp_path / "locale"


@pytest.mark.parametrize("language", ["de", "de_AT.UTF-8", "nl:de:en", "de_DE@euro"])
def test_sentences_are_in_the_language_of_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("LANGUAGE", language)
    speak(folder)
    assert _("{host} refused the connection", host="a.test") == "a.test hat die Verbindung abgelehnt"
    assert plural(1, "{n:,} feed", "{n:,} feeds") == "1 Feed"
    assert _("not in the catalogue") == "not in the catalogue"


@pytest.mark.parametrize("language", ["", "C.UTF-8", "en_GB:en:de", "nl", "../../etc", ":::", "\x00", "xx" * 1000])
def test_everybody_else_reads_english(folder: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setattr("os.environ", {"LANGUAGE": language})
    speak(folder)
    assert _("{host} refused the connection", host="a.test") == "a.test refused the connection"


def test_a_catalogue_of_the_listeners_own_goes_before_the_bundled_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bundled", "de", mo({**GERMAN, "Offline": "Ohne Netz", "Mute": "Stumm"}))
    install(tmp_path / "mine", "de", mo({"": GERMAN[""], "Offline": "Kein Netz"}))
    monkeypatch.setenv("LANGUAGE", "de")
    speak(tmp_path / "mine")
    assert (_("Offline"), _("Mute")) == ("Kein Netz", "Stumm")


@pytest.mark.parametrize(
    "content",
    [b"", b"\xde\x12\x04\x95", b"no catalogue", mo(GERMAN)[:200], mo({"": "Plural-Forms: nplurals=2; plural=!\n"})],
)
def test_a_broken_catalogue_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sentences, "_catalogue", sentences._catalogue)
    install(tmp_path, "de", content)
    monkeypatch.setenv("LANGUAGE", "de")
    speak(tmp_path)
    assert plural(2, "{n:,} feed", "{n:,} feeds") == "2 feeds"


def test_a_translation_with_a_misspelt_field_gives_way_to_the_original(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    speak(folder)
    assert plural(2, "{n:,} feed", "{n:,} feeds") == "2 feeds"
    assert _("Offline", host="a.test") == "Offline"


def test_looking_for_a_catalogue_takes_less_than_a_millisecond(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    start = time.process_time()
    for _again in range(10):
        speak(folder.parent / "nothing")
    assert (time.process_time() - start) / 10 < 0.001  # measured: 0.00002


def test_the_program_and_the_processes_it_starts_speak_the_language(
    paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(paths.translations, "de", mo(GERMAN))
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[sound]\n")
    blog = (
        b"<rss version='2.0'><channel><title>Blog</title><item><title>A</title></item></channel></rss>" + b" " * 200_000
    )
    url = server.page("/feed", blog)
    monkeypatch.setenv("LANGUAGE", "de")
    assert "„Blog“ hat keine Folgen" in earmark("add", url)
    assert "es gibt keinen Abschnitt [sound]." in earmark("transcript", "1")
