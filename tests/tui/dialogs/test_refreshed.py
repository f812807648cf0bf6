"""The results of a refresh: failed podcasts by reason, each tried again, and podcasts with new episodes."""

from concurrent.futures import Future
from typing import Any

from player.feeds.refresh_summary import RefreshSummary
from player.model.podcast import PodcastId
from tests.tui.alone import Alone, until, words_of
from tui.dialogs.refreshed import Refreshed, RefreshedScreen, refreshed, refreshed_rows

ONE, TWO, THREE, FOUR = map(PodcastId, range(1, 5))
SUMMARY = RefreshSummary(
    failed=((ONE, "One: not found. Check its address."), (TWO, "Two timed out."), (THREE, "Three: not found.")),
    reasons=((ONE, "Not found (404)"), (TWO, "Timed out"), (THREE, "Not found (404)")),
    news=((FOUR, 3),),
)
TITLES = {ONE: "First [b]show[/b]", TWO: "Second", THREE: "Third", FOUR: "Fourth"}


def test_equal_reasons_are_joined_the_most_frequent_first_and_news_come_last() -> None:
    rows = refreshed_rows(refreshed(SUMMARY, TITLES))
    assert [(row.title, row.keys) for row in rows if row.title] == [
        ("Not found (404)", ""), ("First [b]show[/b]", ""), ("Third", ""),
        ("Timed out", ""), ("Second", ""),
        ("New episodes", ""), ("Fourth", "3"),
    ]  # fmt: skip


def test_a_podcast_that_is_gone_meanwhile_is_not_in_it() -> None:
    assert refreshed(SUMMARY, {}) == []


async def test_the_selected_one_is_explained_tried_again_and_gone_to() -> None:
    tries: list[tuple[PodcastId, Future[RefreshSummary]]] = []

    def retry(podcast_id: PodcastId) -> Future[RefreshSummary]:
        tries.append((podcast_id, Future()))
        return tries[-1][1]

    answers: list[Any] = []
    async with Alone().run_test(size=(80, 30)) as pilot:
        pilot.app.push_screen(RefreshedScreen(refreshed(SUMMARY, TITLES), retry, "r"), answers.append)
        await until(pilot, lambda: "Check its address." in words_of(pilot.app))
        assert "3 podcasts couldn't be refreshed" in words_of(pilot.app)
        await pilot.press("r", "r")
        assert [one for one, _ in tries] == [ONE]
        assert "First [b]show[/b] Refreshing…" in words_of(pilot.app)
        tries[0][1].set_result(RefreshSummary(1, 2))
        await until(pilot, lambda: "First [b]show[/b] refreshed, 2 new" in words_of(pilot.app))
        await pilot.press("j", "r")
        tries[1][1].set_result(RefreshSummary(failed=((THREE, "Still."),), reasons=((THREE, "Not found (404)"),)))
        await until(pilot, lambda: "Third failed again" in words_of(pilot.app))
        assert "Still." in words_of(pilot.app)
        await pilot.press("G", "r", "enter")
        assert (len(tries), answers) == (2, [FOUR])


async def test_on_the_smallest_terminal_the_reason_and_the_podcast_are_in_sight() -> None:
    async with Alone().run_test(size=(30, 8)) as pilot:
        rows = [Refreshed(ONE, "A show", "Not found (404)", "The page isn't there. Check the address.")]
        pilot.app.push_screen(RefreshedScreen(rows, lambda _one: Future(), "r"))
        await until(pilot, lambda: "Not found (404) ▌A show The page isn't there." in words_of(pilot.app))
