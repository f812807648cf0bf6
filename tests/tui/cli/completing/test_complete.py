"""`earmark complete`: quick, and never an error."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from player.library import Library
from player.paths import Paths
from tests.tui.shelf import stock
from tui.cli.completing import _folders, complete, spelled, theme_names

_LOADED = """
import json, sys
from tui.cli.completing import theme_names, complete
complete(["bash", "episode", "c"])
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture
def stocked(paths: Paths) -> None:
    library = Library(paths)
    library.open()
    stock(library)
    library.close()


def printed(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> list[str]:
    assert complete(arguments) == 0
    out, err = capsysbinary.readouterr()
    assert err == b""
    return out.decode().splitlines()


@pytest.mark.usefixtures("stocked")
def test_each_shell_gets_names_in_its_own_way(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert printed(capsysbinary, "bash", "podcast", "talk") == ["Talk\\ Python\\ To\\ Me"]
    assert printed(capsysbinary, "bash", "podcast", '"talk p') == ["Talk Python To Me"]
    assert printed(capsysbinary, "zsh", "podcast", "talk p") == ["Talk Python To Me"]
    assert printed(capsysbinary, "fish", "episode", "compiler\\ c") == [
        "Compiler collectives\tPyTorch Developer Podcast"
    ]
    assert printed(capsysbinary, "fish", "list") == [
        "new", "queue", "in_progress", "starred", "downloads", "bookmarks", "history", "all",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("bash",),
        ("tcsh", "episode", "c"),
        ("bash", "secret", "c"),
        ("bash", "episode", "$(c"),
        ("zsh", "theme", "\0"),
    ],
)
@pytest.mark.usefixtures("stocked")
def test_what_makes_no_sense_is_answered_with_nothing(
    arguments: tuple[str, ...], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert printed(capsysbinary, *arguments) == []


def test_what_all_names_begin_with_has_every_letter_that_was_typed() -> None:
    assert spelled(["PyTorch", "Pyramid"], "py") == ["PyTorch", "Pyramid"]
    assert spelled(["PyTorch", "pytest"], "py") == ["pyTorch", "pytest"]
    assert spelled(["PyTorch"], "py") == ["PyTorch"]
    assert spelled([], "py") == []


def test_the_folders_are_those_of_the_app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EARMARK_HOME")
    for environ in ({"HOME": str(tmp_path)}, {"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_CONFIG_HOME": ""}):
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        paths = Paths.of(os.environ)
        assert _folders(os.environ) == (paths.data, paths.config)
    monkeypatch.setenv("EARMARK_HOME", "~/there")
    paths = Paths.of(os.environ)
    assert _folders(os.environ) == (paths.data, paths.config)


def test_themes_of_the_listener_come_first(tmp_path: Path) -> None:
    (tmp_path / "nordic.toml").touch()
    (tmp_path / "bad\x1b.toml").touch()
    assert theme_names(tmp_path, "nor") == ["nordic", "nord"]
    assert "ansi" not in theme_names(tmp_path / "none", "")


@pytest.mark.usefixtures("stocked")
def test_a_key_waits_for_next_to_nothing(paths: Paths) -> None:
    """Of Earmark, what reads the library alone: a twentieth of a second in all."""
    done = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
    *lines, modules = done.stdout.splitlines()
    assert lines
    loaded = set(json.loads(modules))
    assert (
        not {"msgspec", "argparse", "platformdirs", "player.library.library", "player.paths", "tui.cli.main"} & loaded
    )
    assert len([one for one in loaded if one.startswith(("player", "tui"))]) < 25
