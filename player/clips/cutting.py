"""Cuts a part out of an episode's audio, in a process that is made for it: packets are copied as they are, or the sound
is decoded and encoded anew, exact to the sample.

A copy begins and ends between two packets, so that it is exact to half of one: 12 ms of MP3, 23 ms of AAC, 10 ms of
Opus. What a decoder needs of the packets before is put in front where the format can say that it isn't to be heard.
"""

import contextlib
import errno
import io
import logging
import os
from collections import deque
from collections.abc import Iterator, Mapping
from enum import StrEnum
from fractions import Fraction
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from player.downloads.tags import Tags, picture_of, write_tags
from player.measuring.decoding import AvailableFile, form_of, opened
from player.measuring.measurement import Audio
from player.media.formats.mpeg import mp3_frame, reservoir
from player.media.formats.ogg import Chain

if TYPE_CHECKING:
    from av import AudioFrame
    from av.container import InputContainer, OutputContainer
    from av.packet import Packet as AnyPacket

    Packet = AnyPacket[Any]


log = logging.getLogger(__name__)

ENDINGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    ".mp3": ("mp3", ("mp3",)),
    ".m4a": ("ipod", ("aac", "alac")),
    ".aac": ("adts", ("aac",)),
    ".opus": ("ogg", ("opus",)),
    ".ogg": ("ogg", ("opus", "vorbis")),
    ".flac": ("flac", ("flac",)),
    ".wav": ("wav", ("pcm",)),
}
"""What a clip can end in: FFmpeg's name of the format, and the codecs that are in it as they are."""
ENCODED = {".opus": "libopus", ".mp3": "libmp3lame"}
"""What sound is encoded in anew, and by what."""
_LOSSLESS = (".flac", ".wav")
"""These are encoded anew, too, since their packets say where in the whole they belong; the sound stays as it is."""
_BITS_PER_CHANNEL = {"libopus": 48_000, "libmp3lame": 64_000}
_RATES = {"libopus": (48_000,), "libmp3lame": (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)}

SHORTEST_MS = 100
_EARLY_S = 1.0
"""A demuxer is sent this much ahead of the first packet, whose decoder needs those before it."""
_LEAD = {"aac": 2, "alac": 0, "opus": 1, "vorbis": 1}
"""The packets in front that aren't heard. RFC 7845, 4.6 wants 80 ms of Opus, but players count them as length."""
_OPUS_RATE = 48_000
_GAP_S = 0.05
"""Times in a file differ by less than this from the count of its samples, unless some are missing."""
_LONGEST_GAP_S = 600
_MOST_RESERVOIR, _MOST_LEAD = 511, 64
_MOST_PICTURE = 16 << 20
_NOT_KEPT = ("chapter", "tlen", "encoder", "duration", "itunsmpb", "major_brand", "minor_version", "compatible_brands")
"""How the names of tags begin that are about the whole file and not about a part of it."""


class Problem(StrEnum):
    """Why there is no clip."""

    NONE = ""
    UNREADABLE = "unreadable"
    BEYOND = "beyond"
    """It begins behind the end of the audio, or of what is available."""
    OTHER_CODEC = "other_codec"
    """The audio can't be kept as it is in a file with that ending."""
    NO_ENCODER = "no_encoder"
    DISK = "disk"


class Wanted(Struct, frozen=True):
    """The part of an episode, in ms. `ending` is one of ENDINGS; "" is the one of the audio as it is. `exact`: to the
    sample, encoded anew unless nothing is lost by that. The clip gets the `tags` that the episode's file lacks."""

    start_ms: int
    end_ms: int
    ending: str = ""
    exact: bool = False
    tags: Tags = Tags()


class Cut(Struct, frozen=True):
    """What was written: from where to where, in ms of the episode, and how its name has to end. `encoded`: anew, with
    a loss.

    With a problem, nothing was: `ending` is the one that would do, and `code` the number of the disk's error.
    """

    start_ms: float = 0.0
    end_ms: float = 0.0
    ending: str = ""
    encoded: bool = False
    problem: Problem = Problem.NONE
    code: int = 0


def prepare() -> None:
    import av  # noqa: F401


def cut(audio: Audio, wanted: Wanted, path: bytes) -> Cut:
    """Writes the part to `path`. It ends early where the audio does, or where bytes are missing."""
    import av

    try:
        with AvailableFile(audio) as whole:
            parts = list(_links(whole, wanted))
            with parts[0].opened() as container:
                if not container.streams.audio:
                    return Cut(problem=Problem.UNREADABLE)
                form = _form_of(container, wanted, len(parts))
                if form.problem:
                    return form
            written = (_encode if form.encoded else _copy)(parts, wanted, form, os.fsdecode(path))
            if not written.problem:
                _add_tags(parts[0], wanted, form, Path(os.fsdecode(path)))
            return replace(written, encoded=form.encoded and form.ending not in _LOSSLESS)
    except av.FFmpegError as error:
        code = error.errno or 0
        return Cut(problem=Problem.DISK if code in _OF_DISKS else Problem.UNREADABLE, code=code)
    except OSError as error:
        return Cut(problem=Problem.DISK if error.errno in _OF_DISKS else Problem.UNREADABLE, code=error.errno or 0)
    except (ValueError, EOFError):
        return Cut(problem=Problem.UNREADABLE)


_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class _Link(Struct, frozen=True):
    """A file, or a link of a chained one (`player.media.formats.ogg`), and where in the episode it begins, in ms."""

    file: Any
    start_ms: float = 0.0

    def opened(self) -> "InputContainer":
        self.file.seek(0)
        return opened(self.file)


class _Window(io.RawIOBase):
    """A part of a file as a file."""

    def __init__(self, file: AvailableFile, start: int, end: int) -> None:
        self._file, self._start, self._end, self._at = file, start, end, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end - self._start}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, count: int = -1) -> bytes:
        left = max(0, self._end - self._start - self._at)
        data = _read(self._file, self._start + self._at, left if count < 0 else min(count, left))
        self._at += len(data)
        return data


def _read(file: AvailableFile, offset: int, count: int) -> bytes:
    file.seek(offset)
    return file.read(count)


def _links(file: AvailableFile, wanted: Wanted) -> Iterator[_Link]:
    """The files that the part is in: one, unless the file is a chain of Ogg streams."""
    size = file.seek(0, os.SEEK_END)
    if _read(file, 0, 4) == b"OggS":
        chain = Chain(size)

        def read(offset: int, count: int) -> bytes:
            return _read(file, offset, count)

        at_ms, found = wanted.start_ms, False
        while (link := chain.link_at(at_ms, None, read)) is not None:
            if link.start or link.end not in (None, size):
                found = True
                yield _Link(_Window(file, link.start, link.end or size), link.start_ms)
            if chain.is_last(link) or link.end_ms >= wanted.end_ms - 1:
                break
            at_ms = max(at_ms + 1, ceil(link.end_ms))
        if found:
            return
    yield _Link(file)


def _codec_of(container: "InputContainer") -> str:
    name = container.streams.audio[0].codec_context.codec.canonical_name
    return "pcm" if name.startswith("pcm_") else name


def _form_of(container: "InputContainer", wanted: Wanted, links: int) -> Cut:
    """How the clip is written, as a Cut of nothing; with a problem, if it can't be."""
    codec = _codec_of(container)
    natural = next((ending for ending, (_form, codecs) in ENDINGS.items() if codec in codecs), "")
    if natural == ".m4a" and container.format.name == "aac":
        natural = ".aac"
    lossless = codec in ("flac", "pcm")
    ending = wanted.ending or (natural if not wanted.exact or lossless else ".opus")
    fits = ending in ENDINGS and codec in ENDINGS[ending][1]
    if fits and lossless:
        return Cut(ending=ending, encoded=True)
    if fits and not wanted.exact and links == 1:
        return Cut(ending=ending)
    if ending == ".ogg" and codec != "vorbis":
        ending = ".opus"
    if ending not in ENCODED:
        return Cut(ending=natural if links == 1 else "", problem=Problem.OTHER_CODEC)
    return Cut(ending=wanted.ending or ending, encoded=True)


def _output(path: str, form: Cut, source: "InputContainer") -> "OutputContainer":
    import av

    out = av.open(path, "w", format=ENDINGS[form.ending][0])
    out.metadata.update(tags_of(source))
    return out


def _add_tags(link: _Link, wanted: Wanted, form: Cut, path: Path) -> None:
    """Gives the clip the cover of the episode's file, and the tags that are wanted and that it lacks."""
    part = tagged_copy(path)
    try:
        with link.opened() as source:
            tags = replace(wanted.tags, picture=picture_of(_cover_of(source)))
        kind = {"ipod": "mp4"}.get(ENDINGS[form.ending][0], ENDINGS[form.ending][0])
        if write_tags(path, part, kind, tags):
            part.replace(path)
    except Exception:  # whatever mutagen raises: a clip without a cover is better than none
        log.info("no tags for a clip", exc_info=True)
    finally:
        part.unlink(missing_ok=True)


def tagged_copy(path: Path) -> Path:
    """Where a clip is copied to with its tags; nothing is left there unless the process is killed."""
    return path.with_name(f"{path.name}.tagged")


def tags_of(container: "InputContainer") -> dict[str, str]:
    """The tags of a file that are true of its parts, too."""
    found = {**container.streams.audio[0].metadata, **container.metadata}
    return {name: text for name, text in found.items() if not name.lower().startswith(_NOT_KEPT)}


def _cover_of(container: "InputContainer") -> bytes:
    """The file's cover; b"" without one."""
    from av.stream import Disposition

    for stream in container.streams.video:
        if stream.disposition & Disposition.attached_pic:
            packet = next(container.demux(stream), None)
            data = bytes(packet) if packet is not None else b""
            return data if len(data) <= _MOST_PICTURE else b""
    return b""


def _begin_s(container: "InputContainer") -> float:
    """The time in the file at which the episode begins."""
    return max(0, container.start_time or 0) / 1_000_000


def _go_to(container: "InputContainer", at_s: float) -> None:
    if at_s > _EARLY_S:
        container.seek(int((at_s - _EARLY_S) * 1_000_000) + (container.start_time or 0))


# -- copied as it is ------------------------------------------------------------------------------------------


def _copy(links: list[_Link], wanted: Wanted, form: Cut, path: str) -> Cut:
    link = links[0]
    with link.opened() as source:
        codec = _codec_of(source)
        packets = _packets(source, link, wanted, codec)
        try:
            lead, first = next(packets)
        except StopIteration:
            return Cut(problem=Problem.BEYOND)
        with _output(path, form, source) as out:
            target: Any = out.add_stream_from_template(source.streams.audio[0], opaque=True)
            shift = first.pts or 0
            start_s = end_s = max(0.0, _time_s(first, source, link))
            if codec == "opus":
                shift += _skip(target, first, start_s - _time_s([*lead, first][0], source, link))
            if codec == "mp3":
                shift -= _put_reservoir(out, target, lead, first)
            elif form.ending != ".aac":
                for packet in lead:
                    _mux(out, target, packet, shift)
            for packet in chain([first], (one for _lead, one in packets)):
                end_s = _time_s(packet, source, link) + _length_s(packet)
                _mux(out, target, packet, shift)
    return replace(form, start_ms=start_s * 1000, end_ms=end_s * 1000)


def _packets(
    source: "InputContainer", link: _Link, wanted: Wanted, codec: str
) -> "Iterator[tuple[list[Packet], Packet]]":
    """The packets of the part, the first one with those that come before it."""
    start_s, end_s = wanted.start_ms / 1000, wanted.end_ms / 1000
    _go_to(source, start_s - link.start_ms / 1000)
    before: deque[Packet] = deque(maxlen=_LEAD.get(codec, _MOST_LEAD))
    begun = False
    for packet in source.demux(source.streams.audio[0]):
        one = packet if packet.pts is not None and packet.size else None
        one = _mp3_packet(one) if one is not None and codec == "mp3" else one
        if one is None:
            continue
        middle_s = _time_s(one, source, link) + _length_s(one) / 2
        if middle_s >= end_s:
            return
        if begun or middle_s > start_s:
            begun = True
            yield list(before), one
        else:
            before.append(one)


def _time_s(packet: "Packet", source: "InputContainer", link: _Link) -> float:
    """When it is heard, in seconds of the episode."""
    return float((packet.pts or 0) * packet.time_base) - _begin_s(source) + link.start_ms / 1000


def _put_reservoir(out: "OutputContainer", target: Any, lead: "list[Packet]", first: "Packet") -> int:
    """Layer III frames take bytes from those before: puts them into a frame of their own, which is silent. Returns
    how long it is, in units of the packets' time."""
    import av

    data = filler(b"".join(_main_data(bytes(one)) for one in lead)[-_MOST_RESERVOIR:], bytes(first))
    if not data:
        return 0
    packet = av.Packet(data)
    packet.time_base, packet.duration, packet.pts = first.time_base, first.duration, 0
    _mux(out, target, packet, 0)
    return first.duration or 0


def _mp3_packet(packet: "Packet") -> "Packet | None":
    """The frame in a packet, without the tag or the garbage that a demuxer leaves before it, and without what the file
    says of it; None if there is none."""
    import av

    data = bytes(packet)
    at = 0
    while (at := data.find(b"\xff", at)) >= 0:
        frame = mp3_frame(data[at : at + 4])
        if frame is not None and at + frame.size == len(data):
            break
        at += 1
    if at < 0:
        return None
    made = av.Packet(data[at:])
    made.time_base, made.pts, made.dts, made.duration = packet.time_base, packet.pts, packet.dts, packet.duration
    return made


def _length_s(packet: "Packet") -> float:
    return float((packet.duration or 0) * packet.time_base)


def _mux(out: "OutputContainer", target: Any, packet: "Packet", shift: int) -> None:
    packet.pts = (packet.pts or 0) - shift
    packet.dts = packet.pts
    packet.stream = target
    out.mux(packet)


def _skip(target: Any, first: "Packet", skipped_s: float) -> int:
    """Has players of Opus skip so much at the beginning. Returns by how much the times, to which the muxer adds what
    was skipped in the source, have to be shifted for that."""
    head = bytearray(target.codec_context.extradata or b"")
    skipped = round(max(0.0, skipped_s) * _OPUS_RATE)
    before = int.from_bytes(head[10:12], "little")
    head[10:12] = min(skipped, 0xFFFF).to_bytes(2, "little")
    target.codec_context.extradata = bytes(head)
    return round((before - skipped) / (_OPUS_RATE * first.time_base))


def _main_data(frame: bytes) -> bytes:
    """The bytes of a layer III frame behind its header and side information."""
    _taken, own = reservoir(frame)
    return frame[len(frame) - own :] if own else b""


def filler(before: bytes, frame: bytes) -> bytes:
    """A silent layer III frame of the kind of `frame` that ends in the main data `before` it that it needs; b"" if it
    isn't such a frame (ISO/IEC 11172-3, 2.4.1)."""
    needed, own = reservoir(frame)
    if not own:
        return b""
    before = before.rjust(needed, b"\0")[len(before) - needed :] if needed else b""
    mono = frame[3] >> 6 == 3
    mpeg1 = frame[1] >> 3 & 3 == 3
    side = (17 if mono else 32) if mpeg1 else (9 if mono else 17)
    for bitrate in range(1, 15):
        header = bytes([0xFF, frame[1] | 1, bitrate << 4 | frame[2] & 0x0C, frame[3] & 0xCF])
        found = mp3_frame(header)
        if found and found.size >= 4 + side + needed:
            return header + bytes(found.size - 4 - needed) + before
    return b""


# -- encoded anew ---------------------------------------------------------------------------------------------


def _encode(links: list[_Link], wanted: Wanted, form: Cut, path: str) -> Cut:
    start_s, end_s = wanted.start_ms / 1000, wanted.end_ms / 1000
    track: _Track | None = None
    with contextlib.ExitStack() as closing:
        for link in links:
            with link.opened() as source:
                for frame, at_s in _heard(source, start_s, end_s, link.start_ms / 1000):
                    if track is None:
                        if (encoder := _encoder(source, form)) is None:
                            return Cut(problem=Problem.NO_ENCODER, ending=form.ending)
                        track = _Track(closing.enter_context(_output(path, form, source)), encoder, frame, at_s)
                    track.take(frame)
        if track is None:
            return Cut(problem=Problem.BEYOND)
        track.finish()
    return replace(form, start_ms=track.start_s * 1000, end_ms=track.end_s * 1000)


def _encoder(source: "InputContainer", form: Cut) -> str | None:
    """None if this FFmpeg has none."""
    import av

    codec = source.streams.audio[0].codec_context.codec.canonical_name
    name = codec if form.ending in _LOSSLESS else ENCODED.get(form.ending, ENCODED[".opus"])
    try:
        return av.Codec(name, "w").name
    except ValueError:
        return None


class _Track:
    """The sound that is written, from `start_s` on."""

    def __init__(self, out: "OutputContainer", encoder: str, first: "AudioFrame", start_s: float) -> None:
        import av

        rate, layout = first.sample_rate, first.layout
        if encoder in _RATES:
            rate = next((one for one in _RATES[encoder] if one >= rate), _RATES[encoder][-1])
            layout = av.AudioLayout("mono" if layout.nb_channels == 1 else "stereo")
        self._out = out
        target: Any = out.add_stream(encoder, rate=rate, layout=layout)
        if encoder in _BITS_PER_CHANNEL:
            target.bit_rate = layout.nb_channels * _BITS_PER_CHANNEL[encoder]
        else:
            target.format = first.format
        self._target = target
        self._resampler = av.AudioResampler(target.format, layout, rate)
        self._rate, self._written, self._form = rate, 0, form_of(first)
        self.start_s = start_s

    @property
    def end_s(self) -> float:
        return self.start_s + self._written / self._rate

    def take(self, frame: "AudioFrame") -> None:
        import av

        if form_of(frame) != self._form:  # of another link
            self._encode(self._resampler.resample(None))
            self._resampler = av.AudioResampler(self._target.format, self._target.layout, self._rate)
            self._form = form_of(frame)
        frame.pts = None
        self._encode(self._resampler.resample(frame))

    def finish(self) -> None:
        self._encode(self._resampler.resample(None))
        self._out.mux(self._target.encode(None))

    def _encode(self, frames: "list[AudioFrame]") -> None:
        for frame in frames:
            frame.pts, frame.time_base = self._written, Fraction(1, self._rate)
            self._written += frame.samples
            self._out.mux(self._target.encode(frame))


def _heard(
    source: "InputContainer", start_s: float, end_s: float, offset_s: float
) -> "Iterator[tuple[AudioFrame, float]]":
    """The samples from `start_s` to `end_s` of an episode in which the file begins at `offset_s`, each frame with its
    time. Where some are missing, it is silent."""
    import av

    fifo = av.AudioFifo()
    stream = source.streams.audio[0]
    begin_s = _begin_s(source) - offset_s
    _go_to(source, start_s - offset_s)
    at: int | None = None
    for packet in source.demux(stream):
        try:
            frames = packet.decode()
        except av.FFmpegError:
            continue
        for frame in frames:
            rate = frame.sample_rate or 1
            first, last = round(start_s * rate), round(end_s * rate)
            said = None if frame.time is None else round((float(frame.time) - begin_s) * rate)
            if at is None or (said is not None and said > at + _GAP_S * rate):
                missing = 0 if at is None or said is None else min(said, last) - max(at, first)
                if 0 < missing <= _LONGEST_GAP_S * rate and at is not None:
                    yield _silence(frame, missing), max(at, first) / rate
                at = said if said is not None else 0
            if at >= last:
                return
            begins, ends = max(at, first), min(at + frame.samples, last)
            if begins < ends:
                frame.pts = None
                fifo.write(frame)
                if begins > at:
                    fifo.read(begins - at)
                if (part := fifo.read(ends - begins)) is not None:
                    part.sample_rate = rate
                    yield part, begins / rate
                if ends < at + frame.samples:
                    return
            at += frame.samples


def _silence(like: "AudioFrame", samples: int) -> "AudioFrame":
    from av import AudioFrame

    frame = AudioFrame(format=like.format.name, layout=like.layout.name, samples=samples)
    frame.sample_rate = like.sample_rate
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    return frame
