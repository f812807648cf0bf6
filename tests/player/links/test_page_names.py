"""Pages are called what those who read them call them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.links.page_names import PageKind, recognised


def site(*labels: str) -> str:
    return ".".join(labels)


NAMES = [
    ("https://github.com/pytorch/pytorch", PageKind.REPOSITORY, "pytorch/pytorch"),
    ("https://www.github.com/pytorch/pytorch.git", PageKind.REPOSITORY, "pytorch/pytorch"),
    ("https://github.com/pytorch/pytorch/wiki/Home", PageKind.REPOSITORY, "pytorch/pytorch"),
    ("https://github.com/pytorch/pytorch/pull/12345", PageKind.PULL_REQUEST, "pytorch/pytorch#12345"),
    ("https://github.com/pytorch/pytorch/pull/12345/files#diff-1", PageKind.PULL_REQUEST, "pytorch/pytorch#12345"),
    ("https://github.com/pytorch/pytorch/issues/7?utm_source=x", PageKind.ISSUE, "pytorch/pytorch#7"),
    ("https://github.com/pytorch/pytorch/discussions/8", PageKind.DISCUSSION, "pytorch/pytorch#8"),
    ("https://github.com/a/b/commit/0123456789abcdef", PageKind.COMMIT, "a/b@0123456"),
    ("https://github.com/pytorch/pytorch/blob/main/README.md", PageKind.FILE, "README.md in pytorch/pytorch"),
    ("https://github.com/a/b/blob/main/x/fx.py#L120-L130", PageKind.FILE, "fx.py:120 in a/b"),
    ("https://github.com/a/b/tree/main/torch/fx_passes", PageKind.FOLDER, "fx_passes in a/b"),
    ("https://github.com/a/b/tree/v1.2", PageKind.FOLDER, "a/b@v1.2"),
    ("https://github.com/a/b/releases/tag/v2.0.0", PageKind.RELEASE, "a/b v2.0.0"),
    ("https://github.com/a/b/releases", PageKind.RELEASE, "Releases of a/b"),
    ("https://raw.githubusercontent.com/a/b/main/x/y.txt", PageKind.FILE, "y.txt in a/b"),
    ("https://gist.github.com/ezyang/0123456789ab", PageKind.GIST, "gist 0123456 by ezyang"),
    ("https://gitlab.com/a/b/c/-/merge_requests/9", PageKind.PULL_REQUEST, "a/b/c!9"),
    ("https://gitlab.gnome.org/GNOME/vte/-/issues/1", PageKind.ISSUE, "GNOME/vte#1"),
    ("https://gitlab.com/a/b/issues/3", PageKind.ISSUE, "a/b#3"),
    ("https://gitlab.com/a/b/-/blob/main/src/x.c", PageKind.FILE, "x.c in a/b"),
    ("https://codeberg.org/a/b/pulls/4", PageKind.PULL_REQUEST, "a/b#4"),
    ("https://codeberg.org/a/b/src/branch/main/README.md", PageKind.FILE, "README.md in a/b"),
    ("https://peps.python.org/pep-0703/", PageKind.PEP, "PEP 703"),
    ("https://www.python.org/dev/peps/pep-0008", PageKind.PEP, "PEP 8"),
    ("https://arxiv.org/abs/2006.15704", PageKind.PAPER, "arXiv 2006.15704"),
    ("https://arxiv.org/pdf/2006.15704v2.pdf", PageKind.PAPER, "arXiv 2006.15704v2"),
    ("https://arxiv.org/abs/cs/0112017", PageKind.PAPER, "arXiv cs/0112017"),
    ("https://doi.org/10.1145/3297858.3304013", PageKind.PAPER, "DOI 10.1145/3297858.3304013"),
    ("https://www.rfc-editor.org/rfc/rfc9110.html", PageKind.RFC, "RFC 9110"),
    ("https://datatracker.ietf.org/doc/html/rfc793", PageKind.RFC, "RFC 793"),
    (f"https://{site('pypi', 'org')}/project/textual/", PageKind.PACKAGE, "textual on PyPI"),
    (f"https://www.{site('npmjs', 'com')}/package/@types/node", PageKind.PACKAGE, "@types/node on npm"),
    (f"https://{site('crates', 'io')}/crates/serde", PageKind.PACKAGE, "serde on crates.io"),
    ("https://docs.rs/serde/latest/serde/", PageKind.PACKAGE, "serde on docs.rs"),
    ("https://en.wikipedia.org/wiki/Garbage_collection_(computer_science)", PageKind.ARTICLE,
     "Garbage collection (computer science) on Wikipedia"),
    ("https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=30", PageKind.VIDEO, "YouTube video dQw4w9WgXcQ"),
    ("https://youtu.be/dQw4w9WgXcQ", PageKind.VIDEO, "YouTube video dQw4w9WgXcQ"),
    ("https://news.ycombinator.com/item?id=8863", PageKind.DISCUSSION, "Hacker News 8863"),
    ("https://stackoverflow.com/questions/11828270/how-do-i-exit-vim", PageKind.QUESTION, "Stack Overflow 11828270"),
]  # fmt: skip


@pytest.mark.parametrize(("address", "kind", "name"), NAMES, ids=[name for _, _, name in NAMES])
def test_a_page_is_known_by_its_name(address: str, kind: PageKind, name: str) -> None:
    assert recognised(address) == (kind, name)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/pytorch/pytorch/pull/1",
        "https://github.com@evil.example/a/b",
        "https://github.com.evil.example/a/b/pull/1",
        "https://evilgithub.com/a/b",
        "https://github.com/ezyang",
        "https://github.com/sponsors/ezyang",
        "https://www.python.org/downloads/",
        "https://arxiv.org/list/cs.PL/recent",
        "https://news.ycombinator.com/item?id=x",
        "https://[broken",
        "mailto:a@github.com",
    ],
)
def test_what_only_looks_like_one_is_none(address: str) -> None:
    assert recognised(address) is None


_STEPS = st.lists(
    st.sampled_from(["a", "-", "pull", "12", "blob", "src", "tree", "%1b[31m", "@x", "wiki", "releases", "tag"])
)


@given(st.sampled_from(sorted({address.split("/")[2] for address, _, _ in NAMES})), _STEPS, st.text(max_size=20))
def test_no_address_raises_or_puts_control_characters_into_a_name(host: str, steps: list[str], more: str) -> None:
    known = recognised(f"https://{host}/{'/'.join(steps)}/{more}")
    assert known is None or (not re.search("[\x00-\x1f\x7f-\x9f]", known.name) and len(known.name) <= 80)
