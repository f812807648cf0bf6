"""The documentation as it is read in a terminal."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.test_docs import DOCS
from tui import manual

PAGE = """# A [page](other.md)

![a picture](x.svg)

A **strong** word, an *emphasis* and `code * with * stars`
in two lines.

- one item
  that goes on
- another

1. first

| key | does |
|---|---|
| `a` | one \\| two |

```text
as it is
```

    indented

## More {#more}
"""


def test_the_parts_of_a_page() -> None:
    kinds = [(part.kind, part.text) for part in manual.parts_of(PAGE)]
    assert kinds[:9] == [
        ("heading", "A page"),
        ("text", "A strong word, an emphasis and `code * with * stars` in two lines."),
        ("item", "one item that goes on"),
        ("item", "another"),
        ("item", "first"),
        ("row", "key  does"),
        ("row", "`a`  one | two"),
        ("code", "as it is"),
        ("code", "indented"),
    ]


def test_a_page_as_plain_text() -> None:
    assert [line.text for line in manual.rendered(PAGE, 30)][:18] == [
        "A page", "======", "",
        "A strong word, an emphasis and", "`code * with * stars` in two", "lines.", "",
        "- one item that goes on", "- another", "1. first", "",
        "key  does", "`a`  one | two", "",
        "    as it is", "    indented", "", "More {#more}",
    ]  # fmt: skip


def test_every_page_of_the_index_is_there_once() -> None:
    names = manual.names()
    assert len(names) == len(set(names))
    found = {page.name for page in manual.pages()}
    assert found <= {one.stem for one in DOCS.glob("*.md")}
    assert found | {"keys", "settings", "commands", "json"} == set(names)


@pytest.mark.parametrize("columns", [80, 40])
def test_pages_fit_the_width_but_for_code(columns: int) -> None:
    for page in manual.pages():
        code = {f"    {part.text}".rstrip() for part in manual.parts_of(page.source) if part.kind == "code"}
        for line, _kind in manual.rendered(page.source, columns):
            assert len(line) <= columns or line in code or max(map(len, line.split())) > columns - 4, (page.name, line)


def test_a_page_from_a_heading_on() -> None:
    for page in manual.pages():
        for section in manual.sections(page):
            begins = next(iter(manual.parts_of(manual.from_heading(page, section.heading))))
            assert (begins.kind, begins.text) == ("heading", section.heading)


def test_a_page_of_another_name_is_no_file() -> None:
    assert manual.page("../README") is None
    assert manual.page("conf") is None


@pytest.fixture
def forget() -> Iterator[Callable[[], None]]:
    """What was read is read again in this test, and after it."""

    def forget() -> None:
        for cached in (manual.folder, manual.index, manual._all_sections):
            cached.cache_clear()

    forget()
    yield forget
    forget()


def test_pages_of_an_installed_package_are_found_where_it_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forget: Callable[[], None]
) -> None:
    site, pages = tmp_path / "lib" / "site-packages", tmp_path / manual.INSTALLED
    pages.mkdir(parents=True)
    (pages / "index.md").write_text("```{toctree}\n:maxdepth: 1\n\nnotes\ngenerated/keys\n```\n", encoding="utf-8")
    (pages / "notes.md").write_text("# Some notes\n", encoding="utf-8")
    described = site / "earmark-1.0.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: earmark\nVersion: 1.0\n", encoding="utf-8")
    record = "tui/manual.py,,\n../../share/doc/earmark/index.md,,\n../../share/doc/earmark/notes.md,,\n"
    (described / "RECORD").write_text(record, encoding="utf-8")
    monkeypatch.setattr(manual, "__file__", str(site / "tui" / "manual.py"))
    monkeypatch.syspath_prepend(site)
    assert manual.names() == ["notes", "keys"]
    assert [page.title for page in manual.pages()] == ["Some notes"]
    (described / "RECORD").write_text("", encoding="utf-8")
    forget()
    assert manual.names() == []
