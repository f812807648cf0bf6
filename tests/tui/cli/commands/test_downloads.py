"""`download list`, and the older `downloads`: why each is here, what rules would do, a clean-up that can be undone."""

import subprocess
from pathlib import Path

import pytest

from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

RULES = '[downloads]\nnewest = 2\nlimit = "1 GB"\nkeep_free = "0"\ndelete_played = "at once"\n'


@pytest.fixture(autouse=True)
def ids(earmark: Earmark, server: LoopbackServer, library: Library, paths: Paths) -> list[EpisodeId]:
    """Rain is the newest, and Fog was downloaded by hand."""
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(RULES)
    found = [library.episodes.find(title).id for title in ("Rain", "Wind", "Fog")]
    podcast = library.podcasts.find("slow radio").id
    for one, why in ((found[1], f"podcast:{podcast}"), (found[2], "manual")):
        library.downloads.put(one, file(paths, one), size=2_000_000, why=why)
    return found


def file(paths: Paths, episode_id: EpisodeId) -> Path:
    path = paths.data / "episodes" / "Slow Radio" / f"{episode_id}.mp3"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(2_000))
    return path


def test_each_says_why_it_is_here_what_keeps_it_and_when_it_goes(
    earmark: Earmark, library: Library, ids: list[EpisodeId]
) -> None:
    text = earmark("downloads").out
    assert "newest 2 of Slow Radio; goes when you have played it" in text
    assert "you downloaded it" in text
    assert text.splitlines()[-1] == "2 downloads, 4.0 MB"
    library.episodes.set_starred(ids[1:2], True)
    wind, fog = earmark("downloads", "--json").json
    assert (wind["episode_id"], wind["why"], wind["kept"], wind["goes"]) == (
        ids[1], "newest 2 of Slow Radio", "kept: starred", None,
    )  # fmt: skip
    assert (fog["rule"], fog["why"], fog["kept"], fog["goes"]) == (None, "you downloaded it", None, None)
    assert wind["rule"].startswith("podcast:")


@pytest.mark.parametrize("rest", [(), ("--json",), ("--filter", "title:fog"), ("--format", "{title} {why}")])
def test_the_older_word_lists_the_same(earmark: Earmark, rest: tuple[str, ...]) -> None:
    ended = earmark("download", "list", *rest)
    assert (ended.code, ended.err) == (0, "")
    assert "Fog" in ended.out or "fog" in ended.out
    assert earmark("downloads", *rest) == earmark("download", "--list", *rest) == ended


def test_the_older_word_plans_and_deletes_the_same(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    for rest in (("--plan",), ("--plan", "--json"), ("--clean",), ("--queue",), ("--queue", "--json")):
        ended = earmark("download", *rest)
        assert ended.code == 0
        assert earmark("downloads", *rest) == ended
    assert earmark("download", "--delete", "fog", "--json").json == {"deleted": ids[2:]}
    assert earmark("downloads", "--delete", "wind", "--json").json == {"deleted": ids[1:2]}
    assert library.downloads.all() == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "No episode is named."),
        (("list", "fog"), "Unexpected argument “fog”."),
        (("list", "--plan"), "argument --plan: not allowed with argument --list."),
        (("--delete",), "No episode is named."),
        (("fog", "--filter", "is:played"), "--filter needs “list”."),
    ],
)
def test_downloading_and_listing_are_not_mixed(earmark: Earmark, arguments: tuple[str, ...], sentence: str) -> None:
    ended = earmark("download", *arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"earmark: {sentence} See: earmark download --help\n")


def test_the_plan_is_what_the_rules_would_do(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    entries = earmark("downloads", "--plan", "--json").json
    assert [(one["do"], one["title"], one["why"]) for one in entries if one["title"] != "Welcome"] == [
        ("download", "Rain", "newest 2 of Slow Radio")
    ]
    library.episodes.set_played(ids[1:2], True)
    earmark("downloads", "--clean")
    assert "Rain" in earmark("downloads", "--plan").out
    earmark("set", "slow radio", "download=none")
    assert earmark("downloads", "--plan").out == "Nothing to download or delete.\n"


def test_a_clean_up_is_undone(earmark: Earmark, library: Library, paths: Paths, ids: list[EpisodeId]) -> None:
    assert earmark("downloads", "--clean").out == "Nothing to delete.\n"
    library.episodes.set_played(ids[1:], True)
    ended = earmark("downloads", "--clean")
    assert ended.out.splitlines()[0] == "Deleted the download of Wind"
    assert not (paths.data / "episodes" / "Slow Radio" / f"{ids[1]}.mp3").exists()
    assert [one["title"] for one in earmark("downloads", "--json").json] == ["Fog"], "what was downloaded by hand stays"
    assert earmark("undo").out == "Undone: deleted the download of “Wind”\n"
    assert (paths.data / "episodes" / "Slow Radio" / f"{ids[1]}.mp3").exists()
    assert earmark("downloads", "--clean", "--json").json == {"deleted": []}, "it is the listener's now"
    assert earmark("redo").code == 0
    assert [one["title"] for one in earmark("downloads", "--json").json] == ["Fog"]


def test_a_clean_up_of_a_read_only_folder_says_so_and_works_later(
    earmark: Earmark, library: Library, paths: Paths, ids: list[EpisodeId]
) -> None:
    library.episodes.set_played(ids[1:], True)
    folder = str(paths.data / "episodes")
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        ended = earmark("downloads", "--clean")
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.startswith("earmark: 1 download can't be deleted. ")
        assert ended.err.endswith("(Read-only file system). Make the folder writable, then try again.\n")
        ended = earmark("downloads", "--delete", "Fog")
        assert ended.code == 1
        assert ended.err.endswith(
            "can't be deleted: Read-only file system. Make its folder writable, then try again.\n"
        )
        assert len(earmark("downloads", "--json").json) == 2
    finally:
        subprocess.run(["umount", folder], check=True)
    assert earmark("downloads", "--clean").out.splitlines()[0] == "Deleted the download of Wind"


def test_without_downloads_it_says_how_to_get_one(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    for one in ids:
        library.downloads.remove(one)
    assert earmark("downloads").out == "Nothing is downloaded. `earmark download EPISODE` downloads an episode.\n"
    assert earmark("downloads", "--json").json == []


def test_a_list_is_downloaded(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    saved = library.lists.add("Evening")
    library.lists.add_episodes(saved.id, ids)
    assert "2" in earmark("lists", "Evening", "--download", "2").out
    assert library.downloads.facts.lists() == {saved.id: 2}
    assert [one["download"] for one in earmark("lists", "--json").json if one["id"]] == [2]
    for wrong in (("queue", "--download", "2"), ("--download", "2"), ("Evening", "--download", "501")):
        assert earmark("lists", *wrong).code == 1
    earmark("lists", "Evening", "--download", "0")
    assert library.downloads.facts.lists() == {}
