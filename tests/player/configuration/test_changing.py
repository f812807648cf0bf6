"""One setting is changed, and the file stays as it was written; what can't be used never gets into it."""

from pathlib import Path

import pytest

from player.configuration.catalogue import template
from player.configuration.changing import change, copy_beside, create
from player.errors import EarmarkError
from player.settings_file import read_settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "config.toml"


def test_the_first_setting_makes_the_file(path: Path) -> None:
    assert change(path, "playback.seek_back", ["1m"]) == "1m"
    assert path.read_text() == '[playback]\nseek_back = "1m"\n'


def test_each_kind_is_written_as_it_is_read(path: Path) -> None:
    create(path, template())
    for name, words, value in (
        ("mouse.enabled", ["off"], False),
        ("feeds.refresh_minutes", ["30"], 30),
        ("chapters.skip", ["Sponsor", "Ad break"], ("Sponsor", "Ad break")),
        ("sleep.from", ["23:00"], "23:00"),
        ("keys.star", ["f"], "f"),
        ("bookmarks.template", ['- {moment} "quoted"\n'], '- {moment} "quoted"\n'),
    ):
        assert change(path, name, words) == value
    read = read_settings(path)
    assert read.problems == ()
    assert read.settings.sleep.from_ == "23:00"
    assert all(line in path.read_text() for line in template().splitlines())


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        ("playback.seek_bak", "3", "There is no setting “playback.seek_bak”. Did you mean “playback.seek_back”?"),
        ("playback.seek_back", "soon", "“playback.seek_back” can't be used: Invalid time “soon”."),
        ("mouse.enabled", "maybe", "“mouse.enabled” must be true or false, not “maybe”."),
        ("desktop.next", "song", "“desktop.next” must be one of episode, chapter, jump, not 'song'."),
        ("chapters.skip_in", "x", "“chapters.skip_in” is a section with entries of your own."),
    ],
)
def test_what_cant_be_used_changes_nothing(path: Path, name: str, word: str, sentence: str) -> None:
    with pytest.raises(EarmarkError) as raised:
        change(path, name, [word])
    assert str(raised.value).startswith(sentence)
    assert not path.exists()


def test_a_broken_file_is_left_alone(path: Path) -> None:
    create(path, "[playback\n")
    with pytest.raises(EarmarkError, match="contains a mistake"):
        change(path, "mouse.enabled", ["no"])
    assert path.read_text() == "[playback\n"


def test_a_new_file_is_its_owners_alone(path: Path) -> None:
    assert create(path, "a = 1")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_link_stays_a_link_and_the_mode_stays(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    real.chmod(0o600)
    path.parent.mkdir()
    path.symlink_to(real)
    change(path, "mouse.enabled", ["no"])
    assert path.is_symlink()
    assert real.read_text() == "# mine\n\n[mouse]\nenabled = false\n"
    assert real.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.glob("*-*.toml")) == []


def test_nothing_that_exists_is_overwritten(path: Path) -> None:
    assert create(path, "a = 1")
    assert not create(path, "b = 2")
    copy = copy_beside(path, "c = 3")
    assert (path.read_text(), copy.read_text(), copy.parent) == ("a = 1", "c = 3", path.parent)


def test_a_folder_that_cant_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EarmarkError, match="Can't"):
        change(tmp_path / "file" / "config.toml", "mouse.enabled", ["no"])


def test_without_a_value_a_setting_has_its_default_and_a_wrong_one_is_gone(path: Path) -> None:
    create(path, '# mine\n[playback]\nseek_back = "20" # for me\nrewind = "soon"\n')
    assert change(path, "playback.seek_back", None) == "15"
    assert change(path, "playback.rewind", None) == "3"
    assert path.read_text() == "# mine\n[playback]\n# for me\n"


def test_a_file_that_is_read_only_stays_as_it_is(path: Path) -> None:
    create(path, "# mine\n")
    path.chmod(0o400)
    with pytest.raises(EarmarkError, match=r"Can't write .*Permission denied"):
        change(path, "mouse.enabled", ["no"])
    assert (path.read_text(), [*path.parent.iterdir()]) == ("# mine\n", [path])
