"""Earmark speaks the listener's language where there is a catalogue for it, and English otherwise, whatever happens."""

import io
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from gettext import GNUTranslations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.paths import Paths
from player.settings_file import parse_settings
from player.text import catalogues, regional, sentences
from player.text.catalogues import Catalogue
from player.text.regional import Region
from player.text.sentences import _, plural, speak
from player.text.sizes import size_label
from tests.loopback import LoopbackServer

GERMAN = {
    "": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n != 1;\n",
    "there is no section [{name}].": "es gibt keinen Abschnitt [{name}].",
    "“{title}” has no episodes to listen to": "„{title}“ hat keine Folgen",
    "{host} refused the connection": "{host} hat die Verbindung abgelehnt",
    "Offline": "{host!} {",
    "{n:,} feed\0{n:,} feeds": "{n:,} Feed\0{n:,} Feeds auf {file}",
}


def mo(entries: Mapping[str, str]) -> bytes:
    """A compiled catalogue (GNU gettext's manual, "The Format of GNU MO Files")."""
    pairs = sorted((key.encode(), value.encode()) for key, value in entries.items())
    start = 28 + 16 * len(pairs)
    tables: list[bytes] = []
    texts = b""
    for column in (0, 1):
        for pair in pairs:
            tables.append(struct.pack("<II", len(pair[column]), start + len(texts)))
            texts += pair[column] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0) + b"".join(tables) + texts


def earmark(*arguments: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "tui", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def install(folder: Path, language: str, content: bytes) -> None:
    file = folder / language / "LC_MESSAGES" / "earmark.mo"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The language of before comes back afterwards; nothing is bundled but what a test puts there."""
    for name in ("_catalogue", "_spoken", "_folders"):
        monkeypatch.setattr(sentences, name, getattr(sentences, name))
    monkeypatch.setattr(catalogues, "BUNDLED", tmp_path / "bundled")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a German catalogue."""
    install(tmp_path / "locale", "de", mo(GERMAN))
    return tmp_path / "locale"


@pytest.mark.parametrize(
    "environ",
    [
        {"LANGUAGE": "de"}, {"LANGUAGE": "nl:de:en", "LANG": "en_US.UTF-8"}, {"LANG": "de_AT.UTF-8"},
        {"LC_ALL": "de_DE@euro"}, {"LC_MESSAGES": "de", "LANG": "fr_FR"}, {"LANGUAGE": "de", "LC_ALL": "C.UTF-8"},
    ],
)  # fmt: skip
def test_sentences_are_in_the_language_of_the_environment(folder: Path, environ: dict[str, str]) -> None:
    speak(folder, environ=environ)
    assert _("{host} refused the connection", host="a.test") == "a.test hat die Verbindung abgelehnt"
    assert plural(1, "{n:,} feed", "{n:,} feeds") == "1 Feed"
    assert _("not in the catalogue") == "not in the catalogue"


@pytest.mark.parametrize(
    "environ",
    [
        *({"LANGUAGE": one} for one in ("", "C", "en_GB:en:de", "nl", "../../etc", ":::", "\x00", "xx" * 1000)),
        {"LC_ALL": "C", "LANGUAGE": "de"}, {"LANG": "POSIX", "LANGUAGE": "de"}, {"LC_ALL": "en_US.UTF-8", "LANG": "de"},
    ],
)  # fmt: skip
def test_everybody_else_reads_english(folder: Path, environ: dict[str, str]) -> None:
    speak(folder, environ=environ)
    assert _("{host} refused the connection", host="a.test") == "a.test refused the connection"


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("[appearance]\nlanguage = 'de'\n", "de"), ("appearance.language='de'", "de"),
        ("appearance={language='de'}", "de"),
        ("[appearance]\nlanguage = 'en'\n", "en"), ("[appearance]\nlanguage = 'auto'\n", "fr"), ("", "fr"),
        ("[transcripts]\nlanguage = 'de'\n", "fr"), ("[appearance]\n#language = 'de'\n", "fr"),
        ("[appearance]\nlanguage = 'xx'\n", "fr"), ("[appearance]\nlanguage = ['de']\n", "fr"),
        ("appearance = 'language'", "fr"), ("[appearance\nlanguage = 'de'", "fr"), ("language = '\udcff'", "fr"),
    ],
)  # fmt: skip
def test_a_language_in_the_settings_goes_before_that_of_the_environment(
    folder: Path, tmp_path: Path, text: str, spoken: str
) -> None:
    install(folder, "fr", mo({"": GERMAN[""], "Offline": "Hors ligne"}))
    settings = tmp_path / "config.toml"
    settings.write_bytes(text.encode("utf-8", "surrogateescape"))
    speak(folder, settings=settings, environ={"LANG": "fr"})
    assert sentences.spoken() == spoken


def test_settings_that_arent_there_choose_nothing(folder: Path, tmp_path: Path) -> None:
    speak(folder, settings=tmp_path / "none.toml", environ={"LANG": "de"})
    assert sentences.spoken() == "de"
    speak(folder, settings=tmp_path, environ={"LANG": "nl"})
    assert sentences.spoken() == ""


def test_a_catalogue_of_the_listeners_own_goes_before_the_bundled_one(folder: Path, tmp_path: Path) -> None:
    install(tmp_path / "bundled", "de", mo({**GERMAN, "Offline": "Ohne Netz", "Mute": "Stumm"}))
    install(tmp_path / "mine", "de", mo({"": GERMAN[""], "Offline": "Kein Netz"}))
    install(tmp_path / "mine", "gsw", mo({"": "X-Name: Schwiizerdütsch\n"}))
    speak(tmp_path / "mine", environ={"LANGUAGE": "de"})
    assert (_("Offline"), _("Mute")) == ("Kein Netz", "Stumm")
    assert sentences.languages() == ("en", "de", "gsw")
    named = [sentences.name_of(one) for one in ("en", "gsw", "de", "auto", "../x")]
    assert named == ["English", "Schwiizerdütsch", "de", "auto", "../x"]


def test_a_setting_can_be_any_of_the_languages_that_there_are(tmp_path: Path) -> None:
    install(tmp_path / "mine", "gsw", mo(GERMAN))
    speak(tmp_path / "mine", environ={})
    read = parse_settings(tmp_path / "config.toml", "[appearance]\nlanguage = 'gsw'")
    assert (read.settings.appearance.language, read.problems) == ("gsw", ())
    read = parse_settings(tmp_path / "config.toml", "[appearance]\nlanguage = 'de'")
    assert [one.what for one in read.problems] == [
        "“appearance.language” must be one of auto, en, gsw, not 'de'. Earmark uses auto instead."
    ]


@pytest.mark.parametrize("language", ["ca@valencia", "ca_ES.UTF-8@valencia", "ca_ES@valencia"])
def test_a_variant_has_its_own_catalogue(tmp_path: Path, language: str) -> None:
    install(tmp_path, "ca", mo({"Offline": "ca"}))
    install(tmp_path, "ca@valencia", mo({"Offline": "ca@valencia"}))
    speak(tmp_path, environ={"LANGUAGE": language})
    assert _("Offline") == "ca@valencia"


BROKEN = [
    b"", b"\xde\x12\x04\x95", b"no catalogue" * 9, mo(GERMAN)[:200], mo({"": "Plural-Forms: nplurals=2; plural=!\n"}),
    mo({"{n:,} feed\0{n:,} feeds": "{n:,} Feed"}), mo({"{n:,} feed\0{n:,} feeds": "{n:,} Feed\0"}),
    mo({"": "Plural-Forms: plural=7\n", "{n:,} feed\0{n:,} feeds": "eins\0zwei"}),
    mo({"": "Plural-Forms: plural=n/(n-2)\n", "{n:,} feed\0{n:,} feeds": "eins\0zwei"}),
    mo({"": "Plural-Forms: plural=" + "(" * 5000 + "\n", "{n:,} feed\0{n:,} feeds": "eins\0{n:,} feeds"}),
    mo({"{n:,} feed\0{n:,} feeds": "a\0b"}).replace(b"a\0b", b"\xff\xfe\xfd"),
    mo(GERMAN)[:8] + b"\xff" * 12 + mo(GERMAN)[20:],
]  # fmt: skip


@pytest.mark.parametrize("content", BROKEN)
def test_what_is_broken_in_a_catalogue_stays_english(tmp_path: Path, content: bytes) -> None:
    install(tmp_path, "de", content)
    speak(tmp_path, environ={"LANGUAGE": "de"})
    assert plural(2, "{n:,} feed", "{n:,} feeds") == "2 feeds"
    assert sentences.header().get("x-name", "") == ""


@given(content=st.binary() | st.binary(min_size=16).map(lambda rest: b"\xde\x12\x04\x95" + rest))
def test_no_bytes_of_a_catalogue_end_anything(content: bytes) -> None:
    with suppress(ValueError):
        catalogue = Catalogue(content)
        assert catalogue.ngettext("{n:,} feed", "{n:,} feeds", 2)
        catalogue.info()


@given(
    words=st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), st.text(min_size=1)
    )
)
def test_every_sentence_is_found_as_gettext_finds_it(words: dict[str, str]) -> None:
    words = {
        "": "Content-Type: text/plain; charset=UTF-8\n",
        **{key: one.replace("\0", "") for key, one in words.items()},
    }
    content = mo(words)
    ours, theirs = Catalogue(content), GNUTranslations(io.BytesIO(content))
    for sentence in (*words, "not there"):
        assert ours.gettext(sentence) == (theirs.gettext(sentence) or sentence)


@pytest.mark.parametrize(
    ("rule", "forms"), [("0", "{n}x"), ("n>1", "{n}x\0{n}y"), ("n%10==1?0:n>4?2:1", "{n}x\0{n}y\0{n}z")]
)
def test_a_language_has_as_many_forms_as_it_needs(rule: str, forms: str) -> None:
    content = mo({"": f"Plural-Forms: nplurals=3; plural={rule};\n", "{n} feed\0{n} feeds": forms})
    ours, theirs = Catalogue(content), GNUTranslations(io.BytesIO(content))
    assert [ours.ngettext("{n} feed", "", n) for n in range(25)] == [
        theirs.ngettext("{n} feed", "", n) for n in range(25)
    ]


def test_none_is_never_said_in_a_form_without_the_number(tmp_path: Path) -> None:
    rule = {"": "Plural-Forms: nplurals=2; plural=(n > 1);\n"}
    install(
        tmp_path, "fr", mo(rule | {"Deleted\0{n} deleted": "Effacé\0{n} effacés", "{n} feed\0{n} feeds": "{n} flux"})
    )
    speak(tmp_path, environ={"LANGUAGE": "fr"})
    assert [plural(n, "Deleted", "{n} deleted") for n in range(3)] == ["0 effacés", "Effacé", "2 effacés"]
    assert plural(0, "{n} feed", "{n} feeds") == "0 flux"


def test_a_translation_with_a_misspelt_field_gives_way_to_the_original(folder: Path) -> None:
    speak(folder, environ={"LANGUAGE": "de"})
    assert plural(2, "{n:,} feed", "{n:,} feeds") == "2 feeds"
    assert _("Offline", host="a.test") == "Offline"


def test_numbers_are_written_as_in_the_language_where_the_locale_doesnt_say_how(tmp_path: Path) -> None:
    install(tmp_path, "de", mo({"": "X-Number: 1.234,5\n"}))
    back = regional.use(Region())
    try:
        for environ in ({"LANGUAGE": "de", "LANG": "C.UTF-8"}, {"LANG": "de_XX.UTF-8"}):
            regional.use(Region())
            speak(tmp_path, environ=environ)
            regional.adopt(environ, number=sentences.header()["x-number"])
            assert (plural(1234, "{n:,} feed", "{n:,} feeds"), size_label(1_500_000)) == ("1.234 feeds", "1,5 MB")
    finally:
        back()


def test_looking_for_a_catalogue_takes_less_than_a_millisecond(folder: Path) -> None:
    start = time.process_time()
    for _again in range(10):
        speak(folder.parent / "nothing", environ={"LANGUAGE": "de"})
    assert (time.process_time() - start) / 10 < 0.001  # measured: 0.00002


def test_the_program_and_the_processes_it_starts_speak_the_language(
    paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(paths.translations, "de", mo(GERMAN))
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[sound]\n")
    blog = (
        b"<rss version='2.0'><channel><title>Blog</title><item><title>A</title></item></channel></rss>" + b" " * 200_000
    )
    url = server.page("/feed", blog)
    monkeypatch.setenv("LANGUAGE", "de")
    assert "„Blog“ hat keine Folgen" in earmark("add", url)
    assert "es gibt keinen Abschnitt [sound]." in earmark("transcript", "1")
