"""Commands that bookmark or find new episodes run the programs for that, and no others."""

from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.integrations.hooks.making import script
from tests.player.playback.support import wait_until
from tests.tui.cli.conftest import Earmark, feed


def test_a_bookmark_and_a_new_episode_are_told(
    earmark: Earmark, paths: Paths, server: LoopbackServer, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    program = script(tmp_path / "tells", f'echo "$EARMARK_EVENT $EARMARK_TITLE $EARMARK_NOTE" >> {told}')
    paths.config.mkdir(parents=True)
    paths.settings.write_text(
        f'[hooks]\nbookmarked = ["{program}"]\nnew_episode = ["{program}"]\nleft = ["/no/such/program"]\n'
    )
    earmark("add", server.page("/feed", feed("Slow Radio", "Rain")))
    assert earmark("bookmark", "1", "--at", "5", "--note", "a note").err == ""
    wait_until(lambda: told.exists() and "a note" in told.read_text(), "the bookmark")
    today = format_datetime(datetime.now(UTC)).encode()
    newest = feed("Slow Radio", "Wind", "Rain").replace(b"20 Apr 2026 12:00:00 GMT", today, 1)
    server.page("/feed", newest)
    earmark("refresh", "slow")
    wait_until(lambda: "Wind" in told.read_text(), "the new episode")
    lines = [line.split(" ", 1) for line in told.read_text().splitlines()]
    assert [kind for kind, _ in lines] == ["bookmarked", "new_episode"]
