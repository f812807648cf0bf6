"""A search whose directories are functions: nothing that goes wrong in one of them, or in who listens, ends it."""

import threading
from collections.abc import Callable, Mapping, Sequence

import pytest

from player.directory import directory_errors
from player.directory.directory import Attempt, FoundPodcast
from player.directory.searching import Condition, DirectoryState, Patience, Search, SearchState
from player.errors import DirectoryError, DirectoryLeftOut
from player.net.failures import FailureReason, RequestFailed

WAIT_S = 20.0
ONE, TWO = FoundPodcast("One"), FoundPodcast("Two")


def all_of(found: Mapping[str, Sequence[FoundPodcast]]) -> tuple[FoundPodcast, ...]:
    return tuple(podcast for podcasts in found.values() for podcast in podcasts)


def answering(*podcasts: FoundPodcast) -> Callable[[Attempt], Sequence[FoundPodcast]]:
    return lambda _attempt: podcasts


def failing(error: Exception) -> Callable[[Attempt], Sequence[FoundPodcast]]:
    def fail(_attempt: Attempt) -> Sequence[FoundPodcast]:
        raise error

    return fail


def nothing(_state: SearchState[FoundPodcast]) -> None: ...


def test_a_directory_that_fails_is_a_sentence_and_a_bug_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    questions = {
        "a": failing(DirectoryError("It is shut", "Try again later.")),
        "b": failing(ZeroDivisionError("oh")),
        "c": answering(ONE),
    }
    state = Search(questions, all_of, nothing).wait(WAIT_S)
    assert (state.found, state.over) == ((ONE,), True)
    assert [one.condition for one in state.directories] == [Condition.FAILED, Condition.FAILED, Condition.ANSWERED]
    assert state.problems == (
        "It is shut. Try again later.",
        "Something went wrong inside Earmark while asking b. See the log.",
    )
    assert not state.failed
    assert "ZeroDivisionError" in caplog.text


def test_what_happened_to_several_directories_is_one_sentence() -> None:
    def without_network(name: str, reason: FailureReason) -> Callable[[Attempt], Sequence[FoundPodcast]]:
        return failing(directory_errors.of_request(name, RequestFailed(reason, url="https://example.org")))

    names = ("Apple Podcasts", "fyyd", "gpodder.net")
    reasons = (FailureReason.UNKNOWN_HOST, FailureReason.UNREACHABLE, FailureReason.NO_NAME_SERVER)
    asked = {name: without_network(name, reason) for name, reason in zip(names, reasons, strict=True)}
    state = Search(asked, all_of, nothing).wait(WAIT_S)
    assert state.problems == ("Apple Podcasts, fyyd and gpodder.net can't be reached. Check your connection.",)
    alone = Search({"fyyd": asked["fyyd"], "b": answering(ONE)}, all_of, nothing).wait(WAIT_S)
    assert alone.problems == ("fyyd can't be reached: no network. Check your connection.",)
    mixed = Search({**asked, "fyyd": without_network("fyyd", FailureReason.REFUSED)}, all_of, nothing).wait(WAIT_S)
    assert mixed.problems == (
        "Apple Podcasts and gpodder.net can't be reached. Check your connection.",
        "fyyd refused the connection. Try again later.",
    )


@pytest.mark.parametrize("reason", FailureReason)
def test_two_with_the_same_problem_share_a_sentence_where_it_can_be_said_of_both(reason: FailureReason) -> None:
    failed = [(name, directory_errors.of_request(name, RequestFailed(reason, url="https://x"))) for name in ("A", "B")]
    sentences = directory_errors.in_sentences(failed)
    assert all("{" not in one for one in sentences)
    assert len(sentences) == 2 or "A and B" in sentences[0]


def test_it_has_failed_when_every_directory_has() -> None:
    assert Search({"a": failing(DirectoryError("x"))}, all_of, nothing).wait(WAIT_S).failed
    assert not Search({"a": answering()}, all_of, nothing).wait(WAIT_S).failed
    assert not Search({}, all_of, nothing).wait(WAIT_S).failed


def test_one_that_is_left_out_was_never_there() -> None:
    state = Search({"a": failing(DirectoryLeftOut("x")), "b": answering(ONE)}, all_of, nothing).wait(WAIT_S)
    assert state == SearchState((ONE,), (DirectoryState("b", Condition.ANSWERED, 1),), over=True)
    state = Search({"a": failing(DirectoryLeftOut("x"))}, all_of, nothing).wait(WAIT_S)
    assert state == SearchState(over=True)


def test_the_first_directory_counts_most_whichever_answers_first() -> None:
    second_told = threading.Event()

    def late(_attempt: Attempt) -> Sequence[FoundPodcast]:
        second_told.wait(WAIT_S)
        return (ONE,)

    states: list[SearchState[FoundPodcast]] = []

    def on_change(state: SearchState[FoundPodcast]) -> None:
        states.append(state)
        second_told.set()

    assert Search({"a": late, "b": answering(TWO)}, all_of, on_change).wait(WAIT_S).found == (ONE, TWO)
    assert [state.found for state in states] == [(TWO,), (ONE, TWO)]
    assert [state.over for state in states] == [False, True]


def test_a_listener_that_raises_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def on_change(_state: SearchState[FoundPodcast]) -> None:
        raise KeyError("a bug of the screen")

    state = Search({"a": answering(ONE), "b": answering(TWO)}, all_of, on_change).wait(WAIT_S)
    assert (state.found, state.over) == ((ONE, TWO), True)
    assert caplog.text.count("a bug of the screen") >= 2


def test_a_bug_in_arranging_ends_the_search_and_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _arguments: None)

    def arrange(_found: Mapping[str, Sequence[FoundPodcast]]) -> tuple[FoundPodcast, ...]:
        raise ZeroDivisionError

    assert Search({"a": answering(ONE)}, arrange, nothing).wait(WAIT_S).over


def test_a_directory_that_never_returns_is_given_up_and_its_late_answer_ignored() -> None:
    late, hung = threading.Event(), threading.Event()

    def hang(attempt: Attempt) -> Sequence[FoundPodcast]:
        late.wait(WAIT_S)
        assert attempt.cancel.is_set
        hung.set()
        return (TWO,)

    search = Search({"a": hang, "b": answering(ONE)}, all_of, nothing, Patience(0.05, 0.1))
    state = search.wait(WAIT_S)
    assert state.problems == ("a didn't respond within 0.1 s. Try again later.",)
    late.set()
    assert hung.wait(WAIT_S)
    assert search.state == state
    assert state.found == (ONE,)


def test_it_may_be_cancelled_by_whoever_listens_to_it() -> None:
    begun, cancelled = threading.Event(), threading.Event()
    states: list[SearchState[FoundPodcast]] = []

    def slow(attempt: Attempt) -> Sequence[FoundPodcast]:
        with attempt.cancel.ending(cancelled.set):
            cancelled.wait(WAIT_S)
        return (TWO,)

    def on_change(state: SearchState[FoundPodcast]) -> None:
        assert begun.wait(WAIT_S)
        states.append(state)
        search.cancel()

    search = Search({"a": answering(ONE), "b": slow}, all_of, on_change)
    begun.set()
    state = search.wait(WAIT_S)
    assert (len(states), state.over, state.cancelled) == (1, True, True)
    assert cancelled.is_set()


def test_waiting_for_it_may_end_before_it_does() -> None:
    released = threading.Event()

    def slow(_attempt: Attempt) -> Sequence[FoundPodcast]:
        released.wait(WAIT_S)
        return ()

    search = Search({"a": slow}, all_of, nothing)
    assert not search.wait(0.01).over
    released.set()
    assert search.wait(WAIT_S).over
