"""What narrows a list of podcasts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.library.search.query import parse_podcasts
from player.model.podcast import Podcast, PodcastId

PYTORCH = Podcast(
    PodcastId(1), "https://a.example/feed", "Deep dives", author="Edward Yang", feed_title="PyTorch Developer Podcast",
    unplayed_count=3, pinned=True, tags=("Work", "deep learning"),
)  # fmt: skip
FAILING = Podcast(PodcastId(2), "https://b.example/feed", "Ærøskøbing Café", error="b.example doesn't answer.")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("", (True, True)),
        ("pytorch", (True, False)),
        ("deep yang", (True, False)),
        ("py", (False, False)),
        ("py*", (True, False)),
        ('"developer podcast"', (True, False)),
        ('"podcast developer"', (False, False)),
        ("-pytorch", (False, True)),
        ("cafe", (False, True)),
        ("title:torch", (True, False)),
        ("title:edward", (False, False)),
        ("tag:work", (True, False)),
        ('tag:"Deep Learning"', (True, False)),
        ("tag:play tag:work", (True, False)),
        ("is:error", (False, True)),
        ("is:unplayed is:pinned", (True, False)),
        ("IS:Pinned", (True, False)),
    ],
)
def test_podcasts_fit(text: str, fits: tuple[bool, bool]) -> None:
    query = parse_podcasts(text)
    assert query.problems == ()
    assert (query.fits(PYTORCH), query.fits(FAILING)) == fits


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("is:played", "Unknown filter “is:played”. Available: is:unplayed, is:pinned, is:error."),
        ("after:2025", "“after:” is about episodes. Of podcasts: words, title:, tag: and is:."),
        ("-tag:work", "Only words can be left out, not “tag:work”."),
    ],
)
def test_what_is_not_understood_is_said(text: str, problem: str) -> None:
    assert parse_podcasts(text).problems == (problem,)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse_podcasts(text).fits(PYTORCH)
