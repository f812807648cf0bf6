"""A directory in a file of its own is asked, and named wherever directories are, with no other file changed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from player.paths import Paths
from tests import directories as fake
from tests.directories import APPLE, POD_SHELF, apple_answer, apple_podcast


class Elsewhere:
    """Earmark with a directory from outside the tree, each command in a process of its own."""

    def __init__(self, folder: Path) -> None:
        script = (
            "import sys; from player.directory import adapters; "
            f"adapters.__path__.append({str(folder)!r}); from tui.cli.main import main; sys.exit(main(sys.argv[1:]))"
        )
        self.command = [sys.executable, "-c", script]

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture
def earmark(tmp_path: Path) -> Elsewhere:
    folder = tmp_path / "directories"
    folder.mkdir()
    (folder / "podshelf.py").write_text(POD_SHELF, encoding="utf-8")
    return Elsewhere(folder)


def test_it_is_asked_with_its_key_and_has_charts(earmark: Elsewhere, world: fake.Directories, paths: Paths) -> None:
    own = {"podshelf_url": world.server.url("/shelf"), "podshelf_key": "k", "podshelf_secret": "s"}
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    lines = [world.toml, *(f"{name} = {json.dumps(value)}" for name, value in own.items())]
    paths.settings.write_text("\n".join(lines), encoding="utf-8")
    world.says("/shelf/search", [{"title": "Shelved", "feed": "https://feeds.example.com/shelved"}])
    world.says("/shelf/top", [{"title": "Loved", "feed": "https://feeds.example.com/loved"}])
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(1, "Bitten", "https://feeds.example.com/bitten")))
    found = json.loads(earmark("find", "shelved", "--json"))
    assert {one["title"]: one["directories"] for one in found} == {
        "Shelved": ["Pod Shelf"],
        "Bitten": ["Apple Podcasts"],
    }
    assert [fake.asked(request) for request in world.seen("/shelf/search")] == [{"words": "shelved", "key": "k/s"}]

    world.says("/shelf/episodes", [{"title": "Once", "feed": "https://feeds.example.com/shelved"}])
    (once,) = json.loads(earmark("find", "--episodes", "once", "--json"))
    assert (once["title"], once["directories"]) == ("Once", ["Pod Shelf"])

    paths.settings.write_text("\n".join([*lines, 'ask = ["podshelf"]']), encoding="utf-8")
    assert [one["url"] for one in json.loads(earmark("top", "--json"))] == ["https://feeds.example.com/loved"]


def test_help_and_settings_name_it_with_its_like(earmark: Elsewhere, paths: Paths) -> None:
    find, top = _flat(earmark("find", "--help")), _flat(earmark("top", "--help"))
    assert "gpodder.net and, with an API key of your own, Podcast Index and Pod Shelf." in find
    assert "Single episodes come from Apple Podcasts, fyyd, Podcast Index and Pod Shelf." in find
    assert "save your API key of Podcast Index and Pod Shelf and its secret" in find
    assert "gpodder.net, which are of all countries, then those of Pod Shelf. Topics:" in top

    template = earmark("config", "init", "--print")
    assert '#ask = ["apple", "fyyd", "gpodder", "podcastindex", "podshelf"]\n' in template
    assert '# Your API key of Pod Shelf and its secret.\n#podshelf_key = ""\n#podshelf_secret = ""\n' in template
    assert '#podshelf_url = "https://shelf.example"\n' in template
    earmark("config", "set", "directories.podshelf_secret", "hush")
    assert "hush" not in earmark("config")
    assert earmark("config", "get", "directories.podshelf_url") == "https://shelf.example\n"

    earmark("config", "set", "directories.ask", "podshelf")
    paths.settings.write_text('[directories]\nask = ["podshelf"]\npodshelf_url = "ftp://x"\n', encoding="utf-8")
    checked = subprocess.run([*earmark.command, "config", "check"], capture_output=True, text=True).stderr
    assert "“directories.podshelf_url” must be a URL that starts with https:// or http://." in _flat(checked)
    assert "Earmark uses https://shelf.example instead." in _flat(checked)


def _flat(text: str) -> str:
    return " ".join(text.split())
