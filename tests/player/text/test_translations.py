"""The translations that come with Earmark are complete, fit their sentences, and are there however it is installed."""

import re
import string
import sys
import tomllib
from collections.abc import Iterator, Sequence
from gettext import c2py
from itertools import zip_longest
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from zipfile import ZipFile

import polib
import pytest

from player.text import catalogues
from tests.translating import ROOT, forms_of, languages, opened, po_file, saved, sentences, updated

LANGUAGES = languages()
_NO_BREAK = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_PERCENT = re.compile(r"%(?:\(\w+\))?[a-z%]")


@pytest.fixture(params=LANGUAGES)
def catalogue(request: pytest.FixtureRequest) -> polib.POFile:
    return opened(po_file(request.param))


def translations(entry: polib.POEntry) -> list[str]:
    return [entry.msgstr_plural[form] for form in sorted(entry.msgstr_plural)] if entry.msgid_plural else [entry.msgstr]


def fields(text: str) -> list[str]:
    """The fields of a sentence with their formats; where it isn't a format, none."""
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return []
    named = (f"{name}!{conversion}:{spec}" for _text, name, spec, conversion in parsed if name is not None)
    return sorted({*named, *_PERCENT.findall(text)})


def _spaced(text: str) -> str:
    return " ".join(text.split())


def faults(entry: polib.POEntry) -> Iterator[str]:
    """What is wrong with the translation of a sentence. A form may leave out the number if the English one does."""
    forms = forms_of(entry)
    for original, translated in zip_longest(forms, translations(entry), fillvalue=forms[-1]):
        least = set(fields(original))
        if not least <= set(fields(translated)) <= least | set(fields(forms[-1])):
            yield f"has the fields {fields(translated)}, not {sorted(least)}"
        if original[:1].isspace() != translated[:1].isspace() or original[-1:].isspace() != translated[-1:].isspace():
            yield "begins or ends with a space, or the sentence does"
        if original.count("\n") != translated.count("\n"):
            yield "has other lines"
        if not set(re.findall("`[^`]+`", _spaced(original))) <= set(re.findall("`[^`]+`", _spaced(translated))):
            yield "lacks words in backticks"
        if not re.sub(f"[\n{_NO_BREAK}]", "", translated).isprintable():
            yield "has characters that can't be seen"
        if set(re.findall(r"\[(\w)\]", original)) != set(re.findall(r"\[(\w)\]", translated)):
            yield "has other letters to answer with"


def test_it_comes_in_german_french_and_spanish() -> None:
    assert LANGUAGES == ["de", "es", "fr"]
    named = [catalogues.name_of(one, (catalogues.BUNDLED,)) for one in LANGUAGES]
    assert named == ["Deutsch", "Español", "Français"]


def test_every_sentence_is_translated_and_no_other(catalogue: polib.POFile) -> None:
    """`make translations` brings new sentences and takes out former ones."""
    said, known = sentences(), {forms_of(one): one for one in catalogue}
    assert [forms for forms in said if forms not in known] == [], "make translations"
    assert [forms for forms in known if forms not in said] == [], "make translations"
    assert [forms for forms, one in known.items() if not one.translated()] == [], "empty or fuzzy"


def test_every_translation_fits_its_sentence(catalogue: polib.POFile) -> None:
    assert {one.msgid: found for one in catalogue if one.translated() and (found := list(faults(one)))} == {}


@pytest.mark.parametrize(
    ("sentence", "translated"),
    [
        (("{host} failed",), ["{hots} ging schief"]), (("{host} failed",), ["ging schief"]), (("{n:,} s",), ["{n} s"]),
        (("a\nb",), ["a b"]), (("a ",), ["a"]), (("See `earmark`",), ["Siehe `ohrmarke`"]), (("a",), ["a\x1b"]),
        (("[E]dit",), ["[B]earbeiten"]), (("wrong: %s",), ["falsch"]), (("{a}",), ["{a"]),
        (("{n} feed", "{n} feeds"), ["{n} Feed", "Feeds"]), (("a feed", "{n} feeds"), ["ein Feed", "{m} Feeds"]),
    ],
)  # fmt: skip
def test_a_translation_that_doesnt_fit_is_found(sentence: Sequence[str], translated: Sequence[str]) -> None:
    entry = polib.POEntry(msgid=sentence[0], msgstr=translated[0])
    if len(sentence) > 1:
        entry = polib.POEntry(msgid=sentence[0], msgid_plural=sentence[1], msgstr_plural=dict(enumerate(translated)))
    assert list(faults(entry))


def test_a_form_may_leave_out_the_number_where_english_does() -> None:
    entry = polib.POEntry(msgid="a feed", msgid_plural="{n} feeds", msgstr_plural={0: "ein Feed", 1: "{n} Feeds"})
    assert list(faults(entry)) == []
    entry.msgstr_plural[0] = "{n} Feed"
    assert list(faults(entry)) == []


def test_every_number_has_a_form(catalogue: polib.POFile) -> None:
    count, rule = re.fullmatch(r"nplurals=(\d); plural=(.+);", catalogue.metadata["Plural-Forms"]).groups()  # type: ignore[union-attr]
    form = c2py(rule)
    assert {form(n) for n in (*range(1200), 1_000_000)} == set(range(int(count)))
    odd = [one.msgid for one in catalogue if one.msgid_plural and sorted(one.msgstr_plural) != list(range(int(count)))]
    assert odd == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_as_make_translations_writes_it(language: str, tmp_path: Path) -> None:
    path = po_file(language)
    saved(updated(opened(path), sentences()), tmp_path / "earmark.po")
    assert (tmp_path / "earmark.po").read_text() == path.read_text(), "make translations"
    assert (tmp_path / "earmark.mo").read_bytes() == path.with_suffix(".mo").read_bytes(), "make translations"


def test_a_new_sentence_that_is_much_like_a_former_one_has_its_translation_to_be_confirmed() -> None:
    before = polib.POFile()
    before.metadata = {"Plural-Forms": "nplurals=2; plural=(n != 1);"}
    before.append(polib.POEntry(msgid="Can't read the file {file}", msgstr="{file} ist nicht lesbar"))
    before.append(polib.POEntry(msgid="Mute", msgstr="Stumm"))
    said = {
        ("Mute",): ["b.py"],
        ("Can't read this file {file}",): ["a.py"],
        ("{n} feed", "{n} feeds"): ["a.py", "b.py"],
    }
    mute, read, feeds = updated(before, said)
    assert (mute.msgstr, mute.fuzzy) == ("Stumm", False)
    assert (read.msgstr, read.fuzzy, read.previous_msgid) == (
        "{file} ist nicht lesbar", True, "Can't read the file {file}"
    )  # fmt: skip
    assert (feeds.msgstr_plural, feeds.translated()) == ({0: "", 1: ""}, False)


def test_a_wheel_has_every_catalogue_and_so_has_a_clone() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["player"]
    packed = {path for pattern in data for path in (ROOT / "player").glob(pattern)}
    assert {po_file(one).with_suffix(".mo") for one in LANGUAGES} <= packed


@pytest.mark.long
def test_an_installed_wheel_speaks_german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = pytest.importorskip("setuptools.build_meta")
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("player", "tui"):
        copytree(ROOT / name, tree / name, ignore=ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        copy(ROOT / name, tree)
    monkeypatch.chdir(tree)
    monkeypatch.setattr(sys, "argv", ["setup.py"])
    with ZipFile(tmp_path / build.build_wheel(str(tmp_path))) as wheel:
        names = [name for name in wheel.namelist() if name.endswith(".mo")]
        read = [catalogues.Catalogue(wheel.read(name)).info()["x-name"] for name in sorted(names)]
    assert read == ["Deutsch", "Español", "Français"]
