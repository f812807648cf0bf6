"""Pitch-coded recordings in HLS: segments as packagers write them, and their playlists."""

import io
from functools import cache
from typing import Any

import av
from msgspec import Struct

from tests.loopback import LoopbackServer
from tests.sound.pitch import pitch_coded

SEGMENT_S = 2
KINDS = ("aac in ts", "mp3 in ts", "aac in fragments", "aac")
_FRAGMENTS = {"movflags": "empty_moov+default_base_moof+frag_keyframe"}


class Packaged(Struct, frozen=True):
    """`head` precedes each segment (EXT-X-MAP); b"" where none does. `lengths` in seconds."""

    head: bytes
    segments: tuple[bytes, ...]
    lengths: tuple[float, ...]
    ending: str

    def playlist(self, *, over: bool = True, first: int = 0, count: int | None = None) -> bytes:
        lines = ["#EXTM3U", "#EXT-X-VERSION:7", f"#EXT-X-TARGETDURATION:{SEGMENT_S}", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        lines += ['#EXT-X-MAP:URI="head.mp4"'] if self.head else []
        last = len(self.segments) if count is None else first + count
        lines += [f"#EXTINF:{self.lengths[one]:.6f},\n{one}.{self.ending}" for one in range(first, last)]
        return "\n".join([*lines, "#EXT-X-ENDLIST"] if over else lines).encode()

    def serve(self, server: LoopbackServer, path: str = "/list.m3u8") -> str:
        """The address of the playlist."""
        for number, segment in enumerate(self.segments):
            server.page(f"/{number}.{self.ending}", segment, "application/octet-stream")
        server.page("/head.mp4", self.head, "video/mp4")
        return server.page(path, self.playlist(), "application/vnd.apple.mpegurl")


@cache
def packaged(kind: str) -> Packaged:
    """A minute in pieces of about two seconds, each cut where a frame begins."""
    source: Any = av.open(io.BytesIO(pitch_coded("mp3" if kind == "mp3 in ts" else "m4a")), "r")
    stream = source.streams.audio[0]
    groups: list[list[Any]] = [[]]
    lengths = [0.0]
    for packet in source.demux(stream):
        if packet.pts is None:
            continue
        if float(packet.pts * packet.time_base) >= len(groups) * SEGMENT_S:
            groups.append([])
            lengths.append(0.0)
        groups[-1].append(packet)
        lengths[-1] += float(packet.duration * packet.time_base)
    container = {"aac": "adts", "aac in fragments": "mp4"}.get(kind, "mpegts")
    options = _FRAGMENTS if container == "mp4" else {}
    pieces = [_muxed(container, options, stream, packets) for packets in groups]
    if container == "mp4":
        starts = [piece.index(b"moof") - 4 for piece in pieces]
        head = pieces[0][: starts[0]]
        pieces = [piece[start:] for piece, start in zip(pieces, starts, strict=True)]
        return Packaged(head, tuple(pieces), tuple(lengths), "m4s")
    return Packaged(b"", tuple(pieces), tuple(lengths), "aac" if container == "adts" else "ts")


def _muxed(container: str, options: dict[str, str], stream: Any, packets: list[Any]) -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container, options=options) as output:
        copy = output.add_stream_from_template(stream)
        for packet in packets:
            packet.stream = copy
            output.mux(packet)
    return buffer.getvalue()
