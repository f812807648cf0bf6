"""A year of feeds, with everything that a listener and a disk do meanwhile: the rules keep what they promise."""

from collections.abc import Callable, Iterator
from datetime import datetime
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.downloads.planning import DAY_MS, Cause, Cleaning, Limits, Obstacle, Plan, State, due_at, is_protected, plan
from player.model.downloads import Candidate, Offer, Protection, Refusal, Rule, Source, Stored, Trashed
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import EpisodeTest, PodcastDownloads
from player.text.times import parse_hours
from tests.quick import NEW, examples

MB = 1_000_000
START = 20_000 * DAY_MS
HOURS = ("", "", "01:00-06:00", "22:00-03:00")


class Episode:
    def __init__(self, candidate: Candidate, really: int) -> None:
        self.candidate = candidate
        self.really = really
        self.played_at: int | None = None
        self.protection: Protection | None = None
        self.fails = False


class Year:
    """A library, a disk and a listener, as small as the rules see them. `draw` makes all that is up to chance."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.now = START
        self.disk = draw.choice((0, 30, 100, 400)) * MB
        self.others = 0
        self.episodes: dict[EpisodeId, Episode] = {}
        self.latest_of: dict[int, list[EpisodeId]] = {podcast: [] for podcast in range(1, 5)}
        self.stored: dict[EpisodeId, Stored] = {}
        self.trash: dict[EpisodeId, Trashed] = {}
        self.refused: dict[EpisodeId, Refusal] = {}
        self.sizes: dict[EpisodeId, int] = {}
        self.queue: list[EpisodeId] = []
        self.playlist: list[EpisodeId] = []
        self.inbox: list[EpisodeId] = []
        self.podcasts = {PodcastId(1): PodcastDownloads(2)}
        self.newest, self.first_of_queue, self.first_of_list, self.first_of_inbox = 0, 2, 0, 1
        self.slots = 2
        self.seen_causes: set[str] = set()
        self.limits_change()

    def live(self, days: int) -> None:
        """What happens on each of these days, and what the rules make of it while Earmark runs."""
        things: list[Callable[[], None]] = [
            self.an_episode_arrives, self.one_is_played_or_unplayed, self.one_gets_or_loses_protection,
            self.one_moves_in_the_queue_or_leaves_it, self.one_is_deleted_by_hand,
        ]  # fmt: skip
        seldom: list[Callable[[], None]] = [
            self.one_is_put_on_the_playlist, self.one_is_downloaded_by_hand, self.others_write_to_the_disk,
            self.limits_change, self.rules_change, self.a_podcast_gets_a_rule, self.a_clean_up_is_undone,
        ]  # fmt: skip
        runs = True
        for _day in range(days):
            self.an_episode_arrives()
            for _thing in range(self.draw.randrange(3)):
                self.draw.choice(things)()
            if self.draw.random() < 0.15:
                self.draw.choice(seldom)()
            if self.draw.random() < 0.1:
                runs = not runs
            self.now += self.draw.randrange(1, 36) * 3_600_000
            if runs:
                self.apply_the_rules()

    # -- what happens -----------------------------------------------------------------------------------------

    def an_episode_arrives(self) -> None:
        number = EpisodeId(len(self.episodes) + 1)
        length = self.draw.choice((None, 1, 30, 60))
        stated = self.draw.choice((None, 1, 5, 10, 30))
        really = self.draw.choice((stated or 5, stated or 5, 1, 10, 60))
        one = Candidate(
            number,
            PodcastId(self.draw.randrange(1, 5)),
            self.draw.choice(("News", "Rerun: news", "Deep dive")),
            self.now + number,
            None if stated is None else stated * MB,
            None if length is None else length * 60_000,
        )
        self.episodes[number] = Episode(one, really * MB)
        self.latest_of[one.podcast_id].insert(0, number)
        self.episodes[number].fails = self.draw.random() < 0.05
        self.inbox.insert(0, number)

    def one_is_played_or_unplayed(self) -> None:
        one = self.episodes[self.one_of_late()]
        number = one.candidate.episode_id
        one.played_at = None if one.played_at is not None else self.now
        one.candidate = replace(one.candidate, played=one.played_at is not None)
        if one.played_at is not None:
            self.queue = [other for other in self.queue if other != number]
            self.inbox = [other for other in self.inbox if other != number]

    def one_gets_or_loses_protection(self) -> None:
        self.episodes[self.one_of_late()].protection = self.draw.choice((None, Protection.STARRED, Protection.PLAYING))

    def one_moves_in_the_queue_or_leaves_it(self) -> None:
        number, was = self.one_of_late(), len(self.queue)
        self.queue = [one for one in self.queue if one != number]
        if len(self.queue) == was or self.draw.random() < 0.3:
            self.queue.insert(self.draw.randrange(3), number)

    def one_is_put_on_the_playlist(self) -> None:
        self.playlist.append(self.one_of_late())

    def one_is_deleted_by_hand(self) -> None:
        if self.stored and self.draw.random() < 0.3:
            number = self.draw.choice(list(self.stored))
            del self.stored[number]
            self.refused[number] = Refusal.DELETED

    def one_is_downloaded_by_hand(self) -> None:
        number = self.one_of_late()
        if number not in self.stored and self.episodes[number].really <= self.free:
            self.trash.pop(number, None)
            self.refused.pop(number, None)
            self.stored[number] = Stored(number, self.episodes[number].really, self.now)

    def others_write_to_the_disk(self) -> None:
        self.others = max(0, self.others + min(self.draw.randrange(-100, 100) * MB, self.free))

    def limits_change(self) -> None:
        most, days = self.draw.choice((None, 0, 20, 60, 150)), (None, 0, 1, 3, 20)
        self.limits = Limits(None if most is None else most * MB, self.draw.choice((0, 10, 30)) * MB)
        self.cleaning = Cleaning(
            self.draw.choice(days), self.draw.choice(days[2:]) if self.draw.random() < 0.5 else None
        )
        self.hours = parse_hours(self.draw.choice(HOURS))

    def rules_change(self) -> None:
        self.newest, self.first_of_queue, self.first_of_list, self.first_of_inbox = self.draw.choices(range(4), k=4)
        self.slots = self.draw.randrange(1, 4)

    def a_podcast_gets_a_rule(self) -> None:
        test = EpisodeTest("", self.draw.choice(("", "rerun")), self.draw.choice((None, None, 10 * 60_000)))
        own = PodcastDownloads(self.draw.choice((None, 0, 1, 2, 4)), test)
        self.podcasts[PodcastId(self.draw.randrange(1, 5))] = own

    def a_clean_up_is_undone(self) -> None:
        for number, one in list(self.trash.items()):
            del self.trash[number]
            self.stored[number] = Stored(number, one.size, self.now)
            self.refused.pop(number, None)

    # -- what the rules make of it ----------------------------------------------------------------------------

    def apply_the_rules(self) -> None:
        """Again and again, as the runner does it: that comes to rest, and is at rest then."""
        slots = self.slots
        for _again in range(2 * len(self.episodes) + 30):
            made = plan(self.state(slots))
            if made.is_done:
                break
            self.follow(made)
        else:
            raise AssertionError("the rules never come to rest")
        assert plan(self.state(slots)) == made, "the same library, the same plan"
        assert not self.stored.keys() & self.trash.keys()
        self.nothing_is_left_undone(made)

    def follow(self, made: Plan) -> None:
        seen = {one.episode_id: one for one in self.seen()}
        for gone in made.remove:
            del self.stored[gone.episode_id]
            one = seen[gone.episode_id]
            assert one.rule, "what was downloaded by hand is never deleted"
            assert not self.protection_of(gone.episode_id), "what is protected is never deleted"
            self.trash[gone.episode_id] = Trashed(gone.episode_id, one.size, self.now)
            self.sizes[gone.episode_id] = one.size
            if gone.cause is not Cause.ROOM:
                due = due_at(one, self.cleaning)
                assert due
                assert due[0] <= self.now
                self.refused[gone.episode_id] = Refusal.CLEANED
            self.seen_causes.add(gone.cause)
        self.seen_causes.update(f"not {one.obstacle}" for one in made.held)
        self.seen_causes.update(["restored"] if made.restore else [])
        for number in made.purge:
            del self.trash[number]
        for wanted in made.restore:
            trashed = self.trash.pop(wanted.episode_id)
            self.stored[wanted.episode_id] = Stored(wanted.episode_id, trashed.size, self.now, wanted.rule.key)
        self.room_is_made(made)
        for wanted in made.begin:
            self.download(wanted.episode_id, wanted.rule)

    def room_is_made(self, made: Plan) -> None:
        """Before anything is begun, and as far as feeds say how large files are."""
        size = sum(one.size for one in made.begin)
        if made.begin:
            assert self.is_open
            assert self.free - size >= self.limits.keep_free
            assert self.limits.most is None or self.by_rules + size <= self.limits.most

    def download(self, number: EpisodeId, rule: Rule) -> None:
        one = self.episodes[number]
        refusal = self.refused.get(number)
        assert refusal is None or (refusal is Refusal.CLEANED and rule.source is Source.QUEUE)
        assert number not in self.stored
        if one.fails or one.really > self.free:
            self.refused[number] = Refusal.FAILED
            return
        self.refused.pop(number, None)
        self.stored[number] = self.fresh(number, one.really, rule)

    def fresh(self, number: EpisodeId, size: int, rule: Rule) -> Stored:
        return Stored(number, size, self.now, rule.key)

    def nothing_is_left_undone(self, made: Plan) -> None:
        """At rest the limit holds, but for what is protected; what is wanted is there, or doesn't fit."""
        free_to_go = [one for one in self.seen() if not is_protected(one)]
        if free_to_go and self.limits.most is not None:
            assert self.by_rules <= self.limits.most
        held = {other.wanted.episode_id for other in made.held}
        for one in made.wanted:
            assert one.episode_id in self.stored or one.episode_id in held
        if self.trash:
            assert self.free >= self.limits.keep_free, "the trash goes before the disk is full"
        for other in made.held:
            assert other.obstacle is not Obstacle.HOURS or not self.is_open

    # -- what there is ----------------------------------------------------------------------------------------

    def one_of_late(self) -> EpisodeId:
        newest = len(self.episodes)
        return EpisodeId(max(1, newest - int(self.draw.expovariate(0.2))))

    def state(self, slots: int) -> State:
        return State(
            self.now, self.free, tuple(self.offers()), tuple(self.seen()), tuple(self.trash.values()), (),
            dict(self.refused), dict(self.sizes), self.podcasts, EpisodeTest(exclude='"deep dive"'), self.limits,
            self.cleaning, self.is_open, slots,
        )  # fmt: skip

    def offers(self) -> Iterator[Offer]:
        for source, most, ids in (
            (Source.QUEUE, self.first_of_queue, self.queue),
            (Source.LIST, self.first_of_list, self.playlist),
            (Source.INBOX, self.first_of_inbox, self.inbox),
        ):
            yield Offer(Rule(source, most, 7 if source is Source.LIST else 0), self.candidates(ids))
        for podcast, ids in self.latest_of.items():
            own = self.podcasts.get(PodcastId(podcast))
            most = self.newest if own is None or own.newest is None else own.newest
            yield Offer(Rule(Source.PODCAST, most, podcast), self.candidates(ids))

    def candidates(self, ids: list[EpisodeId]) -> tuple[Candidate, ...]:
        return tuple(self.episodes[one].candidate for one in dict.fromkeys(ids))

    def seen(self) -> list[Stored]:
        return [
            replace(one, played_at=self.episodes[number].played_at, protection=self.protection_of(number))
            for number, one in self.stored.items()
        ]

    def protection_of(self, number: EpisodeId) -> Protection | None:
        return Protection.QUEUED if number in self.queue else self.episodes[number].protection

    @property
    def is_open(self) -> bool:
        return self.hours is None or self.hours.contain(datetime.fromtimestamp(self.now / 1000))

    @property
    def by_rules(self) -> int:
        return sum(one.size for one in self.stored.values() if one.rule)

    @property
    def free(self) -> int:
        there = sum(one.size for one in self.stored.values()) + sum(one.size for one in self.trash.values())
        return max(0, self.disk - self.others - there)


@settings(max_examples=examples(50), deadline=None)
@given(seed=st.integers(0, 2**32), days=st.integers(1, 365))
def test_whatever_happens_in_a_year_the_rules_keep_their_limits_and_what_is_protected(seed: int, days: int) -> None:
    Year(Random(seed)).live(days)


@pytest.mark.long
@pytest.mark.timeout(1_800)
@settings(max_examples=1_000 if NEW else 250, deadline=None)
@given(seed=st.integers(0, 2**32), days=st.integers(1, 730))
def test_so_they_do_in_hundreds_of_years(seed: int, days: int) -> None:
    Year(Random(seed)).live(days)


@pytest.mark.long
def test_a_few_years_have_all_that_rules_do() -> None:
    seen: set[str] = set()
    for seed in range(8):
        year = Year(Random(seed))
        year.live(365)
        seen |= year.seen_causes
    assert seen == {*Cause, *(f"not {one}" for one in Obstacle), "restored"}
