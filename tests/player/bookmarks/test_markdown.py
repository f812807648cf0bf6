"""Bookmarks as Markdown: a link to the second, and nothing that a title could smuggle in."""

from datetime import UTC, datetime

from msgspec.structs import replace

from player.bookmarks import markdown
from player.model.episode import EpisodeId
from player.model.listening import TEMPLATE, Bookmark, BookmarkId

PAGE = "https://example.org/12"


def bookmark(
    *, chapter: str = "", line: str = "", note: str = "", episode: str = "Episode", link: str = PAGE
) -> Bookmark:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return Bookmark(BookmarkId(1), EpisodeId(1), 754_900, at, chapter, line, note, episode, "A show", link)


def test_what_a_bookmark_has_not_leaves_no_empty_line() -> None:
    assert markdown(bookmark(), TEMPLATE) == f"- [12:34](<{PAGE}#t=754>) Episode (A show)\n"
    whole = bookmark(chapter="Two", line="as I said", note="look it up")
    assert markdown(whole, TEMPLATE) == (
        f"- [12:34](<{PAGE}#t=754>) Episode (A show)\n  - Two\n  - look it up\n  - “as I said”\n"
    )


def test_without_a_link_the_time_stands_alone() -> None:
    assert markdown(bookmark(link=""), TEMPLATE).startswith("- 12:34 Episode")


def test_a_clip_has_an_end_and_a_length() -> None:
    clip = replace(bookmark(), length_ms=34_600)
    assert markdown(clip, TEMPLATE) == f"- [12:34](<{PAGE}#t=754>)–13:09 Episode (A show)\n"
    assert markdown(clip, "{time} {length}") == "12:34 0:34\n"
    assert markdown(bookmark(), "{episode}\n{length}") == "Episode\n"


def test_signs_of_markdown_in_a_title_mean_nothing() -> None:
    written = markdown(bookmark(episode="# [x](y) *a* _b_ snake_case <i>`"), "{episode}")
    assert written == "\\# \\[x\\](y) \\*a\\* \\_b\\_ snake_case \\<i\\>\\`\n"
    assert markdown(bookmark(note="- 1"), "{note}") == "\\- 1\n"
    assert markdown(bookmark(note="12. now"), "{note}") == "12\\. now\n"


def test_a_field_in_a_title_is_no_field() -> None:
    assert markdown(bookmark(episode="{note}", note="secret"), "{episode}") == "{note}\n"


def test_a_template_of_ones_own() -> None:
    template = "\n## {episode}\n\n{note} {line}\n{date} {time} {link}\n"
    assert markdown(bookmark(), template) == f"## Episode\n\n2026-03-01 12:34 {PAGE}#t=754\n"
