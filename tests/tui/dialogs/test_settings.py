"""The settings of config.toml: found, changed in place, written into the file, and applied when the row is left."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from player.configuration.catalogue import names, value_of
from player.paths import Paths
from player.settings import Settings
from tests.quick import mostly_long
from tests.tui.alone import Alone, screen_text
from tests.tui.stage import Stage, stocked, stocked_player
from tui.chosen import choose
from tui.dialogs.settings import SettingsScreen
from tui.drawing.general_fields import general_groups
from tui.look.glyphs import ASCII

FILE = """# mine
[playback]
engine = "silent"
seek_back = "20"  # for me

[feeds]
refresh_on_start = false
refresh_minutes = 0
"""


@pytest.fixture(autouse=True)
def _only_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What applies, applies because it was changed here, not because the file is looked at now and then."""
    monkeypatch.setattr("player.watching.WATCH_S", 600.0)


def config(text: str | None = None) -> str:
    path = Paths.of().settings
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return path.read_text()


async def open_it(stage: Stage) -> None:
    await stage.until(lambda: stage.player._watcher, "the watcher")
    await stage.press("C")
    await stage.until(lambda: stage.shows("Jump back"), "the settings")


async def find(stage: Stage, words: str) -> None:
    await stage.press("slash")
    await stage.write(words)
    await stage.press("enter")


async def test_steps_only_show_and_what_was_chosen_is_written_and_applied_when_the_row_is_left() -> None:
    config(FILE)
    async with stocked() as stage:
        await open_it(stage)
        await stage.press("l", "right", "right", "left")
        assert stage.shows("Jump back: 30 seconds")
        await stage.settle()
        assert config() == FILE
        await stage.press("j")
        await stage.until(lambda: stage.player.settings.playback.seek_back == "30s", "the change")
        assert config() == FILE.replace('"20"', '"30s"')
        await stage.press("right", "right", "enter")
        await stage.until(lambda: stage.player.settings.playback.seek_forward == "40s", "the second change")
        await stage.press("right", "escape")
        await stage.until(lambda: "45s" in config(), "what was shown last, though the dialog is closed")
        await open_it(stage)
        assert stage.shows("• Jump back")
        await stage.press("delete", "j", "delete", "enter")
        await stage.until(lambda: stage.player.settings.playback.seek_forward == "30", "the default")
        assert config() == FILE.replace('seek_back = "20"  # for me', "# for me")
        assert not stage.shows("• Jump")


async def test_every_kind_is_changed_in_its_own_way() -> None:
    async with stocked() as stage:
        await open_it(stage)
        for words, keys, shown, line in (
            ("unplugged", "enter", "Unplugged headphones pause: off", "pause_unplugged = false"),
            ("on_close", "enter", "When the terminal closes: detach", 'on_close = "detach"'),
            ("minutes feeds", "9 0", "Check every (minutes): 90", "refresh_minutes = 90"),
            ("skip chapters", "enter A d comma S p o n", "Skip chapters titled: Ad, Spon", 'skip = ["Ad", "Spon"]'),
            ("cache_limit", "1 space G B", "Space for played audio: 1 GB", 'cache_limit = "1 GB"'),
            ("hooks.left", "enter a space quotation_mark b space c quotation_mark", "", 'left = ["a", "b c"]'),
            ("template", "enter ! backslash n", "", r"“{line}”!\n"),
            ("theme appearance", "right", "Theme: ink", 'theme = "ink"'),
        ):
            await find(stage, words)
            await stage.press(*keys.split(), "enter")
            assert stage.shows(shown), words
            if words != "hooks.left":
                await stage.until(lambda line=line: line in config(), line)  # type: ignore[misc]
        await stage.until(lambda: stage.player.settings.appearance.theme == "ink", "the last change")
        assert "left" not in config(), "there is no such program"


async def test_what_cant_be_used_is_a_sentence_and_stays_to_be_corrected() -> None:
    async with stocked() as stage:
        await open_it(stage)
        for words, typed, sentence in (
            ("seek_back", "soon", "Invalid time “soon”"),
            ("at_once", "70", "must be between 1 and 10"),
            ("skip_in", "x", "is a section with entries of your own"),
        ):
            await find(stage, words)
            await stage.press("enter", *["backspace"] * 3, *typed, "enter")
            assert stage.shows(sentence), words
            assert stage.app.screen.query_one(Input).value == typed
            await stage.press("escape")
        await find(stage, "hooks.left")
        await stage.press("enter", *"/none", "enter")
        await stage.until(lambda: stage.shows("/none"), "the sentence")
        await stage.until(lambda: stage.shows("left  –") and not stage.shows("• hooks"), "what it was before")
        assert not Paths.of().settings.exists()


async def test_words_find_names_titles_and_descriptions_and_what_is_folded() -> None:
    async with stocked() as stage:
        await open_it(stage)
        assert not stage.shows("queue.interrupted")
        await find(stage, "queue half")
        assert stage.shows("queue.interrupted")
        assert not stage.shows("Jump back")
        await find(stage, "xyzzy")
        assert stage.shows("Nothing found")
        await stage.press("right", "delete", "enter", "escape")
        assert stage.shows("Jump back")
        await stage.press("end", "enter", "j")
        assert stage.shows("playback.engine: ")
        assert stage.shows("It takes effect when")
        await stage.press("escape")
        assert stage.ready


async def test_the_list_of_commands_finds_a_setting_and_opens_it_there() -> None:
    config(FILE)
    async with stocked() as stage:
        await stage.press("question_mark")
        await stage.write("waveform")
        await stage.until(lambda: stage.shows("Waveform in the bar"), "the setting")
        assert stage.shows("SETTINGS")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Waveform in the bar: on"), "its row")
        await stage.press("escape", "question_mark")
        await stage.write("keep_free")
        await stage.until(lambda: stage.shows("downloads.keep_free"), "a setting of the folded group")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("downloads.keep_free: 2 GB"), "its row, unfolded")


async def test_mistakes_in_the_file_are_said_and_a_reset_takes_them_out() -> None:
    wrong = FILE.replace("= 0", '= "often"') + '[mouse]\nenabld = 3\n[sleep]\nto = "7"\n'
    config(wrong)
    async with stocked() as stage:
        await open_it(stage)
        await stage.until(lambda: stage.shows("“feeds.refresh_minutes” must be a whole"), "the mistake")
        await stage.press("end")
        assert stage.shows("! sleep.to"), "it is shown, though the others are folded"
        await find(stage, "check every")
        await stage.until(lambda: stage.shows("“feeds.refresh_minutes” must be a whole"), "the mistake")
        await stage.press("delete", "enter")
        await stage.until(lambda: config() == wrong.replace('refresh_minutes = "often"\n', ""), "the reset")
        config(wrong + "[\n")
        await find(stage, "seek_back")
        await stage.press("right", "enter")
        await stage.until(lambda: stage.shows("contains a mistake"), "the sentence")
        await stage.until(lambda: stage.shows("20 seconds"), "what it was before")
        assert config() == wrong + "[\n"


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "earmark-test", str(folder)], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    ("options", "sentence"), [("ro", "Read-only file system"), ("rw,size=4k", "No space left on device")]
)
async def test_a_disk_that_takes_nothing_costs_nothing(disk: Path, options: str, sentence: str) -> None:
    (disk / "config.toml").write_text(FILE)
    subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True)
    Paths.of().settings.parent.mkdir(parents=True, exist_ok=True)
    Paths.of().settings.symlink_to(disk / "config.toml")
    async with stocked() as stage:
        await open_it(stage)
        await stage.press("right", "enter")
        await stage.until(lambda: stage.shows(sentence), "the sentence")
        await stage.until(lambda: stage.shows("Jump back") and stage.shows("20 seconds"), "what it was before")
        assert config() == FILE
        assert [*disk.iterdir()] == [disk / "config.toml"]


async def test_what_was_chosen_in_the_app_is_shown_and_ends_when_the_setting_is_changed() -> None:
    config('[appearance]\ntheme = "ink"\n')
    async with stocked() as stage:
        choose(stage.player, "theme", "paper", "ink")
        await stage.settle()
        await open_it(stage)
        await find(stage, "theme appearance")
        await stage.until(lambda: stage.shows("Theme: paper"), "what applies")
        config("[\n")
        await stage.press("delete", "enter")
        await stage.until(lambda: stage.shows("contains a mistake"), "the sentence")
        assert stage.player.remembered("theme") == "paper over ink", "what isn't changed costs nothing"
        config('[appearance]\ntheme = "ink"\n')
        await stage.press("right", "right", "enter")
        await stage.until(lambda: stage.player.remembered("theme") == "", "the choice")
        themes, player = stage.app._dressing.themes, stage.player
        await stage.until(lambda: themes.wish == player.settings.appearance.theme != "ink", "the theme")


async def test_a_secret_is_not_shown() -> None:
    config('[directories]\npodcast_index_key = "hush-hush"\n')
    async with stocked() as stage:
        await open_it(stage)
        await find(stage, "index_key")
        assert stage.shows("podcast_index_key: (set)")
        await stage.press("enter")
        assert stage.app.screen.query_one(Input).password
        assert not stage.shows("hush")


@pytest.mark.parametrize("size", mostly_long([((40, 12),), ((60, 20),), ((30, 8),)]))
async def test_all_of_it_can_be_reached_on_a_small_terminal(size: tuple[int, int]) -> None:
    async with stocked(size=size) as stage:
        await open_it(stage)
        await find(stage, "notifications trouble")
        assert stage.shows("notif")
        await stage.press("right")
        assert stage.shows("on")
        await stage.press("escape", "end", "enter", "end")
        assert stage.shows("notifications.trouble:")
        await find(stage, "seek_back")
        await stage.press("4", "5")
        assert stage.shows("45"), "the field is in sight"


@pytest.mark.parametrize("colours", ["", "1"])
async def test_it_is_read_in_ascii_and_without_colours(colours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if colours:
        monkeypatch.setenv("NO_COLOR", colours)
    config(FILE)
    player = stocked_player()
    async with Alone(glyphs=ASCII).run_test(size=(60, 20)) as pilot:
        await pilot.app.push_screen(SettingsScreen(player))
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        page = screen_text(pilot.app)
        assert "- Playback" in page
        assert "* Jump back" in page
        assert "Skip chapters titled -" in " ".join(page.split())
        assert not set(page) & set("▸▾•–×")
    player.close()


def test_each_setting_is_there_once_and_every_step_of_it_can_be_written() -> None:
    groups = general_groups(("ink", "paper"))
    fields = [field for group in groups for field in group.fields]
    assert sorted(field.name for field in fields) == sorted(names())
    assert sum(len(group.fields) for group in groups if not group.folded) in range(18, 30)
    for field in fields:
        settings = Settings()
        assert not field.differs(settings), field.name
        for by in (1, 1, -1, -1, -1):
            if field.stepped is not None:
                settings = field.stepped(settings, by)
                assert field.typed(Settings(), field.written(settings)) == settings, field.name
        if isinstance(value_of(settings, field.name), dict):
            continue
        assert value_of(field.typed(settings, field.default), field.name) == value_of(Settings(), field.name)
