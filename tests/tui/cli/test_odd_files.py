"""What lies where Earmark expects a file: a FIFO, a device, a folder, something endless. None is waited for."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import pytest

from player import regular_file
from player.configuration.changing import CantSave, _cant
from player.downloads.files import folder_of
from player.integrations.hooks.program_runner import recent_failures
from player.media.cache import read_record
from player.media.local_file import LocalMedia
from player.paths import Paths
from player.settings_file import load_settings
from player.sync.folder.writer_state import WriterState, read_state
from player.transfer.earmark import recognises
from tests.tui.cli.conftest import Earmark
from tui.look.own_themes import own_themes

LARGE = 200 << 30
KINDS = ("fifo", "endless", "folder", "link to nothing", "sparse")


@pytest.fixture(autouse=True)
def never_waits() -> Iterator[None]:
    def late(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def put(kind: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "link to nothing":
            path.symlink_to(path.parent / "nothing")
        case _:
            with path.open("wb") as file:
                file.truncate(LARGE)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_only_regular_files_within_their_bounds_are_read(kind: str, tmp_path: Path) -> None:
    path = put(kind, tmp_path / "odd")
    with pytest.raises(OSError, match=r"odd|nothing"):
        regular_file.read(path, 1000)
    with pytest.raises(OSError, match="null character"):
        regular_file.read(f"{path}\0", 1000)


def test_a_file_that_grows_while_it_is_read_ends_at_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "grows"
    path.write_bytes(b"x" * (3 << 20))
    found = regular_file.pieces(path, 4 << 20)
    got = len(next(found))
    with path.open("ab") as more:
        more.write(b"x" * (8 << 20))
    with pytest.raises(OSError, match="too large"):
        got += sum(map(len, found))
    assert got <= 4 << 20


@pytest.mark.parametrize("kind", KINDS)
def test_config_toml_and_a_theme_of_any_kind_are_said_to_be_unreadable(
    kind: str, paths: Paths, earmark: Earmark
) -> None:
    config = put(kind, paths.settings)
    theme = put(kind, paths.themes / "mine.toml")
    found = load_settings(config)
    if kind == "link to nothing":
        assert found.problems == ()
    else:
        assert str(config) in found.problems[0]
        assert earmark("config", "check").code == 1
        assert earmark("config", "set", "media.cache_limit", "1 GB").code == 1
    assert str(theme) in own_themes(paths.themes).problems[0]
    assert earmark("config").code == 0
    assert earmark("themes").code == 0
    assert earmark("podcasts").code == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["import", "transcript"])
def test_a_named_file_of_any_kind_is_refused_with_a_sentence(
    command: str, kind: str, tmp_path: Path, earmark: Earmark
) -> None:
    path = put(kind, tmp_path / "odd.opml")
    if command == "import":
        ran = earmark("import", str(path))
    else:
        episode = earmark("episodes", "--json").json[0]["id"]
        ran = earmark("transcript", str(episode), str(path))
    assert ran.code == 1, ran
    assert ran.err


READERS: dict[str, tuple[Callable[[Path], object], object]] = {
    "an export": (recognises, False),
    "hooks that failed": (lambda path: recent_failures(path, datetime.now(UTC)), []),
    "a record of the cache": (lambda path: read_record(path.parent, path.name.partition(".")[0]), {}),
    "the journal's writer": (read_state, WriterState()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_only_remembered_counts_as_nothing(reader: str, kind: str, tmp_path: Path) -> None:
    read, nothing = READERS[reader]
    if kind == "sparse" and reader == "the journal's writer":
        pytest.skip("its beginning is read")
    assert read(put(kind, tmp_path / "odd.json")) == nothing


@pytest.mark.parametrize("kind", ["fifo", "endless", "folder", "link to nothing"])
def test_audio_in_the_place_of_a_download_that_is_none_is_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"odd|nothing"):
        LocalMedia(put(kind, tmp_path / "odd.mp3"))


@pytest.mark.parametrize("setting", ["media.downloads", "bookmarks.file"])
def test_a_null_character_in_a_path_is_a_mistake(setting: str, paths: Paths, earmark: Earmark) -> None:
    section, name = setting.split(".")
    paths.config.mkdir(parents=True)
    paths.settings.write_text(f'[{section}]\n{name} = "a\\u0000b"\n')
    checked = earmark("config", "check")
    assert checked.code == 1
    assert f"“{setting}” can't contain a null character" in checked.out + checked.err


def test_a_relative_downloads_folder_is_below_the_home_folder(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert folder_of("pods", tmp_path) == own_home / "pods"
    assert folder_of("~/pods", tmp_path) == own_home / "pods"
    assert folder_of("~nobody-of-that-name/pods", tmp_path).is_relative_to(own_home)
    assert folder_of("/srv/pods", tmp_path) == Path("/srv/pods")
    assert folder_of("", tmp_path) == tmp_path / "episodes"


def test_settings_that_find_the_disk_full_say_so(tmp_path: Path) -> None:
    error = _cant(tmp_path, OSError(28, os.strerror(28)))
    assert isinstance(error, CantSave)
    assert str(error).endswith("(No space left on device). Free some space on that disk, then try again.")
