"""Why a download is here, what keeps it, and when it goes."""

import pytest

from player.downloads.planning import DAY_MS, Cleaning, Limits, State, plan
from player.downloads.reasons import explained, held_words, rule_words
from player.model.downloads import Candidate, Offer, Protection, Rule, Source, Stored
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

NOW = 20_000 * DAY_MS
ONE = EpisodeId(1)
OFFER = Offer(Rule(Source.PODCAST, 3, 1, "Talk Python"), (Candidate(ONE, PodcastId(1), "Part 1", NOW, size=1_000_000),))
WANTED, UNWANTED = (OFFER,), ()
TITLES = {"podcast:1": "Talk Python", "list:7": "Evening\x1b[31m"}


def sentence(offers: tuple[Offer, ...], rule: str, cleaning: Cleaning, **more: object) -> str:
    stored = Stored(ONE, 1_000_000, NOW, rule, **more)  # type: ignore[arg-type]
    state = State(NOW, 10**12, offers, (stored,), cleaning=cleaning)
    return explained(state, plan(state), TITLES)[ONE].sentence


@pytest.mark.parametrize(
    ("offers", "rule", "cleaning", "more", "words"),
    [
        (WANTED, "", Cleaning(0, 0), {}, "you downloaded it"),
        (WANTED, "podcast:1", Cleaning(), {}, "newest 3 of Talk Python"),
        (WANTED, "queue", Cleaning(), {}, "newest 3 of Talk Python"),
        (WANTED, "podcast:1", Cleaning(2), {}, "newest 3 of Talk Python; goes 2 days after you play it"),
        (WANTED, "podcast:1", Cleaning(0), {}, "newest 3 of Talk Python; goes when you have played it"),
        (WANTED, "podcast:1", Cleaning(2, 30), {}, "newest 3 of Talk Python; goes 30 days after it was downloaded"),
        (
            UNWANTED,
            "podcast:1",
            Cleaning(2),
            {"played_at": NOW},
            "was among the newest of Talk Python; goes 2 days after you played it",
        ),
        (UNWANTED, "podcast:1", Cleaning(), {}, "was among the newest of Talk Python; goes when room is needed"),
        (UNWANTED, "podcast:9", Cleaning(), {}, "downloaded by a rule that no longer exists; goes when room is needed"),
        (UNWANTED, "list:7", Cleaning(), {}, "was in “Evening[31m”; goes when room is needed"),
        (UNWANTED, "inbox", Cleaning(), {}, "was in New; goes when room is needed"),
        (
            UNWANTED,
            "queue",
            Cleaning(0, 0),
            {"protection": Protection.IN_PROGRESS},
            "was in the queue; kept: in progress",
        ),
        (UNWANTED, "queue", Cleaning(0), {"protection": Protection.PLAYING}, "was in the queue; kept: in the player"),
    ],
)
def test_each_download_has_one_sentence(
    offers: tuple[Offer, ...], rule: str, cleaning: Cleaning, more: dict[str, object], words: str
) -> None:
    assert sentence(offers, rule, cleaning, **more) == words


def test_every_rule_has_words() -> None:
    rules = [Rule(source, most, 1, "News") for source in Source for most in (1, 3)]
    assert [rule_words(one) for one in rules] == [
        "first of the queue", "first 3 of the queue", "first of “News”", "first 3 of “News”", "newest of New",
        "newest 3 of New", "newest of News", "newest 3 of News",
    ]  # fmt: skip


def test_what_does_not_fit_is_said_with_what_can_be_done() -> None:
    full = State(NOW, 10**12, WANTED, limits=Limits(5, 0))
    assert held_words(plan(full), full.limits) == (
        "1 episode isn't downloaded: download rules may use 5 B. Raise “limit” in [downloads], or delete some"
        " downloads."
    )
    disk = State(NOW, 10**9, WANTED, limits=Limits(None, 2 * 10**9))
    assert held_words(plan(disk), disk.limits) == (
        "1 episode isn't downloaded: 2.0 GB of the disk must stay free. Make room, or lower “keep_free” in [downloads]."
    )
    closed = State(NOW, 10**12, WANTED, open=False)
    assert held_words(plan(closed), closed.limits) == ""
