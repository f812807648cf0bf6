"""The garbage collection leaves alone what stays as long as the app does."""

import gc
import subprocess
import sys
import time
import weakref
from pathlib import Path

import pytest
from textual.widget import Widget

from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.tui.stage import QUIET, Stage, opened
from tui.app import EarmarkApp
from tui.framework import gc_tuning
from tui.run import run_app


def test_what_was_there_is_looked_through_no_more_and_what_comes_later_is() -> None:
    before: list[object] = []
    gc.disable()
    gc_tuning.settle()
    try:
        after: list[object] = []
        watched = gc.get_objects()
        assert not any(one is before for one in watched)
        assert any(one is after for one in watched)
        assert gc.isenabled()
    finally:
        gc.unfreeze()


async def test_that_begins_once_and_after_the_first_frame(paths: Paths) -> None:
    player = Player(paths, QUIET)
    player.open()
    settled: list[str] = []

    def settle() -> None:
        """This may be called before the test has a stage."""
        settled.append("\n".join(strip.text for strip in app.screen._compositor.render_strips()))

    app = EarmarkApp(player, settle=settle)
    try:
        async with app.run_test() as pilot:
            stage = Stage(app, pilot, player)
            await stage.until(lambda: stage.ready and settled, "the first frame")
            await stage.press("j", "G", "h")
            assert len(settled) == 1
            assert "all keys" in settled[0]
    finally:
        player.close()


def test_the_app_that_a_person_runs_does_so(paths: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[object] = []

    class Asked(Exception):
        pass

    def made(*_: object, **options: object) -> EarmarkApp:
        asked.append(options["settle"])
        raise Asked

    monkeypatch.setattr("tui.app.EarmarkApp", made)
    with pytest.raises(Asked):
        run_app(paths, Settings())
    assert asked == [gc_tuning.settle]


def test_many_that_stay_are_not_looked_through_while_they_are_made_nor_later() -> None:
    try:
        with gc_tuning.many_that_stay():
            assert not gc.isenabled()
            made: list[list[object]] = [[] for _ in range(10)]
        assert gc.isenabled()
        assert not any(one is made for one in gc.get_objects())
    finally:
        gc.unfreeze()


def test_a_command_has_no_time_for_garbage_nor_its_end() -> None:
    script = """
import gc, sys
from tui.cli import main as cli

sys.argv = ["earmark", "--version"]
try:
    cli.process()
except SystemExit as end:
    print(end.code, gc.get_threshold()[0] > 10_000, gc.get_freeze_count() > 1000, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["0", "True", "True"]


@pytest.mark.long
async def test_what_a_closed_screen_drew_is_let_go(paths: Paths) -> None:
    player = Player(paths, QUIET)
    player.open()
    try:
        async with opened(player, drawn=True) as stage:
            await stage.press("question_mark")
            widgets = stage.app.screen.walk_children(Widget, with_self=True)
            drawn = [weakref.ref(widget._styles_cache) for widget in widgets]
            del widgets
            await stage.press("escape")

            def gone() -> bool:
                gc.collect()
                return not any(one() for one in drawn)

            await stage.until(gone, "the end of the help screen")
    finally:
        player.close()


def test_what_was_let_go_since_many_were_made_is_collected_when_nobody_waits() -> None:
    class Dialog:
        """Refers to itself, as Textual's screens do."""

        def __init__(self) -> None:
            self.itself = self

    try:
        dialog = Dialog()
        gone = weakref.ref(dialog)
        with gc_tuning.many_that_stay():
            made: list[list[object]] = [[] for _ in range(10)]
        del dialog
        gc.collect()
        assert gone() is not None, "what is frozen isn't traversed"
        gc_tuning.give_back()
        assert gone() is None
        assert not any(one is made for one in gc.get_objects())
        frozen = gc.get_freeze_count()
        later: list[object] = []
        gc_tuning.give_back()
        assert gc.get_freeze_count() <= frozen, "everything was traversed again"
        assert any(one is later for one in gc.get_objects())
    finally:
        gc.unfreeze()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts what Linux tells of a process")
def test_threads_share_heaps() -> None:
    """glibc reserves 64 MB of addresses for each heap."""
    program = """
import re, sys, threading
from tui.framework.gc_tuning import share_heaps

if sys.argv[1:]:
    share_heaps()
reserved = lambda: int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1])
all_here, end = threading.Barrier(13), threading.Event()
threading.stack_size(1 << 20)
before = reserved()
def work():
    kept = [bytearray(1_000) for _ in range(10)]
    all_here.wait()
    end.wait()
for _ in range(12):
    threading.Thread(target=work).start()
all_here.wait()
print((reserved() - before) // (1 << 16))
end.set()
"""

    def heaps(*arguments: str) -> int:
        ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
        return int(ran.stdout)

    if heaps() < 8:
        pytest.skip("this C library has no heaps for threads")
    assert heaps("shared") <= 2


async def test_when_nobody_presses_a_key_what_was_freed_is_given_back(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    monkeypatch.setattr("tui.app._REST_S", 0.01)
    monkeypatch.setattr(gc_tuning, "give_back", lambda: given.append(time.monotonic()))
    player = Player(paths, QUIET)
    player.open()
    try:
        async with opened(player, drawn=True) as stage:
            assert not given
            await stage.press("j")
            await stage.until(lambda: given, "the end of the rest")
    finally:
        player.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux tells of a process")
def test_what_is_given_back_is_no_longer_held() -> None:
    program = (
        "import re; from tui.framework.gc_tuning import give_back\n"
        "held = lambda: int(re.search('RssAnon:\\\\s+(\\\\d+)', open('/proc/self/status').read())[1])\n"
        "many = [bytearray(50_000) for _ in range(1_000)]; last = bytearray(50_000); del many\n"
        "before = held(); give_back(); print(before - held())"
    )
    assert int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout) > 30_000
