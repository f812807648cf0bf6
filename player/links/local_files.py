"""Addresses of files and folders on this computer (`file:`, RFC 8089). Only podcasts that listeners add from their own
disks have one: nothing from the network may name a local file.
"""

import contextlib
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

_START = "file://"
_SAFE = "/!$&'()*+,:;=@~-._"
_ESCAPED = re.compile(r"\\(.)")
_PATH = re.compile(r"(?:/|~|\.\.?(?:/|$)|file:)")


def file_address(path: str | Path) -> str:
    """The address of an absolute path. Names that aren't UTF-8 keep their bytes."""
    return _START + quote(os.fsencode(path), safe=_SAFE)


def is_file_address(address: str) -> bool:
    return address.startswith(f"{_START}/")


def path_of(address: str) -> Path:
    """The absolute path that `file_address` made an address of. Raises ValueError for any other."""
    name = unquote_to_bytes(address.removeprefix(_START))
    if not is_file_address(address) or b"\0" in name or b".." in name.split(b"/"):
        raise ValueError("not the address of a local file")
    return Path(os.fsdecode(name))


def belongs_to(address: str, podcast: str) -> bool:
    """Whether `address` is a file of the podcast at the address `podcast`: that file itself, or one in that folder."""
    if not is_file_address(podcast) or not is_file_address(address):
        return False
    try:
        return path_of(address).is_relative_to(path_of(podcast))
    except ValueError:
        return False


def looks_like_path(text: str) -> bool:
    """Whether somebody who types this means a file or folder and no URL: `/…`, `~/…`, `./…`, `file:…`, or any of these
    in the quotes that a terminal puts around what is dragged onto it. The disk isn't asked."""
    return bool(_PATH.match(_unquoted(text.strip())))


def typed_path(text: str) -> Path | None:
    """The absolute path that somebody means by this; None if it doesn't look like one. Reads the disk, as a name may be
    typed with or without backslashes before its spaces."""
    typed = text.strip()
    if not looks_like_path(typed):
        return None
    bare = _unquoted(typed)
    if bare.lower().startswith("file:"):
        rest = bare[len("file:") :]
        rest = rest.removeprefix("//localhost") if rest.startswith("//localhost/") else rest.removeprefix("//")
        return _absolute(os.fsdecode(unquote_to_bytes(rest)))
    plain = _absolute(bare)
    if bare == typed and "\\" in bare and not os.path.lexists(plain):
        return _absolute(_ESCAPED.sub(r"\1", bare))
    return plain


def with_home(text: str) -> Path:
    """The path that somebody types as the name of a file: `~` is the home folder, `~name` that of a user. Where there
    is no such user it stays as it is, which is then a file that doesn't exist."""
    with contextlib.suppress(RuntimeError):
        return Path(text).expanduser()
    return Path(text)


def below_home(text: str) -> Path:
    """A path of the settings: one that isn't absolute is below the home folder, wherever Earmark is started."""
    return Path.home() / with_home(text)


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
    return text[1:-1] if quoted else text


def _absolute(text: str) -> Path:
    path = with_home(text.replace("\0", ""))
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow symbolic links
