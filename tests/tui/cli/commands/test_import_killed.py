"""An import that is killed at any moment leaves a whole library, and another one completes it."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from player.library import Library
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

FEEDS, EPISODES = 24, 40
ROOT = Path(__file__).parents[5]


@pytest.fixture
def subscriptions(server: LoopbackServer, tmp_path: Path) -> Path:
    names = [f"Show {number}" for number in range(FEEDS)]
    episodes = [f"Episode {number} " + "words " * 20 for number in range(EPISODES)]
    urls = [server.page(f"/{number}", feed(name, *episodes)) for number, name in enumerate(names)]
    path = tmp_path / "mine.opml"
    path.write_text(f"<opml>{''.join(f'<outline xmlUrl={url!r}/>' for url in urls)}</opml>")
    return path


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=[pytest.mark.long, pytest.mark.timeout(300)])])
@pytest.mark.usefixtures("library")
def test_killed_at_any_moment(
    earmark: Earmark, library: Library, paths: Paths, subscriptions: Path, kills: int
) -> None:
    library.close()
    dice = random.Random(kills)
    command = [sys.executable, "-m", "tui", "import", str(subscriptions)]
    for _ in range(kills):
        with subprocess.Popen(
            command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(dice.uniform(0.2, 1.5))
            process.send_signal(signal.SIGKILL)
        _is_whole(paths)
    assert earmark("import", str(subscriptions)).code == 0
    library.open()
    shows = [one for one in library.podcasts.all() if one.url.startswith("http")]
    assert [one.episode_count for one in shows] == [EPISODES] * FEEDS
    library.search.catch_up()
    assert len(library.search.find("words ", 10_000).ids) == FEEDS * EPISODES


def _is_whole(paths: Paths) -> None:
    """No damage; the list stands in it whole or not at all, each of its feeds too, and counts tell the truth."""
    if not paths.library.exists():
        return
    database = sqlite3.connect(paths.library)
    try:
        assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        shows = database.execute(
            "SELECT (SELECT count(*) FROM episodes e WHERE e.podcast_id = p.id), c.episodes FROM podcasts p"
            " JOIN podcast_counts c ON c.podcast_id = p.id WHERE p.url LIKE 'http://127%'"
        ).fetchall()
    finally:
        database.close()
    assert len(shows) in (0, FEEDS)
    assert set(shows) <= {(0, 0), (EPISODES, EPISODES)}
