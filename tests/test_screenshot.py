"""The pictures of the README can be made again."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.long
def test_the_pictures_show_an_episode_that_plays(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "screenshot.py", tmp_path], check=True)
    dark, light = ((tmp_path / f"earmark-{name}.svg").read_text("utf-8") for name in ("dark", "light"))
    assert dark != light
    for picture in (dark, light):
        assert "▶" in picture
        assert "Inductor" in picture
        assert "1.5" in picture
