"""What a rewritten journal leaves out changes nothing for those who read it."""

import random
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from player.merging.clock import next_at
from player.merging.fold import fold, newest_at, seen_ms
from player.model.syncing import Action, ActionKind, EpisodeName
from player.sync.folder.journal import needed
from player.sync.folder.records import Record
from tests.player.sync.folder.helpers import action, change, fact, forgotten, heard
from tests.quick import LONG

EPISODE = action(1).episode
HOUR_MS = 3_600_000


def listened(chance: random.Random) -> dict[str, list[Action]]:
    """What up to three devices with wrong clocks said of an episode that they heard now here, now there."""
    own: dict[str, list[Action]] = {name: [] for name in "abc"[: chance.randint(1, 3)]}
    known: dict[str, set[Action]] = {name: set() for name in own}
    wrong = {name: chance.choice([0, 0, 5_000_000, -7_000_000, 200_000_000]) for name in own}
    now = 1_700_000_000_000
    for _ in range(chance.randint(2, 16)):
        now += chance.choice([1000, 600_000, 50_000_000, 100_000_000])
        device, other = chance.choice(list(own)), chance.choice(list(own))
        if chance.random() < 0.35:
            known[device] |= set(own[other][: chance.randint(0, len(own[other]))])
            continue
        state = fold(known[device])
        kind = chance.choice([*[ActionKind.PLAY] * 5, ActionKind.PLAYED, ActionKind.UNPLAYED])
        position_ms = min(HOUR_MS, max(0, state.position_ms + chance.randint(-500_000, 600_000)))
        position_ms = position_ms if kind is ActionKind.PLAY else 0
        seen = chance.choice([*[seen_ms(state)] * 4, 0])
        at = next_at(now + wrong[device], newest_at(known[device]))
        made = Action(EPISODE, device, at, kind, chance.choice([None, position_ms]), position_ms, HOUR_MS, seen)
        own[device].append(made)
        known[device].add(made)
    return own


def rewritten(own: Sequence[Action], chance: random.Random) -> list[Record]:
    """A journal that was rewritten twice, and then went on."""
    first, second = sorted(chance.randint(0, len(own)) for _ in range(2))
    once = needed(own[:first], are_all=True)
    return [*needed([*once, *own[first:second]], are_all=True), *own[second:]]


def test_all_devices_agree_whichever_journals_were_rewritten() -> None:
    chance = random.Random(1)
    spared = 0
    for _ in range(10_000 if LONG else 500):
        own = listened(chance)
        known = [actions[: chance.randint(0, len(actions))] for actions in own.values()]
        everything = [one for actions in known for one in actions]
        kept = [one for actions in known for one in rewritten(actions, chance) if isinstance(one, Action)]
        assert fold(kept) == fold(everything)
        spared += len(everything) - len(kept)
    assert spared > 200


def test_of_facts_and_subscriptions_the_latest_stays() -> None:
    facts = [fact(1, at=1), fact(1, "", at=3), fact(1, at=2), fact(2, at=1), fact(2, at=1), fact(3, "", at=2)]
    changes = [change(1, at=1), replace(change(1, at=2), subscribed=False), change(2, at=1)]
    assert needed([*facts, *changes], are_all=False) == [facts[1], facts[3], facts[5], *changes[1:]]


def test_what_was_forgotten_of_the_history_goes_and_the_rest_stays() -> None:
    spans = [heard(1, 1_000), heard(1, 2_000), heard(2, 3_000), replace(heard(1, 1_500), key="nonsense")]
    assert needed([*spans, fact(1)], are_all=False) == [*spans, fact(1)]
    assert needed([*spans, fact(1), forgotten(2_000)], are_all=False) == [*spans[1:3], fact(1), forgotten(2_000)]


@pytest.mark.parametrize(
    "others",
    [
        EpisodeName(EPISODE.podcast, "https://a.example/moved.mp3", EPISODE.guid),
        EpisodeName("https://elsewhere.example/feed", EPISODE.url, "another guid"),
    ],
)
def test_actions_that_may_not_be_all_stay(others: EpisodeName) -> None:
    mine = [replace(action(1), at=at, position_ms=at, started_ms=None) for at in range(1_000_000, 1_000_010)]
    assert needed(mine, are_all=True) == mine[-1:]
    assert needed([*mine, *mine], are_all=False) == mine
    renamed = [replace(one, episode=others) for one in mine]
    assert needed([*mine, *renamed], are_all=True) == [*mine, *renamed]
