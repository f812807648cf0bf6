"""Pages that have a common name: `pytorch/pytorch#12345`, `PEP 703`, `arXiv 2006.15704`."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from player.text.cleaning import clean_line
from player.text.sentences import _

_STEP_CHARACTERS = 200
_NAME_CHARACTERS = 80


class PageKind(StrEnum):
    """What a link leads to, judging by its address."""

    PAGE = "page"
    MAIL = "mail"
    REPOSITORY = "repository"
    PULL_REQUEST = "pull request"
    ISSUE = "issue"
    DISCUSSION = "discussion"
    COMMIT = "commit"
    FILE = "file"
    FOLDER = "folder"
    RELEASE = "release"
    GIST = "gist"
    PEP = "PEP"
    RFC = "RFC"
    PAPER = "paper"
    PACKAGE = "package"
    ARTICLE = "article"
    VIDEO = "video"
    QUESTION = "question"


class Known(NamedTuple):
    """A page that has a common name: `pytorch/pytorch#12345`, `PEP 703`."""

    kind: PageKind
    name: str


class _Address(NamedTuple):
    host: str
    steps: tuple[str, ...]
    query: dict[str, list[str]]
    fragment: str


def _split(address: str) -> _Address:
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.")
        query = parse_qs(parts.query, max_num_fields=50)
    except ValueError:
        return _Address("", (), {}, "")
    steps = tuple(clean_line(unquote(step), _STEP_CHARACTERS) for step in parts.path.split("/") if step)
    return _Address(clean_line(host, _NAME_CHARACTERS), steps, query, parts.fragment)


def recognised(address: str) -> Known | None:
    """The common name of a page among people who know such pages; None for any other page."""
    split = _split(address)
    read = _READERS.get(split.host) or next((read for end, read in _FAMILIES if split.host.endswith(end)), None)
    if read is None and split.host.startswith("gitlab."):
        read = _gitlab
    known = read(split) if read and split.steps else None
    return known and known._replace(name=clean_line(known.name, _NAME_CHARACTERS))


def _numbered(step: str) -> str:
    """The path component if it is a number, else ""."""
    return step if step.isascii() and step.isdigit() and len(step) < 10 else ""


def _found(pattern: str, step: str) -> str:
    found = re.fullmatch(pattern, step, re.IGNORECASE | re.ASCII)
    return found[1] if found else ""


def _forge(address: _Address, repository: str, what: Sequence[str]) -> Known:
    """A page of a repository, by the rest of its path (`what`); the forges use slightly different paths for the same
    kinds of pages."""
    first, second, *rest = (*what, "", "")
    rest = [step for step in rest if step]
    kind = _FORGE_KINDS.get(first)
    if kind in (PageKind.PULL_REQUEST, PageKind.ISSUE, PageKind.DISCUSSION) and _numbered(second):
        return Known(kind, f"{repository}{'!' if first == 'merge_requests' else '#'}{second}")
    if kind is PageKind.COMMIT and re.fullmatch("[0-9a-f]{7,64}", second):
        return Known(kind, f"{repository}@{second[:7]}")
    if kind in (PageKind.FILE, PageKind.FOLDER) and rest:
        line = _found(r"L(\d{1,7})(?:-.*)?", address.fragment) if kind is PageKind.FILE else ""
        return Known(kind, f"{rest[-1]}{':' + line if line else ''} in {repository}")
    if kind is PageKind.FOLDER and second:
        return Known(kind, f"{repository}@{second}")
    if kind is PageKind.RELEASE:
        tag = rest[-1] if second == "tag" and rest else second if second not in ("", "latest", "tag") else ""
        return Known(kind, f"{repository} {tag}" if tag else _("Releases of {repository}", repository=repository))
    return Known(PageKind.REPOSITORY, repository)


_FORGE_KINDS = {
    "pull": PageKind.PULL_REQUEST, "pulls": PageKind.PULL_REQUEST, "merge_requests": PageKind.PULL_REQUEST, "issues":
    PageKind.ISSUE, "work_items": PageKind.ISSUE, "discussions": PageKind.DISCUSSION, "commit": PageKind.COMMIT, "blob":
    PageKind.FILE, "raw": PageKind.FILE, "blame": PageKind.FILE, "edit": PageKind.FILE, "tree": PageKind.FOLDER, "src":
    PageKind.FILE, "releases": PageKind.RELEASE, "tags": PageKind.RELEASE,
}  # fmt: skip
_NOT_OWNERS = frozenset({
    "features", "topics", "sponsors", "orgs", "settings", "marketplace", "about", "apps", "collections", "explore",
    "login", "search", "trending", "users", "-", "groups", "dashboard", "help",
})  # fmt: skip


def _github(address: _Address) -> Known | None:
    if len(address.steps) < 2 or address.steps[0] in _NOT_OWNERS:
        return None
    owner, name, *what = address.steps
    return _forge(address, f"{owner}/{name.removesuffix('.git')}", what)


def _github_raw(address: _Address) -> Known | None:
    if len(address.steps) < 4:
        return None
    owner, name, *_path, file = address.steps
    return Known(PageKind.FILE, f"{file} in {owner}/{name}")


def _gist(address: _Address) -> Known | None:
    owner, *rest = address.steps
    return Known(PageKind.GIST, _("gist {id} by {owner}", id=rest[0][:7], owner=owner)) if rest else None


def _codeberg(address: _Address) -> Known | None:
    """Like GitHub, except for `src/branch/NAME/path`."""
    steps = address.steps
    if len(steps) > 4 and steps[2] in ("src", "raw") and steps[3] in ("branch", "commit", "tag"):
        steps = (*steps[:3], *steps[4:])
    return _github(address._replace(steps=steps))


def _gitlab(address: _Address) -> Known | None:
    """A project may be in nested groups; `-` separates it from its contents."""
    steps = list(address.steps)
    if len(steps) < 2 or steps[0] in _NOT_OWNERS:
        return None
    if "-" in steps:
        at = steps.index("-")
        project, what = steps[:at], steps[at + 1 :]
    else:
        at = next((at for at, step in enumerate(steps) if at > 1 and step in _FORGE_KINDS), len(steps))
        project, what = steps[:at], steps[at:]
    return _forge(address, "/".join(project), what) if len(project) > 1 else None


def _pep(address: _Address) -> Known | None:
    number = next((found for step in address.steps if (found := _found(r"pep-(\d{1,5})(?:\.html|\.rst)?", step))), "")
    return Known(PageKind.PEP, f"PEP {int(number)}") if number else None


def _arxiv(address: _Address) -> Known | None:
    if address.steps[0] not in ("abs", "pdf", "html"):
        return None
    number = _found(r"((?:[a-z.-]+/\d{7}|\d{4}\.\d{4,5})(?:v\d{1,2})?)(?:\.pdf)?", "/".join(address.steps[1:3]))
    return Known(PageKind.PAPER, f"arXiv {number}") if number else None


def _doi(address: _Address) -> Known | None:
    number = "/".join(address.steps)
    return Known(PageKind.PAPER, f"DOI {number}") if number.startswith("10.") and "/" in number else None


def _rfc(address: _Address) -> Known | None:
    number = _found(r"rfc(\d{1,5})(?:\.html|\.txt|\.pdf)?", address.steps[-1])
    return Known(PageKind.RFC, f"RFC {int(number)}") if number else None


def _package(step: str, registry: str) -> Callable[[_Address], Known | None]:
    """Reads addresses of packages in an index whose pages are under the path component `step`; "" if the package is the
    first component."""

    def read(address: _Address) -> Known | None:
        steps = address.steps
        if step and steps[0] != step:
            return None
        names = steps[1:] if step else steps
        name = "/".join(names[:2]) if names and names[0].startswith("@") else names[0] if names else ""
        return Known(PageKind.PACKAGE, f"{name} on {registry}") if name and name != "releases" else None

    return read


def _wikipedia(address: _Address) -> Known | None:
    if address.steps[0] != "wiki" or len(address.steps) < 2:
        return None
    return Known(PageKind.ARTICLE, f"{'/'.join(address.steps[1:]).replace('_', ' ')} on Wikipedia")


def _youtube(address: _Address) -> Known | None:
    first, *rest = address.steps
    if address.host == "youtu.be":
        return Known(PageKind.VIDEO, _("YouTube video {id}", id=first))
    if first == "watch" and (video := address.query.get("v")):
        return Known(PageKind.VIDEO, _("YouTube video {id}", id=video[0]))
    if first in ("live", "shorts", "embed") and rest:
        return Known(PageKind.VIDEO, _("YouTube video {id}", id=rest[0]))
    if first == "playlist":
        return Known(PageKind.VIDEO, _("YouTube playlist"))
    return Known(PageKind.VIDEO, f"{first} on YouTube") if first.startswith("@") else None


def _hacker_news(address: _Address) -> Known | None:
    number = _numbered((address.query.get("id") or [""])[0])
    return Known(PageKind.DISCUSSION, f"Hacker News {number}") if address.steps == ("item",) and number else None


def _stack_overflow(address: _Address) -> Known | None:
    first, *rest = address.steps
    if first not in ("questions", "q", "a") or not rest or not _numbered(rest[0]):
        return None
    return Known(PageKind.QUESTION, f"Stack Overflow {rest[0]}")


_READERS: dict[str, Callable[[_Address], Known | None]] = {
    "github.com": _github,
    "raw.githubusercontent.com": _github_raw,
    "gist.github.com": _gist,
    "gitlab.com": _gitlab,
    "codeberg.org": _codeberg,
    "peps.python.org": _pep,
    "python.org": _pep,
    "arxiv.org": _arxiv,
    "doi.org": _doi,
    "dx.doi.org": _doi,
    "rfc-editor.org": _rfc,
    "datatracker.ietf.org": _rfc,
    "tools.ietf.org": _rfc,
    "docs.rs": _package("", "docs.rs"),
    "youtube.com": _youtube,
    "m.youtube.com": _youtube,
    "youtu.be": _youtube,
    "news.ycombinator.com": _hacker_news,
    "stackoverflow.com": _stack_overflow,
}
# Sites of package indexes, by the labels of their domain names.
_PACKAGE_SITES = {
    ("pypi", "org"): _package("project", "PyPI"),
    ("npmjs", "com"): _package("package", "npm"),
    ("crates", "io"): _package("crates", "crates.io"),
}
_READERS |= {".".join(labels): read for labels, read in _PACKAGE_SITES.items()}
_FAMILIES: tuple[tuple[str, Callable[[_Address], Known | None]], ...] = ((".wikipedia.org", _wikipedia),)
