"""The list of commands on the screen: what it shows, what is typed, what is found, what is run."""

from collections.abc import Callable, Sequence
from threading import Event

import pytest

from player.library import Interrupted
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from tests.tui.alone import Alone, click_key, real_app, screen_text, until, words_of
from tests.tui.stage import stocked
from tui.actions.palette import Command, Kind, commands, offered, search
from tui.actions.table import ACTIONS, key_label, remapped
from tui.bridge import PodcastArrived
from tui.dialogs.palette import Palette
from tui.look.glyphs import ASCII, UNICODE, Glyphs

PODCAST = Podcast(PodcastId(7), "https://example.org/feed", "Talk [b]Python[/b] To Me")


class WithPalette(Alone):
    """Keeps what the palette runs."""

    def action_theme(self, first: str) -> None:
        self.heard.append(first)

    def on_podcast_arrived(self, message: PodcastArrived) -> None:
        self.heard.append(message.podcast_id)


def named(app: Alone, *titles: str, kind: Kind = Kind.COMMANDS) -> list[Command]:
    """Commands that write down that they were run."""
    return [Command(one, "", lambda one=one: app.heard.append(one), kind=kind, id=one) for one in titles]  # type: ignore[misc]


async def test_the_palette_shows_the_commands_in_the_order_of_the_table_with_their_keys_at_the_right() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 40)) as pilot:
        found = list(commands(app.screen, ACTIONS))
        app.push_screen(Palette(found))
        found = [command for command in found if command.run]
        await until(pilot, lambda: ACTIONS[0].title in screen_text(app))
        page = screen_text(app)
        lines_found = [page.index(f"{command.title}  ") for command in found if f"{command.title}  " in page]
        assert len(lines_found) > 15
        assert lines_found == sorted(lines_found)
        first = next(line for line in page.splitlines() if found[0].title in line)
        assert first.rstrip(" │").endswith("  " + found[0].key)


async def test_a_podcast_whose_title_looks_like_markup_is_found_and_gone_to() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 30)) as pilot:
        found = list(commands(app.screen, ACTIONS, [PODCAST]))
        heading, hits = offered(found)[-1]
        assert (heading, [hit.command.id for hit in hits]) == ("Your podcasts", ["podcast 7"]), "below all commands"
        app.push_screen(Palette(found))
        await pilot.press(*"python")
        await until(pilot, lambda: "Go to Talk [b]Python[/b] To Me" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: PODCAST.id in app.heard)


async def test_a_theme_is_shown_to_be_chosen_and_remembered_among_the_last() -> None:
    app, ran = WithPalette(), list[str]()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(list(commands(app.screen, ACTIONS, [])), (), ran.append))
        await pilot.press(*"theme: pa")
        await until(pilot, lambda: "Theme: paper" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.heard == ["paper"])
        assert ran == ["theme paper"]


async def test_what_was_run_last_stands_first() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(named(app, "Star", "Mute"), ["Mute"]))
        await pilot.pause()
        assert "RECENT ▌Mute COMMANDS Star Mute" in words_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.heard == ["Mute"])


async def test_episodes_come_later_and_below_and_move_no_row() -> None:
    app, go = WithPalette(), Event()

    def find(words: str, _cancelled: Callable[[], bool]) -> Sequence[Command]:
        go.wait(30)
        return named(app, f"An episode about {words}", kind=Kind.EPISODES)

    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(named(app, "Star", "Stop"), find_more=find))
        await pilot.press("s", "t", "down")
        assert "EPISODES" not in words_of(app)
        go.set()
        await until(pilot, lambda: "EPISODES An episode about st" in words_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.heard == ["Stop"])


@pytest.mark.long
async def test_enter_waits_for_what_is_still_being_looked_for() -> None:
    app, go = WithPalette(), Event()

    def find(words: str, cancelled: Callable[[], bool]) -> Sequence[Command]:
        while not go.wait(0.01):
            if cancelled():  # and gives its thread back: there are few
                raise Interrupted
        return named(app, words, kind=Kind.EPISODES)

    many = named(app, *(f"Podcast {n}" for n in range(600)), kind=Kind.PODCASTS)
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(many, find_more=find))
        await pilot.press(*"podcast 599", "enter")
        await until(pilot, lambda: app.heard == ["Podcast 599"])
        app.push_screen(Palette(many, find_more=find))
        await pilot.press(*"zebra", "enter")
        go.set()
        await until(pilot, lambda: app.heard == ["Podcast 599", "zebra"])


async def test_it_closes_without_running_anything() -> None:
    app = WithPalette()
    async with app.run_test(size=(30, 8)) as pilot:
        app.push_screen(Palette(named(app, "Star")))
        await pilot.press(*"zz", "enter")
        await until(pilot, lambda: "Nothing found" in words_of(app))
        await click_key(pilot, "close")
        assert (len(app.screen_stack), app.heard) == (1, [])


async def test_in_earmark_it_does_what_it_says_and_goes_to_lists_and_episodes(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: "HERE ▌Play or open enter" in words_of(app))
        await pilot.press(*"star or", "enter")
        await until(pilot, lambda: app.player.library.episodes.counts().starred == 1)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "RECENT" in words_of(app))
        await pilot.press(*"paper", "enter")
        await until(pilot, lambda: app.theme == "paper")


async def test_settings_are_found_and_named_once(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        await pilot.press("ctrl+p", *"audio.mono")
        await until(pilot, lambda: "SETTINGS ▌audio.mono open" in words_of(app))
        await pilot.press("backspace", "backspace", "backspace", "backspace", *"trim")
        await until(pilot, lambda: "SETTINGS ▌Trim pauses audio.trim open" in words_of(app))


@pytest.mark.long
async def test_in_earmark_it_goes_to_lists_and_episodes() -> None:
    async with stocked() as stage:
        await stage.press("ctrl+p", *"go to starred", "enter")
        await stage.until(lambda: stage.screen.view.name == "starred")
        await stage.press("ctrl+p", *"aotinductor")
        await stage.until(lambda: stage.shows("EPISODES"))
        await stage.press("enter")
        await stage.until(lambda: stage.title == "AOTInductor")


# -- keys -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
async def test_it_has_every_action_with_every_key_that_it_has_now(glyphs: Glyphs) -> None:
    app = Alone(glyphs=glyphs)
    async with app.run_test():
        actions, _problems = remapped({"star": "ctrl+s"})
        rows = {command.id: command for command in commands(app.screen, actions)}
        assert rows["star"].key == "ctrl+s"
        for action in actions:
            assert rows[action.id].title == action.title
            assert rows[action.id].key == "  ".join(key_label(key, glyphs) for key in action.keys)


async def test_it_tells_what_the_mouse_does_and_what_the_symbols_mean_without_running_anything() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Palette(tuple(commands(app.screen, ACTIONS))))
        for words, shown in (("double-click", "Play or open a row double-click"), ("pinned pod", "pinned podcast")):
            await pilot.press(*words)
            await until(pilot, lambda shown=shown: shown in words_of(app))  # type: ignore[misc]
            await pilot.press("enter", "ctrl+u")
            assert isinstance(app.screen, Palette)


def test_keys_and_other_words_find_an_action() -> None:
    table = [Command(one.title, "  ".join(one.keys), None, one.also, id=one.id) for one in ACTIONS]

    def found(words: str) -> list[str]:
        return [hit.command.id for _kind, hits in search(table, words) for hit in hits]

    assert set(found("sleep TIMER")) == {"sleep", "sleep_longer", "sleep_off"}
    assert found("ctrl+f")[0] == "search"
    assert found("ctrl+o")[0] == "go_back"
    assert "star" in found("favourite")
    assert found("no such word") == []


async def test_it_scrolls_by_the_keys_of_lists_and_closes_by_the_key_that_opened_it() -> None:
    async with Alone().run_test(size=(60, 12)) as pilot:
        for key in ("question_mark", "escape", "f1"):
            pilot.app.push_screen(Palette(tuple(commands(pilot.app.screen, ACTIONS))))
            await pilot.pause()
            assert "LISTEN ▌Play or open" in words_of(pilot.app)
            await pilot.press("end")
            assert "THEMES" in words_of(pilot.app) or "Theme:" in words_of(pilot.app)
            await pilot.press("home")
            assert "LISTEN" in words_of(pilot.app)
            await pilot.press("ctrl+d", "pagedown", "down")
            assert "LISTEN" not in words_of(pilot.app)
            await pilot.press(key)
            assert len(pilot.app.screen_stack) == 1


async def test_letters_are_typed_whatever_they_do_elsewhere() -> None:
    app = WithPalette()
    async with app.run_test(size=(70, 16)) as pilot:
        app.push_screen(Palette(named(app, "Mute", "Play")))
        await pilot.pause()
        await pilot.press("slash", *"mute")
        assert "Mute" in words_of(app), "a habit: the field has the focus already"
        assert "Play" not in words_of(app)
        await pilot.press("question_mark")
        assert "Nothing found" in words_of(app)
        await pilot.press("backspace", "enter")
        await until(pilot, lambda: app.heard == ["Mute"])


async def test_over_a_dialog_it_is_only_read() -> None:
    async with stocked() as stage:
        await stage.press("t", "f1")
        await stage.until(lambda: isinstance(stage.app.screen, Palette), "the list over the dialog")
        await stage.press(*"mute", "enter")
        assert isinstance(stage.app.screen, Palette)
        assert stage.player.session.status.volume > 0
