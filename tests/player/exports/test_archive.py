"""The file with all that is the listener's."""

import json
from pathlib import Path

from player.exports.archive import save_archive
from tests.player.exports.helpers import NOW, opened, used


def test_it_says_how_much_was_written(tmp_path: Path) -> None:
    library = opened(tmp_path / "library")
    used(library, 1, 20)
    counts = save_archive(tmp_path / "x", library, NOW)
    library.close()
    podcasts = json.loads((tmp_path / "x").read_bytes())["podcasts"]
    episodes = [episode for podcast in podcasts for episode in podcast["episodes"]]
    assert (counts.podcasts, counts.episodes) == (len(podcasts), len(episodes))
    assert (len(podcasts), len(episodes) > 3) == (3, True)
