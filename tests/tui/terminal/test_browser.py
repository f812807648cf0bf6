"""Links open in a browser that leaves this terminal alone, or are copied; nothing in an address is ever run."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.alone import Alone, until
from tui.terminal import clipboard
from tui.terminal.browser import Browser, NoBrowser, find_browser, open_link

NOWHERE = NoBrowser("No browser found")
SCREEN = {"DISPLAY": ":0"}
SSH = {"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"}


def installed(*names: str) -> Callable[[str], str | None]:
    return lambda name: f"/usr/bin/{name}" if name in names else None


@pytest.mark.parametrize(
    ("environ", "platform", "names", "found"),
    [
        (SCREEN, "linux", ["xdg-open", "firefox"], Browser(("xdg-open",))),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", ["gio"], Browser(("gio", "open"))),
        (SCREEN, "linux", [], NOWHERE),
        ({}, "linux", ["xdg-open", "w3m"], NOWHERE),
        (SSH, "linux", ["xdg-open"], NOWHERE),
        (SSH | SCREEN, "linux", ["xdg-open"], Browser(("xdg-open",))),
        ({}, "darwin", [], Browser(("open",))),
        (SSH, "darwin", [], NOWHERE),
        ({"WSL_DISTRO_NAME": "Debian"}, "linux", ["wslview"], Browser(("wslview",))),
        ({"BROWSER": "firefox -P 'my own'"}, "linux", ["firefox"], Browser(("firefox", "-P", "my own"))),
        (SSH | {"BROWSER": "code-open"}, "linux", ["code-open"], Browser(("code-open",))),
        (SCREEN | {"BROWSER": "gone:firefox %s"}, "linux", ["firefox"], Browser(("firefox", "%s"))),
        (SCREEN | {"BROWSER": "/usr/bin/w3m"}, "linux", ["xdg-open"], NoBrowser("w3m would take over this terminal")),
        (SCREEN | {"BROWSER": "lynx:firefox"}, "linux", ["firefox"], Browser(("firefox",))),
        (SCREEN | {"BROWSER": "'broken"}, "linux", ["xdg-open"], Browser(("xdg-open",))),
    ],
)
def test_which_browser(environ: dict[str, str], platform: str, names: list[str], found: Browser | NoBrowser) -> None:
    assert find_browser(environ, platform, installed(*names)) == found


def test_the_address_takes_its_place_in_the_command() -> None:
    assert Browser(("b", "--url=%s", "--new")).with_address("https://a.org/%s") == [
        "b",
        "--url=https://a.org/%s",
        "--new",
    ]
    assert Browser(("open",)).with_address("https://a.org") == ["open", "https://a.org"]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A terminal without a screen, a browser or a program that copies."""
    for name in (
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "BROWSER",
        "TMUX",
        "SSH_CONNECTION",
        "WSL_DISTRO_NAME",
        "TERMUX_VERSION",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return monkeypatch


def a_browser(folder: Path, *, code: int = 0) -> tuple[Path, Path]:
    """A program that notes its arguments and its terminal, and talks a lot; and where it notes them."""
    program, noted = folder / "a browser", folder / "noted"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nprint('talk' * 1000); print('more', file=sys.stderr)\n"
        f"try:\n    open('/dev/tty').close(); tty = 'tty'\nexcept OSError:\n    tty = 'none'\n"
        f"open({str(noted) + '.part'!r}, 'w').write('\\n'.join([tty, *sys.argv[1:]]))\n"
        f"os.rename({str(noted) + '.part'!r}, {str(noted)!r})\nsys.exit({code})\n"
    )
    program.chmod(0o700)
    return program, noted


async def test_a_link_is_one_argument_of_a_program_that_has_no_terminal(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program, noted = a_browser(tmp_path)
    bare.setenv("BROWSER", f"'{program}' --new")
    messages: list[str] = []
    async with Alone().run_test() as pilot:
        open_link(pilot.app, "https://a.org/$(touch x)/;id?q=`id`&b='c'", messages.append)
        await until(pilot, noted.exists)
    assert noted.read_text().split("\n") == ["none", "--new", "https://a.org/$(touch%20x)/;id?q=%60id%60&b='c'"]
    assert messages == ["Opening in the browser"]


async def test_without_a_browser_the_link_is_copied(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("SSH_CONNECTION", SSH["SSH_CONNECTION"])
    messages: list[str] = []
    async with Alone().run_test() as pilot:
        open_link(pilot.app, "https://a.org/?utm_source=x", messages.append)
        assert pilot.app.clipboard == "https://a.org/?utm_source=x"
    assert messages == ["No browser found: link copied"]


async def test_a_browser_that_fails_leaves_the_link_copied(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, _ = a_browser(tmp_path, code=3)
    bare.setenv("BROWSER", f"'{program}'")
    messages: list[str] = []
    async with Alone().run_test() as pilot:
        open_link(pilot.app, "https://a.org/", messages.append)
        await until(pilot, lambda: len(messages) == 2)
        assert pilot.app.clipboard == "https://a.org/"
    assert messages[1] == "The browser didn't start: link copied"


async def test_a_console_that_can_neither_open_nor_copy_shows_the_link(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("TERM", "linux")
    messages: list[str] = []
    async with Alone().run_test(notifications=True) as pilot:
        open_link(pilot.app, "https://a.org/", messages.append)
        await until(pilot, lambda: [note.message for note in pilot.app._notifications] == ["https://a.org/"])
        assert pilot.app.clipboard == ""
    assert messages == ["No browser found."]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "--help", "javascript:alert(1)", "ssh://a.org"])
async def test_what_leads_elsewhere_is_never_opened(bare: pytest.MonkeyPatch, tmp_path: Path, address: str) -> None:
    program, noted = a_browser(tmp_path)
    bare.setenv("BROWSER", f"'{program}'")
    messages: list[str] = []
    async with Alone().run_test() as pilot:
        open_link(pilot.app, address, messages.append)
    assert messages == ["Only web and mail links can be opened"]
    assert not noted.exists()


# -- copying --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "platform", "names", "found"),
    [
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", ["wl-copy", "xclip"], ["wl-copy", "xclip"]),
        ({"TMUX": "/tmp/tmux"}, "linux", ["tmux", "xclip"], ["tmux"]),
        (SSH, "linux", ["xclip", "tmux"], []),
        ({}, "darwin", [], ["pbcopy"]),
        (SSH, "darwin", [], []),
    ],
)
def test_which_programs_copy(environ: dict[str, str], platform: str, names: list[str], found: list[str]) -> None:
    assert [command[0] for command in clipboard.programs(environ, platform, installed(*names))] == found


async def test_a_program_that_copies_gets_the_text_on_its_input(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copier = tmp_path / "xclip"
    copier.write_text(f"#!/bin/sh\ncat > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/copied\n")
    copier.chmod(0o700)
    bare.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    bare.setenv("DISPLAY", ":0")
    async with Alone().run_test() as pilot:
        assert clipboard.copy(pilot.app, "- [é](<https://a.org>)\n")
        await until(pilot, (tmp_path / "copied").exists)
    assert (tmp_path / "copied").read_text(encoding="utf-8") == "- [é](<https://a.org>)\n"
