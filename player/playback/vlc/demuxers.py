"""Which of libvlc's demuxers may read a file: the one for what its bytes are, and no other.

Left to itself libvlc asks all of them, and takes an enclosure that says so for a playlist or for streaming (HLS, DASH):
then it opens what that names, files of the listener's and addresses in their network among it. So the demuxer is named
by what Earmark found in the bytes, and none that reads other files than its own is among them. FFmpeg's (avformat) is
the exact one, and is told the format for the same reason; libvlc's own stands in where it is missing.

libvlc's stream filters come before any demuxer and can't be switched off. One of them fetches what a manifest names, or
crashes over it, another unpacks gzip for that one: bytes that begin so must not get there (media.formats sees to it).
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
    """Options of a media of libvlc's, for one of formats.FORMATS or `mpegts`.

    `own_first`: libvlc's demuxer is asked before FFmpeg's.
    """
    format_of_ffmpeg, own = _BY_FORMAT[form]
    names = (own, "avformat") if own_first else ("avformat", own)
    return (f":demux={','.join(names)}", f":avformat-format={format_of_ffmpeg}", *_NOTHING_ELSE)
