"""Show notes: HTML or plain text, read into blocks."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.notes import (
    Code,
    Heading,
    Item,
    Paragraph,
    Quote,
    Rule,
    Span,
    beginning,
    plain,
    read_in_parts,
    read_notes,
    words,
)
from tests.quick import mostly_long, shortest


def texts(html: str) -> list[str]:
    return ["".join(span.text for span in block.spans) for block in read_notes(html).blocks]


def spans(html: str) -> tuple[Span, ...]:
    (block,) = read_notes(html).blocks
    return block.spans


# -- blocks ---------------------------------------------------------------------------------------------------


def test_paragraphs_headings_rules_and_quotes() -> None:
    notes = read_notes("<h2>Links</h2><p>One\n  two</p><hr><blockquote><p>Said.</p><p>Twice.</p></blockquote>tail")
    assert notes.blocks == (
        Heading(2, (Span("Links"),)),
        Paragraph((Span("One two"),)),
        Rule(),
        Quote((Span("Said."),)),
        Quote((Span("Twice."),)),
        Paragraph((Span("tail"),)),
    )


def test_lists_nest_and_count() -> None:
    notes = read_notes("<ul><li>a<ol start=3><li>b</li><li><p>c</p><p>more</p></ol></li><li>d</ul>after")
    assert notes.blocks == (
        Item(0, None, (Span("a"),)),
        Item(1, 3, (Span("b"),)),
        Item(1, 4, (Span("c\nmore"),)),
        Item(0, None, (Span("d"),)),
        Paragraph((Span("after"),)),
    )


def test_items_may_carry_their_own_numbers() -> None:
    blocks = read_notes("<ol><li>a<li value=9>b<li>c</ol>").blocks
    assert [block.number for block in blocks if isinstance(block, Item)] == [1, 9, 10]


def test_code_keeps_its_lines() -> None:
    notes = read_notes("<p>Run</p><pre><code>\ndef f():\n\treturn  1\n\n</code></pre><p>and <code>f( )</code></p>")
    assert notes.blocks == (
        Paragraph((Span("Run"),)),
        Code((Span("def f():\n    return  1"),)),
        Paragraph((Span("and "), Span("f( )", code=True))),
    )


def test_a_break_is_kept_inside_a_paragraph_and_two_end_it() -> None:
    assert texts("<p>a<br>b<br/><br />c</p>") == ["a\nb", "c"]


def test_a_meaning_stands_below_its_term() -> None:
    assert read_notes("<dl><dt>Term<dd>Meaning<dt>Next</dt><dd><p>One</p><p>Two</p></dd></dl>after").blocks == (
        Item(0, None, (Span("Term\n", bold=True), Span("Meaning"))),
        Item(0, None, (Span("Next\n", bold=True), Span("One\nTwo"))),
        Paragraph((Span("after"),)),
    )


# -- spans ----------------------------------------------------------------------------------------------------


def test_styles_and_links() -> None:
    assert spans(
        "<p>A <b>bold <i>both</i></b> <em>it</em> <a href='https://a.example/?x=1&amp;y'>li <b>nk</b></a>.</p>"
    ) == (
        Span("A "),
        Span("bold ", bold=True),
        Span("both", bold=True, italic=True),
        Span(" "),
        Span("it", italic=True),
        Span(" "),
        Span("li ", href="https://a.example/?x=1&y"),
        Span("nk", bold=True, href="https://a.example/?x=1&y"),
        Span("."),
    )


def test_white_space_is_collapsed_across_spans() -> None:
    assert spans("<p> a <b> b</b>  c </p>") == (Span("a "), Span("b", bold=True), Span(" c"))


def test_an_address_in_angle_brackets_is_no_tag_and_a_tag_with_an_address_is_no_text() -> None:
    assert texts("<p>At <https://a.example> or <me@a.example> <foo src='https://b.example'>now</foo></p>") == [
        "At https://a.example or me@a.example now"
    ]
    assert read_notes("<p>See</p><video src='https://v.example/1'></video>").links == ("https://v.example/1",)


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "/relative", "#x", ""]
)
def test_a_link_that_leads_nowhere_safe_is_text(target: str) -> None:
    assert spans(f"<p><a href='{target}'>here</a></p>") == (Span("here"),)


def test_mail_addresses_are_links() -> None:
    assert spans("<p><a href='mailto:me@example.com'>write</a></p>") == (Span("write", href="mailto:me@example.com"),)


@pytest.mark.parametrize(
    ("text", "url", "rest"),
    [
        ("see https://a.example/x.", "https://a.example/x", "."),
        ("(https://a.example/x)", "https://a.example/x", ")"),
        ("https://a.example/x_(y)", "https://a.example/x_(y)", ""),
        ("https://a.example/x?a=1&b=2, and", "https://a.example/x?a=1&b=2", ", and"),
        ("“http://a.example”", "http://a.example", "”"),
        ("<p>&lt;https://a.example&gt;</p>", "https://a.example", ""),
    ],
)
def test_a_bare_address_becomes_a_link(text: str, url: str, rest: str) -> None:
    found = spans(text)
    assert Span(url, href=url) in found
    assert "".join(span.text for span in found).endswith(url + rest)


def test_an_image_in_a_link_shows_what_it_is_called() -> None:
    assert spans("<p><a href='https://a.example'><img alt='Our shop' src='x.png'></a></p>") == (
        Span("Our shop", href="https://a.example"),
    )
    assert spans("<a href='https://a.example'> <img src='x.png'></a>") == (
        Span("https://a.example", href="https://a.example"),
    )


def test_links_are_listed_once_in_order() -> None:
    notes = read_notes(
        "<p><a href='https://b.example'>b</a> https://a.example <a href='https://b.example'>again</a></p>"
    )
    assert notes.links == ("https://b.example", "https://a.example")


# -- what feeds really send -----------------------------------------------------------------------------------


def test_plain_text_keeps_its_paragraphs_and_lines() -> None:
    assert texts("One &amp; only\nstill one\n\nTwo, a < b\r\n\r\n\r\nThree") == [
        "One & only\nstill one",
        "Two, a < b",
        "Three",
    ]


def test_lines_count_where_only_links_are_marked_up() -> None:
    assert texts("First <a href='https://a.example'>a</a>\nSecond <b>b</b>\n\nThird") == ["First a\nSecond b", "Third"]


def test_html_that_was_escaped_twice_is_read_once_more() -> None:
    assert texts("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;AT&amp;amp;T&lt;/p&gt;") == ["One", "AT&T"]


def test_html_that_speaks_of_tags_keeps_them() -> None:
    assert texts("<p>Use &lt;p&gt; and &lt;/p&gt; well</p>") == ["Use <p> and </p> well"]


@pytest.mark.parametrize(
    ("html", "link"),
    [
        (
            """<a href="{}" title="(Test Week) Btrfs Test Day" - Fedocal" rel="nofollow">word</a>""",
            "https://a.example/1",
        ),
        ("""<a title="Btrfs Test Day" - Fedocal" href="{}">word</a>""", "https://a.example/2"),
        ("""<a title="it's" data-x='"' href='{}'>word</a>""", "https://a.example/3"),
        ("""<a title='a "b" c'd' href={}>word</a>""", "https://a.example/it's"),
        ("""<a title="1 < 2 <b>" href="{}">word</a>""", "https://a.example/4"),
        ("""<a href="{}>word</a>""", "https://a.example/5"),
        ("""<a\nclass=x/y\nhref = "{}" >word</a>""", "https://a.example/6"),
    ],
)
def test_tags_are_read_as_browsers_do_whatever_their_quotes_are(html: str, link: str) -> None:
    assert spans(f"<p>a {html.format(link)} b") == (Span("a "), Span("word", href=link), Span(" b"))


def test_an_image_in_words_may_have_a_bracket_in_them() -> None:
    assert spans("""<p><img alt="1 < 2" src="x">, <b>b</b>""")[0].text == "[image: 1 < 2]"


def test_a_link_that_shows_nothing_stands_apart_from_the_words_around_it() -> None:
    empty = "<a href='https://a.example/1.jpg'></a>"
    assert texts(f"<p>See{empty}Johannes") == ["See https://a.example/1.jpg Johannes"]
    assert texts(f"<p>({empty}).<br>{empty}<br>{empty}{empty}a") == [
        "(https://a.example/1.jpg).\nhttps://a.example/1.jpg\nhttps://a.example/1.jpg\nhttps://a.example/1.jpg a"
    ]
    assert read_notes(f"<p>{empty}<a href='https://a.example/2'>Johannes</a>").links == (
        "https://a.example/1.jpg",
        "https://a.example/2",
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Words.</p><a href=\"http://www.amazon.", ["Words."]),
        ("<p>Words.</p> more <img src='x' al", ["Words.", "more"]),
        ("<p>Words.</", ["Words."]), ("<p>Words.<", ["Words."]), ("<p>if x < y", ["if x < y"]), ("<p>I <3", ["I <3"]),
        ("<p>see <name", ["see <name"]), ("if x <b", ["if x <b"]),
    ],
)  # fmt: skip
def test_a_tag_that_was_cut_off_at_the_end_is_not_shown(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("at <time>12:00</time> we <mark>said</mark> it", "at 12:00 we said it"), ("Donau<wbr>dampf", "Donaudampf"),
        ("<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp></ruby>", "東(とう)"),
        ("cp <source> <target>", "cp <source> <target>"),
        ("an <input type='text'>", "an"), ("a <label>b", "a <label>b"),
        ("<embed src='https://v.example'>", "https://v.example"),
    ],
)  # fmt: skip
def test_any_tag_of_html_is_one_even_alone_but_not_a_word_in_brackets(html: str, expected: str) -> None:
    assert texts(html) == [expected]


def test_scripts_comments_and_declarations_are_not_shown() -> None:
    html = "<!DOCTYPE html><style>p {}</style><p>a<!-- b > c -->d</p><script>if (a < b) {}</script ><svg><p>x</svg>e"
    assert texts(html) == ["ad", "e"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a <b>b</p><p>c", ["a b", "c"]), ("</p></ul></b>a<br>", ["a"]), ("<p>1 < 2 and 3 > 2", ["1 < 2 and 3 > 2"]),
        ("<p>a<!-- never closed", ["a never closed"]), ("<p", ["<p"]), ("<p class='x>a</p>", ["a"]), ("", []),
        ("<p> </p>", []),
        ("<p>a&nbsp;&nbsp;b</p>", ["a b"]), ("<P>A</P><UL><LI>B</UL>", ["A", "B"]),
        ("<p>&#27;[31m&#x202e;a</p>", ["[31ma"]),
        ("<p>a</p>\n\n<p>b</p>", ["a", "b"]), ("<o:p>a</o:p><br>b", ["a\nb"]), ("<p>a<script>b", ["ab"]),
        ("<![CDATA[<p>a</p>]]>", ["a"]), ("<p title='a>b'>c</p>", ["c"]), ("<h2>a<p>b</p></h2>c", ["a\nb", "c"]),
    ],
)  # fmt: skip
def test_broken_markup_still_gives_its_text(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


# -- strangers ------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["<p>", "</p>", "<b>", "</b>", "<a href='https://x.example/1'>", "<a href=", "</a>", "<ul>", "<ol>", "<li>",
     "</ul>", "</ol>",
     "<pre>", "</pre>", "<blockquote>", "</blockquote>", "<h1>", "</h1>", "<br>", "<hr>", "<!--", "-->", "<script>",
     "</script>",
     "<td>", "<img alt='x'>", "&lt;p&gt;", "&#27;", "&#x202e;", "&amp;", "<", ">", "'", '"', "\n", " ", "\x1b[2J",
     "\u202e", "é",
     "https://y.example/2", "word", "\u0301" * 6, "<code>", "\n\n", "- a\n- b", "\n1. ", "2) ", "• ", "**b**", "*",
     "_e_", "`c`", "[l](https://z.example/3)", "\n```py\n", "## ", "> ", "0:00 a ", "1:00 b", "end.The", "Links:",
     "---", "<table>", "<tr>", "<th>", "</td>", "</table>", "<dl>", "<dt>", "<dd>", "</dl>", "<sup>", "</sup>",
     "<summary>", "www.w.example/4", "a@b.example", "<iframe src='https://v.example'>", "  ",
     "<iframe src='https://v.example' title='&#x9d;a&#10;&#x202e;'>", "&#x9d;"]
)  # fmt: skip
HTML = st.lists(PIECES | st.text(max_size=5), max_size=60).map("".join)


@given(HTML)
def test_no_notes_raise_and_none_move_the_cursor(html: str) -> None:
    notes = read_notes(html)
    for block in notes.blocks:
        text = "".join(span.text for span in block.spans)
        assert isinstance(block, Rule) or (text.strip() and text == text.rstrip())
        assert not any(ord(character) < 32 and character != "\n" for character in text)
        assert not set(text) & set("\x7f\x9b\x9d\u202a\u202b\u202d\u202e\u2066\u2067\u2068")
        assert isinstance(block, Code) or ("  " not in text and " \n" not in text and "\n " not in text)
        assert all(span.text for span in block.spans)
    assert all(link.startswith(("http://", "https://", "mailto:")) for link in notes.links)
    assert not any(ord(character) < 32 and character != "\n" for character in plain(notes))
    words(notes)


def test_a_reference_to_a_number_without_end_is_read_too() -> None:
    assert texts("<p>a&#" + "9" * 5000 + ";b") == ["a\ufffdb"]
    assert texts("<a href='https://a.example/&#" + "9" * 5000 + "'>b</a>") == ["b"]


@given(HTML, st.integers(0, 999), st.sampled_from(["<p>", "<div><p>", "</b><br>", "text <b>"]))
def test_every_link_is_kept(html: str, number: int, before: str) -> None:
    url = f"https://kept.example/{number}"
    safe = html.replace("<!--", "").replace("<script>", "").replace("<a href=", "")
    assert url in read_notes(f'{safe}\n>\'">{before}<a class=x href="{url}">').links


@given(st.text())
def test_any_text_can_be_shown(text: str) -> None:
    for width in (1, 40, 80):
        plain(read_notes(text), width)


@pytest.mark.parametrize(
    "unit",
    mostly_long(["<", "<a ", '<a "', "<div>", "<!--", "a<u>b</u>", "&amp;", "<script>", "\n", "<ul><li>", "<b>a<i>b",
     "<pre>",
     "a\u0301\u0301",
     "<p '", "http://", "http://a.example/)", "<!", "<blockquote>", "</", "&", "<br>",
     "<a href='https://a.example'>", "<svg ", "**a", "[a](", "[a](https://a.example", "`", "1. ", "1. 2. ", "• ",
     "0:00 a ", "_a", "http://a.exampleThe ", "<table><tr><td>", "<td>a", "<dt>", "> ", "a?The", "\n- a", "\n```\n",
     "a@", "a.b.", "---", "--- ", "a:b ", "<sup>1", "\n  - a", "https://a.example/1https://b.example ", "Links: ",
     "# ", "\n# a\n"], quick=20),
)  # fmt: skip
def test_time_grows_with_the_length_alone(unit: str) -> None:
    html = unit * (60_000 // len(unit))
    assert shortest(lambda: read_notes(html), 1) < 1  # measured: 0.25 at most


@given(
    st.lists(
        st.sampled_from(
            [
                "see ",
                "https://kept.example/1",
                ".",
                " ",
                "\n",
                "**",
                "*",
                "_",
                "[a](",
                ")",
                "- ",
                "1. ",
                "end.The ",
                "(",
                "?",
                "Links:",
                "0:00 ",
                "`",
                "> ",
                "• ",
                "| ",
            ]
        ),
        max_size=12,
    ).map("".join),
    st.integers(0, 99),
)
def test_no_address_in_a_text_is_lost(before: str, number: int) -> None:  # fmt: skip
    url = f"https://kept.example/{number}"
    if before.count("```") == 0 and "**" not in before:
        assert url in read_notes(f"{before} {url} and").links


@given(HTML, st.integers(1, 40))
def test_notes_are_the_same_in_parts_of_any_size(html: str, every: int) -> None:
    assert tuple(block for part in read_in_parts(html, every) for block in part) == read_notes(html).blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.example/cpp_frontend.htmlWriting Python", ["https://a.example/cpp_frontend.html\nWriting Python"]),
        ("https://a.example/w/Why-(a-manifesto)Next PR", ["https://a.example/w/Why-(a-manifesto)\nNext PR"]),
        ("https://a.example/1.pdfPaper https://b.example", ["https://a.example/1.pdf\nPaper https://b.example"]),
        ("https://a.example/Foo_(Bar)The book", ["https://a.example/Foo_(Bar)\nThe book"]),
        ("Why?Further reading.C++ tutorial https://a.example", ["Why?", "Further reading.", "C++ tutorial https://a.example"]),
        ("https://a.example/gen.pyOut of it", ["https://a.example/gen.py\nOut of it"]),
        ("https://a.example/lib/libshm.hMultiprocessing b", ["https://a.example/lib/libshm.h\nMultiprocessing b"]),
        ("https://a.example/tools/rules.bzlLiner notes", ["https://a.example/tools/rules.bzl\nLiner notes"]),
        ("https://a.example/documentationIf you", ["https://a.example/documentation\nIf you"]),
        ("https://a.example/porting-guideOld guide", ["https://a.example/porting-guide\nOld guide"]),
        ("https://a.example/docs/internals/Why is that", ["https://a.example/docs/internals/\nWhy is that"]),
    ],
)  # fmt: skip
def test_words_that_ran_into_an_address_or_a_heading_begin_a_line(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/Foo_(Bar)Baz", "https://a.example/camelCasePath/FooBar(x)", "https://a.example/Node.jsFoundation",
        "https://a.example/?to=/b.htmlC", "https://a.example/#a.htmlB", "https://a.example/viewforum.phpBB", "https://a.htmlB",
        "https://a.example/a.html/Bc", "https://a.example/README.md", "https://a.example/x.htmlfoo",
    ],
)  # fmt: skip
def test_an_address_with_capitals_in_it_stays_whole(url: str) -> None:
    assert texts(f"see {url} and more") == [f"see {url} and more"]
    assert read_notes(f"see {url} and more").links == (url,)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("https://a.example/dev/pep-0442/Essential reading", "https://a.example/dev/pep-0442/"),
        ("https://a.example/pytorch/xla/Brian Hirsh’s notes", "https://a.example/pytorch/xla/"),
        ("https://a.example/amp.html#autocastCPU Op-Specific", "https://a.example/amp.html#autocast"),
        ("https://a.example/internalsBrian says", "https://a.example/internals"),
    ],
)
def test_a_word_that_may_belong_to_an_address_or_not_leaves_both_in_the_list_of_links(text: str, first: str) -> None:
    assert texts(f"see {text}") == [f"see {text}"]
    assert read_notes(f"see {text}").links == (first, text.partition(" ")[0])


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/wiki/Essential oils", "https://a.example/Brian Hirsh", "https://a.example/a/b/README too",
        "https://a.example/a/b/Essential", "https://a.example/a/b?c=dEssential reading", "https://a.example/a/b#Why is",
        "https://a.example/Fused/Kernel tricks",
    ],
)  # fmt: skip
def test_a_capitalised_part_that_an_address_commonly_has_stays_in_it(text: str) -> None:
    assert read_notes(f"see {text}").links == (text.partition(" ")[0],)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("From TH to C++?Further reading. The guide", ["From TH to C++? Further reading. The guide"]),
        ("What is F#?Why not", ["What is F#? Why not"]),
        ("It is 100%.The rest", ["It is 100%. The rest"]),
        ("Now in v2.0!Further reading", ["Now in v2.0! Further reading"]),
        ("Its formulas.Conjugate views are. Why?The end", ["Its formulas.", "Conjugate views are. Why?", "The end"]),
        ("It has formulas.Conjugate views are lazy.", ["It has formulas.Conjugate views are lazy."]),
        ("A class logging.Handler is there. Why?The end", ["A class logging.Handler is there. Why? The end"]),
    ],
)  # fmt: skip
def test_sentences_that_ran_together_are_parted(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_the_beginning_of_notes_ends_where_a_block_does() -> None:
    notes = "<p>One two three</p>" * 100
    assert beginning(notes, 110) == "<p>One two three</p>" * 5
    assert beginning("words " * 100, 50) == "words words words words words words words words"
    assert beginning(notes, 10_000) == notes


def test_a_heap_of_brackets_after_an_address_takes_no_time() -> None:
    start = time.process_time()
    read_notes("http://a.example" + ")" * 1_000_000)
    assert time.process_time() - start < 1


TOO_LONG = "These notes are too long to show in full. The rest is left out."


@pytest.mark.parametrize(
    "one", ["<p><a href='https://a.example/{}'>Page</a></p>", "https://a.example/{}\n", "0:00 https://a.example/{} "]
)
def test_notes_with_too_many_links_end_with_a_sentence_that_says_so(one: str) -> None:
    notes = read_notes("".join(one.format(number) for number in range(30_000)))
    assert 4_000 < len(notes.links) <= 10_000
    assert notes.links == tuple(f"https://a.example/{number}" for number in range(len(notes.links)))
    assert words(notes).endswith(TOO_LONG)


@pytest.mark.parametrize("one", mostly_long(["<b>a</b> c ", "<p>a</p>", "a<br>"]))
def test_notes_with_too_many_spans_end_with_it_too(one: str) -> None:
    assert words(read_notes(one * 100_000)).endswith(TOO_LONG)
    assert not words(read_notes(one * 1_000)).endswith(TOO_LONG)


def test_a_link_is_found_at_any_depth() -> None:
    html = "<div><b>" * 100_000 + "<a href='https://deep.example'>x</a>"
    assert read_notes(html).links == ("https://deep.example",)


def test_a_megabyte_is_read_in_a_blink() -> None:
    unit = (
        "<h3>In this episode</h3><p>" + "Some ünïcode text of the kind that people write about their shows — with " * 3
        + "<a href='https://example.com/page?x=1&amp;y=2'>link &amp; more</a> and <b>bold</b> words.</p>\n<ul>"
        + "<li>12:34 A chapter of the episode, with a title</li>\n" * 4 + "</ul>"
    )  # fmt: skip
    html = (unit * 2000)[:1_000_000]
    start = time.process_time()
    notes = read_notes(html)
    assert time.process_time() - start < 1  # measured: 0.17
    assert len(notes.blocks) > 10_000


# -- for commands ---------------------------------------------------------------------------------------------


def test_plain_notes_number_the_links_they_hide() -> None:
    notes = read_notes(
        "<h1>Show</h1><p>By <a href='https://a.example'>Ada</a>, at https://b.example</p>"
        "<ul><li>one<ol><li>deep</ol></ul><blockquote>said</blockquote><pre>x  = 1\ny</pre><p>end</p>"
    )
    assert plain(notes, 40) == (
        "SHOW\nBy Ada [1], at https://b.example\n\n• one\n  1. deep\n\n│ said\n\n    x  = 1\n    y\n\nend\n\n"
        "[1] https://a.example"
    )


def test_plain_lines_fit_the_width_in_cells() -> None:
    notes = read_notes(
        "<p>" + "日本語の番組" * 20 + " words and words and words</p><ul><li>" + "item " * 30 + "</li></ul>"
    )
    lines = plain(notes, 30).split("\n")
    assert len(lines) > 8
    assert all(sum(2 if ord(character) > 0x2E80 else 1 for character in line) <= 30 for line in lines)


def test_words_are_the_text_alone() -> None:
    assert words(read_notes("<p>A <a href='https://a.example'>b</a></p><hr><ul><li>c</ul>")) == "A b\nc"
