"""Makes docs/licences.md: the licence of each package that Earmark, its extras and its tools need, from their metadata.

`make licences` runs it in an environment with all extras. A test holds the page against what is installed.
"""

import ctypes
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
CONSTRAINTS = ROOT / "constraints.txt"

EXTRAS = ("cast", "mcp", "whisper")
"""Those that a listener installs."""
TOOLS = ("test", "check", "docs", "release")

_SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "ISC License (ISCL)": "ISC",
    "LGPL-2.1+": "LGPL-2.1-or-later",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}
"""What packages call their licence, and its identifier in the SPDX License List."""
_READ = {
    "alabaster": "BSD-3-Clause",
    "docutils": "LicenseRef-Public-Domain AND BSD-2-Clause AND GPL-3.0-or-later",
    "jinja2": "BSD-3-Clause",
    "python-bidi": "LGPL-3.0-or-later",
    "segno": "BSD-3-Clause",
    "webencodings": "BSD-3-Clause",
} | dict.fromkeys(
    (f"sphinxcontrib-{name}" for name in ("applehelp", "devhelp", "htmlhelp", "jsmath", "qthelp", "serializinghtml")),
    "BSD-2-Clause",
)
"""Read in the licence file of each, as its metadata name only a family of licences."""
_HOMES = (
    "homepage",
    "home",
    "home page",
    "source",
    "source code",
    "repository",
    "github",
    "github: repo",
    "code",
    "documentation",
)

_ROW = re.compile(
    r"^\| \[?(?P<name>[\w.-]+)(?:\]\((?P<home>[^)]*)\))?"
    r" \| (?P<version>\d\S*) \| (?P<licence>[^|]+) \| (?P<users>[^|]+) \|$"
)


class Licenced(NamedTuple):
    """A package as a row has it. `users`: what needs it, an extra or `Earmark`."""

    name: str
    version: str
    licence: str
    home: str
    users: str

    def __str__(self) -> str:
        name = f"[{self.name}]({self.home})" if self.home else self.name
        return f"| {name} | {self.version} | {self.licence} | {self.users} |"


class UnknownLicence(Exception):
    """The metadata of a package don't say which licence it has."""


def licence_of(package: Distribution) -> str:
    """An SPDX expression. Raises UnknownLicence."""
    fields = package.metadata
    name = canonicalize_name(fields["Name"])
    if expression := _field(package, "License-Expression"):
        return expression
    if name in _READ:
        return _READ[name]
    classifiers = [value.rpartition(" :: ")[2] for value in fields.get_all("Classifier", []) if "OSI Approved" in value]
    licence = _field(package, "License")
    for spelling in (licence, *classifiers):
        with suppress(InvalidLicenseExpression):
            return canonicalize_license_expression(_SPELLINGS.get(spelling, spelling))
    raise UnknownLicence(
        f"{name} says neither by an expression nor by a known spelling which licence it has: read it, and add it to "
        f"_READ in {Path(__file__).name}. Its metadata: {licence!r}, {classifiers}"
    )


def _field(package: Distribution, name: str) -> str:
    return str(package.metadata.get_all(name, [""])[0])


def home_of(package: Distribution) -> str:
    """The package's own page, or else its source; "" if it names neither but its page in an index of packages."""
    pairs = (value.partition(",") for value in package.metadata.get_all("Project-URL", []))
    urls = {label.strip().casefold(): url.strip() for label, _comma, url in pairs}
    found = [_field(package, "Home-page"), *(urls.get(label, "") for label in _HOMES)]
    pages = (url for url in found if url.startswith("http"))
    return next((url for url in pages if not urlsplit(url).path.startswith("/project/")), "")


def needed_by(root: str, extras: Iterable[str] = ()) -> Iterator[str]:
    """The names of all installed packages that `root`[extras] needs, itself not among them, and theirs."""
    waiting = [(root, extra) for extra in ("", *extras)]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        for line in _requires(name):
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = canonicalize_name(requirement.name)
            for pair in ((needed, one) for one in ("", *requirement.extras)):
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
    yield from sorted({name for name, _extra in seen} - {root})


def _requires(name: str) -> list[str]:
    try:
        return distribution(name).requires or []
    except PackageNotFoundError:
        return []


def users() -> dict[str, str]:
    """What needs each package: `Earmark`, or the extras that do, or `tools` where only tools do."""
    always = set(needed_by("earmark"))
    of_extras = {extra: set(needed_by("earmark", [extra])) for extra in EXTRAS}
    of_tools = set(needed_by("earmark", TOOLS))
    found = {}
    for name in sorted(always | of_tools | set().union(*of_extras.values())):
        extras = [extra for extra, names in of_extras.items() if name in names]
        found[name] = "Earmark" if name in always else ", ".join(f"`{extra}`" for extra in extras) or "tools"
    return found


def row(name: str, user: str, package: Distribution | None = None) -> Licenced:
    """Raises PackageNotFoundError and UnknownLicence."""
    package = package or distribution(name)
    return Licenced(package.metadata["Name"], package.version, licence_of(package), home_of(package), user)


def rows_on(page: str) -> dict[str, Licenced]:
    """What the page says, by canonical name."""
    matches = filter(None, map(_ROW.match, page.splitlines()))
    return {canonicalize_name(found["name"]): Licenced(**found.groupdict("")) for found in matches}


def pinned() -> dict[str, str]:
    """The versions in constraints.txt, by canonical name."""
    pairs = (line.partition("==") for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if "==" in line)
    return {canonicalize_name(name): version for name, _equals, version in pairs}


def ffmpeg_says() -> str:
    """The licence that the FFmpeg in PyAV's wheel names, and the GPL libraries in that wheel."""
    import av

    folder = Path(str(av.__file__)).parent.with_name("av.libs")
    (library,) = folder.glob("libavutil*")
    names = ctypes.CDLL(str(library)).avutil_license
    names.restype = ctypes.c_char_p
    gpl = [name for name in ("x264", "x265") if list(folder.glob(f"lib{name}*"))]
    return f"“{names().decode()}”; beside it lie {' and '.join(gpl) or 'no libraries'} under GPL-2.0-or-later"


def page(rows: Mapping[str, Licenced], ffmpeg: str) -> str:
    """The whole page."""
    shipped = [str(one) for one in rows.values() if one.users != "tools"]
    tools = [str(one) for one in rows.values() if one.users == "tools"]
    head = "| package | version | licence | needed by |\n|---|---|---|---|"
    return _PAGE.format(ffmpeg=ffmpeg, shipped="\n".join([head, *shipped]), tools="\n".join([head, *tools]))


_PAGE = """\
# Licences

Earmark's source is under the [MIT licence](https://spdx.org/licenses/MIT.html). What it needs is installed beside it,
each package under a licence of its own. This page is made from their metadata (`make licences`), in the versions of
`constraints.txt`, and a test finds a package that is new or whose licence has changed.

## What that means

With Earmark's source or its wheel you get each package from its own publisher, and nothing more is asked of anybody.

A file that contains the packages too is a combined work: the Debian package, the one for Arch, and the container, which
`packaging` makes. Two packages are the reason that this matters:

- **mutagen**, which reads and writes the tags of audio files, is under GPL-2.0-or-later.
- **PyAV** is under a BSD licence, but its wheel brings FFmpeg and the libraries that FFmpeg was built with. The licence
  that this FFmpeg names is {ffmpeg}.

FFmpeg's “version 3” and the packages under Apache-2.0 go together with the GPL from version 3 on. So each of these
files as a whole is under **GPL-3.0-or-later**. They are marked so, and have the licence text of every package with
them; `packaging/COPYING.bundle`, which is in each, says so and where the sources are. Whoever publishes one must offer
the sources of the same versions in the same place. Earmark's own files stay under the MIT licence there, too.

libvlc (LGPL-2.1-or-later) and its plugins come from the system's packages, and are in none of these files.

## What the player needs

{shipped}

## What building and testing it needs

None of these packages is in anything that is published.

{tools}
"""


def main() -> None:
    try:
        rows = {name: row(name, user) for name, user in users().items()}
    except PackageNotFoundError as error:
        raise SystemExit(f"{error.name} isn't installed here: run make licences, which installs all extras.") from None
    except UnknownLicence as error:
        raise SystemExit(str(error)) from None
    if unpinned := sorted(rows.keys() - pinned().keys()):
        raise SystemExit(f"Not in constraints.txt: {', '.join(unpinned)}")
    PAGE.write_text(page(rows, ffmpeg_says()), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
