"""Feeds in every encoding, those included that say one and are in another."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.feeds.parsing.parse import read_feed
from player.feeds.parsing.recoding import as_utf8, without_long_runs
from tests.player.feeds.parsing.making import AUDIO, item, rss

URL = "https://example.com/show/feed.xml"
QUOTES = "Café – “naïve” don’t"


def feed(title: str, encoding: str, declared: str | None = None) -> bytes:
    """A feed in `encoding` which declares that one, another one, or ("") none."""
    says = encoding if declared is None else declared
    declaration = f'<?xml version="1.0" encoding="{says}"?>' if says else '<?xml version="1.0"?>'
    text = f"{declaration}<rss version='2.0'><channel><title>{title}</title><item>{AUDIO}</item></channel></rss>"
    return text.encode(encoding)


def title_of(body: bytes, content_type: str = "") -> str:
    return read_feed(body, content_type, URL).title


@pytest.mark.parametrize("declared", ["ISO-8859-1", "windows-1252", "windows-1251", "us-ascii", "iso-8859-15", "utf-8"])
@pytest.mark.parametrize("content_type", ["", "text/xml; charset=utf-8", "text/xml; charset=ISO-8859-1"])
def test_utf8_is_read_as_utf8_whatever_it_is_called(declared: str, content_type: str) -> None:
    assert title_of(feed(QUOTES, "utf-8", declared), content_type) == QUOTES


def test_the_servers_word_counts_before_the_feeds() -> None:
    body = feed("Привет, мир", "windows-1251", "ISO-8859-1")
    assert title_of(body, "application/rss+xml; charset=windows-1251") == "Привет, мир"
    assert title_of(body) == "Ïðèâåò, ìèð"


def test_a_server_that_is_wrong_about_utf8_does_no_harm() -> None:
    assert title_of(feed(QUOTES, "windows-1252"), "text/xml; charset=utf-8") == QUOTES
    assert title_of(feed("ニュース", "shift_jis"), "text/xml; charset=utf-8") == "ニュース"


@pytest.mark.parametrize(
    "declared", ["ISO-8859-1", "latin-1", "us-ascii", "windows-1252", "x-windows-1252", "utf-8", ""]
)
def test_windows_1252_is_what_is_called_latin_1(declared: str) -> None:
    assert title_of(feed(QUOTES, "windows-1252", declared)) == QUOTES


@pytest.mark.parametrize(
    ("encoding", "declared", "title"),
    [
        ("cp932", "Windows-31J", "①ニュース～"),
        ("cp932", "x-sjis", "ニュース"),
        ("cp932", "Shift_JIS", "①ニュース"),
        ("euc_jp", "x-euc-jp", "ニュース"),
        ("iso2022_jp", "iso-2022-jp", "ニュース"),
        ("cp874", "windows-874", "ยก"),
        ("cp1255", "windows-1255", "שלום"),
        ("iso8859-8", "ISO-8859-8-I", "שלום"),
        ("mac-roman", "x-mac-roman", "Café “x”"),
        ("mac-cyrillic", "x-mac-cyrillic", "Привет"),
        ("cp949", "ks_c_5601-1987", "뷁뉴스"),
        ("gb18030", "gb2312", "新闻镕"),
        ("gbk", "gbk", "联通"),
        ("big5", "big5", "新聞"),
        ("koi8-r", "koi8", "Привет"),
        ("utf-8", "utf8mb4", "新聞 Café"),
        ("utf-8", "UTF-8-MB4", "新聞 Café"),
        ("utf-8", "unicode", "新聞 Café"),
        ("utf-8", "none-such", "新聞 Café"),
        ("cp1252", "windows1252", QUOTES),
        ("cp1252", "ansi", QUOTES),
    ],
)
def test_encodings_are_known_by_all_their_names(encoding: str, declared: str, title: str) -> None:
    assert title_of(feed(title, encoding, declared)) == title


@pytest.mark.parametrize("label", ["utf-16", "UTF-16LE", "utf-32", "ucs-2", "unicode"])
@pytest.mark.parametrize("more", [b"", b"\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_what_is_utf16_in_name_only_is_read_whatever_its_length(label: str, more: bytes, encoding: str) -> None:
    assert title_of(feed(QUOTES, encoding, label) + more) == QUOTES
    assert title_of(feed(QUOTES, encoding, "") + more, f"text/xml; charset={label}") == QUOTES


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]
)
@pytest.mark.parametrize("declared", ["", "utf-8", "utf-16"])
def test_the_first_bytes_tell_what_nothing_else_does(encoding: str, declared: str) -> None:
    assert title_of(feed("ニュース 😀", encoding, declared), "text/xml; charset=iso-8859-1") == "ニュース 😀"


def test_one_wrong_byte_spoils_one_character() -> None:
    body = feed("Żółw – ŻÓŁW", "utf-8").replace(b"</title>", b" sh\xf6w \x93x\x94</title>")
    assert title_of(body) == "Żółw – ŻÓŁW shöw “x”"


def test_a_text_that_was_cut_inside_a_character_stays_legible() -> None:
    body = feed("新闻", "gb18030", "gb2312").replace(b"</item>", b"<description>\xd0\xc2\xce</description></item>")
    read = read_feed(body, "", URL)
    assert read.title == "新闻"
    assert read.episodes[0].notes.startswith("新")


def test_encodings_that_could_hide_tags_are_not_believed() -> None:
    body = b"<rss version='2.0'><channel><title>+ADw-b+AD4-</title><item>" + AUDIO.encode() + b"</item></channel></rss>"
    for name in ("utf-7", "unicode_escape", "punycode", "idna", "cp037", "hz", "iso-2022-kr"):
        assert title_of(body, f"text/xml; charset={name}") == "+ADw-b+AD4-"


@given(st.binary(max_size=200), st.sampled_from(["", "utf-8", "gbk", "latin1", "utf-16", "cp874", "iso-2022-jp", "x"]))
def test_whatever_comes_leaves_as_utf8(noise: bytes, label: str) -> None:
    as_utf8(noise, f"text/xml; charset={label}").decode()
    as_utf8(f"<?xml version='1.0' encoding='{label}'?>".encode() + noise, "").decode()


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE])
def test_a_mark_alone_is_nothing(mark: bytes) -> None:
    assert as_utf8(mark, "") == b""


def test_control_characters_that_stand_for_quotes_are_read_as_both_readers_read_them() -> None:
    written = "Men&#146;s \x93quoted\x94 &#x85; &#xff;"
    for broken in ("", "<p>"):
        assert title_of(rss(item(1), channel=f"<title>{written}</title>{broken}")) == "Men’s “quoted” … ÿ"


def test_long_runs_of_references_become_cdata_before_and_after_what_is_written_literally() -> None:
    run, plain = b"&#8217;" * 60, "’".encode() * 60
    literal = b"<b><![CDATA[<p>" + b"&amp;" * 60 + b"</p>]]></b><!-- " + b"&amp; <br> " * 60 + b"-->"
    body = b"<a>" + run + b"</a>" + 2 * (literal + b"<a>" + run + b"</a>")
    assert without_long_runs(body) == body.replace(run, b"<![CDATA[" + plain + b"]]>")
