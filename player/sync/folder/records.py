"""A line of a journal: a record with its number and a checksum. docs/sync-folder.md has the format for other programs.

    {"sum":"0123456789abcdef","n":3,"action":{...}}

`sum` is the beginning of the SHA-256 of the line's bytes after `"sum":"...",`, without the newline.
"""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from player.errors import EarmarkError
from player.links.urls import LIMIT, web_address
from player.model.syncing import Action, ActionKind, EpisodeName, Fact, FactKind, SubscriptionChange
from player.text.cleaning import clean_block, clean_line
from player.text.sentences import _

VERSION = 1
LONGEST_LINE = 1 << 20
"""The most bytes of a line, without the newline."""

_FORMAT = "earmark-journal"
_START = b'{"sum":"'
_SUM = slice(8, 24)
_AFTER_SUM = slice(24, 26)
_REST = 26
_GUID_LIMIT = 2_000
_KEY_LIMIT = 20_000
_DEVICE = re.compile(r"[\w.-]{1,64}")
_SOUND = re.compile(r"[\w=-]{0,2000}", re.ASCII)

Record = Action | SubscriptionChange | Fact

_Moment = Annotated[int, Meta(ge=0, le=1 << 53)]
_Milliseconds = Annotated[int, Meta(ge=0, le=1 << 53)]


class Refused(EarmarkError):
    """A record that no journal can hold."""


class Header(Struct, frozen=True, omit_defaults=True):
    """The first line of a file: its type, and its owner. `writer` is random and identifies the journal; the files of a
    journal are its parts, counted from 1."""

    format: str
    version: int
    device: str = ""
    name: str = ""
    writer: str = ""
    part: int = 0


class _Action(Struct, frozen=True, omit_defaults=True):
    podcast: str
    url: str
    device: str
    at: _Moment
    kind: ActionKind
    guid: str = ""
    started_ms: _Milliseconds | None = None
    position_ms: _Milliseconds = 0
    total_ms: _Milliseconds | None = None
    seen_ms: _Milliseconds = 0
    sound: str = ""


class _Subscription(Struct, frozen=True, omit_defaults=True):
    podcast: str
    subscribed: bool
    at: _Moment = 0
    device: str = ""
    title: str = ""
    guid: str = ""


class _Fact(Struct, frozen=True, omit_defaults=True):
    kind: FactKind
    key: str
    at: _Moment
    device: str
    value: str = ""


class _Line(Struct, frozen=True, omit_defaults=True):
    n: Annotated[int, Meta(ge=0, le=1 << 53)] = 0
    journal: Header | None = None
    action: _Action | None = None
    subscription: _Subscription | None = None
    fact: _Fact | None = None


class Read(Struct, frozen=True):
    """An intact line. `record` is None for a header, and for a record that this version doesn't know or accept."""

    n: int
    record: Record | None
    header: Header | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Line)


def header_line(device: str, name: str, writer: str, part: int) -> bytes:
    """Without a newline, like all lines in this module."""
    header = Header(_FORMAT, VERSION, device, clean_line(name), writer, part)
    return numbered(b'"journal":' + _encoder.encode(header), 0)


def content(record: Record) -> bytes:
    """The record without number and checksum: the same for the same record. Raises Refused."""
    if isinstance(record, SubscriptionChange):
        record = replace(record, title=clean_line(record.title))
    member, fields = _wire(record)
    try:
        written = f'"{member}":'.encode() + _encoder.encode(fields)
    except UnicodeEncodeError as error:
        raise _refused(record) from error
    line = numbered(written, 1 << 53)
    if len(line) > LONGEST_LINE:
        raise _refused(record)
    read = parse(line)
    if read is None or read.record != record:
        raise _refused(record)
    return written


def numbered(written: bytes, n: int) -> bytes:
    rest = b'"n":%d,%b}' % (n, written)
    return _START + _sum(rest) + b'",' + rest


def parse(line: bytes) -> Read | None:
    """None for a damaged line. Never raises."""
    if not line.startswith(_START) or line[_AFTER_SUM] != b'",' or _sum(line[_REST:]) != line[_SUM]:
        return None
    try:
        found = _decoder.decode(b"{" + line[_REST:])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return Read(-1, None)
    if found.journal is not None:
        return Read(found.n, None, found.journal if found.journal.format == _FORMAT else None)
    return Read(found.n, _model(found))


def content_of(line: bytes) -> bytes:
    """The value that `content` gave for an intact line."""
    return line[_REST:-1].partition(b",")[2]


def _sum(rest: bytes) -> bytes:
    from hashlib import sha256  # loads OpenSSL, which a start of the app doesn't need

    return sha256(rest).hexdigest()[:16].encode()


def _wire(record: Record) -> tuple[str, _Action | _Subscription | _Fact]:
    match record:
        case Action(episode=name):
            action = _Action(
                name.podcast, name.url, record.device, record.at, record.kind, name.guid,
                record.started_ms, record.position_ms, record.total_ms, record.seen_ms, record.sound,
            )  # fmt: skip
            return "action", action
        case SubscriptionChange():
            change = _Subscription(
                record.podcast, record.subscribed, record.at, record.device, record.title, record.guid
            )
            return "subscription", change
        case Fact():
            return "fact", _Fact(record.kind, record.key, record.at, record.device, record.value)


def _model(line: _Line) -> Record | None:
    if (action := line.action) is not None:
        ok = is_device(action.device) and _is_web(action.podcast, action.url) and _is_clean(action.guid, _GUID_LIMIT)
        return _action(action) if ok else None
    if (change := line.subscription) is not None:
        ok = is_device(change.device or "-") and _is_web(change.podcast) and _is_clean(change.guid, _GUID_LIMIT)
        title = clean_line(change.title)
        return (
            SubscriptionChange(change.podcast, change.subscribed, change.at, change.device, title, change.guid)
            if ok
            else None
        )
    if (fact := line.fact) is not None:
        ok = is_device(fact.device) and clean_block(fact.key, _KEY_LIMIT) == fact.key and _is_json(fact.value)
        return Fact(fact.kind, fact.key, fact.value, fact.at, fact.device) if ok else None
    return None


def _action(line: _Action) -> Action:
    name = EpisodeName(line.podcast, line.url, line.guid)
    sound = line.sound if _SOUND.fullmatch(line.sound) else ""
    return Action(
        name, line.device, line.at, line.kind, line.started_ms, line.position_ms, line.total_ms, line.seen_ms, sound
    )


def is_device(text: str) -> bool:
    return _DEVICE.fullmatch(text) is not None


def _is_web(*addresses: str) -> bool:
    return all(len(one) <= LIMIT and web_address(one) == one != "" for one in addresses)


def _is_clean(text: str, limit: int) -> bool:
    return clean_line(text, limit) == text


def _is_json(text: str) -> bool:
    if not text:
        return True
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True


def _refused(record: Record) -> Refused:
    match record:
        case Action(episode=name):
            what = name.url
        case SubscriptionChange():
            what = record.title or record.podcast
        case Fact():
            what = record.kind.value
    shown = clean_line(what, 100) or "?"
    return Refused(_("{what} can't be synced: it is too long, or has no address on the web", what=shown))
