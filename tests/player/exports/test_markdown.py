"""The document that people read."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from player.exports.markdown import document, is_document, save_document
from player.library import Library
from player.model.feed import FeedState
from player.model.listening import ListeningSpan, Moment
from tests.player.exports.helpers import FEEDS, NOW, opened, subscribed
from tests.player.library.helpers import apply_feed, by_guid, episode, feed


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = opened(tmp_path / "library")
    yield library
    library.close()


def test_it_has_all_that_one_reads(library: Library, tmp_path: Path) -> None:
    ids = subscribed(library, FEEDS[:2])
    rain, wind = library.podcasts.all()
    library.shelf.set_tags(wind.id, ["weather"])
    library.episodes.set_starred([ids[0]], True)
    library.bookmarks.put(ids[1], Moment(754_000, "Clouds", "It rains.", "Look this up"))
    began = NOW - timedelta(hours=2)
    spans = [
        ListeningSpan(ids[2], 0, 60_000, began),
        ListeningSpan(ids[2], 60_000, 120_000, began + timedelta(hours=1)),
    ]
    library.progress.save(ids[2], 120_000, None, NOW, None, spans)
    save_document(tmp_path / "x.md", library, NOW)
    text = (tmp_path / "x.md").read_text()
    assert is_document(text.encode())
    assert (tmp_path / "x.md").stat().st_mode & 0o777 == 0o600
    assert text.split("\n", 6)[1] == "# Podcasts in Earmark"
    parts = dict(part.split("\n\n", 1) for part in text.split("\n## ")[1:])
    assert list(parts) == ["Podcasts", "Starred episodes", "Bookmarks", "Heard"]
    assert parts["Podcasts"].split("\n")[:4] == [
        f"- {rain.title}, Somebody ([feed](<{rain.url}>))",
        "",
        "### weather",
        "",
    ]
    assert parts["Starred episodes"].strip() == "- 2026-03-01 [Rain 0](<https://example.org/rain/0>), Rain"
    assert parts["Bookmarks"].strip().split("\n") == [
        "### [Rain 1](<https://example.org/rain/1>), Rain",
        "",
        "- [12:34](<https://example.org/rain/1#t=754>) Look this up · Clouds",
        "  > It rains.",
    ]
    assert re.fullmatch(
        r"### 2026-03\n\n- 2026-03-\d\d \[Rain 2\]\(<https://example.org/rain/2>\), Rain \(2m\)", parts["Heard"].strip()
    )
    save_document(tmp_path / "x.md", library, NOW)


def test_titles_of_strangers_are_no_markdown(library: Library) -> None:
    podcast = library.podcasts.add("https://me:secret@example.org/<x>")
    hostile = "# [click](javascript:alert) <b>`*_x_*`</b> | ~~x~~"
    one = episode(1, title=hostile, link="javascript:alert(1)", url="https://example.org/a>b (c).mp3")
    (number,) = apply_feed(library, podcast, one, title="1. <script>").new
    library.episodes.set_starred([number], True)
    library.bookmarks.put(number, Moment(0, note="- [ ] *me*", line="> quoted"))
    lines = list(document(library, NOW))
    text = "\n".join(lines)
    assert "secret" not in text
    assert "<script>" not in text
    assert not re.search(r"(?<!\\)\]\(<?javascript", text)
    starred = next(line for line in lines if "script:alert" in line and line.startswith("- "))
    assert r"\# \[click\](javascript:alert) \<b\>\`\*\_x\_\*\`\</b\> \| \~\~x\~\~" in starred
    assert "(<https://example.org/a%3Eb%20(c).mp3>)" in starred
    assert any(line.startswith("- 0:00 ") and r"\- \[ \] \*me\*" in line for line in lines)
    assert r"  > \> quoted" in lines
    assert any(r"1\. \<script\>" in line for line in lines)


def test_an_empty_library_is_an_empty_document(library: Library) -> None:
    assert [line for line in document(library, NOW) if line.startswith("#")] == ["# Podcasts in Earmark"]


def test_feeds_are_named_like_in_the_app(library: Library) -> None:
    podcast = library.podcasts.add(FEEDS[0])
    library.podcasts.apply(podcast.id, feed(title="Rain"), FeedState(), by_guid)
    library.shelf.rename(podcast.id, "My *rain*")
    assert r"- My \*rain\*, Somebody ([feed](<https://example.org/rain.xml>))" in list(document(library, NOW))
