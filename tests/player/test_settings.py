from pathlib import Path

import pytest

from player.errors import SettingsError
from player.settings import Settings, load_settings
from player.sizes import parse_size


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "config.toml") == Settings()


def test_what_the_file_says_replaces_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(
        written(tmp_path, '[playback]\nseek_forward = "45s"\n[appearance]\ntheme = "paper"\n[keys]\nquit = "Q"\n')
    )
    assert settings.playback.seek_forward == "45s"
    assert settings.playback.seek_back == Settings().playback.seek_back
    assert settings.appearance.theme == "paper"
    assert settings.keys == {"quit": "Q"}


def test_chapters_to_skip_may_be_other_ones_in_a_show(tmp_path: Path) -> None:
    text = '[chapters]\nskip = ["Sponsor", "Ad"]\n[chapters.skip_in]\n"A show" = ["Outro"]\n"Another" = []\n'
    chapters = load_settings(written(tmp_path, text)).chapters
    assert chapters.skip == ("Sponsor", "Ad")
    assert chapters.skip_in == {"A show": ("Outro",), "Another": ()}


def test_a_time_may_be_written_as_a_number(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "[playback]\nseek_back = 10\n")).playback.seek_back == "10"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[playback\n", "config.toml"),
        ("[playbac]\n", "playbac"),
        ("playback = 3\n", "[playback]"),
        ('[playback]\nseek_back = "soon"\n', "soon"),
        ('[appearance]\ntheme = "blue"\n', "ink, paper"),
        ('[feeds]\nrefresh_minutes = "often"\n', "feeds.refresh_minutes"),
        ("[feeds]\nrefresh_on_start = 1\n", "feeds.refresh_on_start"),
        ("[keys]\nquit = 3\n", "keys"),
        ('[chapters]\nskip = "Ad"\n', "chapters.skip"),
        ("[chapters]\nskip = [3]\n", "list of words"),
        ('[chapters]\nskip_in = ["A show"]\n', "[chapters.skip_in]"),
        ('[chapters.skip_in]\n"A show" = "Ad"\n', "chapters.skip_in.A show"),
        ('[media]\ncache_limit = "lots"\n', "2 GB, 500 MB"),
        ("[media]\ncache_limit = -1\n", "-1"),
        ('[transcripts]\nlanguage = "German"\n', "transcripts.language"),
        ("[transcripts]\nlanguage = 49\n", "en or pt-BR"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, text))
    assert named in str(caught.value)
    assert "defaults" in str(caught.value)


def test_bytes_that_are_no_text_are_a_mistake_too(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError):
        load_settings(path)


def test_a_limit_may_be_written_as_a_number_of_bytes(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "[media]\ncache_limit = 0\n")).media.cache_limit == "0"


@pytest.mark.parametrize(
    ("text", "size"),
    [("2 GB", 2_000_000_000), ("500mb", 500_000_000), ("1.5 GiB", 1_610_612_736), ("0", 0), (" 7 k ", 7_000)],
)
def test_amounts_of_data(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "2 XB", "-1 GB", "2 iB", "1e3", "2,5 GB"])
def test_what_is_no_amount_of_data_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="no amount of data"):
        parse_size(text)


def test_the_output_of_the_sound(tmp_path: Path) -> None:
    audio = load_settings(written(tmp_path, '[audio]\noutput = "pulse"\ndevice = "usb-headset"\n')).audio
    assert (audio.output, audio.device) == ("pulse", "usb-headset")
