"""Why a video or channel can't be had."""

from player.errors import EarmarkError


class VideoError(EarmarkError):
    """A video or channel can't be had. `passing`: it may be, a moment later."""

    def __init__(self, what: str, advice: str = "", *, passing: bool = False) -> None:
        super().__init__(what, advice)
        self.passing = passing


class Stopped(VideoError):
    """Nobody waits for the answer any longer."""
