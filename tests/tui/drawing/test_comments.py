"""The tab of comments: an indented thread in every width."""

from msgspec.structs import replace

from player.comments.comments import Comments
from player.comments.thread import Attached, Post, Thread
from player.text.times import time_link
from tests.fediverse import status
from tests.player.comments.test_thread import thread
from tui.drawing.cells import width
from tui.drawing.comments import comments_sheet, folded_of
from tui.drawing.episode_tabs import TextPage
from tui.look.glyphs import ASCII, UNICODE

URL = "https://social.example/@show/1"
ROOT = Post("1", "The show", "@show@social.example", URL, html="<p>Out now</p>")


def sheet(*posts: Post, columns: int = 60, open_ids: tuple[str, ...] = (), more: bool = False) -> TextPage:
    comments = Comments(URL, "social.example", Thread((ROOT, *posts), more))
    return comments_sheet(comments, columns, UNICODE, 600_000, open_ids)


def texts(page: TextPage) -> list[str]:
    return ["".join(run.text for run in line).rstrip() for line in page.lines]


def reply(number: int, depth: int, html: str = "<p>Yes</p>", **more: object) -> Post:
    made = Post(str(number), "Ada", "@ada@b.example", f"https://b.example/{number}", html=html, depth=depth)
    return replace(made, **more)


def test_replies_are_indented_below_their_author() -> None:
    assert texts(sheet(reply(2, 1), reply(3, 2, "<p>No</p><p>Really</p>"))) == [
        "2 comments · social.example",
        "",
        "The show  @show@social.example",
        "Out now",
        "",
        "▎ Ada  @ada@b.example",
        "▎ Yes",
        "",
        "▎ ▎ Ada  @ada@b.example",
        "▎ ▎ No",
        "▎ ▎",
        "▎ ▎ Really",
    ]
    assert texts(sheet(more=True))[0] == "No comments yet · there may be more on social.example"


def test_links_and_times_of_a_reply_lead_somewhere_and_have_no_numbers() -> None:
    html = '<p>At 1:05 see <a href="https://a.example/x">this page</a> <a href="https://a.example/y">and that</a></p>'
    page = sheet(reply(2, 1, html))
    hrefs = [run.href for line in page.lines for run in line if run.href]
    assert hrefs == [time_link(65_000), "https://a.example/x", "https://a.example/y"]
    assert "▎ At 1:05 see this page and that" in texts(page)
    alone = sheet(reply(2, 1, '<p><a href="https://a.example/x">https://a.example/x</a></p>'))
    assert "▎ a.example/x" in texts(alone)


def test_a_content_warning_hides_text_and_pictures_until_it_is_opened() -> None:
    warned = reply(2, 1, warning="Spoilers", attached=(Attached("image", "The end"),))
    page = sheet(warned)
    assert texts(page)[-2:] == ["▎ Ada  @ada@b.example", "▎ Content warning: Spoilers"]
    assert folded_of(page.entries[1].href) == "2"
    assert "Yes" not in page.entries[1].text
    opened = sheet(warned, open_ids=("2",))
    assert texts(opened)[-3:] == ["▎ Content warning: Spoilers", "▎ Yes", "▎ [picture: The end]"]
    assert "Yes" in opened.entries[1].text


def test_what_a_picture_that_is_not_for_everybody_shows_is_not_said() -> None:
    files = (Attached("image", "Blood"), Attached("video"), Attached("odd"))
    assert texts(sheet(reply(2, 1, attached=files)))[-3:] == ["▎ [picture: Blood]", "▎ [video]", "▎ [file]"]
    hidden = texts(sheet(reply(2, 1, attached=files, is_sensitive=True)))
    assert hidden[-3] == "▎ [sensitive: picture]"


def test_the_deepest_thread_fits_the_narrowest_page() -> None:
    long = "<p>" + "word " * 40 + "</p>"
    posts = [reply(number, number, long) for number in range(2, 60)]
    for columns in (10, 24, 36, 76):
        page = sheet(*posts, columns=columns)
        assert max(width("".join(run.text for run in line)) for line in page.lines) <= columns
        assert len(page.entries) == 59


def test_what_servers_really_send_is_drawn_in_ascii_too() -> None:
    mention = (
        '<p><span class="h-card" translate="no"><a href="https://a.example/@bo" class="u-url mention">@<span>bo</span>'
        '</a></span> look: <a href="https://www.a.example/a/long/path" rel="nofollow noopener"><span class="invisible">'
        'https://www.</span><span class="ellipsis">a.example/a/long</span><span class="invisible">/path</span></a>'
        "<script>alert(1)</script></p>"
    )
    found = thread(status(2, 1, mention))
    page = comments_sheet(Comments(URL, "social.example", found), 70, ASCII, None, ())
    assert texts(page)[-1] == "| @bo look: a.example/a/long/path"


def test_why_they_could_not_be_fetched_again_stands_above_those_read_before() -> None:
    comments = Comments(URL, "social.example", Thread((ROOT,), more=False), "social.example doesn't answer. Try again.")
    lines = texts(comments_sheet(comments, 60, UNICODE, 600_000, ()))
    assert lines[0] == "social.example doesn't answer. Try again."
    assert lines[1].startswith("No comments yet")
    assert "Out now" in lines
