"""Real programs, run by the real process: whatever they do stays theirs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.integrations.hooks.program_runner import problem_of, recent_failures
from player.integrations.hooks.program_worker import ERRORS, MOST_NOTED, MOST_RUNNING, MOST_WAITING, note
from tests.player.integrations.hooks.making import Running, alive, names_of, script
from tests.player.playback.support import wait_until

HOSTILE = "$(touch pwned) `touch pwned` ; touch pwned | \n\"'\\ %s #(x) 🎧"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path)
    yield made
    made.runner.rest()


def test_a_program_gets_what_strangers_wrote_as_data(running: Running, tmp_path: Path) -> None:
    tells = script(tmp_path / "tells", 'cat > given; printf "%s" "$EARMARK_TITLE" > title; printf "%s" "$1" > argument')
    running.run(tells, HOSTILE, given=json.dumps({"title": HOSTILE}), TITLE=HOSTILE)
    assert names_of(running.all_over()) == ["ended"]
    assert json.loads((tmp_path / "given").read_text()) == {"title": HOSTILE}
    assert (tmp_path / "title").read_text() == (tmp_path / "argument").read_text() == HOSTILE
    assert not (tmp_path / "pwned").exists()
    assert not running.failures.exists()


def test_whatever_fails_is_told_and_noted(running: Running, tmp_path: Path) -> None:
    running.run(script(tmp_path / "fails", "echo first line >&2; echo second >&2; exit 3"))
    running.run(script(tmp_path / "crashes", "kill -SEGV $$"))
    running.run(str(tmp_path / "missing"))
    running.run(script(tmp_path / "data", "true", mode=0o644))
    running.run(str(tmp_path))
    running.run(script(tmp_path / "reads-nothing", "exit 0"), given="x" * 3_000_000)
    running.run(script(tmp_path / "closes-all", "exec <&- >&- 2>&-; exit 0"), given="x" * 100_000)
    running.run(script(tmp_path / "prints", "head -c 30000000 /dev/zero >&2; head -c 30000000 /dev/zero; exit 1"))
    over = running.all_over()
    problems = [problem_of(one.outcome, one.code, one.errors) for one in over if one.outcome != "ended"]
    assert problems == [
        "exited with 3",
        f"was ended by signal {signal.SIGSEGV}",
        "can't be run (No such file or directory)",
        "can't be run (Permission denied)",
        "can't be run (Permission denied)",
        "exited with 1",
    ]
    assert names_of(over[5:7]) == ["ended", "ended"]
    assert over[0].errors == "first line second"
    assert len(over[7].errors) <= ERRORS
    noted = recent_failures(running.failures, datetime.now(UTC))
    assert sorted(one.words[0].rpartition("/")[2] for one in noted) == sorted(
        ["fails", "crashes", "missing", "data", tmp_path.name, "prints"]
    )
    assert running.failures.stat().st_mode & 0o777 == 0o600


def test_what_hangs_is_killed_with_its_children_but_for_those_that_left_its_group(
    running: Running, tmp_path: Path
) -> None:
    running.run(
        script(tmp_path / "hangs", "sleep 61 & echo $! > child\nsetsid sleep 62 & echo $! > left\nwait"), seconds=0.5
    )
    running.run(script(tmp_path / "leaves", "sleep 63 & echo $! > orphan"))
    try:
        assert names_of(running.all_over()) == ["late", "ended"]
        child, orphan = (int((tmp_path / name).read_text()) for name in ("child", "orphan"))
        wait_until(lambda: not alive(child) and not alive(orphan), "the end of the group")
        assert alive(int((tmp_path / "left").read_text()))
    finally:
        os.kill(int((tmp_path / "left").read_text()), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_has_a_session_of_its_own_and_no_descriptors_but_the_three(running: Running, tmp_path: Path) -> None:
    kept, other = os.pipe()
    os.set_inheritable(kept, True)
    code = "import os; print(os.getsid(0) == os.getpid(), *os.listdir('/proc/self/fd'))"
    running.run(script(tmp_path / "looks", f'exec "{sys.executable}" -c "{code}" > seen'))
    assert names_of(running.all_over()) == ["ended"]
    own_session, *handles = (tmp_path / "seen").read_text().split()
    assert own_session == "True"
    assert len(handles) == 4, "and the one that lists them"
    for handle in (kept, other):
        os.close(handle)


def test_few_run_at_once_and_each_gets_its_events_in_order(running: Running, tmp_path: Path) -> None:
    body = "echo $1 >> $0.log; : > $0.runs; while [ ! -e go ]; do sleep 0.02; done; rm $0.runs"
    programs = [script(tmp_path / f"program-{number}", body) for number in range(MOST_RUNNING + 2)]
    for event in ("1", "2", "3"):
        for program in programs:
            running.run(program, event)
    wait_until(lambda: len(list(tmp_path.glob("*.runs"))) == MOST_RUNNING, "as many as may")
    assert not Path(f"{programs[MOST_RUNNING]}.log").exists()
    (tmp_path / "go").touch()
    assert set(names_of(running.all_over())) == {"ended"}
    assert [Path(f"{program}.log").read_text().split() for program in programs] == [["1", "2", "3"]] * len(programs)


def test_when_too_many_wait_jumps_are_dropped_first(running: Running, tmp_path: Path) -> None:
    waits = script(tmp_path / "waits", ": > runs; while [ ! -e go ]; do sleep 0.02; done")
    running.run(waits)
    wait_until((tmp_path / "runs").exists, "the first")
    settings = ["paused", "seeked", "seeked", *["resumed"] * (MOST_WAITING - 1), "seeked", "left"]
    for setting in settings:
        running.run(waits, setting=setting)
    wait_until(lambda: len(running.outcomes) == 4, "those that are dropped")
    assert [(one.id, one.setting, one.outcome) for one in running.outcomes] == [
        (3, "seeked", "dropped"),
        (4, "seeked", "dropped"),
        (4 + MOST_WAITING, "seeked", "dropped"),
        (2, "paused", "dropped"),
    ]
    (tmp_path / "go").touch()
    assert names_of(running.all_over()).count("ended") == 1 + MOST_WAITING


def test_what_was_asked_for_is_run_though_earmark_is_gone(tmp_path: Path) -> None:
    body = "while [ ! -e gone ]; do sleep 0.02; done; echo $EARMARK_EVENT >> told"
    program = script(tmp_path / "tells", body)
    code = f"""
import os
from pathlib import Path
from player.integrations.hooks.program_runner import ProgramRunner
runner = ProgramRunner(Path("failures"), print)
for event in ("finished", "left"):
    runner.run(event, [{program!r}], "", {{"EARMARK_EVENT": event}}, {str(tmp_path)!r}, 20)
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    (tmp_path / "gone").touch()
    told = tmp_path / "told"
    wait_until(lambda: told.exists() and told.read_text().split() == ["finished", "left"], "what is told at the end")


def test_a_process_that_died_is_replaced_and_one_that_has_nothing_to_do_ends(tmp_path: Path) -> None:
    running = Running(tmp_path, idle_s=0.05)
    tells = script(tmp_path / "tells", "echo $PPID")
    running.run(tells)
    running.all_over()
    first = running.runner._current
    assert first is None or not first.process.wait(20), "it ended by itself"
    running.run(script(tmp_path / "waits", "echo $PPID $$ > both; exec sleep 60"))
    wait_until(lambda: (tmp_path / "both").exists() and (tmp_path / "both").read_text(), "the second")
    second = running.runner._current
    for process in (tmp_path / "both").read_text().split():
        os.kill(int(process), signal.SIGKILL)
    wait_until(lambda: running.runner._current is not second, "its end to be noticed")
    running.ran -= 1
    running.run(tells)
    assert names_of(running.all_over()) == ["ended", "ended"]


def test_the_file_of_failures_stays_small_and_keeps_the_newer_ones(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    now = datetime.now(UTC)
    for number in range(1500):
        failure = {"moment": now.isoformat(), "setting": "left", "words": ["x"], "outcome": "failed", "code": number}
        note(str(path), failure)
    assert path.stat().st_size < MOST_NOTED + 1000
    codes = [one.code for one in recent_failures(path, now)]
    assert codes == list(range(1500 - len(codes), 1500))
    assert recent_failures(path, now + timedelta(days=8)) == []
    path.write_bytes(b"\xff{}\nno json\n{}\n")
    assert recent_failures(path, now) == []


@pytest.mark.long
@pytest.mark.parametrize("where", ["", ">&2"])
def test_a_gigabyte_that_is_printed_costs_no_memory(running: Running, tmp_path: Path, where: str) -> None:
    running.run(script(tmp_path / "tells", "echo $PPID > parent"))
    running.all_over()
    running.run(script(tmp_path / "prints", f"head -c 1000000000 /dev/zero {where}; exit 1"), seconds=60)
    assert running.all_over()[-1].code == 1
    peak = Path(f"/proc/{(tmp_path / 'parent').read_text().strip()}/status").read_text().partition("VmHWM:")[2]
    assert int(peak.split()[0]) < 30_000, "kB"
