"""The filters that an episode's sound goes through, as FFmpeg's filter graph.

In their order: one channel, a voice boost, the gain that levels it, a limiter. No filter changes the number of samples
or moves them in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from player.measuring.decoding import form_of
from player.model.effects import Boost, Effects

if TYPE_CHECKING:
    from av import AudioFrame

LIMIT_DB = -2.0
"""Nothing is louder, in dBFS, at twice the rate; at the rate that is played, peaks between samples reach -1 dBTP."""
_BOOST_LUFS = -20.0
"""The compressor gets speech as loud as this."""
_UNKNOWN_LUFS = -18.0
_BOOSTS = {
    # Below 80 Hz is no voice but rumble and plosives. Consonants are between 2 and 4 kHz. The compressor brings soft
    # words closer to loud ones: fast enough for the beginning of a syllable, and slow enough on the way back that it
    # doesn't pump within a word. Measured: of two voices 15.2 dB apart, gentle leaves 8.4 dB, strong 4.6 dB. The makeup
    # keeps the loudness within 1.9 LU. The crest factor is 17.5 dB before, 16.9 and 17.6 dB after (consonants are
    # peaks); of both voices together 20.2 dB, then 19.3 and 19.2 dB.
    Boost.GENTLE: (
        ("highpass", "frequency=80"),
        ("equalizer", "frequency=2900:width_type=o:width=1.2:gain=3"),
        ("acompressor", "threshold=-26dB:ratio=2.5:attack=8:release=160:knee=6:makeup=6.7dB"),
    ),
    Boost.STRONG: (
        ("highpass", "frequency=80"),
        ("equalizer", "frequency=2900:width_type=o:width=1.2:gain=5"),
        ("acompressor", "threshold=-34dB:ratio=4:attack=4:release=200:knee=6:makeup=14.7dB"),
    ),
}
_BY_SECOND_DB = 1.0
"""The gain changes by no more than this in a second of the episode."""


_NEEDED = ("abuffer", "aresample", "aformat", "pan", "volume", "highpass", "equalizer", "acompressor", "alimiter")


@cache
def missing_filters() -> tuple[str, ...]:
    """The filters that FFmpeg lacks here: all of them if PyAV, which has it, can't be loaded. Without them there are no
    effects.

    Takes 0.1 s the first time."""
    try:
        from av.filter.filter import filters_available
    except ImportError:
        return _NEEDED
    return tuple(name for name in _NEEDED if name not in filters_available)


class Chain:
    """Takes decoded frames, and gives the samples that are to be heard, interleaved, as 32-bit floats."""

    def __init__(self, frame: AudioFrame, effects: Effects, rate: int, channels: int, former: Chain | None) -> None:
        """For frames of the form of this one. `rate` and `channels` are what comes out. The gains move on from those of
        the `former` chain, if there is one."""
        import av.filter

        self.form = form_of(frame)
        self.effects = effects
        self._boosts = effects.boost is not Boost.OFF
        self.gain_db: float = former.gain_db if former else _gain_of(effects)
        self.before_db: float = former.before_db if former and former._boosts else _before_of(effects)
        """The gain before the boost, which is taken back behind it."""
        graph = av.filter.Graph()
        self._graph: Any = graph
        source = graph.add_abuffer(
            format=frame.format.name, sample_rate=frame.sample_rate, layout=frame.layout.name, time_base=frame.time_base
        )
        boost = _BOOSTS.get(effects.boost, ())
        self._before: Any = graph.add("volume", f"volume={self.before_db if boost else 0.0}dB:precision=float")
        self._after: Any = graph.add("volume", f"volume={self._after_db}dB:precision=float")
        limits = effects.gain_db is not None or bool(boost)
        names = [
            ("aresample", str(rate)),
            ("aformat", f"sample_fmts=flt:channel_layouts={'mono' if channels == 1 else 'stereo'}"),
            *([("pan", _ONE_CHANNEL)] if effects.mono and channels == 2 else []),
        ]
        limiter = f"limit={10 ** (LIMIT_DB / 20):.4f}:attack=5:release=100:level=false:latency=true"
        chain = [
            *(graph.add(name, words) for name, words in names),
            self._before,
            *(graph.add(name, words) for name, words in boost),
            self._after,
            *([graph.add("aresample", str(2 * rate)), graph.add("alimiter", limiter)] if limits else []),
            graph.add("aresample", str(rate)),
            graph.add("aformat", "sample_fmts=flt"),
        ]
        graph.link_nodes(source, *chain, graph.add("abuffersink")).configure()

    def push(self, frame: AudioFrame) -> Iterator[bytes]:
        """The samples that are ready: those of this frame, or of an earlier one."""
        self._move(_BY_SECOND_DB * frame.samples / (frame.sample_rate or 1))
        frame.pts = None
        self._graph.push(frame)
        yield from self._pulled()

    def flush(self) -> Iterator[bytes]:
        """The rest. The chain can't be used afterwards."""
        self._graph.push(None)
        yield from self._pulled()

    def _move(self, most_db: float) -> None:
        """Moves the gains towards those of the effects, by no more than this."""
        before, after = self.before_db, self._after_db
        self.gain_db = _nearer(self.gain_db, _gain_of(self.effects), most_db)
        self.before_db = _nearer(self.before_db, _before_of(self.effects), most_db)
        if self._boosts and self.before_db != before:
            self._before.process_command("volume", f"{self.before_db}dB")
        if self._after_db != after:
            self._after.process_command("volume", f"{self._after_db}dB")

    @property
    def _after_db(self) -> float:
        return round(self.gain_db - (self.before_db if self._boosts else 0.0), 3)

    def _pulled(self) -> Iterator[bytes]:
        import av

        while True:
            try:
                frame = self._graph.pull()
            except (av.BlockingIOError, av.EOFError):
                return
            size = frame.samples * frame.layout.nb_channels * 4
            yield bytes(memoryview(frame.planes[0])[:size])


_ONE_CHANNEL = "stereo|c0=0.5*c0+0.5*c1|c1=0.5*c0+0.5*c1"


def _gain_of(effects: Effects) -> float:
    return effects.gain_db or 0.0


def _before_of(effects: Effects) -> float:
    return round(_BOOST_LUFS - (_UNKNOWN_LUFS if effects.lufs is None else effects.lufs), 3)


def _nearer(now_db: float, target_db: float, most_db: float) -> float:
    return round(now_db + max(-most_db, min(most_db, target_db - now_db)), 3)
