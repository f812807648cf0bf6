"""A program that speaks mpv's JSON IPC: `fake_mpv.py WHAT RECORD [OPTIONS OF MPV]`. It writes into the file RECORD, a
line of JSON each, its arguments and the commands that it is sent."""

import json
import math
import os
import socket
import sys
import time
from typing import Any

LENGTH_S = 1200.0


def option(name: str) -> str:
    return next((one.partition("=")[2] for one in sys.argv if one.startswith(f"--{name}=")), "")


class Mpv:
    def __init__(self, record: str) -> None:
        self.record = record
        self.note({"arguments": sys.argv, "environment": sorted(os.environ)})
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(option("input-ipc-server"))
        listener.listen(1)
        self.connection, _address = listener.accept()
        self.unread = b""
        self.start_s = float(option("start") or 0)

    def note(self, what: Any) -> None:
        with open(self.record, "a") as file:  # noqa: PTH123
            file.write(json.dumps(what) + "\n")

    def until_told(self, name: str) -> None:
        """Reads commands until that one."""
        while True:
            while b"\n" not in self.unread:
                part = self.connection.recv(4096)
                if not part:
                    sys.exit(3)
                self.unread += part
            line, _newline, self.unread = self.unread.partition(b"\n")
            command = json.loads(line)["command"]
            self.note({"command": command})
            if command[0] == name:
                return

    def tell(self, **event: Any) -> None:
        self.connection.sendall(json.dumps(event).encode() + b"\n")

    def has(self, name: str, value: Any) -> None:
        self.tell(event="property-change", id=1, name=name, data=value)

    def begin(self, length_s: float = LENGTH_S, at_s: float | None = None) -> float:
        self.until_told("loadfile")
        self.tell(request_id=0, error="success", data={"playlist_entry_id": 1})
        self.tell(event="start-file", playlist_entry_id=1)
        self.has("duration", length_s)
        self.has("speed", 1.0)
        self.has("pause", False)
        at_s = self.start_s if at_s is None else at_s
        self.has("time-pos", at_s)
        return at_s

    def over(self, reason: str, **more: Any) -> None:
        self.tell(event="end-file", reason=reason, playlist_entry_id=1, **more)
        self.tell(event="shutdown")


def main(what: str, record: str) -> None:
    if what == "unstartable":
        sys.exit(7)
    mpv = Mpv(record)
    match what:
        case "left":  # 100 s further, paused, and closed
            at_s = mpv.begin() + 100
            mpv.has("time-pos", at_s)
            mpv.has("pause", True)
            mpv.over("quit")
        case "played":  # two seconds in real time
            begun, at_s = time.monotonic(), mpv.begin()
            while (gone := time.monotonic() - begun) < 2:
                mpv.has("time-pos", at_s + gone)
                time.sleep(0.05)
            mpv.over("quit")
        case "ended":
            mpv.begin()
            mpv.has("time-pos", LENGTH_S - 0.04)
            mpv.over("eof")
        case "nearly ended":
            mpv.begin()
            mpv.has("time-pos", LENGTH_S - 10)
            mpv.over("quit")
        case "searched":
            mpv.has("time-pos", mpv.begin() + 0.4)
            mpv.over("quit")
        case "other length":
            mpv.has("time-pos", mpv.begin(LENGTH_S + 500) + 100)
            mpv.over("quit")
        case "from the beginning":
            mpv.begin(at_s=0)
            mpv.has("time-pos", 60)
            mpv.over("quit")
        case "redirected":
            mpv.begin()
            mpv.tell(event="end-file", reason="redirect")
            mpv.has("time-pos", mpv.start_s)
            mpv.has("time-pos", mpv.start_s + 100)
            mpv.over("quit")
        case "failed":
            mpv.until_told("loadfile")
            mpv.over("error", file_error="loading failed")
        case "killed":
            mpv.has("time-pos", mpv.begin() + 100)
            os._exit(9)
        case "open":  # until it is told to quit
            at_s = mpv.begin() + 100
            try:
                while True:
                    mpv.has("time-pos", at_s)
                    time.sleep(0.05)
            except OSError:
                mpv.note({"left alone": True})
            time.sleep(60)
        case "nonsense":
            mpv.begin()
            odd: tuple[Any, ...] = (math.nan, math.inf, -5, "100", True, None, [], {}, 1e300, 10**400, LENGTH_S + 5000)
            for value in odd:
                mpv.has("time-pos", value)
            for line in (b"", b"{", b"[1]", b'"x"', b"\xff\xfe", b"[" * 20_000, b'{"event": 7, "name": []}'):
                mpv.connection.sendall(line + b"\n")
            mpv.has("speed", -3)
            mpv.has("speed", "fast")
            mpv.has("pause", 7)
            mpv.tell(event="property-change", name="time-pos")
            mpv.over("quit")
        case "endless line":
            mpv.has("time-pos", mpv.begin() + 100)
            for _part in range(200):
                mpv.connection.sendall(b"x" * 65_536)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
