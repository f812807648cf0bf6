"""`config edit`: what was typed is checked before it is config.toml, and lost in no case."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from player.configuration.catalogue import template
from player.paths import Paths
from tui.cli.commands.config_edit import NoEditor, edit, editor, run_editor

GOOD, BAD, BROKEN = "[mouse]\nenabled = false\n", "[mouse]\nenabeld = false\n", "[mouse\n"
Edit = Callable[[Sequence[str], Path], int]


def typing(*texts: str, code: int = 0) -> Edit:
    """An editor in which these are typed, one after the other."""
    left = iter(texts)

    def run(_words: Sequence[str], file: Path) -> int:
        file.write_text(next(left))
        return code

    return run


def copies(paths: Paths) -> list[str]:
    return [one.read_text() for one in paths.config.glob("config-*.toml")]


@pytest.fixture
def old(paths: Paths) -> Path:
    paths.config.mkdir(parents=True)
    paths.settings.write_text("# old\n")
    return paths.settings


def test_what_is_right_is_saved(paths: Paths, old: Path) -> None:
    assert edit(paths, ["ed"], typing(GOOD)) == 0
    assert (old.read_text(), copies(paths)) == (GOOD, [])


def test_the_first_edit_begins_with_the_template_and_saves_only_what_was_changed(paths: Paths) -> None:
    assert edit(paths, ["ed"], lambda _words, file: 0 if file.read_text() == template() else 1) == 0
    assert (paths.settings.exists(), copies(paths)) == (False, [])


@pytest.mark.parametrize("text", [BAD, BROKEN])
def test_a_mistake_is_named_and_can_be_corrected(
    paths: Paths, old: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit(paths, ["ed"], typing(text, GOOD), ask=lambda: "e") == 0
    assert (old.read_text(), copies(paths)) == (GOOD, [])
    assert ("line 2: there is no setting “mouse.enabeld”. Did you mean “enabled”?" in capsys.readouterr().err) is (
        text == BAD
    )


def test_a_mistake_can_be_saved_on_purpose(paths: Paths, old: Path) -> None:
    assert edit(paths, ["ed"], typing(BAD), ask=lambda: "s") == 1
    assert (old.read_text(), copies(paths)) == (BAD, [])


@pytest.mark.parametrize("ask", [lambda: "q", None])
def test_what_isnt_saved_is_kept(
    paths: Paths, old: Path, ask: Callable[[], str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit(paths, ["ed"], typing(BAD), ask=ask) == 1
    assert (old.read_text(), copies(paths)) == ("# old\n", [BAD])
    assert str(next(paths.config.glob("config-*.toml"))) in capsys.readouterr().err


def test_an_editor_that_fails_saves_nothing(paths: Paths, old: Path) -> None:
    assert edit(paths, ["ed"], typing(GOOD, code=3)) == 1
    assert (old.read_text(), copies(paths)) == ("# old\n", [GOOD])


def test_a_file_that_was_changed_beside_is_not_overwritten(paths: Paths, old: Path) -> None:
    def run(_words: Sequence[str], file: Path) -> int:
        file.write_text(GOOD)
        old.write_text("# by somebody else\n")
        return 0

    assert edit(paths, ["ed"], run) == 1
    assert (old.read_text(), copies(paths)) == ("# by somebody else\n", [GOOD])


def _here(_name: str) -> str:
    return "/usr/bin/it"


def test_the_editor_is_found_as_git_finds_it() -> None:
    both = {"VISUAL": "code --wait", "EDITOR": "nano", "TERM": "xterm"}
    assert editor(both, _here) == ["code", "--wait"]
    assert editor({**both, "TERM": "dumb"}, _here) == ["nano"]
    assert editor({"EDITOR": "~/bin/'my editor'"}, _here) == [os.path.expanduser("~/bin/my editor")]  # noqa: PTH111
    assert editor({"TERM": "xterm"}, _here) == ["vi"]


@pytest.mark.parametrize("environ", [{}, {"TERM": "dumb"}, {"TERM": "xterm"}, {"EDITOR": "nowhere"}, {"EDITOR": "'"}])
def test_no_editor_is_a_sentence(environ: dict[str, str]) -> None:
    with pytest.raises(NoEditor, match="Set EDITOR to one"):
        editor(environ, lambda _name: None)


@pytest.fixture
def interrupts() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_is_the_editors(tmp_path: Path) -> None:
    program = tmp_path / "ed"
    program.write_text("#!/bin/sh\ntrap 'echo typed > \"$1\"; exit 0' INT\nkill -INT $PPID\nkill -INT $$\nexit 9\n")
    program.chmod(0o755)
    assert run_editor([str(program)], tmp_path / "file") == 0
    assert (tmp_path / "file").read_text() == "typed\n"
