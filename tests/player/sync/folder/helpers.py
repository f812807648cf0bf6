"""Devices that meet in a real folder."""

from collections.abc import Sequence
from pathlib import Path

from player.model.syncing import Action, ActionKind, EpisodeName, Fact, FactKind, Outgoing, Pulled, SubscriptionChange
from player.sync.folder.folder_target import FolderTarget, join_folder
from player.sync.folder.records import Record, content, header_line, numbered, parse

FEED = "https://a.example/feed"


def action(number: int, device: str = "laptop", seen_ms: int = 0) -> Action:
    name = EpisodeName(FEED, f"https://a.example/{number}.mp3", f"guid-{number}")
    return Action(name, device, 1_700_000_000_000 + number, ActionKind.PLAY, 0, 1000 + number, 200_000, seen_ms)


def change(number: int, device: str = "laptop", at: int = 5) -> SubscriptionChange:
    return SubscriptionChange(f"https://b.example/{number}", True, at, device, f"Show {number}", f"feed-{number}")


def fact(number: int, value: str = '"x"', device: str = "laptop", at: int = 7) -> Fact:
    return Fact(FactKind.STAR, f"{FEED}\n{number}", value, at, device)


def heard(number: int, began_at: int, device: str = "laptop") -> Fact:
    key = f'["{FEED}","https://a.example/{number}.mp3","guid-{number}",{began_at}]'
    return Fact(FactKind.SPAN, key, '{"from_ms":0,"to_ms":9,"speed":1.0}', began_at + 9, device)


def forgotten(until: int, device: str = "laptop") -> Fact:
    return Fact(FactKind.FORGOTTEN, "history", str(until), until, device)


def outgoing(records: Sequence[Record], first: int = 0) -> Outgoing:
    numbered_ones = list(enumerate(records, first))
    return Outgoing(
        tuple((n, one) for n, one in numbered_ones if isinstance(one, Action)),
        tuple((n, one) for n, one in numbered_ones if isinstance(one, SubscriptionChange)),
        tuple((n, one) for n, one in numbered_ones if isinstance(one, Fact)),
    )


def all_of(pulled: Pulled) -> list[Record]:
    return [*pulled.actions, *pulled.subscriptions, *pulled.facts]


class Device:
    """One that remembers its cursor and all that it has pulled, as a library does."""

    def __init__(self, home: Path, folder: Path, name: str = "laptop") -> None:
        self.name = name
        self.folder = folder
        self.state = home / f"{name}.json"
        self.cursor = ""
        self.known: set[Record] = set()
        join_folder(folder, self.state)
        self.restart()

    def restart(self) -> None:
        self.target = FolderTarget(self.folder, self.name, self.name.title(), self.state)

    def push(self, *records: Record) -> None:
        pushed = self.target.push(outgoing(records))
        assert sorted(pushed.sent) == list(range(len(records)))
        self.known |= set(records)

    def pull(self, *, whole: bool = False) -> Pulled:
        pulled = self.target.pull(self.cursor, whole=whole)
        self.cursor = pulled.cursor
        self.known |= set(all_of(pulled))
        return pulled


def journals(folder: Path) -> list[Path]:
    return sorted((folder / "earmark-sync").glob("*.jsonl"))


def records_in(*files: Path) -> list[Record]:
    """Of all lines that are intact, as often as they are there."""
    lines = [line for file in files for line in file.read_bytes().split(b"\n")[:-1]]
    return [read.record for line in lines if (read := parse(line)) and read.record is not None]


def journal_of(records: Sequence[Record], device: str = "laptop", writer: str = "0123abcd") -> bytes:
    lines = [numbered(content(one), n) for n, one in enumerate(records, 1)]
    return b"".join(line + b"\n" for line in [header_line(device, device.title(), writer, 1), *lines])
