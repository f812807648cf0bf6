from pathlib import Path

from player.paths import Paths


def test_one_variable_puts_everything_under_one_folder(tmp_path: Path) -> None:
    paths = Paths.of({"EARMARK_HOME": str(tmp_path)})
    assert paths.library == tmp_path / "data" / "library.db"
    assert paths.settings == tmp_path / "config" / "config.toml"
    assert paths.media == tmp_path / "cache" / "media"
    assert paths.log == tmp_path / "state" / "earmark.log"
    assert paths.socket == tmp_path / "run" / "control.sock"


def test_looking_where_files_would_be_makes_none(tmp_path: Path) -> None:
    Paths.of({"EARMARK_HOME": str(tmp_path / "nowhere")})
    assert not (tmp_path / "nowhere").exists()


def test_without_a_runtime_folder_each_user_has_a_socket_of_their_own() -> None:
    first, second = Paths.of({}).socket, Paths.of({}).socket
    assert first == second
    assert first.name == "control.sock"
