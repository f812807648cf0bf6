"""A day of listening by keyboard alone, from the first verdict to the last key, and what the commands say beside it."""

from collections.abc import Iterator

import pytest

from player.paths import Paths
from tests.pty.conftest import saved_position
from tests.pty.day import Listener, World, beside, queued
from tests.pty.terminal import Terminal
from tests.quick import mostly_long
from tests.tui.cli.conftest import own_logging as own_logging

pytestmark = [pytest.mark.pty, pytest.mark.timeout(180)]

QUEUE = ["Linkers", "Lighthouses", "Night trains"]
"""At the end of the day."""


@pytest.fixture
def world() -> Iterator[World]:
    with World() as made:
        yield made


@pytest.mark.parametrize(("columns", "rows"), mostly_long([(50, 15), (120, 40)]))
def test_a_day_of_listening_by_keyboard_alone(silent: Paths, world: World, columns: int, rows: int) -> None:
    beside("add", *world.urls)
    with Terminal(columns=columns, rows=rows, in_frames=True) as terminal:
        listener = Listener(terminal)
        terminal.wait_for("enter play")
        _declines_a_suggestion(listener)
        _decides_about_what_is_new(listener, world)
        _plays_the_queue(listener)
        _bookmarks(listener)
        _skips_an_intro(listener)
        _falls_asleep(listener)
        _finds_and_gathers(listener)
        _acts_on_many(listener)
        _unsubscribes_and_thinks_better_of_it(listener)
        _looks_back(listener)
        _loses_the_network(listener, world)
        _reads_of_a_broken_feed(listener, world)
        _hits_keys_that_mean_nothing_here(listener)
        for size in ((20, 5), (columns, rows)):
            terminal.resize(*size)
        listener.sees("all keys")
        before = listener.is_at()
        terminal.kill()
        terminal.wait_exit()
    saved = saved_position(silent.library)
    assert saved >= before - 1000
    with Terminal(columns=columns, rows=rows, in_frames=True) as terminal:
        listener = Listener(terminal)
        listener.sees("⏸ Night trains")
        assert listener.is_at() // 1000 == saved // 1000
        assert queued() == QUEUE
        listener.press("space")
        listener.plays("Night trains")
        listener.hears_until(saved + 1000)
        listener.press("q")
        assert terminal.wait_exit() == 0


def _declines_a_suggestion(listener: Listener) -> None:
    listener.press("h", "h", "G")
    listener.sees(r"(?m)^ ▌(?:. )?PyTorch")
    listener.press("delete")
    listener.sees("Remove the suggestion “PyTorch")
    listener.press("y")
    listener.is_told("Suggestion removed")


def _decides_about_what_is_new(listener: Listener, world: World) -> None:
    world.publish("Morning Tones", "Linkers")
    world.publish("Morning Tones", "Mutexes")
    listener.press("R")
    listener.is_told("2 new episodes")
    listener.opens("New")
    listener.press("g")
    listener.stands_on("Linkers")
    listener.press("e")
    listener.is_told("Queued · 1st")
    listener.stands_on("Mutexes")
    listener.press("E")
    listener.is_told("Plays next")
    listener.stands_on("Allocators")
    listener.press("x")
    listener.is_told("Dismissed · U undoes")
    listener.stands_on("Lighthouses")
    listener.press("U")
    listener.is_told("Undone: dismissed “Allocators”")
    listener.stands_on("Allocators")
    listener.press("x")
    listener.is_told("Dismissed · U undoes")
    listener.stands_on("Lighthouses")
    listener.press("s")
    listener.is_told("Star added")
    listener.stands_on("Ink")
    listener.press("d")
    listener.is_told("Downloaded “Ink”")
    listener.stands_on("1. Press play")
    listener.press("m")
    listener.sees("check all podcasts")
    assert queued() == ["Mutexes", "Linkers"]
    marked = {one["title"] for one in beside("episodes", "--starred")}
    assert marked == {"Lighthouses"}


def _plays_the_queue(listener: Listener) -> None:
    listener.opens("Queue")
    listener.stands_on("Mutexes")
    listener.press("J")
    listener.sees(r"▌. Mutexes")
    listener.press("K", "n")
    listener.plays("Mutexes")
    listener.hears_until(1000)
    listener.press("right")
    listener.is_told("Forward 30s")
    listener.hears_until(30_000)
    listener.press(".")
    listener.is_told("“The middle”")
    listener.hears_until(200_000)
    listener.press("u")
    listener.is_told("Jump undone")
    listener.press("]", "]")
    listener.is_told("Speed 1.2")
    assert beside("status")["speed"] == 1.2
    listener.press("backspace")
    listener.is_told("1.0")
    status = beside("status")
    assert (status["state"], status["episode"]["title"]) == ("playing", "Mutexes")
    assert status["position_ms"] < 200_000


def _bookmarks(listener: Listener) -> None:
    listener.press("b")
    listener.is_told("Bookmarked 0:")
    listener.press("right")
    listener.is_told("Forward 30s")
    listener.press("B")
    listener.sees("Bookmark at")
    listener.press("for the talk", "enter")
    listener.is_told("Bookmarked 0:")
    later, first = beside("bookmarks")
    assert (first["episode"], first["chapter"], first["note"]) == ("Mutexes", "Hello", "")
    assert later["note"] == "for the talk"
    assert later["position_ms"] - first["position_ms"] >= 30_000
    listener.opens("Bookmarks")
    listener.sees("for the talk")
    listener.press("n")
    listener.plays("Linkers")
    listener.is_told("Playing “Linkers”")


def _skips_an_intro(listener: Listener) -> None:
    listener.goes_to("Evening Hum")
    listener.press("c")
    listener.sees("Skip at the start +nothing")
    listener.press("j", "j", "enter", "0:30", "enter")
    listener.sees("Skip at the start +30")
    listener.press("escape")
    listener.sees_no("Skip at the start")
    assert beside("set", "Evening")["skip_start_ms"] == 30_000
    listener.opens("Evening Hum")
    listener.press("G", "enter")
    listener.is_told("Skipped the intro · u returns")
    listener.plays("Slow rivers")
    assert listener.is_at() >= 30_000
    listener.press("u")
    listener.terminal.wait_until(lambda: listener.is_at() < 30_000, "the intro")


def _falls_asleep(listener: Listener) -> None:
    listener.opens("Short Waves")
    listener.press("G", "enter")
    listener.plays("Tea")
    listener.hears_until(1000)
    listener.press("t")
    listener.sees("Sleep timer")
    listener.press("G", "k", "enter")
    listener.sees("☾ 0:")
    listener.press("right", "right")
    listener.sees("Finished|✓ Tea|⏸ Tea")
    status = beside("status")
    assert status["episode"]["title"] == "Tea"
    assert status["state"] in ("ended", "paused")
    assert queued() == ["Linkers"]


def _finds_and_gathers(listener: Listener) -> None:
    listener.opens("All episodes")
    listener.press("/")
    listener.press("xyzzy")
    listener.sees("match(?:es)? “xyzzy”")
    listener.press("escape")
    listener.sees_no("xyzzy")
    listener.press("/", "night", "enter")
    listener.sees("1 match")
    listener.stands_on("Night trains")
    listener.press("p")
    listener.sees("Add 1 episode to a playlist")
    listener.press("Commute", "enter")
    listener.is_told("Added to “Commute”")
    listener.press("escape")
    listener.sees_no("1 match")
    listener.press("ctrl+f")
    listener.sees("─ Search ─")
    listener.press("is:unplayed duration:<1m sort:oldest")
    listener.sees("1. Press play|Tea|Rain")
    listener.press("ctrl+s")
    listener.sees("Name")
    listener.press("Short ones", "enter")
    listener.sees("Short ones +[0-9]")


def _acts_on_many(listener: Listener) -> None:
    listener.opens("Evening Hum")
    listener.press("g", "V", "j")
    listener.is_told("2 selected")
    listener.press("e")
    listener.is_told("2 episodes queued")
    listener.press("U")
    listener.is_told("Undone: queued 2 episodes")
    assert queued() == ["Linkers"]
    listener.press("ctrl+r")
    listener.is_told("Redone: queued 2 episodes")


def _unsubscribes_and_thinks_better_of_it(listener: Listener) -> None:
    listener.goes_to("Evening Hum")
    listener.press("delete")
    listener.sees("Unsubscribe from “Evening Hum”")
    listener.press("y")
    listener.is_told("Unsubscribed · U undoes")
    others = ["Morning Tones", "Short Waves", "Welcome to Earmark"]
    listener.terminal.wait_until(
        lambda: sorted(one["title"] for one in beside("podcasts")) == others, "the others alone in the library"
    )
    listener.press("U")
    listener.is_told("Undone: unsubscribed from “Evening Hum”")
    assert queued() == QUEUE
    assert beside("set", "Evening")["skip_start_ms"] == 30_000


def _looks_back(listener: Listener) -> None:
    listener.opens("History")
    listener.sees("Mutexes")
    heard = {one["title"]: one["listened_ms"] for one in beside("history")}
    assert set(heard) >= {"Mutexes", "Tea"}
    listener.press("?", "statistics", "enter")
    listener.sees("Your listening")
    assert sum(heard.values()) <= beside("stats")["listened_ms"] + 1000
    listener.press("escape", "'")
    listener.stands_on("Tea")
    listener.press("ctrl+o")
    listener.sees("session")


def _loses_the_network(listener: Listener, world: World) -> None:
    listener.opens("Evening Hum")
    listener.press("g", "j")
    listener.stands_on("Night trains")
    world.cut()
    listener.press("enter")
    listener.sees("◌ Night trains")
    assert beside("status")["state"] in ("buffering", "opening")
    world.mend()
    listener.plays("Night trains")
    listener.hears_until(32_000)
    assert beside("status")["state"] == "playing"


def _reads_of_a_broken_feed(listener: Listener, world: World) -> None:
    world.turn_to_html("Short Waves")
    listener.goes_to("Short Waves")
    listener.press("r")
    listener.sees("is a web")
    listener.is_told("Nothing new · 1 feed failed")
    errors = {one["title"]: one["error"] for one in beside("podcasts")}
    assert "web page" in errors["Short Waves"]
    world.turn_back("Short Waves")
    listener.press("r")
    listener.is_told("Nothing new", instead_of="1 feed failed")


def _hits_keys_that_mean_nothing_here(listener: Listener) -> None:
    """None of them changes anything, and the screen is as it was."""
    listener.goes_to("All episodes")
    for key in ("s", "e", "E", "x", "d", "m", "p"):
        listener.press(key)
        listener.is_told("Select an episode first: tab goes to the list")
        listener.press("delete")  # so that the next key's sentence is another
        listener.is_told("Select a podcast to unsubscribe from it")
    listener.press("V", "escape", "f", "K", "<", ">", "N", "\x1b[99;99~")
    listener.goes_to("All episodes")
    assert queued() == QUEUE
    assert beside("status")["episode"]["title"] == "Night trains"
