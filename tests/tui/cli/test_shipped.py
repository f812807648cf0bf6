"""The manual page and the completions are those of the commands as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tui.cli.commands.completions import SHELLS
from tui.cli.main import main
from tui.cli.printout import document
from tui.cli.registry import commands, everything, former, load

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "tui" / "cli" / "shipped"


def test_what_is_shipped_is_made_from_the_parser(tmp_path: Path) -> None:
    made = subprocess.run([sys.executable, ROOT / "scripts" / "make_shipped.py", tmp_path], capture_output=True)
    assert made.returncode == 0, made.stderr.decode()
    assert {one.name for one in tmp_path.iterdir() if one.is_file()} == {*SHELLS.values(), "earmark.1", "commands.json"}
    old = [
        name
        for name in (*SHELLS.values(), "earmark.1", "commands.json")
        if (SHIPPED / name).read_text() != (tmp_path / name).read_text()
    ]
    assert not old, "run scripts/make_shipped.py"


def test_the_manual_page_names_every_command() -> None:
    page = (SHIPPED / "earmark.1").read_text().replace("\\-", "-")
    assert [name for name in commands() if f"'earmark {name}'" not in page] == []
    assert [name for name in former() if f"'earmark {name}'" in page] == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions", shell]) == 0
    assert capsys.readouterr().out == (SHIPPED / SHELLS[shell]).read_text()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["earmark", "dow"], {"download"}),
        (["earmark", "to"], {"toggle"}),
        (["earmark", "bookmark", "li"], {"list"}),
        (["earmark", "bookmark", "list", "--mark"], {"--markdown"}),
        (["earmark", "find", "--top"], {"--topic"}),
        (["earmark", "play", "--sp"], {"--speed"}),
        (["earmark", "completions", "f"], {"fish"}),
        (["earmark", "import", "pod"], {"podcasts.opml"}),
    ],
)
def test_bash_completes(typed: list[str], offered: set[str], tmp_path: Path) -> None:
    (tmp_path / "podcasts.opml").touch()
    script = f"""
        source {SHIPPED / SHELLS["bash"]}
        COMP_WORDS=({" ".join(typed)}); COMP_CWORD={len(typed) - 1}; COMPREPLY=()
        "$(complete -p earmark | sed 's/.*-F \\([^ ]*\\).*/\\1/')" earmark
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    answer = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=tmp_path, env={**os.environ}
    )
    assert set(answer.stdout.split()) == offered, answer.stderr


def test_what_is_said_in_json_is_described() -> None:
    """`earmark --spec` has its schema; tests/tui/cli/spec tries each."""
    for name in everything().commands:
        command = load(name)
        for its in (*command.documents.values(), *(one.document for one in command.lists)):
            document(its)
