"""Which of libvlc's demuxers may read a file: only the one for its format.

Left to itself libvlc asks all of them, and may take an enclosure for a playlist or for streaming (HLS, DASH): it then
opens whatever that names, including the listener's own files and addresses in their network. So Earmark names the
demuxer, from what it found in the bytes, and never one that opens other files. FFmpeg's (avformat) is exact, and is
told the format for the same reason; libvlc's own is used where FFmpeg's is missing.

libvlc's stream filters run before any demuxer and can't be switched off. One of them fetches what a manifest names, or
crashes over it, and another unpacks gzip for that one: bytes that begin like those must not reach libvlc (media.formats
sees to it).
"""

_BY_FORMAT = {
    "mp3": ("mp3", "mpga"),
    "aac": ("aac", "aac"),
    "mp4": ("mov", "mp4"),
    "ogg": ("ogg", "ogg"),
    "flac": ("flac", "flac"),
    "wav": ("wav", "wav"),
    "matroska": ("matroska", "mkv"),
    "aiff": ("aiff", "aiff"),
    "mpegts": ("mpegts", "ts"),
}
"""FFmpeg's name of a format, and libvlc's own demuxer for it."""

_NOTHING_ELSE = (
    ":no-sub-autodetect-file",
    ":no-mkv-preload-local-dir",
    ":no-metadata-network-access",
    ":input-slave=",
    ":sub-file=",
)


def demuxer_options(form: str, *, own_first: bool = False) -> tuple[str, ...]:
    """Options of a libvlc media, for one of formats.FORMATS or `mpegts`.

    `own_first`: prefer libvlc's demuxer to FFmpeg's.
    """
    format_of_ffmpeg, own = _BY_FORMAT[form]
    names = (own, "avformat") if own_first else ("avformat", own)
    return (f":demux={','.join(names)}", f":avformat-format={format_of_ffmpeg}", *_NOTHING_ELSE)
