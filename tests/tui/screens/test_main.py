"""Every key of the main screen, what it does and how it says so."""

import threading
from array import array
from datetime import UTC, datetime

import pytest
from textual.widgets import Input

from player.events import Cause, EpisodesMarked, LibraryChanged, Mark
from player.library import Library, WholeList
from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.loopback import LoopbackServer, Request
from tests.quick import mostly_long
from tests.tui.shelf import episodes_of
from tests.tui.stage import QUIET, Stage, opened, stocked
from tui.controllers import page

FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Loop</title>{items}</channel></rss>"""
ITEM = """<item><guid>{n}</guid><title>Loop {n}</title><pubDate>{n:02} Oct 2026 12:00:00 +0000</pubDate>
<enclosure url="http://127.0.0.1:9/{n}.mp3" type="audio/mpeg" length="1"/></item>"""


def feed(count: int) -> bytes:
    return FEED.format(items="".join(ITEM.format(n=n) for n in range(count, 0, -1))).encode()


# -- the first start ------------------------------------------------------------------------------------------


async def test_a_new_library_opens_at_the_welcome_with_the_first_key_on_the_screen(paths: Paths) -> None:
    player = Player(paths, QUIET)
    player.open()
    async with opened(player) as stage:
        assert stage.screen.view.name is ViewName.PODCAST
        assert stage.episodes.cursor == 0
        assert stage.title.startswith("1.")
        assert stage.focus == "episodes"
        assert stage.lines()[-1].startswith("  enter play")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.title == "Welcome to Earmark"

        for key in ("space", "left", "u", "0", "comma", "full_stop"):
            stage.screen.say("")
            await stage.press(key)
            await stage.until(lambda: stage.news == "Nothing is playing yet. Press enter on an episode.", key)

        await stage.press("h", "j")
        await stage.until(lambda: stage.shows("Suggested by Earmark: the first episode"), "the suggestion")
        assert stage.shows("enter  open it")

        for podcast in stage.library.podcasts.all():
            stage.player.remove(podcast.id).result(10)
        await stage.press("g")
        await stage.until(lambda: stage.shows("find some, or add one by its URL"), "the words")
        assert stage.shows("?  type “import” to bring")
        assert stage.shows("Nothing playing")
        assert not stage.shows("press enter to play")
        await stage.press("j", "j")
        assert not stage.shows("Nothing starred yet")


async def test_the_screen_opens_where_it_was_left(paths: Paths) -> None:
    async with stocked() as stage:
        await stage.press(*stage.way_to(ViewName.IN_PROGRESS), "l", "j", "j")
        left = stage.screen.view, stage.title
    player = Player(paths, QUIET)
    player.open()
    async with opened(player) as stage:
        assert (stage.screen.view, stage.title) == left
        assert left[0] == View.of(ViewName.IN_PROGRESS)


# -- moving ---------------------------------------------------------------------------------------------------


async def test_keys_move_the_cursor_and_go_from_pane_to_pane() -> None:
    async with stocked() as stage:
        before, rows = stage.title, stage.episodes.row_count()
        await stage.press("h", "j")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.title == "Signs & scripts"
        assert stage.screen.episode is not None
        assert stage.screen.episode.podcast == "Signs & scripts"
        await stage.press("k")
        assert stage.title == before, "each view keeps its cursor"
        await stage.press("enter")
        assert stage.focus == "episodes"
        for key, focus in (
            ("h", "sidebar"), ("h", "sidebar"), ("l", "episodes"), ("l", "notes"), ("l", "notes"), ("tab", "sidebar"),
            ("shift+tab", "notes"), ("shift+tab", "episodes"), ("escape", "sidebar"), ("tab", "episodes"),
        ):  # fmt: skip
            await stage.press(key)
            assert stage.focus == focus, key

        await stage.press("g")
        assert stage.episodes.cursor == 0
        for key, cursor in (("j", 1), ("down", 2), ("k", 1), ("up", 0), ("up", 0), ("G", rows - 1), ("home", 0)):
            await stage.press(key)
            assert stage.episodes.cursor == cursor, key
        half = stage.episodes.size.height // 2
        for key, cursor in (("ctrl+d", half), ("ctrl+u", 0), ("end", rows - 1), ("down", rows - 1)):
            await stage.press(key)
            assert stage.episodes.cursor == cursor, key
        await stage.press("g", "pagedown")
        assert stage.episodes.cursor == stage.episodes.size.height - 1
        await stage.press("pageup")
        assert stage.episodes.cursor == 0


@pytest.mark.long
async def test_headings_of_the_sidebar_are_stepped_over() -> None:
    async with stocked() as stage:
        await stage.press("h", "g")
        assert stage.sidebar.view == View.of(ViewName.NEW)
        await stage.press(*stage.way_to(ViewName.ALL), "j")
        assert stage.sidebar.view.name is ViewName.PODCAST
        await stage.press("k")
        assert stage.sidebar.view == View()


async def test_notes_follow_the_cursor_when_it_rests_and_scroll_by_the_same_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with stocked((120, 16)) as stage:
        assert stage.shows("The post-grad passes run once")
        await stage.press("l", "G")
        assert stage.shows("custom_pre_pass")
        await stage.press("g")
        assert stage.shows("The post-grad passes run once")
        await stage.press("h")
        monkeypatch.setattr(page, "_REST_S", 3600.0)
        await stage.press("j", "j")
        assert stage.shows("The post-grad passes run once")
        monkeypatch.setattr(page, "_REST_S", 0.0)
        await stage.press("k")
        assert stage.shows("Notes of CUDA graph trees.")


# -- listening ------------------------------------------------------------------------------------------------


async def to_welcome(stage: Stage) -> None:
    """The cursor on an episode whose sound is at hand without a network."""
    await stage.press("h", "G")
    while stage.sidebar.podcast is None or stage.sidebar.podcast.title != "Welcome to Earmark":
        await stage.press("k")
    await stage.press("l", "g")


async def test_enter_plays_space_pauses_and_goes_on() -> None:
    async with stocked() as stage:
        await to_welcome(stage)
        await stage.press("enter")
        await stage.until(lambda: stage.screen.status.state is PlaybackState.PLAYING, "playing")
        await stage.until(lambda: stage.shows("▌▶ 1. Press play"), "the sign in the row")
        await stage.press("space")
        await stage.until(lambda: stage.screen.status.state is PlaybackState.PAUSED, "the pause")
        await stage.press("space")
        await stage.until(lambda: stage.screen.status.state is PlaybackState.PLAYING, "going on")
        await stage.press("enter")
        await stage.until(lambda: stage.news == "Already playing", "the answer")

        main_screen = stage.screen
        paused, playing = PlaybackState.PAUSED, PlaybackState.PLAYING
        for opens, state in (("question_mark", paused), ("o", playing), ("delete", paused)):
            await stage.press(opens)
            assert stage.app.screen is not main_screen
            await stage.press("space")
            await stage.until(lambda state=state: main_screen.status.state is state, f"{state} in {opens}")  # type: ignore[misc]
            assert stage.app.screen is not main_screen
            await stage.press("escape")


async def test_each_key_that_steers_the_sound_is_acknowledged() -> None:
    async with stocked() as stage:
        for key, words in (
            ("u", "There is no jump to undo"),
            ("left", "Back 15s"),
            ("right", "Forward 30s"),
            ("shift+left", "Back 1m"),
            ("shift+right", "Forward 1m"),
            ("0", "Press 0 again to restart"),
            ("]", "Speed 1.1"),
            ("[", "Speed 1.0"),
            ("-", "Volume 95%"),
            ("=", "Volume 100%"),
            ("+", "Volume 105%"),
        ):
            await stage.press(key)
            await stage.until(lambda words=words: stage.news == words, words)  # type: ignore[misc]
            assert stage.lines()[-1].rstrip().endswith(words)

        for _ in range(7):  # many at once say what they lead to
            stage.screen.act("quieter")
            stage.screen.act("faster")
        await stage.until(lambda: stage.news == "Speed 1.7", "the speed")
        stage.screen.act("quieter")
        await stage.until(lambda: stage.news == "Volume 65%", "the volume")
        assert stage.screen.status.speed == pytest.approx(1.7)
        await stage.until(lambda: stage.screen.status.volume == 65, "the volume")

        stage.screen.act("mute")
        await stage.until(lambda: stage.news == "Muted", "the words")
        await stage.until(lambda: stage.screen.status.volume == 0, "silence")
        stage.screen.act("mute")
        await stage.until(lambda: stage.screen.status.volume == 65, "the volume of before")

        stage.player.session.set_speed(1.25)
        await stage.until(lambda: stage.screen.status.speed == 1.25, "the speed from outside")
        for key, speed in (("[", 1.2), ("[", 1.1), ("[", 1.0), ("]", 1.1)):
            await stage.press(key)
            await stage.until(lambda speed=speed: stage.screen.status.speed == speed, f"speed {speed}")  # type: ignore[misc]


async def test_seeking_moves_the_position_and_u_undoes_it() -> None:
    async with stocked() as stage:
        start = stage.screen.status.position_ms
        await stage.press(*"0j1000j10j100j0j0j")  # a count before a key restarts nothing
        await stage.press("right")
        await stage.until(lambda: stage.screen.status.position_ms == start + 30_000, "the jump")
        await stage.press("u")
        await stage.until(lambda: stage.screen.status.position_ms == start, "the undoing")
        await stage.until(lambda: stage.news == "Jump undone", "the words")
        await stage.press("left")
        await stage.until(lambda: stage.screen.status.position_ms == start - 15_000, "the jump back")
        await stage.press("0", "0")
        await stage.until(lambda: stage.news == "Restarted", "the words")
        await stage.until(lambda: stage.screen.status.position_ms == 0, "the start")


@pytest.mark.long
async def test_the_palette_restarts_at_once() -> None:
    async with stocked() as stage:
        await stage.press("0", "ctrl+p", *"restart", "enter")
        await stage.until(lambda: stage.screen.status.position_ms == 0, "the start")


async def test_a_key_without_an_action_says_where_the_others_are_and_the_palette_runs_them() -> None:
    async with stocked((160, 45)) as stage:
        await stage.press("X")
        assert stage.news == "X does nothing here · ? shows all keys"
        await stage.press("question_mark")
        assert stage.shows("Star or unstar")
        await stage.press("escape")
        assert stage.focus == "episodes"
        await stage.press("g", "ctrl+p")
        await stage.write("star the")
        await stage.until(lambda: stage.shows("Star or unstar the episode"), "the command")
        await stage.press("enter")
        await stage.until(lambda: stage.focus == "episodes" and stage.news == "Star added", "the star")
        await stage.press("i")
        await stage.press(":")
        await stage.until(lambda: stage.shows(": does nothing here · ? shows all keys"), "the hint there too")


@pytest.mark.long
async def test_apostrophe_and_a_click_on_the_title_go_to_what_plays_and_ctrl_o_comes_back() -> None:
    async with stocked() as stage:
        playing = stage.screen.status.episode
        assert playing is not None
        for go in (lambda: stage.press("apostrophe"), lambda: stage.pilot.click("#bar", offset=(8, 0))):
            await stage.press("h", "G", "l", "j")
            there = stage.title
            assert there
            await go()
            await stage.until(lambda: stage.title == playing.title, "what plays")
            await stage.press("ctrl+o")
            await stage.until(lambda there=there: stage.title == there, "the way back")  # type: ignore[misc]
        await stage.press("i", "apostrophe")
        await stage.until(lambda: stage.title == playing.title, "what plays, from the page about a podcast")


# -- marking --------------------------------------------------------------------------------------------------


async def test_s_and_m_mark_at_once_and_the_library_the_bus_and_the_counts_follow() -> None:
    async with stocked() as stage:
        heard: list[EpisodesMarked] = []
        stage.player.bus.subscribe(EpisodesMarked, heard.append)
        await stage.press("g", "s")
        assert stage.screen.episode is not None
        assert stage.screen.episode.starred
        assert stage.news == "Star added"
        episode_id = stage.screen.episode.id
        await stage.until(lambda: stage.library.episodes.get(episode_id).starred, "the star")
        await stage.press("s")
        assert stage.news == "Star removed"
        await stage.until(lambda: not stage.library.episodes.get(episode_id).starred, "no star")

        podcast = stage.sidebar.podcast
        assert podcast is not None
        await stage.press("m")
        assert stage.news == "Marked as played"
        assert stage.shows("✓ Compiler collectives")
        await stage.until(
            lambda: stage.sidebar.podcast and stage.sidebar.podcast.unplayed_count == podcast.unplayed_count - 1,
            "the count",
        )
        await stage.press("m")
        assert stage.news == "Marked as unplayed"
        await stage.until(lambda: len(heard) == 4, "each mark, once")
        assert heard == [
            EpisodesMarked((episode_id,), mark, value, Cause.PERSON)
            for mark in (Mark.STARRED, Mark.PLAYED)
            for value in (True, False)
        ]


async def test_a_row_that_loses_its_star_stays_until_the_view_is_left() -> None:
    async with stocked() as stage:
        await stage.press(*stage.way_to(ViewName.STARRED), "l")
        rows, title = stage.episodes.row_count(), stage.title
        await stage.press("s")
        await stage.until(lambda: stage.screen.episode and not stage.screen.episode.starred, "no star")
        assert (stage.episodes.row_count(), stage.title) == (rows, title)
        await stage.press("h", "k")
        await stage.until(lambda: stage.title not in ("", title), "another view")
        await stage.press("j")
        await stage.until(lambda: stage.episodes.row_count() == rows - 1, "the shorter list")


# -- the filter -----------------------------------------------------------------------------------------------


async def test_the_filter_narrows_as_it_is_typed_and_escape_ends_it() -> None:
    async with stocked() as stage:
        rows, title = stage.episodes.row_count(), stage.title
        await stage.press("slash")
        assert stage.shows("Filter by title ")
        await stage.press(*"induct")
        assert stage.focus == "filter"
        assert stage.episodes.row_count() == 4
        assert stage.shows("4 matches")
        assert stage.title == title
        await stage.press("escape")
        assert stage.focus == "episodes"
        assert stage.episodes.row_count() == rows
        assert stage.title == title

        await stage.press("slash", *"induct", "down", "enter")
        assert stage.focus == "episodes", "enter keeps the filter"
        assert (stage.episodes.row_count(), stage.episodes.cursor) == (4, 1), "arrows move while one types"
        await stage.press("escape")
        assert stage.episodes.row_count() == rows

        await stage.press("slash")
        await stage.write("developer")
        assert stage.episodes.row_count() == 0, "titles alone are looked at in one podcast"
        assert stage.shows("No titles match “developer”")
        assert stage.title == ""


async def test_where_podcasts_are_mixed_a_filter_finds_their_names_too() -> None:
    async with stocked() as stage:
        await stage.press("slash")
        await stage.write("inductor")
        await stage.press("enter", *stage.way_to(ViewName.ALL))
        assert stage.screen.view == View()
        assert stage.episodes.row_count() > 100, "another view comes without the filter"
        await stage.press("l", "slash")
        assert stage.shows("Filter by title or podcast")
        await stage.write("CHANGÈLOG 9")
        assert [stage.title, stage.episodes.row_count()] == ["Changelog 9", 1]
        await stage.press("ctrl+u")
        await stage.write("pytorch aot")  # the first in the podcast's name, the second in titles
        assert stage.title in ("AOTInductor", "AOTAutograd")
        assert stage.episodes.row_count() == 2
        await stage.press("ctrl+u")
        await stage.write("xyzzy")
        assert stage.shows("Nothing matches “xyzzy”")


# -- podcasts -------------------------------------------------------------------------------------------------


async def test_a_adds_a_podcast_and_r_brings_its_new_episodes_or_says_why_it_fails(server: LoopbackServer) -> None:
    url = server.page("/feed.xml", feed(20))
    async with stocked() as stage:
        await stage.press("a")
        stage.app.screen.query_one(Input).value = url
        await stage.press("enter")
        await stage.until(lambda: stage.title == "Loop 20", "the new podcast")
        podcast = stage.sidebar.podcast
        assert podcast is not None
        assert podcast.title == "Loop"

        await stage.press("j", "j", "j")
        assert stage.title == "Loop 17"
        server.page("/feed.xml", feed(25))
        await stage.press("r")
        await stage.until(lambda: stage.episodes.row_count() == 25, "the new episodes")
        assert stage.title == "Loop 17"
        assert stage.episodes.cursor == 8
        await stage.until(lambda: stage.news == "5 new episodes", "the words")
        assert stage.library.podcasts.get(podcast.id).unplayed_count == 25
        await stage.press("r")
        await stage.until(lambda: stage.news == "Nothing new", "the words")

        del server.answers["/feed.xml"]
        await stage.press("r")
        await stage.until(lambda: stage.library.podcasts.get(podcast.id).error, "the failure")
        error = stage.library.podcasts.get(podcast.id).error
        assert error is not None
        await stage.until(lambda: stage.shows(error[:20]), "the sentence")
        await stage.until(lambda: any("Loop" in line and "!" in line for line in stage.lines()), "the mark")
        assert stage.title == "Loop 17"


@pytest.mark.long
async def test_esc_in_add_subscribes_to_nothing_and_leaves_the_view_alone(server: LoopbackServer) -> None:
    asked, over = threading.Event(), threading.Event()

    def slow(request: Request) -> None:
        asked.set()
        over.wait(20)
        request.reply(feed(3), "application/rss+xml")

    url = server.answer("/slow.xml", slow)
    async with stocked() as stage:
        before = stage.library.podcasts.all()
        await stage.press("a")
        stage.app.screen.query_one(Input).value = url
        await stage.press("enter")
        await stage.until(asked.is_set, "the request")
        await stage.press("escape")
        over.set()
        await stage.until(lambda: not stage.player.services.jobs.busy, "the end of the search")
        assert stage.library.podcasts.all() == before
        assert stage.screen.view.podcast_id == stage.library.podcasts.find("PyTorch").id
        assert not list(stage.app._notifications)


@pytest.mark.long
async def test_esc_stops_a_refresh_and_the_next_goes_on_there(server: LoopbackServer) -> None:
    over, asked = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        asked.set()
        over.wait(20)
        request.reply(feed(2), "text/xml")

    async with stocked() as stage:
        podcast = stage.library.podcasts.add(server.answer("/slow", answer), "Slow")
        await stage.press("R")
        await stage.until(asked.is_set, "the question")
        await stage.until(lambda: "left" in stage.news, "the progress")
        assert "esc stops" in stage.news
        await stage.press("escape")
        await stage.until(lambda: stage.news.startswith("Refresh stopped"), "the word")
        over.set()
        assert stage.library.podcasts.get(podcast.id).last_refreshed is None
        await stage.press("R")
        await stage.until(lambda: stage.library.podcasts.get(podcast.id).last_refreshed, "the rest")


@pytest.mark.long
async def test_a_refresh_that_was_asked_for_ends_with_what_failed_and_why(server: LoopbackServer) -> None:
    async with stocked() as stage:
        stage.library.podcasts.add(server.url("/nothing"), "A broken show")
        stage.library.podcasts.add(server.page("/good", feed(2)), "Loop")
        stage.player.bus.publish(LibraryChanged())
        await stage.until(
            lambda: "Loop" in [podcast.title for podcast in stage.sidebar.podcasts], "both in the sidebar"
        )
        await stage.press("R")
        await stage.until(lambda: stage.screen.parts.refreshing._last.failed, "the end")
        await stage.screen.run_action("act('refresh_results')")
        await stage.until(lambda: stage.shows("podcasts couldn't be refreshed"), "the summary")
        lines = [" ".join(line.strip(" │▌").split()) for line in stage.lines()]
        assert lines[lines.index("Not found (404)") + 1] == "A broken show"
        assert lines[lines.index("New episodes") + 1] == "Loop 2"
        stage.app.clear_notifications()  # they lie over it
        await stage.until(lambda: stage.shows("r try again"), "the key")
        await stage.press("escape")
        assert stage.ready


async def test_enter_on_the_mark_of_a_failed_podcast_tells_why_and_delete_asks_and_then_removes_it() -> None:
    async with stocked(show="CoRecursive") as stage:
        await stage.press("h")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.error
        assert not list(stage.app._notifications)
        await stage.press("enter")
        (notice,) = stage.app._notifications
        assert (notice.title, notice.message) == ("CoRecursive", stage.sidebar.podcast.error)
        await stage.press("delete")
        assert stage.shows("Unsubscribe from “CoRecursive”?")
        await stage.press("n")
        assert len(stage.library.podcasts.all()) == 10
        await stage.press("delete", "y")
        await stage.until(lambda: len(stage.library.podcasts.all()) == 9, "the removal")
        following = "Oxide and Friends"
        await stage.until(lambda: stage.sidebar.podcast and stage.sidebar.podcast.title == following, "the next")
        await stage.until(lambda: stage.screen.episode and stage.screen.episode.podcast == following, "its list")


# -- the rest -------------------------------------------------------------------------------------------------


@pytest.mark.long
async def test_ctrl_o_goes_back_to_the_list_before_one_that_was_opened_in_the_sidebar() -> None:
    async with stocked() as stage:
        await stage.press("j", "j")
        start, title = stage.screen.view, stage.title
        for name in (ViewName.STARRED, ViewName.ALL):
            await stage.press(*stage.way_to(name), "l")
        await stage.press("ctrl+o")
        assert stage.screen.view == View.of(ViewName.STARRED)
        await stage.press("ctrl+o")
        assert (stage.screen.view, stage.title) == (start, title)
        await stage.press("ctrl+o")
        assert stage.news == "This is where you started"


@pytest.mark.long
async def test_the_theme_is_kept(paths: Paths) -> None:
    async with stocked() as stage:
        await stage.app.run_action("theme")
        await stage.settle()
        await stage.press(*"paper", "enter")
        await stage.until(lambda: stage.ready and stage.app.theme == "paper", "the theme")
    player = Player(paths, stage.player.settings)
    player.open()
    async with opened(player) as stage:
        assert stage.app.theme == "paper"


@pytest.mark.parametrize("key", mostly_long(["q", "ctrl+c", "ctrl+q"]))
async def test_q_quits_and_the_position_is_saved(key: str, paths: Paths) -> None:
    async with stocked() as stage:
        await stage.press("right", key)
        await stage.until(lambda: not stage.app.is_running, "the end")
        assert stage.app.return_code == 0
    player = Player(paths, QUIET)
    player.open()
    async with opened(player) as stage:
        assert stage.screen.status.position_ms == 492_000 + 30_000
        assert stage.screen.status.state is PlaybackState.PAUSED


@pytest.mark.parametrize("opens", mostly_long(["a", "question_mark", "ctrl+p", "slash"]))
async def test_ctrl_c_quits_from_a_dialog_too(opens: str) -> None:
    async with stocked() as stage:
        await stage.press(opens, "ctrl+c")
        await stage.until(lambda: not stage.app.is_running, "the end")


async def test_keys_can_be_others_and_a_bad_wish_is_told() -> None:
    settings = Settings(
        playback=QUIET.playback, feeds=QUIET.feeds, keys={"star": "X,ctrl+t", "played": "j", "fly": "z"}
    )
    async with stocked(settings=settings) as stage:
        await stage.press("g", "X")
        assert stage.news == "Star added"
        await stage.press("ctrl+t")
        assert stage.news == "Star removed"
        await stage.press("s")
        assert stage.news == "s does nothing here · ? shows all keys"
        await stage.press("down")
        assert stage.episodes.cursor == 1
        await stage.press("j")
        assert stage.news == "Marked as played"
        assert stage.shows("X star")
        toasts = [toast.message for toast in stage.app._notifications]
        assert toasts == ["In [keys] of config.toml, there is no action “fly”."]
        await stage.until(lambda: stage.shows("there is no action “fly”"), "the toast")


@pytest.mark.long
async def test_what_another_process_writes_comes_to_the_screen(paths: Paths) -> None:
    async with stocked() as stage:
        other = Library(paths)
        other.open()
        other.podcasts.add("https://elsewhere.example/feed", "Added elsewhere")
        other.close()
        await stage.until(lambda: stage.shows("Added elsewhere"), "the podcast")


async def test_a_row_shows_how_far_its_episode_is_and_a_long_list_is_read_only_where_it_is_seen() -> None:
    async with stocked() as stage:
        row = next(line for line in stage.lines() if "⏸ Inductor" in line and "━━────" in line)
        assert "m left" not in row
        playing = stage.screen.status
        assert playing.episode is not None
        stage.player.library.progress.save(playing.episode.id, 20 * 60_000, None, datetime(2026, 11, 20, tzinfo=UTC))
        stage.player.session.seek_to(20 * 60_000)
        await stage.until(lambda: any("⏸ Inductor" in line and "━━━━━─" in line for line in stage.lines()), "the row")

        asked: list[int] = []
        fetch = stage.library.episodes.rows
        stage.episodes._fetch = lambda ids: asked.append(len(ids)) or fetch(ids)  # type: ignore[func-returns-value]
        pytorch = stage.sidebar.podcast
        assert pytorch is not None
        ids = episodes_of(stage.library, pytorch.id)
        stage.episodes.show(WholeList(array("q", [one.id for one in ids] * 3000)), 0)
        await stage.press("G")
        assert stage.episodes.cursor == 36 * 3000 - 1
        assert sum(asked) < 500
