"""What is heard against what is shown, for every kind of file."""

import tempfile
from pathlib import Path

from player.paths import Paths
from tests.bench.table import print_table
from tests.loopback import LoopbackServer
from tests.sound.files import KINDS
from tests.sound.places import COLUMNS, row
from tests.sound.places import measure as measure_kind
from tests.sound.sound_server import running_sound_server


def measure() -> None:
    with tempfile.TemporaryDirectory(prefix="earmark-places-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "pulse").mkdir()
        with LoopbackServer() as server, running_sound_server(folder / "pulse") as sound:
            rows = []
            for number, kind in enumerate(KINDS):
                try:
                    paths = Paths.of({"EARMARK_HOME": str(folder / str(number))})
                    rows.append(row(kind, measure_kind(kind, sound, server, paths)))
                except AssertionError as error:
                    rows.append([kind, str(error).splitlines()[0], *[""] * (len(COLUMNS) - 1)])
    print_table("Heard less wanted, seconds, at the sink", ("", *COLUMNS), rows)
