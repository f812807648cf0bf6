"""A device that pushes until it is killed; run in a process of its own."""

from multiprocessing.connection import Connection
from pathlib import Path

from tests.player.sync.folder.helpers import Device, action, fact


def push_until_killed(home: Path, folder: Path, begin: int, sender: Connection) -> None:
    """Sends the number of each action before it is pushed, and again when it is acknowledged."""
    device = Device(home, folder)
    n = begin
    while True:
        sender.send(("pushes", n))
        device.push(action(n), *([fact(n, f'"{"x" * 50_000}"')] if n % 5 == 0 else []))
        sender.send(("pushed", n))
        n += 1
