"""Scaling images in a process of its own, so that whatever an image does to a decoder stays there."""

from player.artwork.picture import Order, Scaled
from player.processes.sandbox import Sandbox, SandboxError

SECONDS = 8.0
"""For one image: the largest that are allowed take 1.5 s."""
MEMORY = 512 * 1024 * 1024
"""Most bytes for the process: an image of the most pixels that are allowed takes 160 MB, and while it is converted, as
much again."""
_IDLE_S = 20.0


class Scaler:
    """Any thread; one image at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._sandbox = Sandbox(_scaled, memory=MEMORY, seconds=seconds, nice=5, idle_s=_IDLE_S, prepare=_prepare)
        self.close = self._sandbox.close

    def scale(self, order: Order) -> Scaled:
        """Never raises: what goes wrong is the `problem`."""
        try:
            return self._sandbox.call(order)
        except SandboxError as error:
            return Scaled(problem=str(error))


# -- in the process -------------------------------------------------------------------------------------------


def _prepare() -> None:
    import player.artwork.scaling  # noqa: F401


def _scaled(order: Order) -> Scaled:
    from player.artwork.scaling import scaled

    return scaled(order.image, order.shape, order.keep, order.audio)
