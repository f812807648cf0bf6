"""A real DLNA renderer in a network namespace: what comes out of it is compared with the position that is shown."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.player.playback.casting.in_namespace import UUID

_UNSHARE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]


def why_not() -> str:
    """Why this machine can't do it; "" if it can."""
    missing = [program for program in ("gmediarender", "unshare", "ip") if shutil.which(program) is None]
    if missing:
        return f"{missing[0]} isn't installed"
    tried = subprocess.run(
        [*_UNSHARE, "ip", "link", "add", "net0", "type", "veth", "peer", "name", "net1"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"no network namespace here: {tried.stderr.strip()}" if tried.returncode else ""


@pytest.mark.sound
@pytest.mark.timeout(180)
def test_what_comes_out_of_a_renderer_is_within_a_second_of_the_position(tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    ran = subprocess.run(
        [*_UNSHARE, sys.executable, "-m", "tests.player.playback.casting.in_namespace", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    said: dict[str, dict[str, Any]] = {
        line["what"]: line for line in map(json.loads, ran.stdout.splitlines())
    }  # fmt: skip
    assert ran.returncode == 0, (ran.stderr[-3000:], said)
    assert (said["found"]["title"], said["found"]["id"]) == ("Living room (DLNA)", f"uuid:{UUID}")
    for moment in ("played from 20 s", "after a jump to 40 s", "paused", "after a pause"):
        pairs = said[moment]["pairs"]
        assert pairs, (moment, said)
        for heard, shown in pairs:
            assert heard == pytest.approx(shown, abs=1.0), (moment, pairs)
    assert said["stopped"]["failed"] == []
