"""yt-dlp is run without a shell, for a bounded time, and ended with all that it has started."""

import threading
import time
from pathlib import Path

import pytest

from player.sources.youtube import program
from player.sources.youtube.program import Stopped, VideoError
from tests.player.media.conftest import eventually
from tests.player.sources.youtube.conftest import YtDlp, alive

PAGE = "https://www.youtube.com/watch?v=aaaaaaaaaaa"


@pytest.mark.usefixtures("path_without")
def test_where_it_is_not_installed_it_says_what_to_install() -> None:
    assert program.program() == ""
    with pytest.raises(VideoError, match=r"yt-dlp isn't installed.*Install it"):
        program.ask(PAGE)


def test_its_answer_and_its_complaints_are_heard(yt_dlp: YtDlp) -> None:
    yt_dlp.does("sys.stdout.write('out' * 100_000)\nsys.stderr.write('err')\nsys.exit(3)")
    ended = program.ask(PAGE, "--no-playlist")
    assert (ended.code, ended.output, ended.errors) == (3, b"out" * 100_000, b"err")
    (asked,) = yt_dlp.asked
    assert asked[-2:] == ["--", PAGE]
    assert {"--simulate", "--dump-single-json", "--no-playlist"} <= set(asked)


def test_an_address_is_never_an_option_or_a_command(yt_dlp: YtDlp, tmp_path: Path) -> None:
    evil = f"--exec=touch {tmp_path}/evil; touch {tmp_path}/evil"
    program.ask(evil)
    assert yt_dlp.asked[0][-2:] == ["--", evil]
    assert not (tmp_path / "evil").exists()


def test_what_takes_too_long_is_ended_with_its_children(yt_dlp: YtDlp, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    yt_dlp.does(
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"with open({str(pid)!r}, 'w') as file: file.write(str(child.pid))\ntime.sleep(60)"
    )
    began = time.monotonic()
    with pytest.raises(VideoError, match=r"yt-dlp took longer than 0\.8 s. Try again") as raised:
        program.ask(PAGE, timeout_s=0.8)
    assert raised.value.passing
    assert time.monotonic() - began < 10
    if pid.exists():
        eventually(lambda: not alive(int(pid.read_text())))


def test_it_ends_when_nobody_waits_any_longer(yt_dlp: YtDlp) -> None:
    yt_dlp.does("time.sleep(60)")
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Stopped):
        program.ask(PAGE, stopped=stop.is_set)


def test_output_without_an_end_is_given_up(yt_dlp: YtDlp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_MOST_OUTPUT", 1_000_000)
    yt_dlp.does("while True: sys.stdout.write('x' * 100_000)")
    with pytest.raises(VideoError, match="wrote more than"):
        program.ask(PAGE)


def test_a_program_that_cannot_be_run_is_a_sentence(path_without: Path) -> None:
    (path_without / "yt-dlp").write_bytes(b"\x7fELF nonsense")
    (path_without / "yt-dlp").chmod(0o755)
    with pytest.raises(VideoError, match="yt-dlp can't be run"):
        program.ask(PAGE)
