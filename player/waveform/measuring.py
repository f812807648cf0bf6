"""The process that measures, so that whatever a file does to the decoders stays there."""

from player.processes.sandbox import Sandbox
from player.waveform.order import Order
from player.waveform.waveform import Waveform

_LONGEST_S = 300.0
"""At the lowest priority, on a busy computer."""
_CPU_S = 60
"""Most seconds of CPU: an hour of audio takes two."""
MEMORY = 1 << 30
"""Most bytes of address space for the process; the libraries alone take 300 MB of it."""


def sandbox() -> Sandbox[Waveform | None, Order]:
    return Sandbox(measured, memory=MEMORY, seconds=_LONGEST_S, cpu_s=_CPU_S, nice=19, prepare=_prepare)


def _prepare() -> None:
    import player.waveform.measure  # noqa: F401


def measured(order: Order) -> Waveform | None:
    """None if the bytes can't be decoded."""
    from player.waveform.measure import measure

    return measure(order)
