"""The sleep timer in a few words."""

from math import ceil

from player.model.sleep import SleepChoice, SleepStatus, SleepUntil
from player.text.durations import clock
from player.text.sentences import _, plural


def choice_words(choice: SleepChoice) -> str:
    """`30 minutes`, `End of the chapter`, `After 3 episodes`."""
    match choice.until:
        case SleepUntil.MINUTES:
            return plural(choice.count, "{n} minute", "{n} minutes")
        case SleepUntil.CHAPTER:
            return _("End of the chapter")
        case SleepUntil.EPISODE if choice.count == 1:
            return _("End of the episode")
        case SleepUntil.EPISODE:
            return plural(choice.count, "After {n} episode", "After {n} episodes")


def left_words(sleep: SleepStatus) -> str:
    """`12:34`, or how many episodes are left; "" if no timer is running."""
    if sleep.choice is None:
        return ""
    if sleep.episodes_left > 1:
        return plural(sleep.episodes_left, "{n} episode", "{n} episodes")
    if sleep.left_ms is None:
        return choice_words(sleep.choice)
    return clock(ceil(sleep.left_ms / 1000) * 1000)
