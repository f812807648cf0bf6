"""Files that name other files: what a hostile feed may hand out for an episode, and what libvlc would follow.

Each names a canary, as a file and as an address. What holds real audio as well should sound, and follow nothing.
"""

import base64
import gzip
import io
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import av

from tests.player.media.sounds import mp3
from tests.sound.pitch import pitch_coded


@dataclass(frozen=True)
class Hostile:
    """`kind` is the type that an honest server gives it; `sounds`: there is audio in it that can be played."""

    name: str
    build: Callable[[], bytes]
    kind: str = "audio/mpeg"
    sounds: bool = False


def collection(path: str, address: str) -> Iterator[Hostile]:
    """`path` is that of the canary's file, `address` begins its http address and ends with a slash."""
    for what, target in (("file", f"file://{path}"), ("address", f"{address}canary.mp3")):
        texts = _texts(target)
        for name, (kind, text) in texts.items():
            yield Hostile(f"{name}: {what}", text.encode, kind)
            yield Hostile(f"{name} behind a tag: {what}", partial(_joined, tag(), text.encode()), kind)
        for name, (build, sounds) in _mixtures(texts["hls"][1].encode(), _manifest(target).encode()).items():
            yield Hostile(f"{name}: {what}", build, sounds=sounds)
        for name, (kind, file, sounds) in _LINKING.items():
            yield Hostile(f"{name}: {what}", partial(file, target), kind, sounds)
    for name, (kind, data) in _OTHERS.items():
        yield Hostile(name, partial(bytes, data), kind)


def _mixtures(hls: bytes, manifest: bytes) -> dict[str, tuple[Callable[[], bytes], bool]]:
    """By name: how to build what looks like two kinds of file at once, and whether it sounds."""
    return {
        "hls behind a tag, padded": (lambda: tag() + hls + b"\n" * 5000, False),
        "hls before frames": (lambda: hls + b"\n" * 200 + real("mp3"), True),
        "hls between tags and frames": (lambda: tag() + hls + tag() + real("mp3"), True),
        "frames and then hls": (lambda: real("mp3") + b"\n" + hls, True),
        "a frame and then hls": (lambda: mp3(1) + hls * 40, False),
        "frames that hold a manifest": (lambda: _frames_of(manifest), False),
        "a packed manifest that looks like MP4": (lambda: _packed_mp4(manifest), False),
        "a wave that holds a manifest": (lambda: _wave_of(manifest), False),
        "a zip of hls": (lambda: _zip(hls), False),
        "a zip of hls behind frames": (lambda: real("mp3") + _zip(hls), True),
        "hls, packed": (lambda: gzip.compress(hls), False),
    }


def _joined(*parts: bytes) -> bytes:
    return b"".join(parts)


def _zip(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("list.m3u8", data)
    return packed.getvalue()


def real(kind: str) -> bytes:
    return pitch_coded(kind, 30)


def tag(*frames: bytes) -> bytes:
    """An ID3v2.4 tag."""
    body = b"".join(frames)
    return b"ID3\x04\0\0" + _synchsafe(len(body)) + body


def _id3(name: bytes, body: bytes) -> bytes:
    return name + _synchsafe(len(body)) + b"\0\0" + body


def _synchsafe(count: int) -> bytes:
    return bytes(count >> shift & 0x7F for shift in (21, 14, 7, 0))


def _manifest(target: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><manifest xmlns="http://ns.adobe.com/f4m/1.0"><id>1</id>'
        f"<streamType>live</streamType><baseURL>{target}</baseURL>"
        f'<bootstrapInfo profile="named" id="b" url="{target}"> </bootstrapInfo>'
        f'<media url="{target}" bitrate="64" bootstrapInfoId="b"/></manifest>' + " " * 300
    )


def _texts(target: str) -> dict[str, tuple[str, str]]:
    """By name: the honest type, and the text."""
    return {
        "m3u": ("audio/x-mpegurl", f"#EXTM3U\n#EXTINF:600,One\n{target}\n"),
        "bare m3u": ("audio/x-mpegurl", f"{target}\n"),
        "hls": (
            "application/vnd.apple.mpegurl",
            (
                "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:600\n#EXT-X-MEDIA-SEQUENCE:0\n"
                f"#EXTINF:600,\n{target}\n#EXT-X-ENDLIST\n"
            ),
        ),
        "hls of streams": (
            "application/x-mpegurl",
            (
                f'#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,URI="{target}"\n'
                f'#EXT-X-STREAM-INF:BANDWIDTH=64000,AUDIO="a"\n{target}\n'
            ),
        ),
        "hls with a key": (
            "application/x-mpegurl",
            (
                f'#EXTM3U\n#EXT-X-TARGETDURATION:600\n#EXT-X-KEY:METHOD=AES-128,URI="{target}"\n'
                f'#EXT-X-MAP:URI="{target}"\n#EXTINF:600,\n{target}\n#EXT-X-ENDLIST\n'
            ),
        ),
        "pls": ("audio/x-scpls", f"[playlist]\nFile1={target}\nTitle1=One\nLength1=-1\nNumberOfEntries=1\n"),
        "xspf": (
            "application/xspf+xml",
            (
                '<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>'
                f"<track><location>{target}</location></track></trackList></playlist>"
            ),
        ),
        "asx": ("video/x-ms-asf", f'<asx version="3.0"><entry><ref href="{target}"/></entry></asx>'),
        "asf references": ("video/x-ms-asf", f"[Reference]\r\nRef1={target}\r\nRef2={target}\r\n"),
        "cue": ("application/x-cue", f'FILE "{target}" MP3\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n'),
        "smil": ("application/smil", f'<smil><body><audio src="{target}"/></body></smil>'),
        "ram": ("audio/x-pn-realaudio", f"{target}\n--stop--\n"),
        "dash": (
            "application/dash+xml",
            (
                '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT600S" '
                'profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" type="static" minBufferTime="PT2S"><Period>'
                '<AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="64000"><BaseURL>'
                f"{target}</BaseURL></Representation></AdaptationSet></Period></MPD>"
            ),
        ),
        "smooth streaming": (
            "application/vnd.ms-sstr+xml",
            (
                f'<SmoothStreamingMedia MajorVersion="2" Duration="0"><StreamIndex Type="audio" Url="{target}">'
                '<QualityLevel Bitrate="64000"/><c d="20000000"/></StreamIndex></SmoothStreamingMedia>'
            ),
        ),
        "hds": ("application/f4m+xml", _manifest(target)),
        "wpl": (
            "application/vnd.ms-wpl",
            f'<?wpl version="1.0"?><smil><body><seq><media src="{target}"/></seq></body></smil>',
        ),
        "b4s": (
            "audio/mpeg",
            f'<?xml version="1.0"?><WinampXML><playlist><entry Playstring="{target}"/></playlist></WinampXML>',
        ),
        "qtl": (
            "application/x-quicktimeplayer",
            f'<?xml version="1.0"?><?quicktime type="application/x-quicktime-media-link"?><embed src="{target}"/>',
        ),
        "feed": (
            "application/rss+xml",
            (
                f'<?xml version="1.0"?><rss version="2.0"><channel><title>A</title><item><enclosure url="{target}" '
                'type="audio/mpeg"/></item></channel></rss>'
            ),
        ),
        "sdp": (
            "application/sdp",
            (
                "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=One\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
                f"a=control:{target}\r\nm=audio 5004 RTP/AVP 14\r\n"
            ),
        ),
        "strm": ("text/plain", target),
        "concat": ("text/plain", f"ffconcat version 1.0\nfile '{target}'\n"),
        "sgi": ("application/x-sgimb", f"sgiNameServerHost={target}\nStream={target}\n"),
        "itml": (
            "application/itml+xml",
            f'<?xml version="1.0"?><plist><dict><key>Location</key><string>{target}</string></dict></plist>',
        ),
    }


# -- audio with something in it ---------------------------------------------------------------------------------------


def _frames_of(text: bytes) -> bytes:
    """Frames of MP3 that hold the text from their fifth byte on, and nothing that ends a string in C."""
    text = text.replace(b"\0", b" ")
    pieces = [text[at : at + 413].ljust(413, b" ") for at in range(0, len(text), 413)]
    return b"".join(b"\xff\xfb\x90\x44" + piece for piece in pieces * 40)


def _packed_mp4(text: bytes) -> bytes:
    """A gzip whose time stamp spells the name of MP4's first box."""
    packed = bytearray(gzip.compress(text.ljust(4000)))
    packed[4:8] = b"ftyp"
    return bytes(packed) + bytes(2000)


def _wave_of(text: bytes) -> bytes:
    text = text + b" " * (len(text) % 2)
    # Lengths without a zero byte, so that the text is seen to its end.
    odd = b"junk" + struct.pack("<I", 0x01010101) + text
    return b"RIFF\x21\x21\x21\x01WAVE" + odd + bytes(4000)


def _box(name: bytes, *contents: bytes) -> bytes:
    body = b"".join(contents)
    return struct.pack(">I4s", 8 + len(body), name) + body


def _full(name: bytes, flags: int, *contents: bytes) -> bytes:
    return _box(name, struct.pack(">I", flags), *contents)


_QUICKTIME = _box(b"ftyp", b"qt  \0\0\0\0qt  ")


def mp4_elsewhere(target: str) -> bytes:
    """QuickTime (ISO/IEC 14496-12, dref) with one track of plain samples, all of them in another file."""
    samples, url = 48_000, target.encode() + b"\0"
    local = target.removeprefix("file://").encode()
    alias = (
        struct.pack(">4sHH", b"\0\0\0\0", 0, 2)
        + bytes(142)
        + struct.pack(">HH", 2, len(local))
        + local
        + b"\xff\xff\0\0"
    )
    references = _full(b"dref", 0, struct.pack(">I", 2), _full(b"url ", 0, url), _full(b"alis", 0, alias))
    sound = bytes(6) + struct.pack(">HHHIHHHHI", 1, 0, 0, 0, 1, 16, 0, 0, 48_000 << 16)
    table = _box(
        b"stbl",
        _full(b"stsd", 0, struct.pack(">I", 1), _box(b"sowt", sound)),
        _full(b"stts", 0, struct.pack(">III", 1, samples, 1)),
        _full(b"stsc", 0, struct.pack(">IIII", 1, 1, samples, 1)),
        _full(b"stsz", 0, struct.pack(">II", 2, samples)),
        _full(b"stco", 0, struct.pack(">II", 1, 0)),
    )
    media = _box(
        b"mdia",
        _full(b"mdhd", 0, struct.pack(">IIIII", 0, 0, 48_000, samples, 0)),
        _full(b"hdlr", 0, b"mhlrsoun", bytes(13)),
        _box(b"minf", _full(b"smhd", 0, bytes(4)), _box(b"dinf", references), table),
    )
    header = _full(b"mvhd", 0, struct.pack(">IIIIIH", 0, 0, 1000, 1000, 0x10000, 0x100), bytes(74))
    track = _full(b"tkhd", 7, struct.pack(">IIIII", 0, 0, 1, 0, 1000), bytes(60))
    return (
        _box(b"ftyp", b"qt  \0\0\0\0qt  ")
        + _box(b"moov", header, _box(b"trak", track, media))
        + _box(b"mdat", bytes(99))
    )


def reference_movie(target: str) -> bytes:
    """QuickTime's: nothing in it but where the movie is."""
    url = target.encode() + b"\0"
    there = _full(b"rdrf", 0, b"url ", struct.pack(">I", len(url)), url)
    return (
        _box(b"ftyp", b"qt  \0\0\0\0qt  ")
        + _box(b"moov", _box(b"rmra", _box(b"rmda", there)))
        + _box(b"free", bytes(2000))
    )


@cache
def _encoded(codec: str, container: str, seconds: int, **metadata: str) -> bytes:
    source = av.open(io.BytesIO(pitch_coded("wav", 30)), "r")
    buffer = io.BytesIO()
    output = av.open(buffer, "w", format=container)
    stream = output.add_stream(codec, rate=48_000)
    assert isinstance(stream, av.AudioStream)
    stream.metadata.update(metadata)
    for frame in source.decode(audio=0):
        if frame.time is not None and frame.time > seconds:
            break
        frame.pts = None
        output.mux(stream.encode(frame))
    output.mux(stream.encode(None))
    output.close()
    return buffer.getvalue()


def _picture(target: str) -> bytes:
    """A picture block of FLAC's (RFC 9639, 8.8) whose picture is elsewhere."""
    kind, url = b"-->", target.encode()
    return struct.pack(">II", 3, len(kind)) + kind + bytes(20) + struct.pack(">I", len(url)) + url


def linking_tags(target: str) -> bytes:
    links = tag(
        _id3(b"WXXX", b"\0\0" + target.encode()),
        _id3(b"WOAF", target.encode()),
        _id3(b"APIC", b"\0-->\0\x03\0" + target.encode()),
        _id3(b"LINK", b"APIC" + target.encode() + b"\0"),
        _id3(b"TPE1", b"\0Somebody"),
        _id3(b"TALB", b"\0Something"),
    )
    return links + real("mp3")


def flac_with_cover(target: str) -> bytes:
    data, picture = real("flac"), _picture(target)
    # Behind STREAMINFO; it is not the last block, whatever its own flag says.
    info = bytes([data[4] & 0x7F]) + data[5:42]
    last = data[4] & 0x80
    return b"fLaC" + info + bytes([6 | last]) + len(picture).to_bytes(3, "big") + picture + data[42:]


def ogg_with_cover(target: str) -> bytes:
    return _encoded("libopus", "ogg", 25, METADATA_BLOCK_PICTURE=base64.b64encode(_picture(target)).decode())


def matroska(target: str) -> bytes:
    """Linked to a segment before and one after it (RFC 9559, 17), in ordered chapters, with an attachment."""
    data = _encoded("libopus", "matroska", 25)
    elements = list(_elements(data, data.index(b"\x18\x53\x80\x67") + 12))
    kept = b"".join(raw for name, raw in elements if name in (b"\x16\x54\xae\x6b", b"\x1f\x43\xb6\x75"))
    name = target.encode()
    info = _ebml("1549A966", _ebml("2AD7B1", b"\x0f\x42\x40"), _ebml("73A4", b"a" * 16), _ebml("3CB923", b"b" * 16),
                 _ebml("3C83AB", name), _ebml("3EB923", b"c" * 16), _ebml("3E83BB", name), _ebml("7384", name),
                 _ebml("4D80", b"x"), _ebml("5741", b"x"))  # fmt: skip
    atom = _ebml(
        "B6", _ebml("73C4", b"\1"), _ebml("91", b"\0"), _ebml("92", b"\x3b\x9a\xca\0"), _ebml("6E67", b"c" * 16)
    )
    chapters = _ebml("1043A770", _ebml("45B9", _ebml("45DD", b"\1"), atom))
    attached = _ebml(
        "61A7", _ebml("466E", name), _ebml("4660", b"text/uri-list"), _ebml("465C", name), _ebml("46AE", b"\1")
    )
    head = data[: data.index(b"\x18\x53\x80\x67")]
    return head + bytes.fromhex("18538067 01FFFFFFFFFFFFFF") + info + chapters + _ebml("1941A469", attached) + kept


def _ebml(name: str, *contents: bytes) -> bytes:
    body = b"".join(contents)
    return bytes.fromhex(name) + (len(body) | 1 << 56).to_bytes(8, "big") + body


def _elements(data: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    """The elements of EBML (RFC 8794) from a byte on, with their names."""
    while at < len(data):
        width = 9 - data[at].bit_length()
        name, start = data[at : at + width], at + width
        length = 9 - data[start].bit_length()
        count = int.from_bytes(data[start : start + length], "big") & (1 << 7 * length) - 1
        end = start + length + count
        yield name, data[at:end]
        at = end


_LINKING: dict[str, tuple[str, Callable[[str], bytes], bool]] = {
    "MP4 with its sound elsewhere": ("audio/mp4", mp4_elsewhere, False),
    "MP4 of references": ("video/quicktime", reference_movie, False),
    "Matroska linked to others": ("audio/x-matroska", matroska, True),
    "tags that link": ("audio/mpeg", linking_tags, True),
    "FLAC with its cover elsewhere": ("audio/flac", flac_with_cover, True),
    "Ogg with its cover elsewhere": ("audio/ogg", ogg_with_cover, True),
}
"""By name: the honest type, how to build the file for a target, and whether it sounds."""

_OTHERS = {
    "avi": ("video/avi", b"RIFF" + struct.pack("<I", 4000) + b"AVI LIST" + bytes(4000)),
    "nsv": ("video/nsv", b"NSVf" + bytes(4000)),
    "a picture": ("image/png", b"\x89PNG\r\n\x1a\n" + bytes(4000)),
    "a page": ("audio/mpeg", b"<!DOCTYPE html><p>Please sign in"),
    "nothing": ("audio/mpeg", b""),
}
