"""Python processes that Earmark starts: in a folder where somebody else has put modules of every name."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from player.artwork.maker import Scaler
from player.artwork.picture import Order, Shape
from player.downloads.tagger import MEMORY
from player.downloads.tags import Tags, tagged
from player.errors import NotAFeed
from player.feeds.parsing.parser_pool import ParserPool
from player.integrations.hooks import program_worker as hooks_worker
from player.measuring.decoding import measured, prepare
from player.measuring.kinds import folders
from player.measuring.kinds.waveform import MEASUREMENT as WAVEFORM
from player.measuring.measurement import Audio
from player.processes.python_child import command, environment, lone_script, with_pip
from player.processes.sandbox import Sandbox
from tests.player.downloads.sound import recorded
from tests.player.measuring.audio import make

ROOT = Path(__file__).parents[3]
SOURCES = [file for room in ("player", "tui") for file in (ROOT / room).rglob("*.py")]


def _children() -> Iterator[tuple[str, ...]]:
    for source in (file.read_text() for file in SOURCES):
        if "command(" not in source:
            continue  # reading the syntax of every file takes a second
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "command" and len(node.args) == 2:
                yield tuple(ast.literal_eval(word) for word in node.args)


CHILDREN = sorted(_children())
"""What is started through `command`, as it stands in the sources."""


@pytest.fixture
def trapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder has a module of every name; the file that is returned says which were imported."""
    sprung = tmp_path / "sprung"
    folder = tmp_path / "traps"
    folder.mkdir()
    trap = f"with open({str(sprung)!r}, 'a') as out: out.write(__name__ + chr(10))\n"
    for name in {*sys.stdlib_module_names, *packages_distributions(), "player", "tui"}:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(trap)
    monkeypatch.chdir(folder)
    return sprung


def test_the_traps_work(trapped: Path) -> None:
    subprocess.run([sys.executable, "-c", "import vlc, player"], capture_output=True, check=True)
    assert trapped.read_text().split()[-2:] == ["vlc", "player"]


def test_all_kinds_are_found() -> None:
    assert {words[1] for words in CHILDREN} == {
        "from player.jobs.worker import main; main()",
        "from player.processes.sandbox import serve; serve()",
        "tui",
        "tui.cli.soundcheck",
    }


@pytest.mark.parametrize("path", [None, "", ":.:relative"], ids=["no PYTHONPATH", "an empty one", "a relative one"])
def test_nothing_of_the_working_folder_is_on_the_path(
    path: str | None, trapped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    words = command("-c", "import sys, player, tui, vlc; print(*sys.path, sep='\\n')")
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True)
    entries = done.stdout.splitlines()
    assert entries[0] == str(ROOT)
    assert all(os.path.isabs(entry) and not entry.startswith(str(Path.cwd())) for entry in entries)  # noqa: PTH117
    assert not trapped.exists()


@pytest.mark.parametrize("words", CHILDREN, ids=lambda words: words[1])
def test_a_child_imports_nothing_of_the_working_folder(
    words: tuple[str, ...], trapped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with nothing to do: it ends once it has imported what it works with."""
    monkeypatch.setenv("PYTHONPATH", ":.:relative")
    if words[1] == "tui":
        words = (*words, "podcasts")
    done = subprocess.run(command(*words), env=environment(), input=b"", capture_output=True, timeout=60, check=False)
    assert not trapped.exists(), trapped.read_text()
    assert b"No module named" not in done.stderr


def test_what_runs_in_a_sandbox_imports_nothing_of_it(trapped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that Earmark runs there; each with something that makes it import what it works with."""
    monkeypatch.setenv("PYTHONPATH", ":.:relative")
    with (
        closing(ParserPool()) as parsers,
        closing(Scaler()) as scaler,
        closing(Sandbox(measured, memory=1 << 30, seconds=30, prepare=prepare)) as measuring,
    ):
        with pytest.raises(NotAFeed):
            parsers.read(b" " * 100_000, "", "https://example.com/")
        assert scaler.scale(Order(b"no image", Shape(2, 1))).problem == "it isn't an image of a known format"
        audio = make(trapped.parent / "a.wav", 3).read_bytes()
        (piece,) = measuring.call(Audio(b"", (), 0, audio), folders(), 0, 1).pieces
        assert WAVEFORM.name in piece
    with closing(Sandbox(tagged, memory=MEMORY, seconds=30, writes=True)) as tagging:
        file = trapped.parent / "a.mp3"
        file.write_bytes(recorded("mp3"))
        assert tagging.call(os.fsencode(file), os.fsencode(file.with_suffix(".new")), "mp3", Tags("A title"))
    assert not trapped.exists(), trapped.read_text()


def test_the_process_that_runs_hooks_imports_nothing_of_it(trapped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ":.:relative")
    words = lone_script(Path(hooks_worker.__file__), str(trapped.parent / "failures"))
    done = subprocess.run(words, input=b"", capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert not trapped.exists()


def test_python_m_tui_imports_only_what_python_itself_does_before_it_starts(
    trapped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python looks there for the standard library and for `tui` before Earmark has a say; for nothing else."""
    for name in {*sys.stdlib_module_names, "tui"}:
        Path(f"{name}.py").unlink(missing_ok=True)
    done = subprocess.run([sys.executable, "-m", "tui", "doctor"], capture_output=True, timeout=60, check=False)
    assert b"libvlc" in done.stdout, done.stderr
    assert not trapped.exists(), trapped.read_text()


def test_the_earmark_command_imports_nothing_of_it(trapped: Path) -> None:
    program = Path(sys.executable).with_name("earmark")
    done = subprocess.run([str(program), "doctor"], capture_output=True, timeout=60, check=False)
    assert b"libvlc" in done.stdout, done.stderr
    assert not trapped.exists(), trapped.read_text()


def test_no_other_place_starts_a_python() -> None:
    starting = {str(file.relative_to(ROOT)) for file in SOURCES if "sys.executable" in file.read_text()}
    telling = {"player/transcribing/engines/whisper.py", "tui/cli/commands/mcp.py"}
    assert starting - telling == {"player/processes/python_child.py"}, "the others only name it in what to type"
    multiplying = {file.name for file in SOURCES if re.search(r"\bmultiprocessing\b|ProcessPool", file.read_text())}
    assert multiplying == set()


def test_packages_come_to_this_python_with_pip_or_else_with_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/my apps/python")
    assert with_pip("earmark[mcp]") == "'/opt/my apps/python' -m pip install 'earmark[mcp]'"
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert with_pip("earmark[mcp]") == "uv pip install --python '/opt/my apps/python' 'earmark[mcp]'"
