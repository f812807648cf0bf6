"""What a session knows that the library doesn't: given to the process that plays on, so that nothing is forgotten."""

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.playback.following.following import FollowingMemory
from player.playback.navigation import NavigationMemory
from player.playback.observers.bookkeeper import ListeningMemory
from player.playback.observers.event_tracker import HearingMemory
from player.playback.position import ListenerPosition
from player.playback.sleep.sleeper import SleepMemory


class SessionMemory(Struct, frozen=True):
    """`state` is as it was before the sound was taken away; `position` is what was heard by then, to the millisecond.

    `volume` and `unmuted` (what it is again after muting) are percentages. `speed_for_now` was chosen for this episode
    of a podcast that has a speed of its own. `lengths`: the duration as measured and for certain, ms.
    """

    episode_id: EpisodeId | None = None
    state: PlaybackState = PlaybackState.STOPPED
    position: ListenerPosition = ListenerPosition()
    usual_speed: float = 1.0
    speed_for_now: float | None = None
    volume: int = 100
    unmuted: int = 100
    lengths: tuple[int | None, int | None] = (None, None)
    navigation: NavigationMemory = NavigationMemory()
    sleep: SleepMemory = SleepMemory()
    following: FollowingMemory = FollowingMemory()
    listening: ListeningMemory = ListeningMemory()
    hearing: HearingMemory = HearingMemory()
