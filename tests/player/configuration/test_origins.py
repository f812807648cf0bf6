"""Where each value comes from: the default, a line of the file, the app, or the environment."""

from pathlib import Path
from typing import Any

from player.configuration.origins import Origin, origins
from player.settings_file import read_settings

TEXT = """
[playback]
seek_back = 20
seek_forward = "30"
rewind = "soon"
[chapters.skip_in]
"A show" = ["Ad"]
[keys]
star = "f"
"""


def found(path: Path, **more: Any) -> dict[str, Origin]:
    return {one.name: one for one in origins(path, read_settings(path).settings, **{"environ": {}, **more})}


def test_lines_of_the_file_and_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(TEXT)
    there = found(path)
    assert there["playback.seek_back"] == Origin("playback.seek_back", "20", "15", "file", 3)
    assert there["playback.seek_forward"] == Origin("playback.seek_forward", "30", "30", "file", 4)
    assert there["playback.rewind"] == Origin("playback.rewind", "3", "3", "file", 5)
    assert there["chapters.skip_in"].line == 6
    assert there["keys.star"] == Origin("keys.star", "f", None, "file", 9)
    assert there["playback.engine"].source == "default"


def test_what_was_chosen_in_the_app_and_what_the_environment_says(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    there = found(
        path,
        chosen=lambda name, value: "nord" if name == "appearance.theme" else value,
        environ={"FORCE_HYPERLINK": "1"},
    )
    assert (there["appearance.theme"].value, there["appearance.theme"].source) == ("nord", "app")
    assert (there["appearance.hyperlinks"].source, there["appearance.hyperlinks"].variable) == (
        "environment",
        "FORCE_HYPERLINK",
    )


def test_a_broken_file_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[playback\n")
    assert {one.source for one in found(path).values()} == {"default"}
