"""A folder of audio, from the dialog that adds it to the same second after a restart."""

from pathlib import Path

import pytest

from player.paths import Paths
from tests.player.sources.books import m4b, mp3
from tests.pty.conftest import silence
from tests.pty.terminal import Terminal
from tests.pty.test_journeys import elapsed_ms, wait_elapsed

pytestmark = pytest.mark.pty


@pytest.mark.long
def test_a_folder_is_added_a_chapter_played_and_found_again_at_the_same_second(silent: Paths, tmp_path: Path) -> None:
    folder = tmp_path / "My Book"
    m4b(folder / "1.m4b", "The Beginning", "The Sea", title="Volume One", album="A Voyage")
    mp3(folder / "2.mp3", title="Volume Two", album="A Voyage")
    (folder / "10.wav").write_bytes(silence(600))
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(str(folder), "enter")
        shown = terminal.wait_for(r"(?s)Volume One.*Volume Two.*\b10\b")
        assert "A Voyage" in terminal.text or "A Voyage" in shown
        terminal.press("enter")
        terminal.wait_for(r"The Beginning +1 of 2")
        terminal.press(".")
        terminal.wait_for(r"The Sea +2 of 2")
        wait_elapsed(terminal, 5000)
        terminal.press("space")
        terminal.wait_for("⏸")
        position = elapsed_ms(terminal)
        terminal.press("q")
        assert terminal.wait_exit() == 0
    (folder / "1.m4b").rename(folder / "01 - renamed.m4b")
    with Terminal() as again:
        again.wait_for("⏸")
        assert elapsed_ms(again) == position
        again.press("r")
        again.wait_for("Nothing new")
        again.press("space")
        wait_elapsed(again, position + 1000)
        again.press("q")
        assert again.wait_exit() == 0
    assert sorted(path.name for path in folder.iterdir()) == ["01 - renamed.m4b", "10.wav", "2.mp3"]
