"""Runs in a network namespace of its own: gmediarender, and an engine whose output it is. Prints what is heard at
gmediarender's sink beside the position that is shown, as lines of JSON."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from player.playback.casting import finding
from player.playback.casting.cast_engine import CastEngine
from player.playback.engine import EngineFailed, EngineReport, Playing
from player.playback.outputs import FoundOutput, OutputChoice
from tests.player.playback.support import HeldMedia, wait_until
from tests.sound.pitch import _position_s, pitch_coded
from tests.sound.sound_server import RATE

UUID = "33333333-4444-5555-6666-777777777777"
_PREPARE = (
    "ip link set lo up", "ip link add net0 type veth peer name net1", "ip addr add 10.77.0.1/24 dev net0",
    "ip link set net0 up multicast on", "ip link set net1 up", "ip route add 239.0.0.0/8 dev net0",
)  # fmt: skip
_SINK = (
    "audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate={rate},channels=1"
    " ! filesink location={file} sync=true buffer-mode=unbuffered"
)
_WINDOW = int(0.1 * RATE)


def say(what: str, **values: object) -> None:
    print(json.dumps({"what": what, **values}), flush=True)


def main(folder: Path) -> None:
    for preparing in _PREPARE:
        subprocess.run(preparing.split(), check=True)
    file = folder / "heard.raw"
    sink = _SINK.format(rate=RATE, file=file)
    command = ["gmediarender", "-I", "net0", "-f", "Living room", "-u", UUID, f"--gstout-audiopipe={sink}"]
    environment = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    renderer = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment
    )
    try:
        measure(file)
    finally:
        renderer.terminate()
        renderer.wait(10)


def measure(file: Path) -> None:
    found: list[FoundOutput] = []

    def find() -> bool:
        found.extend(finding.find_devices())
        return bool(found)

    wait_until(find, "the renderer")
    device = found[0]
    say("found", title=device.title, id=device.output.device)
    reports: list[EngineReport] = []
    engine = CastEngine(reports.append, OutputChoice(device.output))

    def both() -> tuple[float | None, float]:
        """What is heard, and the position shown, in seconds."""
        shown = (engine.position() or 0) / 1000
        data = np.fromfile(file, dtype="<i2")[-_WINDOW:] / 32768.0
        loud = len(data) == _WINDOW and float(np.sqrt(np.mean(data**2))) > 0.05
        return (_position_s(data * np.hanning(_WINDOW)) if loud else None), shown

    def until(true: Callable[[float], bool], what: str) -> None:
        wait_until(lambda: true((engine.position() or 0) / 1000), f"{what} of {reports}")

    def compare(what: str) -> None:
        pairs = []
        for _number in range(20):
            pairs.append(both())
            time.sleep(0.05)
        say(what, pairs=[(heard, shown) for heard, shown in pairs if heard is not None])

    data = pitch_coded("mp3")
    engine.load(1, HeldMedia(data, duration_ms=60_000), 20_000, speed=1.0, volume=100, title="Pitch")
    wait_until(lambda: any(isinstance(one, Playing | EngineFailed) for one in reports), "sound")
    say("begun", reports=[repr(one) for one in reports])
    until(lambda shown: shown > 24, "24 s")
    compare("played from 20 s")
    engine.seek(40_000)
    until(lambda shown: shown > 44, "44 s")
    compare("after a jump to 40 s")
    engine.pause()
    written = -1
    while written != (written := file.stat().st_size):
        time.sleep(0.5)
    say("paused", pairs=[both()])
    engine.resume()
    until(lambda shown: shown > 48, "48 s")
    compare("after a pause")
    engine.stop()
    say("stopped", failed=[repr(one) for one in reports if isinstance(one, EngineFailed)])
    engine.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
