"""What Earmark does to the sound of an episode before it is heard."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from player.text.sentences import _

QUIETEST_LUFS, LOUDEST_LUFS = -31.0, -9.0
"""The bounds of the loudness that podcasts can be levelled to."""
USUAL_LUFS = -16.0
"""What most platforms ask podcasts for (AES TD1008 recommends -16 to -18 for speech)."""


class Boost(StrEnum):
    """How much clearer voices become."""

    OFF = "off"
    GENTLE = "gentle"
    STRONG = "strong"


class Trim(StrEnum):
    """How much of pauses is left out."""

    OFF = "off"
    GENTLE = "gentle"
    """Pauses of more than 0.9 s become 0.4 s."""
    STRONG = "strong"
    """Pauses of more than 0.5 s become 0.2 s."""


Span = tuple[int, int]
"""From and to, in ms."""


NOT_LEVELED = "off"


def level_of(text: str) -> float | None:
    """The loudness in LUFS that episodes are levelled to; None for `off`. Raises ValueError with a sentence."""
    text = text.strip().lower()
    if text == NOT_LEVELED:
        return None
    try:
        lufs = float(text.removesuffix("lufs").replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        lufs = 0.0
    if not QUIETEST_LUFS <= lufs <= LOUDEST_LUFS:
        raise ValueError(
            _(
                "it must be “off”, or a loudness from {least} to {most} LUFS, like {usual}",
                least=f"{QUIETEST_LUFS:g}",
                most=f"{LOUDEST_LUFS:g}",
                usual=f"{USUAL_LUFS:g}",
            )
        )
    return lufs


class Effects(Struct, frozen=True):
    """`gain_db` levels the episode; None: its loudness stays as it is. `lufs` is its loudness, if it is known, which a
    voice boost goes by. `pauses` are the pauses that are known so far, in order, each as its beginning and its end."""

    gain_db: float | None = None
    boost: Boost = Boost.OFF
    mono: bool = False
    trim: Trim = Trim.OFF
    lufs: float | None = None
    pauses: tuple[Span, ...] = ()

    @property
    def any(self) -> bool:
        """Whether anything is done to the sound."""
        return self.gain_db is not None or self.boost is not Boost.OFF or self.mono or self.trim is not Trim.OFF


NO_EFFECTS = Effects()


_LIMITS = {Trim.GENTLE: (900, 400), Trim.STRONG: (500, 200)}
"""The shortest pause that is trimmed, and how much of it stays, in ms."""
BEFORE_WORD_MS = 100
"""So much of the end of a pause always stays."""


def left_out(pauses: Sequence[Span], trim: Trim) -> tuple[Span, ...]:
    """The parts of pauses that aren't heard, in order. Half of what stays of a pause is at its end."""
    if trim is Trim.OFF:
        return ()
    over_ms, stays_ms = _LIMITS[trim]
    half = stays_ms // 2
    return tuple((begin + half, end - max(half, BEFORE_WORD_MS)) for begin, end in pauses if end - begin > over_ms)


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; those that overlap as one."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def heard_ms(from_ms: float, to_ms: float, parts: Sequence[Span]) -> float:
    """How much of the time between two positions is heard, if these parts are left out."""
    first = max(0, bisect_right(parts, (from_ms, 0)) - 1)
    out = 0.0
    for begin, end in parts[first:]:
        if begin >= to_ms:
            break
        out += max(0, min(end, to_ms) - max(begin, from_ms))
    return max(0, to_ms - from_ms - out)
