"""The rules of `player/merging/fold.py` as cases to be read: what devices said, and the state that it leads to.

A line is the time by the device's clock, the device, and the position that it reported, in minutes; then what it said
besides: the position (or `played`) that it had `seen` before, `from` where it played, and the length `of` the episode.
"""

import pytest

from player.merging.fold import fold
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName

NAME = EpisodeName("https://example.org/feed", "https://example.org/1.mp3", "1")
MINUTE = 60_000
MONDAY = 1_700_000_000_000 // 86_400_000 * 86_400_000
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

CASES = {
    "nobody has said anything": """
        -> 0""",
    # Positions of one listening
    "the laptop goes on where the phone stopped": """
        Mon 8:00 phone 10
        Mon 9:00 laptop 25 seen 10
        -> 25""",
    "both listened without a network: the further one counts": """
        Mon 8:00 phone 30
        Mon 9:00 laptop 20
        -> 30""",
    "the laptop went back from what it had seen": """
        Mon 8:00 phone 30
        Mon 9:00 laptop 5 seen 30
        -> 5""",
    "the laptop went back, but not from as far as the phone was": """
        Mon 8:00 phone 50
        Mon 9:00 laptop 20 seen 30
        -> 50""",
    "ten seconds back and a pause takes nobody back from further on": """
        Mon 8:00 phone 50
        Mon 9:00 laptop 29.8 from 30
        -> 50""",
    "an app that says no more went back from where the others were": """
        Mon 8:00 laptop 30
        Mon 9:00 phone 5 from 30
        -> 5""",
    "an app that says nothing at all went back from its own position": """
        Mon 8:00 phone 30
        Mon 9:00 phone 5
        -> 5""",
    "that app hasn't reported the laptop's position": """
        Mon 8:00 phone 30
        Mon 9:00 laptop 40 seen 30
        Mon 10:00 phone 5
        -> 40""",
    "after the laptop went back, the phone's old position isn't one to go back from": """
        Mon 8:00 phone 50
        Mon 9:00 laptop 10 seen 50
        Mon 9:30 laptop 30 seen 10
        Mon 10:00 phone 20 seen 10
        -> 30""",
    "back to the very start": """
        Mon 8:00 phone 30
        Mon 9:00 laptop 0 seen 30
        -> 0""",
    # Played marks
    "marked as played": """
        Mon 8:00 phone 30
        Mon 9:00 laptop played
        -> played""",
    "nine seconds before the end is the end": """
        Mon 8:00 phone 59.85 of 60
        -> played""",
    "eleven seconds before the end isn't": """
        Mon 8:00 phone 59.8 of 60
        -> 59.8""",
    "nine seconds after the start isn't, if the length isn't known": """
        Mon 8:00 phone 0.15
        -> 0.15""",
    "well beyond the end: the length was wrong": """
        Mon 8:00 phone 45 of 30
        -> 45""",
    "an older position leaves the mark": """
        Mon 8:00 phone 30
        Mon 9:00 laptop played
        -> played""",
    "a phone that didn't know of the mark leaves it": """
        Mon 9:00 laptop played
        Mon 10:00 phone 30 seen 20
        -> played""",
    "its clock is 20 hours fast: still": """
        Mon 9:00 laptop played
        Tue 5:00 phone 30
        -> played""",
    "just 24 hours later: still": """
        Mon 9:00 laptop played
        Tue 9:00 phone 30
        -> played""",
    "more than 24 hours later it is heard again": """
        Mon 9:00 laptop played
        Tue 9:01 phone 3
        -> 3""",
    "who knew it as played begins anew": """
        Mon 9:00 laptop played
        Mon 9:10 phone 5 seen played
        -> 5""",
    "who has marked it begins anew": """
        Mon 9:00 phone played
        Mon 9:10 phone 5
        -> 5""",
    "an app that only says from where begins anew from the end": """
        Mon 9:00 laptop played
        Mon 9:10 phone 5 from 60 of 60
        -> 5""",
    "an app that doesn't say what it knew plays from the very start": """
        Mon 9:00 laptop played
        Mon 10:00 phone 5 from 0
        -> 5""",
    "nor does it say which device it was": """
        Mon 9:00 laptop played
        Tue 8:00 nameless 5 from 0
        -> 5""",
    "it plays on where it was": """
        Mon 9:00 laptop played
        Mon 10:00 phone 25 from 20
        -> played""",
    "it only opens the episode": """
        Mon 9:00 laptop played
        Mon 10:00 phone 0 from 0
        -> played""",
    "a device that says what it knew began before it knew of the mark": """
        Mon 9:00 laptop played
        Mon 10:00 phone 5 from 0 seen 3
        -> played""",
    "who plays from the start takes nobody back": """
        Mon 8:00 phone 30
        Mon 9:00 laptop 5 from 0
        -> 30""",
    "once somebody began anew all go on": """
        Mon 9:00 laptop played
        Mon 9:10 laptop 5 seen played
        Mon 10:00 phone 20 seen 5
        -> 20""",
    "two began anew: the further one counts": """
        Mon 9:00 laptop played
        Mon 9:30 laptop 30 seen played
        Mon 9:40 phone 5 seen played
        -> 30""",
    "what was heard before the mark is no position of the new listening": """
        Mon 8:00 phone 50
        Mon 9:00 laptop played
        Mon 9:10 laptop 5 seen played
        -> 5""",
    "heard twice, and the phone knew neither": """
        Mon 9:00 laptop played
        Mon 9:10 laptop 5 seen played
        Mon 10:00 laptop played
        Mon 10:10 phone 20
        -> played""",
    "what was heard without knowing of the mark isn't part of the new listening": """
        Mon 9:00 laptop played
        Mon 9:05 phone 50
        Mon 9:10 laptop 5 seen played
        -> 5""",
    "beyond a wrong length nobody knew it as played": """
        Mon 9:00 laptop played
        Mon 9:10 phone 45 from 30 of 30
        -> played""",
    "ten seconds before the end is the end": """
        Mon 8:00 phone 59.8333333 of 60
        -> played""",
    # Marked as not played
    "marked as not played by who knew": """
        Mon 9:00 laptop played
        Mon 9:10 phone unplayed seen played
        -> 0""",
    "marked as not played by an app that doesn't say what it knew": """
        Mon 9:00 laptop played
        Mon 10:00 phone unplayed
        -> 0""",
    "marked as not played by who didn't know": """
        Mon 9:00 laptop played
        Mon 9:10 phone unplayed seen 3
        -> played""",
    "marked as not played long after": """
        Mon 9:00 laptop played
        Wed 9:00 phone unplayed
        -> 0""",
    "marked as not played before it was played": """
        Mon 8:00 phone unplayed
        Mon 9:00 laptop played
        -> played""",
    "marked as not played takes the position": """
        Mon 8:00 phone 30
        Mon 9:00 laptop unplayed seen 30
        -> 0""",
    "heard again after that": """
        Mon 8:00 phone 30
        Mon 9:00 laptop unplayed seen 30
        Mon 10:00 phone 4
        -> 4""",
    # A target that names no devices
    "two devices without a name are two": """
        Mon 8:00 nameless 30
        Mon 9:00 nameless 4
        -> 30""",
    "a mark isn't undone by one without a name that may be another": """
        Mon 8:00 nameless played
        Mon 9:00 nameless 4
        -> played""",
    "one without a name goes back if it says so": """
        Mon 8:00 nameless 30
        Mon 9:00 nameless 4 from 30
        -> 4""",
    # Nonsense
    "before the beginning": """
        Mon 8:00 phone -3
        Mon 9:00 laptop 2
        -> 2""",
    "years into an episode": """
        Mon 8:00 phone 2000000
        Mon 9:00 laptop 2
        -> 2""",
    "a start beyond any episode is no going back": """
        Mon 8:00 phone 30
        Mon 9:00 laptop 2 from 2000000
        -> 30""",
}


def said(line: str) -> Action:
    day, clock, device, what, *rest = line.split()
    hours, minutes = clock.split(":")
    at = MONDAY + ((DAYS.index(day) * 24 + int(hours)) * 60 + int(minutes)) * MINUTE
    besides = dict(zip(rest[::2], rest[1::2], strict=True))
    seen = besides.get("seen", "0")
    is_mark = what in ("played", "unplayed")
    return Action(
        NAME,
        "" if device == "nameless" else device,
        at,
        ActionKind(what) if is_mark else ActionKind.PLAY,
        started_ms=ms(besides["from"]) if "from" in besides else None,
        position_ms=0 if is_mark else ms(what),
        total_ms=ms(besides["of"]) if "of" in besides else None,
        seen_ms=SEEN_PLAYED if seen == "played" else ms(seen),
    )


def ms(minutes: str) -> int:
    return round(float(minutes) * MINUTE)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_state_of_an_episode(case: str) -> None:
    lines, _arrow, expected = case.rpartition("->")
    actions = [said(line) for line in lines.splitlines() if line.strip()]
    state = fold(actions)
    assert state.played == (expected.strip() == "played")
    assert state.played or state.position_ms == ms(expected)
    assert fold(reversed(actions * 2)) == state
