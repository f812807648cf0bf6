"""Who listens to a running Earmark hears once of what each key does, and delays no key, however slow they are."""

import threading
from functools import partial

from player.events import Cause, EpisodesMarked, EpisodeStarted, Paused, Resumed, Seeked, SpeedChanged
from player.model.playback import PlaybackState
from player.player import Player
from tests.tui.screens.test_main import to_welcome
from tests.tui.stage import stocked

STEERED = (EpisodeStarted, Paused, Resumed, Seeked, SpeedChanged, EpisodesMarked)


class Stuck:
    """A subscriber in a lane that is stuck with the first event it hears until the test is over."""

    def __init__(self, player: Player) -> None:
        self.reached, self.released = threading.Event(), threading.Event()
        player.bus.subscribe(object, self.collect, player.bus.lane("the test"))

    def collect(self, _event: object) -> None:
        self.reached.set()
        self.released.wait(60)


def has(events: list[object], count: int) -> bool:
    return len(events) >= count


async def test_each_key_is_told_once_and_carried_out_though_a_subscriber_is_stuck() -> None:
    async with stocked() as stage:
        heard: list[object] = []
        for steered in STEERED:
            stage.player.bus.subscribe(steered, heard.append)
        stuck = Stuck(stage.player)
        await to_welcome(stage)
        keys: dict[str, type[object]] = {
            "enter": EpisodeStarted,
            "space": Paused,
            "right": Seeked,
            "left": Seeked,
            "]": SpeedChanged,
            "s": EpisodesMarked,
            "m": EpisodesMarked,
        }
        for number, (key, kind) in enumerate(keys.items(), 1):
            await stage.press(key)
            await stage.until(partial(has, heard, number), f"what {key} does")
            event = heard[-1]
            assert (len(heard), type(event)) == (number, kind)
            assert event.cause is Cause.PERSON  # type: ignore[attr-defined]
        assert stuck.reached.is_set()
        episode = stage.screen.status.episode
        assert episode is not None
        await stage.press("space")
        await stage.until(lambda: stage.screen.status.state is PlaybackState.PLAYING, "the sound")
        assert stage.player.session.save_now(10)
        assert stage.library.progress.position(episode.id) is not None
        assert not stuck.released.is_set()
        stuck.released.set()
