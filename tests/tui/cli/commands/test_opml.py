"""`import` and `export`."""

import io
import sys
from pathlib import Path

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def subscriptions(server: LoopbackServer, tmp_path: Path) -> Path:
    """Two shows that can be read, one that is gone, and one that is no address."""
    urls = [server.page(f"/{name}", feed(name.title(), "One", "Two needles")) for name in ("rain", "wind")]
    lines = [
        *(f'<outline text="List {url[-4:]}" xmlUrl="{url}"/>' for url in urls),
        f'<outline text="Gone" xmlUrl="{server.url}/nothing"/>',
        '<outline text="Odd" xmlUrl="::"/>',
    ]
    path = tmp_path / "mine.opml"
    path.write_text(f"<opml><body><outline text='Folder'>{''.join(lines)}</outline></body></opml>")
    return path


def test_an_import_takes_in_all_that_can_be_read_and_tells_the_rest(
    earmark: Earmark, library: Library, subscriptions: Path
) -> None:
    ended = earmark("import", str(subscriptions))
    assert ended.code == 1
    assert ended.out == "3 podcasts added. 1 tag added. 1 feed couldn't be read. 1 URL isn't valid. 4 episodes.\n"
    assert "earmark: Odd: “::” isn't a URL" in ended.err
    assert "earmark: Gone: " in ended.err
    assert [one.title for one in library.podcasts.all()] == ["Gone", "Rain", "Welcome to Earmark", "Wind"]
    assert library.podcasts.find("Gone").error
    assert library.search.left() == 0, "search included"
    assert len(library.search.find("needles ", 9).ids) == 2


def test_a_second_import_adds_nothing(earmark: Earmark, subscriptions: Path) -> None:
    earmark("import", str(subscriptions))
    ended = earmark("import", str(subscriptions), "--json")
    assert (ended.json["added"], ended.json["known"], ended.json["new"]) == (0, 3, 0)
    assert [failed["title"] for failed in ended.json["failed"]] == ["Odd", "Gone"], "what never was read is tried again"


def test_a_list_comes_through_standard_input_too(
    earmark: Earmark, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = server.page("/a", feed("A show", "One")).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert earmark("import", "-").out == "1 podcast added. 1 episode.\n"


def test_a_podcast_that_was_never_reached_goes_by_its_address(
    earmark: Earmark, library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = b"http://me:secret@127.0.0.1:1/feed.xml\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    ended = earmark("import", "-")
    assert "earmark: 127.0.0.1:1/feed.xml: 127.0.0.1 " in ended.err
    assert "127.0.0.1:1/feed.xml" in earmark("podcasts").out
    assert "127.0.0.1:1/feed.xml" in [one["title"] for one in earmark("podcasts", "--json").json]
    assert 'text="127.0.0.1:1/feed.xml"' in earmark("export").out
    assert "Removed 127.0.0.1:1/feed.xml" in earmark("remove", "127.0.0.1:1/feed.xml", "--yes").out


def test_what_is_no_list_ends_with_a_sentence(earmark: Earmark, tmp_path: Path) -> None:
    (tmp_path / "novel.txt").write_text("It was a dark night")
    ended = earmark("import", str(tmp_path / "novel.txt"))
    assert (ended.code, ended.out) == (1, "")
    assert f"There are no podcast feeds in {tmp_path / 'novel.txt'}." in ended.err
    assert "Can't read" in earmark("import", str(tmp_path / "nothing")).err


def test_what_is_exported_can_be_imported(earmark: Earmark, subscriptions: Path, tmp_path: Path) -> None:
    earmark("import", str(subscriptions))
    out = tmp_path / "out.opml"
    assert earmark("export", str(out)).out == f"3 podcasts written to {out}.\n"
    assert earmark("export").out.splitlines()[7:] == out.read_text().splitlines()[7:]
    for name in ("Rain", "Wind", "Gone"):
        earmark("remove", name, "--yes")
    again = earmark("import", str(out), "--json").json
    assert (again["added"], again["new"]) == (3, 4)


def test_an_export_is_private_until_its_owner_opens_it(earmark: Earmark, tmp_path: Path) -> None:
    out = tmp_path / "out.opml"
    for mode in (0o600, 0o644):
        assert earmark("export", str(out)).code == 0
        assert out.stat().st_mode & 0o777 == mode
        out.chmod(0o644)


def test_a_failed_export_ends_with_a_sentence(earmark: Earmark, tmp_path: Path) -> None:
    ended = earmark("export", str(tmp_path))
    assert ended.code == 1
    assert "isn't a file. Choose another name" in ended.err
