"""`earmark doctor --register`: the desktop opens earmark: addresses with Earmark, and can be told twice."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Earmark
from tui.cli.shipped.registering import CantRegister, entry, quoted, register, this_program

PROGRAM = "/home/a b/$bin/earmark"


class Desktop:
    """xdg-mime, as far as it is asked."""

    def __init__(self, folder: Path) -> None:
        self.environ = {"HOME": str(folder / "home"), "PATH": str(folder / "bin")}
        self.file = folder / "home" / ".local" / "share" / "applications" / "earmark.desktop"
        self.lists = folder / "home" / ".config" / "mimeapps.list"
        self.default = ""
        self.ran: list[Sequence[str]] = []
        program = folder / "bin" / "xdg-mime"
        program.parent.mkdir(parents=True)
        program.write_text("")
        program.chmod(0o755)

    def run(self, words: Sequence[str]) -> tuple[int, str]:
        self.ran.append(words)
        if words[1] == "query":
            return 0, self.default
        self.default = words[2]
        self.lists.parent.mkdir(parents=True)
        self.lists.write_text("[Default Applications]\nx-scheme-handler/earmark=earmark.desktop\n")
        return 0, ""

    def register(self) -> list[str]:
        return register(self.environ, PROGRAM, self.run, "linux")


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    return Desktop(tmp_path)


def test_it_is_done_once_and_said_how_to_undo(desktop: Desktop) -> None:
    first = desktop.register()
    text = desktop.file.read_text()
    assert first[0] == f"Wrote {desktop.file}."
    assert first[1] == "The desktop opens earmark: addresses with it from now on."
    assert first[2] == (
        f"To undo that, delete {desktop.file} and the line “x-scheme-handler/earmark” in {desktop.lists}."
    )
    assert 'Exec="/home/a b/\\\\$bin/earmark" %u' in text.splitlines()
    assert "MimeType=x-scheme-handler/earmark;" in text.splitlines()
    assert "Terminal=true" in text.splitlines()
    again = desktop.register()
    assert again[:2] == [f"{desktop.file} is there already.", "The desktop opens earmark: addresses with it already."]
    assert desktop.file.read_text() == text
    assert [words[1] for words in desktop.ran] == ["default", "query"]


def test_a_file_of_the_listeners_own_is_left_alone(desktop: Desktop) -> None:
    desktop.file.parent.mkdir(parents=True)
    desktop.file.write_text("[Desktop Entry]\n")
    with pytest.raises(CantRegister, match="is your own, and doesn't say"):
        desktop.register()
    desktop.file.write_text("[Desktop Entry]\nMimeType=x-scheme-handler/earmark;\n")
    assert desktop.register()[0].endswith("is your own, and is left as it is.")
    assert desktop.default == "earmark.desktop"


def test_what_is_missing_is_said(desktop: Desktop) -> None:
    desktop.environ["PATH"] = ""
    with pytest.raises(CantRegister, match="Install xdg-utils"):
        desktop.register()
    with pytest.raises(CantRegister, match="Only desktops of Linux"):
        register(desktop.environ, PROGRAM, desktop.run, "darwin")


def test_words_are_quoted_as_desktops_read_them() -> None:
    assert quoted("/usr/bin/earmark") == "/usr/bin/earmark"
    assert quoted("/a%b/earmark") == "/a%%b/earmark"
    assert this_program()
    assert "Exec=/usr/bin/earmark %u\n" in entry("/usr/bin/earmark")


def test_it_goes_with_no_other_option(earmark: Earmark) -> None:
    assert earmark("doctor", "--register", "--json").code == 2


@pytest.mark.skipif(shutil.which("xdg-mime") is None, reason="xdg-utils isn't installed")
def test_the_real_xdg_mime_is_told(tmp_path: Path) -> None:
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_CURRENT_DESKTOP": "X-Generic"}
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        environ.pop(name, None)

    def run(words: Sequence[str]) -> tuple[int, str]:
        done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.strip()

    first = register(environ, PROGRAM, run, "linux")
    assert first[1] == "The desktop opens earmark: addresses with it from now on."
    assert str(tmp_path) in first[2].rpartition(" in ")[2]
    assert run(["xdg-mime", "query", "default", "x-scheme-handler/earmark"]) == (0, "earmark.desktop")
    assert "already" in register(environ, PROGRAM, run, "linux")[1]
