"""Where other apps keep their files."""

from pathlib import Path

from player.transfer.load import FoundFile, found_files


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_the_files_of_apps_that_are_here_are_found(tmp_path: Path) -> None:
    assert found_files(tmp_path, {}) == []
    newsboat = touch(tmp_path / ".config/newsboat/urls")
    kasts = touch(tmp_path / ".local/share/KDE/kasts/database.db3")
    gnome = touch(tmp_path / ".var/app/org.gnome.Podcasts/data/gnome-podcasts/podcasts.db")
    documents = "Library/Group Containers/243LU875E5.groups.com.apple.podcasts/Documents"
    apple = touch(tmp_path / documents / "MTLibrary.sqlite")
    touch(tmp_path / "Downloads/AntennaPodBackup-2026-01-31.db")
    newest = touch(tmp_path / "Downloads/AntennaPodBackup-2026-10-01.db")
    touch(tmp_path / "Downloads/other.db")
    assert found_files(tmp_path, {}) == [
        FoundFile("newsboat", newsboat),
        FoundFile("Kasts", kasts),
        FoundFile("GNOME Podcasts", gnome),
        FoundFile("Apple Podcasts", apple),
        FoundFile("AntennaPod", newest),
    ]


def test_the_environment_may_say_where(tmp_path: Path) -> None:
    database = touch(tmp_path / "elsewhere/Database")
    castero = touch(tmp_path / "data/castero/castero.db")
    environ = {"GPODDER_HOME": str(tmp_path / "elsewhere"), "XDG_DATA_HOME": str(tmp_path / "data")}
    assert found_files(tmp_path / "home", environ) == [FoundFile("gPodder", database), FoundFile("castero", castero)]
