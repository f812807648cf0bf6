"""The decision alone: what plays after an end."""

from collections.abc import Sequence

from player.model.episode import EpisodeId
from player.model.playback import NextFrom
from player.playback.up_next import Ended, EndedBy, FirstOf, Nothing, Play, up_next

ENDED, A, B, C = (EpisodeId(number) for number in range(1, 5))


def of(*ids: EpisodeId) -> FirstOf:
    return lambda excluded: next((one for one in ids if one not in excluded), None)


def decide(
    queue: Sequence[EpisodeId] = (),
    continued: Sequence[EpisodeId] = (),
    *,
    by: EndedBy = EndedBy.FINISHED,
    by_itself: bool = True,
    tried: Sequence[EpisodeId] = (),
) -> EpisodeId | None:
    chosen = up_next(
        Ended(ENDED, by), of(*queue), of(*continued),
        by_itself=by_itself, tried=frozenset(tried),
    )  # fmt: skip
    return chosen.episode_id if isinstance(chosen, Play) else None


def test_the_first_of_the_queue_that_has_not_just_ended() -> None:
    assert decide([ENDED, A, B], [C]) == A
    assert decide([B, ENDED, A]) == B


def test_the_list_continues_only_where_the_queue_is_empty() -> None:
    assert decide([], [C]) == C
    assert decide([ENDED], [ENDED, C]) == C
    assert decide() is None


def test_it_says_why_an_episode_is_next() -> None:
    ended = Ended(ENDED, EndedBy.FINISHED)
    assert up_next(ended, of(A), of(C)) == Play(A, None, NextFrom.QUEUE)
    assert up_next(ended, of(), of(C)) == Play(C, None, NextFrom.LIST)
    assert up_next(ended, of(), of()) == Nothing()


def test_what_a_person_chose_and_cannot_be_played_is_followed_by_nothing() -> None:
    assert decide([A], by=EndedBy.FAILED, by_itself=False) is None
    assert decide([A], by=EndedBy.FAILED, by_itself=True) == A


def test_what_was_tried_is_not_tried_again() -> None:
    assert decide([A, B], by=EndedBy.FAILED, tried=[A]) == B
    assert decide([A], [B, C], by=EndedBy.FAILED, tried=[A, B]) == C
    assert decide([A], [A], by=EndedBy.FAILED, tried=[A]) is None
