"""The links of an episode, with the numbers that they have in its notes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.links.page_names import PageKind
from player.notes import read_notes
from player.notes.episode_links import Link, TimeLink, links, numbers

NOTES = """<p>See the <a href="https://example.org/guide?utm_source=feed">guide</a>, and
<a href="https://github.com/pytorch/pytorch/pull/130935">Pull request #130935</a>.</p>
<ul><li>Lowering guide: https://github.com/pytorch/xla/blob/master/LOWERING.md</li>
<li>https://peps.python.org/pep-0703/</li>
<li>Click <a href="https://arxiv.org/abs/2006.15704">here</a></li>
<li><a href="https://example.org/guide?utm_source=feed">Again</a></li>
<li><a href="mailto:host@example.org?subject=Hello">Write to us</a></li></ul>"""


def test_links_are_numbered_once_each_in_the_order_of_reading() -> None:
    found = links(read_notes(NOTES)).pages
    assert [(link.number, link.title, link.leads_to) for link in found] == [
        (1, "guide", "example.org"),
        (2, "Pull request #130935", "pytorch/pytorch#130935"),
        (3, "Lowering guide", "LOWERING.md in pytorch/xla"),
        (4, "PEP 703", "peps.python.org"),
        (5, "Click", "arXiv 2006.15704"),
        (6, "Write to us", "host@example.org"),
    ]
    assert found[0].address == "https://example.org/guide?utm_source=feed"
    assert found[5].kind is PageKind.MAIL


def test_the_pages_of_episode_and_podcast_come_last_and_only_where_they_are_new() -> None:
    found = links(
        read_notes('<a href="https://a.org/1">One</a>'), episode="https://a.org/1", podcast="https://a.org/"
    ).pages
    assert [(link.number, link.title, link.address) for link in found] == [
        (1, "One", "https://a.org/1"),
        (2, "This podcast", "https://a.org/"),
    ]


def test_an_address_without_words_is_called_by_its_name_or_itself_without_trackers() -> None:
    found = links(read_notes("https://docs.rs/serde/latest/ https://user:pw@www.a.org/b?utm_source=x&c=1")).pages
    assert [link.title for link in found] == ["serde on docs.rs", "a.org/b?c=1"]


def test_times_are_listed_with_what_is_said_of_them() -> None:
    notes = read_notes(
        "<p>0:00 Start<br>6:41 - Pattern matcher</p><p>First. We come to inductor (14:05) late. Then 6:41 again.</p>"
        "<pre>1:00 in code</pre><p>At 99:00 nothing.</p>"
    )
    assert links(notes, 24 * 60_000).times == (
        TimeLink(0, "0:00", "Start"),
        TimeLink(401_000, "6:41", "Pattern matcher"),
        TimeLink(845_000, "14:05", "We come to inductor late"),
    )


def test_all_links_are_a_list_in_markdown() -> None:
    found = links(read_notes('<a href="https://a.org/(x)">One [1]</a> <a href="https://b.org/?utm_source=x">Two</a>'))
    assert found.markdown == "- [One \\[1\\]](<https://a.org/(x)>)\n- [Two](<https://b.org/?utm_source=x>)\n"
    assert not links(read_notes("none"))


def test_who_a_link_leads_to_is_never_who_it_says() -> None:
    (link,) = links(read_notes('<a href="https://github.com@evil.example/a/b/pull/1">github.com</a>')).pages
    assert link == Link(1, "github.com", "https://github.com@evil.example/a/b/pull/1", "evil.example")


@pytest.mark.parametrize(
    "line",
    ["https://a.org/x " * 20_000, "see (1:00) and " * 20_000, '<a href="https://a.org">1:00</a> ' * 20_000],
    ids=["addresses", "times", "links"],
)
def test_a_line_of_thousands_is_read_in_a_moment(line: str) -> None:
    found = links(read_notes(line), 3_600_000)
    assert len(found.pages) <= 1


@given(st.text(alphabet="ab1:0() .<>/=\"'\n&\x1b[]-", max_size=200))
def test_no_notes_raise_and_each_link_has_its_number(text: str) -> None:
    notes = read_notes(f'{text}<a href="https://a.org/?{text[:20]}">{text}</a> https://b.org/{text}')
    found = links(notes, 10**7)
    assert {link.address: link.number for link in found.pages} == numbers(notes)
    assert all(link.title and not re.search("[\x00-\x1f]", link.title + link.leads_to) for link in found.pages)
