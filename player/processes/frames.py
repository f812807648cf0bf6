"""Length-prefixed byte strings, sent through the pipes between processes."""

import struct
from typing import BinaryIO

_LENGTH = struct.Struct("<Q")


def send(stream: BinaryIO, value: bytes) -> None:
    stream.write(_LENGTH.pack(len(value)))
    stream.write(value)
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    """Raises EOFError when the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return body
