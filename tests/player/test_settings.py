from pathlib import Path

import pytest

from player.configuration.catalogue import changes, value_of
from player.downloads.ruling import rule_settings
from player.library.download_rules import General
from player.settings import Appearance, Playback, Reading, Settings, Sleep
from player.settings_file import load_settings
from player.text.sizes import parse_size


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "config.toml") == (Settings(), ())


def test_what_the_file_says_replaces_the_defaults(tmp_path: Path) -> None:
    settings, problems = load_settings(
        written(tmp_path, '[playback]\nseek_forward = "45s"\n[appearance]\ntheme = "paper"\n[keys]\nquit = "Q"\n')
    )
    assert problems == ()
    assert settings.playback.seek_forward == "45s"
    assert settings.playback.seek_back == Settings().playback.seek_back
    assert settings.appearance.theme == "paper"
    assert settings.keys == {"quit": "Q"}


def test_chapters_to_skip_may_be_other_ones_in_a_show(tmp_path: Path) -> None:
    text = '[chapters]\nskip = ["Sponsor", "Ad"]\n[chapters.skip_in]\n"A show" = ["Outro"]\n"Another" = []\n'
    chapters = load_settings(written(tmp_path, text)).settings.chapters
    assert chapters.skip == ("Sponsor", "Ad")
    assert chapters.skip_in == {"A show": ("Outro",), "Another": ()}


def test_hooks_are_programs_with_their_arguments(tmp_path: Path) -> None:
    settings, problems = load_settings(written(tmp_path, '[hooks]\nstarted = ["~/bin/x", "a b"]\npaused = ["sh"]\n'))
    assert problems == ()
    assert settings.hooks.programs == {"started": ("~/bin/x", "a b"), "paused": ("sh",)}


def test_a_time_may_be_written_as_a_number(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "[playback]\nseek_back = 10\n")).settings.playback.seek_back == "10"


def test_what_rules_download_is_checked_when_it_is_read(tmp_path: Path) -> None:
    text = '[downloads]\nnewest = 3\nhours = "23:00-6:00"\nlimit = ""\ndelete_played = "2 days"\nlonger_than = "10m"\n'
    settings, problems = load_settings(written(tmp_path, text))
    assert problems == ()
    rules = rule_settings(settings.downloads)
    assert (rules.general.newest, rules.limits.most, rules.cleaning.days_after_playing) == (3, None, 2)
    assert (rules.general.test.at_least_ms, str(rules.hours)) == (600_000, "23:00–06:00")
    assert rule_settings(Settings().downloads).general == General(), "no rule is set by default"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("newest = 501", "must be between 0 and 500"),
        ('hours = "at night"', "use two times of day like 01:00-06:00"),
        ('limit = "much"', "invalid size “much”"),
        ('delete_played = "soon"', "use “at once”, “never”, or a number of days like “2 days”"),
        ('shorter_than = "short"', "Invalid time “short”"),
    ],
)
def test_a_rule_that_cannot_be_understood_is_not_applied(tmp_path: Path, line: str, sentence: str) -> None:
    settings, problems = load_settings(written(tmp_path, f"[downloads]\n{line}\n"))
    assert sentence in problems[0]
    assert settings.downloads == Settings().downloads


GOOD = "\n[reading]\nwidth = 60\n"
NO_TIME = "Use 90, 12:34, 1:02:03 or 1h2m3s. Earmark uses 15 instead."
NO_PROGRAM = 'must be a program and its arguments, e.g. ["~/bin/program", "argument"]. It has no effect.'
NO_LIST = 'must be a list of words in quotes, e.g. ["Sponsor"]. It has no effect.'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[playbac]\nrewind = 3", "there is no section [playbac]. Did you mean “playback”?"),
        ("banana = 1", "there is no section [banana]."),
        ("[playback]\nsek_back = 3", "there is no setting “playback.sek_back”. Did you mean “seek_back”?"),
        ("playback = 3", "“playback” must be a section, [playback]."),
        ('[playback]\nseek_back = "soon"', f"“playback.seek_back” can't be used: Invalid time “soon”. {NO_TIME}"),
        (
            '[desktop]\nnext = "song"',
            "“desktop.next” must be one of episode, chapter, jump, not 'song'. Earmark uses episode instead.",
        ),
        (
            '[appearance]\nhyperlinks = "blue"',
            "“appearance.hyperlinks” must be one of auto, always, never, not 'blue'. Earmark uses auto instead.",
        ),
        (
            '[feeds]\nrefresh_minutes = "often"',
            "“feeds.refresh_minutes” must be a whole number, not 'often'. Earmark uses 60 instead.",
        ),
        (
            "[feeds]\nrefresh_on_start = 1",
            "“feeds.refresh_on_start” must be true or false, not 1. Earmark uses true instead.",
        ),
        ("[keys]\nquit = 3", "“keys.quit” must be text in quotes, not 3. It has no effect."),
        ("keys = 3", "“keys” must be a section, [keys]."),
        ('[chapters]\nskip = "Ad"', f"“chapters.skip” {NO_LIST}"),
        ("[chapters]\nskip = [3]", f"“chapters.skip” {NO_LIST}"),
        ('[chapters]\nskip_in = ["A show"]', "“chapters.skip_in” must be a section, [chapters.skip_in]."),
        ('[chapters.skip_in]\n"A show" = "Ad"', f"“chapters.skip_in.A show” {NO_LIST}"),
        (
            '[transcripts]\nlanguage = "German"',
            "“transcripts.language” must be a language like en or pt-BR, not 'German'. It has no effect.",
        ),
        (
            '[transcribe]\ncommand = ["hark", "-x"]',
            "“transcribe.command” needs an argument with {audio}, the file to read. It has no effect.",
        ),
        ('[transcribe]\ncommand = "hark {audio}"', f"“transcribe.command” {NO_PROGRAM}"),
        ('[video]\nplayer = " "', "“video.player” can't be used: it names no program. Earmark uses mpv instead."),
        (
            '[video]\nplayer = "vlc \'{url}"',
            "“video.player” can't be used: No closing quotation. Earmark uses mpv instead.",
        ),
        ('[video]\nplayer = "vlc {file}"', "“video.player” can't contain {file}. Earmark uses mpv instead."),
        ('[video]\nplayer = ["mpv"]', "“video.player” must be text in quotes, not ['mpv']. Earmark uses mpv instead."),
        (
            '[transcribe]\nurl = "http://ada:secret@example.com"',
            "“transcribe.url” must be a URL like http://127.0.0.1:8000, without a password. It has no effect.",
        ),
        (
            '[transcribe]\nengine = "ears"',
            "“transcribe.engine” must be one of command, server, whisper, not 'ears'. It has no effect.",
        ),
        (
            '[sleep]\nfrom = "11 pm"',
            '“sleep.from” must be a time of day like "23:00", not “11 pm”. It has no effect.',
        ),
        (
            "[sleep]\nto = 05:00:00",
            '“sleep.to” must be a time of day like "23:00", not “05:00:00”. Earmark uses 06:00 instead.',
        ),
        ("[sleep]\nminutes = 0", "“sleep.minutes” must be between 1 and 1440, not 0. Earmark uses 30 instead."),
        (
            '[hooks]\nstarted = "~/bin/x"',
            f"“hooks.started” {NO_PROGRAM}",
        ),
        ('[hooks]\nleft = ["x\\u0000"]', "“hooks.left” can't contain a null character. It has no effect."),
        (
            '[hooks]\nleft = ["bin/x"]',
            "“hooks.left” must begin with a program's name, or a path from / or ~/, not “bin/x”. It has no effect.",
        ),
        ("[hooks]\nseconds = 0", "“hooks.seconds” must be between 1 and 300, not 0. Earmark uses 10 instead."),
        ('[sleep]\nfrmo = "23:00"', "there is no setting “sleep.frmo”. Did you mean “from”?"),
    ],
)
def test_a_mistake_costs_that_setting_alone_and_is_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text + "\n" + GOOD)
    settings, problems = load_settings(path)
    line = 2 if text.startswith("[") and "there is no section" not in sentence else 1
    assert problems == (f"In line {line} of {path}, {sentence}",)
    assert settings == Settings(reading=Reading(width=60))


def test_every_mistake_is_told_and_what_is_right_holds(tmp_path: Path) -> None:
    text = """
[appearance]
hyperlinks = "solarized"
ascii = true
[playback]
rewind = "a bit"
seek_back = 20
[keys]
quit = 3
play = "p"
"""
    settings, problems = load_settings(written(tmp_path, text))
    assert len(problems) == 3
    assert settings.appearance == Appearance(ascii=True)
    assert settings.playback == Playback(seek_back="20")
    assert settings.keys == {"play": "p"}
    assert not any(".." in problem.replace(str(tmp_path), "") for problem in problems)


@pytest.mark.parametrize("limit", ['"lots"', "-1"])
def test_a_limit_that_is_none_is_told(tmp_path: Path, limit: str) -> None:
    (problem,) = load_settings(written(tmp_path, f"[media]\ncache_limit = {limit}\n")).problems
    assert "“media.cache_limit” can't be used" in problem
    assert problem.endswith("Earmark uses 2 GB instead.")


@pytest.mark.parametrize("body", [b"[playback\n", b"\xff\xfe"])
def test_a_file_that_is_no_toml_leaves_the_defaults(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(body)
    settings, (problem,) = load_settings(path)
    assert settings == Settings()
    assert problem.startswith(f"Can't read the settings in {path}: ")
    assert problem.endswith("Earmark uses its defaults.")


def test_a_limit_may_be_written_as_a_number_of_bytes(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "[media]\ncache_limit = 0\n")).settings.media.cache_limit == "0"


@pytest.mark.parametrize(
    ("text", "size"),
    [("2 GB", 2_000_000_000), ("500mb", 500_000_000), ("1.5 GiB", 1_610_612_736), ("0", 0), (" 7 k ", 7_000)],
)
def test_amounts_of_data(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "2 XB", "-1 GB", "2 iB", "1e3", "2,5 GB"])
def test_what_is_no_amount_of_data_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="invalid size"):
        parse_size(text)


def test_the_output_of_the_sound(tmp_path: Path) -> None:
    audio = load_settings(written(tmp_path, '[audio]\noutput = "pulse"\ndevice = "usb-headset"\n')).settings.audio
    assert (audio.output, audio.device) == ("pulse", "usb-headset")


def test_the_hours_in_which_the_sleep_timer_starts_by_itself(tmp_path: Path) -> None:
    sleep = load_settings(written(tmp_path, '[sleep]\nfrom = "22:30"\nto = "05:00"\nminutes = 45\n')).settings.sleep
    assert sleep == Sleep("22:30", "05:00", 45)


def test_directories_are_chosen_and_their_mistakes_named_without_a_secret(tmp_path: Path) -> None:
    text = '[directories]\nask = ["fyyd"]\ncountry = "de"\ngpodder_url = "http://127.0.0.1:8000"\n'
    settings, problems = load_settings(written(tmp_path, text))
    assert problems == ()
    assert value_of(settings, "directories.ask") == ("fyyd",)
    assert value_of(settings, "directories.country") == "DE"
    assert value_of(settings, "directories.gpodder_url") == "http://127.0.0.1:8000"
    wrong = (
        '[directories]\nask = ["spotify"]\ncountry = "Germany"\napple_url = "ftp://x"\npodcast_index_secret = 4711\n'
    )
    settings, problems = load_settings(written(tmp_path, wrong))
    assert changes(Settings(), settings) == ()
    known, default = "apple, fyyd, gpodder, podcastindex", "Earmark uses https://itunes.apple.com instead."
    assert [problem.partition(", ")[2] for problem in problems] == [
        f"“directories.ask” can contain {known}, but not 'spotify'. Earmark uses {known} instead.",
        "“directories.country” must be a country like US or DE, not 'Germany'. It has no effect.",
        f"“directories.apple_url” must be a URL that starts with https:// or http://. {default}",
        "“directories.podcast_index_secret” must be text in quotes. It has no effect.",
    ]
