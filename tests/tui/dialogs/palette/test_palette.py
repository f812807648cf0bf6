"""The palette on the screen: what is typed, what is found, what is run."""

from collections.abc import Callable, Sequence
from threading import Event

import pytest

from player.library import Interrupted
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from tests.tui.alone import Alone, click_key, real_app, screen_text, until, words_of
from tests.tui.stage import stocked
from tui.actions.palette import Command, Kind, commands
from tui.actions.table import ACTIONS
from tui.bridge import PodcastArrived
from tui.dialogs.palette import Palette

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
        found = list(commands(app.screen, ACTIONS, [PODCAST]))
        app.push_screen(Palette(found))
        await until(pilot, lambda: ACTIONS[0].title in screen_text(app))
        page = screen_text(app)
        lines_found = [page.index(command.title) for command in found if command.title in page]
        assert len(lines_found) > 15
        assert lines_found == sorted(lines_found)
        first = next(line for line in page.splitlines() if found[0].title in line)
        assert first.rstrip(" │").endswith("  " + found[0].key)


async def test_a_podcast_whose_title_looks_like_markup_is_found_and_gone_to() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(list(commands(app.screen, ACTIONS, [PODCAST]))))
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
        app.push_screen(Palette(named(app, "Star", "Stop"), find_episodes=find))
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
        go.wait(30)
        if cancelled():
            raise Interrupted
        return named(app, words, kind=Kind.EPISODES)

    many = named(app, *(f"Podcast {n}" for n in range(600)), kind=Kind.PODCASTS)
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(many, find_episodes=find))
        await pilot.press(*"podcast 599", "enter")
        await until(pilot, lambda: app.heard == ["Podcast 599"])
        app.push_screen(Palette(many, find_episodes=find))
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
        await pilot.press("ctrl+p", *"star the", "enter")
        await until(pilot, lambda: app.player.library.episodes.counts().starred == 1)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "RECENT" in words_of(app))
        await pilot.press(*"paper", "enter")
        await until(pilot, lambda: app.theme == "paper")


@pytest.mark.long
async def test_in_earmark_it_goes_to_lists_and_episodes() -> None:
    async with stocked() as stage:
        await stage.press("ctrl+p", *"go to starred", "enter")
        await stage.until(lambda: stage.screen.view.name == "starred")
        await stage.press("ctrl+p", *"aotinductor")
        await stage.until(lambda: stage.shows("EPISODES"))
        await stage.press("enter")
        await stage.until(lambda: stage.title == "AOTInductor")
