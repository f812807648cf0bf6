"""`earmark config`: what is set and where, the template, checks, and single settings."""

from player.configuration.catalogue import template
from player.library import Library
from player.paths import Paths
from tests.tui.cli.conftest import Earmark


def test_without_a_file_all_is_default(earmark: Earmark, paths: Paths) -> None:
    done = earmark("config")
    assert done.code == 0
    assert str(paths.settings) in done.out
    assert "earmark config init" in done.out
    assert earmark("config", "check").code == 0
    assert earmark("config", "--json").json["settings"] == []
    assert not paths.settings.exists()


def test_what_is_set_is_listed_with_its_line(earmark: Earmark, paths: Paths) -> None:
    assert earmark("config", "set", "playback.seek_back", "20").out == 'playback.seek_back = "20"\n'
    earmark("config", "set", "directories.podcast_index_secret", "hush")
    done = earmark("config")
    assert 'playback.seek_back                "20"                 line 2' in done.out
    assert "hush" not in done.out + earmark("config", "--json", "--all").out
    assert earmark("config", "get", "playback.seek_back").out == "20\n"
    assert earmark("config", "get", "mouse.enabled", "--json").json == {
        "name": "mouse.enabled", "value": True, "default": True, "source": "default", "line": None,
    }  # fmt: skip
    assert "playback.engine" in earmark("config", "--all").out


def test_what_was_chosen_in_the_app_is_said(earmark: Earmark, library: Library) -> None:
    library.state.set("theme", "nord over auto")
    library.state.set("reading_width", "60 over 70")
    library.close()
    done = earmark("config", "--json").json
    assert [(one["name"], one["value"], one["source"]) for one in done["settings"]] == [
        ("appearance.theme", "nord", "app")
    ]


def test_the_template_is_written_once(earmark: Earmark, paths: Paths) -> None:
    assert earmark("config", "init", "--print").out == template()
    assert not paths.settings.exists()
    assert earmark("config", "init").code == 0
    assert paths.settings.read_text() == template()
    paths.settings.write_text("# mine")
    again = earmark("config", "init")
    assert (again.code, paths.settings.read_text()) == (1, "# mine")
    assert "stays as it is" in again.err


def test_a_check_names_line_and_nearest_name_of_every_mistake(earmark: Earmark, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text(
        '[playback]\nseek_bak = 3\n[appearance]\ntheme = "nrod"\n[keys]\nstrr = "f"\n[hooks]\nleft = ["/nowhere/x"]\n'
    )
    done = earmark("config", "check")
    assert done.code == 1
    lines = done.err.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["line 2", "line 4", "line 6", "line 8"]
    for line, near in zip(lines, ("“seek_back”", "“nord”", "“star”"), strict=False):
        assert f"Did you mean {near}?" in line
    found = earmark("config", "check", "--json").json
    assert (found["ok"], [one["line"] for one in found["problems"]]) == (False, [2, 4, 6, 8])
    paths.settings.write_text("[playback]\nseek_back = \n")
    broken = earmark("config", "check")
    assert broken.code == 1
    assert "line 2" in broken.err


def test_a_setting_is_refused_by_what_only_the_screen_knows(earmark: Earmark, paths: Paths) -> None:
    assert "Did you mean “nord”?" in earmark("config", "set", "appearance.theme", "nrod").err
    assert "Did you mean “star”?" in earmark("config", "set", "keys.strr", "f").err
    assert not paths.settings.exists()


def test_wrong_usage(earmark: Earmark) -> None:
    for words, sentence in (
        (("get",), "No setting is named"),
        (("set", "mouse.enabled"), "No value is given"),
        (("get", "mouse.enabled", "yes"), "“get” doesn't take a value"),
        (("check", "mouse.enabled"), "“check” doesn't take a name"),
        (("check", "--limit", "1"), "“check” doesn't take --format or --limit"),
    ):
        done = earmark("config", *words)
        assert (done.code, done.out) == (2, "")
        assert sentence in done.err
    assert earmark("config", "get", "mouse.enabeld").code == 1
