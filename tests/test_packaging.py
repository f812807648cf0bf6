"""What is published: the wheel has everything that the program needs and nothing else, and runs where it
is installed."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from player import __version__
from player.paths import Paths
from tests.pty.terminal import Terminal

ROOT = Path(__file__).parent.parent
PACKAGES = ("player", "tui")
PAGES = sorted(page.relative_to(ROOT) for page in (ROOT / "docs").glob("*.md"))
_SOURCES = {".po", ".pot"}
"""Endings of what a file of the wheel is made from."""


def run(*words: str | Path, **environ: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        env=os.environ | environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_version_stands_in_one_place_and_is_the_newest_of_the_changelog() -> None:
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest
    assert newest[1] == __version__
    assert __version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_files_to_install_have_the_version_wherever_they_are_named() -> None:
    for page in ("README.md", "docs/installing.md"):
        named = re.findall(r"\bearmark[-_](\d[\d.]*\d)", (ROOT / page).read_text(encoding="utf-8"))
        assert set(named) == {__version__}


@pytest.mark.parametrize(
    ("manager", "places"),
    [
        ("apt-get", ["docs/installing.md", "packaging/Containerfile", "packaging/deb/build"]),
        ("dnf", ["docs/installing.md"]),
        ("pacman", ["docs/installing.md", "packaging/arch/PKGBUILD"]),
        ("zypper", ["docs/installing.md"]),
        ("brew", ["docs/installing.md", "packaging/homebrew/earmark.rb"]),
    ],
)
def test_libvlc_is_the_same_packages_everywhere(manager: str, places: list[str]) -> None:
    table = (ROOT / "player" / "playback" / "vlc" / "packages.txt").read_text(encoding="utf-8")
    (packages,) = (line.rpartition("|")[2].split() for line in table.splitlines() if line.startswith(f"{manager}|"))
    for place in places:
        text = (ROOT / place).read_text(encoding="utf-8")
        assert [package for package in packages if package not in text] == [], place


def test_the_changelog_is_short() -> None:
    of_versions = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert [len(text.splitlines()) for text in of_versions if len(text.splitlines()) > 80] == []


def test_what_packages_and_containers_take_from_the_source_is_there() -> None:
    taken = {
        "packaging/environment": ROOT,
        "packaging/deb/build": ROOT / "packaging" / "deb",
    }
    for script, folder in taken.items():
        assert os.access(ROOT / script, os.X_OK)
        names = re.findall(r'"\$(?:source|here)/([\w./-]+)"', (ROOT / script).read_text(encoding="utf-8"))
        assert names
        assert [name for name in names if not (folder / name).exists()] == []


def test_the_nix_flake_has_every_dependency() -> None:
    flake = (ROOT / "packaging" / "nix" / "flake.nix").read_text(encoding="utf-8")
    listed = set(flake.partition("dependencies = with")[2].partition("];")[0].partition("[")[2].split())
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = re.findall(r'^  "([\w-]+)', project.partition("\ndependencies = [")[2].partition("]\n")[0], re.MULTILINE)
    assert listed == set(needed)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: setuptools would take files that a former build left behind."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "docs").mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", *map(str, PAGES)):
        shutil.copy(ROOT / name, source / name)
    run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder, source)
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.long
def test_the_wheel_has_all_files_of_the_two_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    own = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix not in _SOURCES
    }
    assert own - names == set()
    rest = names - own
    about = f"earmark-{__version__}"
    assert {name for name in rest if not name.startswith((f"{about}.dist-info/", f"{about}.data/data/share/"))} == set()
    assert f"{about}.dist-info/licenses/LICENSE" in rest
    assert {Path(name).name for name in rest if ".data/" in name} == {
        "earmark.1", "earmark.bash", "_earmark", "earmark.fish", "earmark.desktop", *(page.name for page in PAGES)
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.pty
def test_the_wheel_runs_in_an_environment_of_its_own(wheel: Path, tmp_path: Path, paths: Paths) -> None:
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path)
    python = tmp_path / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", wheel)
    # What Earmark needs is that of these tests: but for what lies in that folder, nothing of it is imported from there.
    (site,) = tmp_path.glob("lib/python*/site-packages")
    (site / "needed.pth").write_text(sysconfig.get_paths()["purelib"])
    assert str(tmp_path) in run(python, "-P", "-c", "import player, tui; print(player.__file__, tui.__file__)")

    earmark = tmp_path / "bin" / "earmark"
    assert run(earmark, "--version") == f"earmark {__version__}\n"
    assert "Welcome to Earmark" in run(earmark, "podcasts")
    assert "First steps" in run(earmark, "help", "first-steps"), "a page of the documentation"
    checkup = subprocess.run([earmark, "doctor"], capture_output=True, text=True, timeout=60, check=False).stdout
    assert re.search(r"libvlc: +3\.", checkup), checkup
    with Terminal(command=[str(earmark)]) as terminal:
        terminal.wait_for("enter play")
        assert "Welcome to Earmark" in terminal.text
        terminal.press("q")
        assert terminal.wait_exit() == 0
