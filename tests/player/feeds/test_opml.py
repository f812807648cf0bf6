"""Lists of subscriptions, as other players write them, and as Earmark does."""

import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from player.feeds.opml import (
    OpmlError,
    Outline,
    Subscribed,
    import_report,
    load_opml,
    read_opml,
    save_opml,
    subscribe_all,
    write_opml,
)
from player.library import Library
from player.model.podcast import WELCOME_URL, Podcast, PodcastId
from player.paths import Paths
from player.text.typed_names import MOST_TAGS, clean_tags

NOW = datetime(2026, 11, 20, tzinfo=UTC)

NESTED = b"""<?xml version="1.0" encoding="UTF-8"?>
<opml version="1.0"><head><title>Mine</title></head><body>
  <outline text="feeds">
    <outline text="Tech"><outline text="Python &amp; Co" type="rss" xmlUrl="https://a.example/feed"/>
      <outline title="Deep"><outline text="x" title="Deeper" XMLURL=" https://b.example/feed "/></outline></outline>
    <outline text="https://c.example/feed" xmlUrl="https://c.example/feed"/>
    <outline text="no feed"/>
  </outline>
  <outline type="rss" text="Again" xmlUrl="https://a.example/feed"/>
  <outline type="rss" text="Other spelling" url="https://d.example/feed"/>
</body></opml>"""


def test_nested_outlines_are_found_with_their_titles_and_their_folders_as_tags() -> None:
    assert read_opml(NESTED, "x") == [
        Outline("https://a.example/feed", "Python & Co", ("Tech",)),
        Outline("https://b.example/feed", "Deeper", ("Tech", "Deep")),
        Outline("https://c.example/feed"),
        Outline("https://d.example/feed", "Other spelling"),
    ]


def _list_of(*lines: str) -> list[Outline]:
    return read_opml(f"<opml><body>{''.join(lines)}</body></opml>".encode(), "x")


@pytest.mark.parametrize(
    ("outline", "url"),
    [
        ('<OUTLINE XMLURL="https://a.org/f" TITLE="A"/>', "https://a.org/f"),
        ('<outline type="RSS" XmlUrl=" https://a.org/f " text="A"/>', "https://a.org/f"),
        ('<outline type="rss" url="https://a.org/f" text="A"/>', "https://a.org/f"),
        ('<outline url="https://a.org/f" text="A"/>', "https://a.org/f"),
        ('<outline type="rss" feedUrl="https://a.org/f" title="A"/>', "https://a.org/f"),
        ('<outline type="rss" xmlUrl="" url="https://a.org/f" title="A"/>', "https://a.org/f"),
    ],
)
def test_the_ways_in_which_apps_write_a_feed(outline: str, url: str) -> None:
    body = f'<opml><body><outline text="F"><outline text="G">{outline}</outline></outline></body></opml>'
    assert read_opml(body.encode(), "x") == [Outline(url, "A", ("F", "G"))]


@pytest.mark.parametrize("kind", ["link", "podcast-episode", "include"])
def test_an_address_of_another_kind_is_no_feed(kind: str) -> None:
    body = f'<opml><body><outline xmlUrl="https://a.org/f"><outline type="{kind}" url="https://a.org/1"/></outline></body></opml>'
    assert [one.url for one in read_opml(body.encode(), "x")] == ["https://a.org/f"]


def test_a_podcast_in_two_folders_has_both_tags() -> None:
    feed, again = '<outline xmlUrl="https://a.example"/>', '<outline text="A" xmlUrl="https://a.example"/>'
    listed = _list_of(f'<outline text="One">{feed}</outline>', f'<outline text="two">{again}{feed}</outline>', feed)
    assert listed == [Outline("https://a.example", "A", ("One", "two"))]


@pytest.mark.parametrize(
    ("category", "tags"),
    [
        ("work", ("work",)),
        ("Work , long walks,work,,", ("Work", "long walks")),
        ("/Philosophy/Baseball/Mets,/Tourism/New York", ("Philosophy", "Baseball", "Mets", "Tourism", "New York")),
        ("AC/DC,/", ("AC/DC",)),
    ],
)
def test_categories_are_tags(category: str, tags: tuple[str, ...]) -> None:
    assert _list_of(f'<outline xmlUrl="https://a.example" category="{category}"/>') == [
        Outline("https://a.example", "", tags)
    ]


def test_hostile_names_of_folders_are_clean_tags_and_empty_ones_none() -> None:
    names = ["", "  ", "/ ", ",", "a,b", "&#x9b;31m&#x202e;", "&quot;q&quot;", "w" * 10_000, "two&#10;lines"]
    nested = "".join(f'<outline text="{name}">' for name in names)
    [found] = _list_of(nested, '<outline xmlUrl="https://a.example"/>', "</outline>" * len(names))
    assert found.tags == ("a b", "›31m", "'q'", "w" * 79 + "…", "two lines")


def test_a_folder_of_folders_without_end_gives_few_tags() -> None:
    deep = "".join(f'<outline text="{at}">' for at in range(200))
    [found] = _list_of(deep, '<outline xmlUrl="https://a.example"/>', "</outline>" * 200)
    assert len(found.tags) == MOST_TAGS
    many = ",".join(map(str, range(100_000)))
    [found] = _list_of(f'<outline xmlUrl="https://a.example" category="{many}"/>')
    assert len(found.tags) == MOST_TAGS


@pytest.mark.parametrize("name", ["feeds", "Feeds", "PODCASTS", "Subscriptions"])
def test_a_folder_around_everything_is_no_tag(name: str) -> None:
    feed = '<outline xmlUrl="https://a.example"/>'
    assert _list_of(f'<outline text="{name}">{feed}</outline>')[0].tags == ()
    assert _list_of(f'<outline text="Mine"><outline text="{name}">{feed}</outline></outline>')[0].tags == ("Mine", name)


@pytest.mark.parametrize(
    "body",
    [
        NESTED[: NESTED.index(b'<outline text="https://c')],
        NESTED.replace(b"&amp;", b"&"),
        NESTED.replace(b'<?xml version="1.0" encoding="UTF-8"?>\n', b"\n\n  "),
        NESTED.replace(b'<opml version="1.0">', b"<!DOCTYPE opml [<!ENTITY x \"y\">]><opml xmlns='urn:x'>"),
        NESTED.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
    ],
    ids=["cut off", "bare ampersand", "space first", "doctype", "utf-16"],
)
def test_broken_lists_give_what_can_be_read(body: bytes) -> None:
    urls = [outline.url for outline in read_opml(body, "x")]
    assert urls[:2] == ["https://a.example/feed", "https://b.example/feed"]


def test_a_text_with_an_address_a_line_is_a_list_too() -> None:
    body = b"\xef\xbb\xbf# my shows\nhttps://a.example/feed\n\nShow: <https://b.example/feed>\nfeed://c.example\n"
    assert [outline.url for outline in read_opml(body, "x")] == [
        "https://a.example/feed", "https://b.example/feed", "feed://c.example",
    ]  # fmt: skip


@pytest.mark.parametrize("body", [b"", b"hello", b"<opml/>", b"<html><body>no</body></html>", b"\0\xff" * 99])
def test_what_is_no_list_is_import_report(body: bytes) -> None:
    with pytest.raises(OpmlError, match=r"^There are no podcast feeds in mine\.opml"):
        read_opml(body, "mine.opml")


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("https://secret.example")
    body = (
        f'<!DOCTYPE o [<!ENTITY s SYSTEM "file://{tmp_path}/secret"><!ENTITY a "{"x" * 1000}">'
        f'<!ENTITY b "{"&a;" * 1000}"><!ENTITY c "{"&b;" * 1000}">]>'
        '<opml><outline text="&c;&s;" xmlUrl="https://a.example"/><outline xmlUrl="https://b.example"/></opml>'
    )
    try:
        outlines = read_opml(body.encode(), "x")
    except OpmlError:
        return
    assert all("secret" not in outline.title and len(outline.title) < 600 for outline in outlines)


def test_thousands_of_feeds_in_a_moment() -> None:
    outlines = "".join(f'<outline text="Show {n}" xmlUrl="https://{n}.example/"/>' for n in range(20_000))
    assert len(read_opml(f"<opml><body>{outlines}</body></opml>".encode(), "x")) == 20_000


@given(st.binary())
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(OpmlError):
        assert read_opml(b"<opml>" + body, "x")


# -- written --------------------------------------------------------------------------------------------------

TITLES = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])).map(str.strip)


@given(st.lists(TITLES))
def test_what_is_written_is_read_again(titles: list[str]) -> None:
    podcasts = [
        Podcast(PodcastId(at), f"https://{at}.example/?a=1&b=<{at}>", " ".join(title.split()))
        for at, title in enumerate(titles)
    ]
    if podcasts:
        again = read_opml(write_opml(podcasts, NOW).encode(), "x")
        assert [outline.url for outline in again] == [podcast.url for podcast in podcasts]
        assert [outline.title for outline in again] == [podcast.title for podcast in podcasts]


TAGS = st.lists(st.text(max_size=12) | st.sampled_from(["feeds", "a/b", "/x/y", "Work", "work", "é"]), max_size=6)


@given(st.lists(TAGS, min_size=1, max_size=8))
def test_tags_that_are_written_are_read_again(tagged: list[list[str]]) -> None:
    podcasts = [
        Podcast(PodcastId(at), f"https://{at}.example/", str(at), tags=clean_tags(tags))
        for at, tags in enumerate(tagged)
    ]
    again = {outline.url: outline.tags for outline in read_opml(write_opml(podcasts, NOW).encode(), "x")}
    assert {url: set(tags) for url, tags in again.items()} == {one.url: set(one.tags) for one in podcasts}


@settings(max_examples=15)
@given(st.lists(TAGS, min_size=1, max_size=5))
def test_a_library_that_takes_in_what_another_wrote_has_its_tags(tagged: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, second = (_opened(Path(folder) / name) for name in ("first", "second"))
        try:
            for at, tags in enumerate(tagged):
                first.shelf.set_tags(first.podcasts.add(f"https://{at}.example/").id, tags)
            for _twice in range(2):
                subscribe_all(second, read_opml(write_opml(first.podcasts.all(), NOW).encode(), "x"))
                assert _tags(second) == _tags(first)
        finally:
            first.close()
            second.close()


def _opened(folder: Path) -> Library:
    library = Library(Paths.of({"EARMARK_HOME": str(folder)}), backs_up=False)
    library.open()
    return library


def _tags(library: Library) -> dict[str, tuple[str, ...]]:
    return {one.url: one.tags for one in library.podcasts.all() if one.url.endswith(".example/")}


def test_podcasts_stand_in_the_folder_of_their_first_tag_and_name_all_of_them() -> None:
    podcasts = [
        Podcast(PodcastId(1), "https://a.example/", "A"),
        Podcast(PodcastId(2), "https://b.example/", "B", tags=("R&D", "work")),
        Podcast(PodcastId(3), "https://c.example/", "C", tags=("Music",)),
        Podcast(PodcastId(4), "https://d.example/", "D", tags=("R&D",)),
    ]
    lines = [line.strip() for line in write_opml(podcasts, NOW).splitlines()[7:-2]]
    assert lines == [
        '<outline text="Music" title="Music">',
        '<outline text="C" title="C" type="rss" xmlUrl="https://c.example/" category="Music"/>',
        "</outline>",
        '<outline text="R&amp;D" title="R&amp;D">',
        '<outline text="B" title="B" type="rss" xmlUrl="https://b.example/" category="R&amp;D,work"/>',
        '<outline text="D" title="D" type="rss" xmlUrl="https://d.example/" category="R&amp;D"/>',
        "</outline>",
        '<outline text="A" title="A" type="rss" xmlUrl="https://a.example/"/>',
    ]


def test_a_title_of_the_listeners_own_comes_back_and_the_feeds_goes_along(library: Library, tmp_path: Path) -> None:
    mine, plain, odd = (library.podcasts.add(f"https://{name}.example/feed", name) for name in ("a", "b", "c"))
    library.shelf.rename(mine.id, 'Walks & "talks"')
    library.shelf.rename(odd.id, "b")
    written = write_opml(library.podcasts.all(), NOW)
    assert 'text=\'Walks &amp; "talks"\' title="a"' in written
    second = _opened(tmp_path / "second")
    try:
        subscribe_all(second, read_opml(written.encode(), "x"))
        found = {one.url: (one.title, one.feed_title) for one in second.podcasts.all() if ".example" in one.url}
        assert found == {mine.url: ('Walks & "talks"', "a"), plain.url: ("b", ""), odd.url: ("b", "c")}
        second.shelf.rename(second.podcasts.find("a").id, "Later")
        subscribe_all(second, read_opml(written.encode(), "x"))
        assert second.podcasts.find("Later").feed_title == "a", "what is known keeps its title"
    finally:
        second.close()


def test_a_text_of_another_players_list_is_no_title_of_the_listeners() -> None:
    described = '<outline text="A show about walks." title="Walks" xmlUrl="https://a.example"/>'
    assert _list_of(described) == [Outline("https://a.example", "Walks")]
    ours = "<opml><head><title>Podcasts in Earmark</title></head><body>{}</body></opml>"
    (one,) = read_opml(ours.format(described).encode(), "x")
    assert (one.title, one.own_title) == ("Walks", "A show about walks.")
    for same in ('text="Walks" title="Walks"', 'text="Walks"', 'title="Walks"', 'text="Walks" title=" "'):
        (one,) = read_opml(ours.format(f'<outline {same} xmlUrl="https://a.example"/>').encode(), "x")
        assert (one.title, one.own_title) == ("Walks", "")


def test_neither_the_built_in_show_nor_passwords_leave_the_library() -> None:
    podcasts = [
        Podcast(PodcastId(1), WELCOME_URL, "Welcome"),
        Podcast(PodcastId(2), "https://me:secret@a.example/feed", "Paid", link="https://a.example/about"),
    ]
    written = write_opml(podcasts, NOW)
    assert "Welcome" not in written
    assert "secret" not in written
    assert 'xmlUrl="https://a.example/feed" htmlUrl="https://a.example/about"' in written


def test_a_list_is_written_whole_over_an_older_list_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.opml"
    podcasts = [Podcast(PodcastId(2), "https://a.example/feed", "A show")]
    assert save_opml(path, podcasts, NOW) == 1
    assert save_opml(path, podcasts, NOW) == 1
    assert [outline.title for outline in load_opml(path)] == ["A show"]
    path.write_text("my novel")
    with pytest.raises(OpmlError, match="already exists"):
        save_opml(path, podcasts, NOW)
    assert path.read_text() == "my novel"
    with pytest.raises(OpmlError, match="Can't write"):
        save_opml(tmp_path / "no folder" / "x", podcasts, NOW)
    with pytest.raises(OpmlError, match="Can't read"):
        load_opml(tmp_path / "nothing.opml")
    assert not list(tmp_path.glob("*.part"))


# -- taken in -------------------------------------------------------------------------------------------------


def test_all_subscriptions_stand_in_the_library_at_once(library: Library) -> None:
    library.podcasts.add("https://a.example/feed", "Mine")
    outlines = [*read_opml(NESTED, "x"), Outline("not an address", "Odd"), Outline("b.example/feed/")]
    subscribed = subscribe_all(library, outlines)
    assert [library.podcasts.get(one).title for one in subscribed.added] == [
        "Deeper",
        "c.example/feed",
        "Other spelling",
    ]
    assert subscribed.known == 2
    assert subscribed.refused[0][0] == "Odd"
    assert "“not an address” isn't a URL" in subscribed.refused[0][1]
    again = subscribe_all(library, outlines)
    assert (again.added, again.known) == ((), 5)
    assert set(again.unread) >= set(subscribed.added), "an import that was stopped goes on when it is called again"
    assert [one.title for one in library.podcasts.all()] == ["c.example/feed", "Deeper", "Mine", "Other spelling"]


def test_podcasts_that_are_known_get_the_tags_too_and_keep_their_own(library: Library) -> None:
    mine = library.podcasts.add("https://a.example/feed", "Mine")
    library.shelf.set_tags(mine.id, ["own", "TECH"])
    subscribed = subscribe_all(library, read_opml(NESTED, "x"))
    assert library.podcasts.get(mine.id).tags == ("own", "TECH")
    deeper = library.podcasts.find("Deeper")
    assert deeper.tags == ("Deep", "TECH")
    assert (subscribed.tagged, subscribed.tags) == ((deeper.id,), frozenset({"Deep", "TECH"}))
    again = subscribe_all(library, read_opml(NESTED, "x"))
    assert (again.tagged, again.tags) == ((), frozenset())


def test_thousands_of_podcasts_are_tagged_in_a_moment(library: Library) -> None:
    outlines = [Outline(f"https://{at}.example/", "", (f"Folder {at % 500}", "all")) for at in range(3_000)]
    subscribed = subscribe_all(library, outlines)
    assert (len(subscribed.tagged), len(subscribed.tags)) == (3_000, 501)
    assert library.podcasts.get(subscribed.added[1]).tags == ("all", "Folder 1")


def test_what_came_of_it_in_words() -> None:
    ids = tuple(PodcastId(one) for one in range(1200))
    assert import_report(Subscribed(ids), 0, 0) == "1,200 podcasts added."
    assert import_report(Subscribed(ids, tags=frozenset({"a", "b"})), 0, 0) == "1,200 podcasts added. 2 tags added."
    assert import_report(Subscribed(ids[:1], 1, (), (("a", "b"),)), 2, 3) == (
        "1 podcast added. 1 was already there. 2 feeds couldn't be read. 1 URL isn't valid."
        " 3 feeds are still to be read: the next refresh does that."
    )
