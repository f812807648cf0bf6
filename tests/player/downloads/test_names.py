"""Names of files: from a template, and fit for every file system, whatever a feed calls its episodes."""

import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from player.downloads.files import fit, free_path, name_of, same_name
from player.model.downloads import NAME_FIELDS, NAME_TEMPLATE
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from tests.quick import examples

NASTY = st.sampled_from(
    ["..", ".", "/", "\\", "CON", "nul.txt", "COM¹", "a/../b", "~", "\0", "\u202e", "é", "e\u0301", "ß", " "]
)
TEXTS = st.one_of(NASTY, st.text(max_size=400), st.builds("".join, st.lists(st.one_of(NASTY, st.text(max_size=5)))))
TEMPLATES = st.builds(
    "".join, st.lists(st.one_of(st.sampled_from([f"{{{name}}}" for name in NAME_FIELDS]), NASTY, st.text(max_size=8)))
)


def episode(title: str, podcast: str = "A show", guid: str = "guid", published: datetime | None = None) -> Episode:
    return Episode(EpisodeId(1), PodcastId(1), podcast, title, guid, "http://h/1.mp3", published=published)


def assert_fit(part: str) -> None:
    assert part
    assert len((part + " (99).opus").encode()) <= 255
    assert len(unicodedata.normalize("NFD", part + " (99).opus").encode("utf-16-le")) <= 2 * 255
    assert not re.search(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]', part)
    assert part == part.strip(" .")
    assert unicodedata.is_normalized("NFC", part)
    assert part.partition(".")[0].rstrip(" ").upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "LPT9", "COM¹"}


@given(template=TEMPLATES, title=TEXTS, podcast=TEXTS, guid=TEXTS, number=TEXTS, season=st.none() | st.integers())
@example("/{title}", "/etc/passwd", "", "", "", None)
@example("../{title}", "..", "..", "..", "", None)
@example("{title}", "x" * 500, "", "", "", None)
@example("{title}", "가" * 300, "", "", "", None)
@example("{title}", "👩‍👩‍👧" * 60, "", "", "", None)
@settings(max_examples=examples(300), deadline=None)
def test_a_name_is_fit_for_every_system_and_stays_in_its_folder(
    template: str, title: str, podcast: str, guid: str, number: str, season: int | None
) -> None:
    name = name_of(template, episode(title, podcast, guid), season, number)
    assert not name.is_absolute()
    assert ".." not in name.parts
    assert 1 <= len(name.parts) <= 9
    for part in name.parts:
        assert_fit(part)


@given(st.lists(TEXTS, min_size=2, max_size=8))
@settings(max_examples=examples(50), deadline=None)
def test_no_two_files_have_one_name_on_any_system(tmp_path_factory: pytest.TempPathFactory, titles: list[str]) -> None:
    folder = tmp_path_factory.mktemp("names")
    for title in titles:
        free_path(folder, name_of(NAME_TEMPLATE, episode(title, title)), ".mp3").touch(exist_ok=False)
    files = [str(path.relative_to(folder)) for path in folder.rglob("*.mp3")]
    assert len(files) == len(titles)
    assert len({same_name(name) for name in files}) == len(titles)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc passwd"), ("a\x00b\nc", "ab c"), ("CON: <|>", "_CON"), ("nul.mp3", "_nul.mp3"),
        ("One: two/three?", "One two three"), (" .hidden. ", "hidden"), ("...", ""), ("", ""), ("Ende.", "Ende"),
        ("e\u0301", "é"), ("console", "console"),
    ],
)  # fmt: skip
def test_a_title_as_a_name(title: str, name: str) -> None:
    assert fit(title) == name


def test_a_template_is_filled_and_what_is_missing_leaves_no_gap() -> None:
    dated = episode("A title", published=datetime(2026, 3, 1, 12, tzinfo=UTC))
    template = "{podcast}/{year}/S{season} E{episode} {title} {guid}"
    assert name_of(template, dated, 2, "7a") == PurePosixPath("A show/2026/S2 E7a A title guid")
    assert name_of(NAME_TEMPLATE, episode("A title")) == PurePosixPath("A show/A title")
    assert name_of("{date}", episode("A title")) == PurePosixPath("A title")
    assert name_of("{date}", episode("...", guid="?")) == PurePosixPath("episode")


def test_names_that_differ_only_in_case_or_in_how_letters_are_made_get_a_number(tmp_path: Path) -> None:
    tmp_path = tmp_path / "downloads"
    for title in ("Über", "ÜBER", "U\u0308ber"):
        free_path(tmp_path, name_of("{podcast}/{title}", episode(title, "Show")), ".mp3").touch()
        free_path(tmp_path, name_of("{podcast}/{title}", episode(title, "SHOW")), ".mp3").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["Show"]
    names = sorted(path.name for path in (tmp_path / "Show").iterdir())
    assert names == ["ÜBER (3).mp3", "ÜBER (4).mp3", "Über (2).mp3", "Über (5).mp3", "Über (6).mp3", "Über.mp3"]


def test_a_file_in_the_place_of_a_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "A show").write_text("mine")
    assert free_path(tmp_path, PurePosixPath("A show/One"), ".mp3") == tmp_path / "A show (2)" / "One.mp3"
    assert (tmp_path / "A show").read_text() == "mine"
