"""`earmark service`, with a systemctl that notes what it is asked."""

import os
from pathlib import Path

import pytest

from player.background.service_unit import unit_path
from tests.tui.cli.conftest import Earmark
from tui.cli import checkup
from tui.cli.commands.doctor import lines_of

SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$NOTES"
[ "$2" = is-enabled ] && echo enabled
[ "$2" = is-active ] && { cat "$NOTES.active" 2> /dev/null || echo active; }
[ "$2" = enable ] && [ -e "$NOTES.broken" ] && { echo "Unit is masked." >&2; exit 1; }
exit 0
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(SYSTEMCTL)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("NOTES", str(tmp_path / "asked"))
    return tmp_path / "asked"


def calls(asked: Path) -> list[str]:
    return [line for line in asked.read_text().splitlines() if "show-environment" not in line]


def test_it_is_installed_started_shown_and_removed(earmark: Earmark, asked: Path) -> None:
    installed = earmark("service", "install", "--now")
    assert (installed.code, installed.err) == (0, "")
    assert f"Installed: {unit_path()}" in installed.out
    assert calls(asked) == [
        "--user daemon-reload",
        "--user enable earmark.service",
        "--user restart earmark.service",
    ]
    assert "play --headless --stay" in unit_path().read_text()
    assert f"EARMARK_HOME={os.environ['EARMARK_HOME']}" in unit_path().read_text()
    assert earmark("service", "status", "--json").json == {
        "installed": True, "file": str(unit_path()), "enabled": "enabled", "active": "active"
    }  # fmt: skip
    assert "systemd says: enabled, active" in earmark("service", "status").out
    assert earmark("service", "remove").code == 0
    assert calls(asked)[-2:] == ["--user disable --now earmark.service", "--user daemon-reload"]
    assert not unit_path().exists()
    assert earmark("service", "remove").out == "It isn't installed. There is nothing to remove.\n"


@pytest.mark.parametrize(
    ("word", "sign", "text", "advice"),
    [
        (
            "inactive",
            "note",
            "the service is installed, but it doesn't run",
            "Start it: systemctl --user start earmark",
        ),
        ("activating", "note", "the service is starting", "Try again in a moment."),
        ("failed", "wrong", "the service failed", "See why: journalctl --user -u earmark"),
    ],
)
def test_a_service_that_is_not_up_is_named(
    earmark: Earmark, asked: Path, monkeypatch: pytest.MonkeyPatch, word: str, sign: str, text: str, advice: str
) -> None:
    earmark("service", "install")
    asked.with_name("asked.active").write_text(f"{word}\n")
    assert earmark("status").err == f"earmark: Earmark isn't running: {text}. {advice}\n"
    assert earmark("status", "--quiet").code == 0
    assert [f"{sign:6} service: {text}", f"{'':6} {advice}"] == service_in_doctor()
    monkeypatch.setenv("EARMARK_HOME", str(Path(os.environ["EARMARK_HOME"]).with_name("e")))
    assert "service" not in earmark("status").err, "it plays from another library"


def service_in_doctor() -> list[str]:
    return [line for finding in checkup.service() for line in lines_of(finding)]


def test_a_service_that_is_up_is_named_where_all_is_checked(earmark: Earmark, asked: Path) -> None:
    assert service_in_doctor() == []
    earmark("service", "install", "--now")
    assert service_in_doctor() == ["ok     service: it runs, and waits while another Earmark plays"]


def test_printing_it_changes_nothing(earmark: Earmark, asked: Path) -> None:
    printed = earmark("service", "install", "--print")
    assert printed.out.startswith("# Made by: earmark service install\n[Unit]\n")
    assert not unit_path().exists()
    assert not asked.exists()


def test_what_systemd_refuses_is_said_and_a_unit_of_somebody_else_stays(earmark: Earmark, asked: Path) -> None:
    asked.with_name("asked.broken").touch()
    refused = earmark("service", "install", "--now")
    assert (refused.code, refused.err) == (
        1, "earmark: systemctl --user enable earmark.service failed: Unit is masked.\n"
    )  # fmt: skip
    unit_path().write_text("[Service]\n")
    for action in ("install", "remove", "status"):
        ended = earmark("service", action)
        assert ended.code == 1
        assert "wasn't made by Earmark, so it stays as it is" in ended.err
    assert unit_path().read_text() == "[Service]\n"


def test_without_systemd_it_says_how_else_to_run_it(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ended = earmark("service", "install", "--now")
    assert ended.code == 1
    assert ended.err == (
        "earmark: There is no systemd for this user here, as in most containers. "
        "Run this as the service instead: earmark play --headless --stay\n"
    )
    assert not unit_path().exists()


@pytest.mark.parametrize("words", [("remove", "--now"), ("status", "--print"), ("install", "--json"), ("start",)])
def test_wrong_usage(earmark: Earmark, words: tuple[str, ...]) -> None:
    assert earmark("service", *words).code == 2
