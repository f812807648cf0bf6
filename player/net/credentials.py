"""Names and passwords of servers: typed once, stored in the system's keyring if there is one.

A login belongs to a server (scheme, host and port) and is sent nowhere else. Tokens that a server gives its clients in
place of a password belong to one path of the server: other applications may be at other paths. The servers that
have a login, and the names, are stored in a file that only its owner can read (mode 0600); the passwords are stored
there only if no keyring takes them. The keyring is asked through the system's own command (`secret-tool` of libsecret,
`security` of macOS): the package `keyring` would bring in fourteen others, some of them compiled, for something that
few listeners need.
"""

import base64
import fcntl
import json
import logging
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from msgspec import Struct

from player import regular_file
from player.links.urls import origin

log = logging.getLogger(__name__)
_LARGEST = 4_000_000
"""Bytes of the file with the logins."""

Login = tuple[str, str]
"""Name and password."""


class Bearer(NamedTuple):
    """The login of a server that gives its clients a token (RFC 6750) in place of their password."""

    name: str
    token: str


class Tokens(Struct, frozen=True):
    """What a server gave in place of a password. `refresh` gets new ones once `access` has expired; "" if `access`
    lasts until it is withdrawn."""

    name: str
    access: str
    refresh: str = ""


class TokenStore(Protocol):
    """Stores the tokens of servers; the methods are those of Credentials."""

    def tokens(self, address: str, /) -> Tokens | None: ...

    def remember_tokens(self, address: str, tokens: Tokens, /) -> None: ...

    def renewed(self, address: str, expired: str, renew: Callable[[Tokens], Tokens], /) -> Tokens | None: ...


_ASK_S = 30.0
"""A keyring may ask its owner to unlock it first."""


class Keyring(Protocol):
    def store(self, server: str, password: str) -> bool:
        """Whether it was stored."""
        ...

    def find(self, server: str) -> str | None: ...

    def forget(self, server: str) -> None: ...


class Credentials:
    """All logins, for any thread. A login that can't be written is kept in memory until Earmark exits."""

    def __init__(self, path: Path, keyring: Keyring | None = None) -> None:
        self._path = path
        self._keyring = keyring or system_keyring()
        self._lock = threading.Lock()
        self._known: dict[str, Login] = {}
        self._read_at: tuple[int, int] | None = None
        self._servers: dict[str, dict[str, str]] = {}

    def find(self, address: str) -> Login | None:
        """The login of the server at that address, if it has one; a Bearer if it gave tokens."""
        with self._lock:
            server = self._server_of(address)
            login = self._login(server)
        if login is None or not server.endswith("/"):
            return login
        return Bearer(login[0], _tokens(login).access)

    def tokens(self, address: str) -> Tokens | None:
        """The tokens that the server at that address gave, if it did."""
        with self._lock:
            server = self._server_of(address)
            login = self._login(server) if server.endswith("/") else None
        return _tokens(login) if login else None

    def remember(self, address: str, name: str, password: str) -> None:
        if server := origin(address):
            with self._alone():
                self._keep(server, name, password)

    def remember_tokens(self, address: str, tokens: Tokens) -> None:
        """Stores the tokens for all addresses below this one."""
        if server := _path_of_server(address):
            with self._alone():
                self._keep(server, tokens.name, f"{tokens.access} {tokens.refresh}".strip())

    def renewed(self, address: str, expired: str, renew: Callable[[Tokens], Tokens]) -> Tokens | None:
        """The tokens that replace those with the `expired` access token. Of all processes that find it expired only one
        calls `renew`, and the new tokens are stored before any is used. Raises what `renew` raises."""
        with self._alone():
            now = self.tokens(address)
            if now is None or now.access != expired:
                return now
            new = renew(now)
            with self._lock:
                server = self._server_of(address)
            self._keep(server, new.name, f"{new.access} {new.refresh}".strip())
            return new

    def forget(self, address: str) -> None:
        with self._alone(), self._lock:
            server = self._server_of(address)
            self._known.pop(server, None)
            servers = self._read()
            if server in servers:
                if self._keyring and "password" not in servers[server]:
                    self._keyring.forget(server)
                self._write({other: entry for other, entry in servers.items() if other != server})

    def _keep(self, server: str, name: str, password: str) -> None:
        with self._lock:
            self._known[server] = name, password
            in_keyring = self._keyring is not None and self._keyring.store(server, password)
            entry = {"name": name} if in_keyring else {"name": name, "password": password}
            self._write({**self._read(), server: entry})

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Only one process at a time writes logins; otherwise two could overwrite each other's changes."""
        try:
            regular_file.private_folder(self._path.parent)
            fd = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            log.warning("the logins can't be locked: %s", error)
            yield
            return
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    # -- with the lock held -------------------------------------------------------------------------------------

    def _server_of(self, address: str) -> str:
        """The name under which the login for that address is stored, if there is one: the server's base address if it
        gave tokens, else its origin."""
        own, path = origin(address), _path_of_server(address)
        fitting = [one for one in {**self._read(), **self._known} if one.endswith("/") and path.startswith(one)]
        return max(fitting, key=len, default=own)

    def _login(self, server: str) -> Login | None:
        entry = self._read().get(server)
        if server in self._known:
            return self._known[server]
        if entry is None:
            return None
        password = entry.get("password")
        if password is None and self._keyring:
            password = self._keyring.find(server)
        if password is None:
            log.warning("the keyring has no password for %s any more", server)
            return None
        self._known[server] = entry["name"], password
        return self._known[server]

    def _read(self) -> dict[str, dict[str, str]]:
        """The file as it is now: another Earmark may have written it."""
        try:
            status = self._path.stat()
            if self._read_at != (status.st_mtime_ns, status.st_ino):
                self._read_at = status.st_mtime_ns, status.st_ino
                before, self._servers = self._servers, _servers(json.loads(regular_file.read(self._path, _LARGEST)))
                kept = {*before, *self._servers}  # what isn't among them couldn't be written
                self._known = {server: login for server, login in self._known.items() if server not in kept}
        except FileNotFoundError:
            self._servers = {}
        except (OSError, ValueError) as error:
            log.warning("the logins can't be read: %s", error)
            self._servers = {}
        return self._servers

    def _write(self, servers: dict[str, dict[str, str]]) -> None:
        new = self._path.with_suffix(".new")
        try:
            regular_file.private_folder(self._path.parent)
            with suppress(FileNotFoundError):
                new.unlink()
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
                out.write(json.dumps({"servers": servers}, indent=1).encode())
                out.flush()
                os.fsync(out.fileno())
            new.replace(self._path)
        except OSError as error:
            log.warning("the login can't be kept: %s", error)


def _path_of_server(address: str) -> str:
    """The address up to its path, with a slash at its end; "" if it isn't a web address."""
    own = origin(address)
    return f"{own}{urlsplit(address).path.rstrip('/')}/" if own else ""


def _tokens(login: Login) -> Tokens:
    access, _, refresh = login[1].partition(" ")
    return Tokens(login[0], access, refresh)


def _servers(read: Any) -> dict[str, dict[str, str]]:
    servers = read.get("servers") if isinstance(read, dict) else None
    if not isinstance(servers, dict):
        raise ValueError("it is no list of servers")
    return {
        server: entry
        for server, entry in servers.items()
        if isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values()) and "name" in entry
    }


# -- the systems' keyrings --------------------------------------------------------------------------------------


def system_keyring() -> Keyring | None:
    """This system's keyring, if there is a command for it."""
    if sys.platform == "darwin":
        return MacKeychain() if shutil.which("security") else None
    return SecretService() if shutil.which("secret-tool") else None


class SecretService:
    """GNOME Keyring, KWallet and the like, through libsecret's command. The password goes by standard input."""

    def store(self, server: str, password: str) -> bool:
        label = f"--label=Earmark: {server}"
        return _run(["secret-tool", "store", label, *self._attributes(server)], password.encode()) is not None

    def find(self, server: str) -> str | None:
        found = _run(["secret-tool", "lookup", *self._attributes(server)])
        return found.decode(errors="replace") if found else None

    def forget(self, server: str) -> None:
        _run(["secret-tool", "clear", *self._attributes(server)])

    def _attributes(self, server: str) -> list[str]:
        return ["application", "earmark", "server", server]


class MacKeychain:
    """The login keychain. The password goes by standard input, wrapped so that no character in it means anything."""

    def store(self, server: str, password: str) -> bool:
        wrapped = base64.b64encode(password.encode()).decode()
        order = f'add-generic-password -U -s earmark -a "{server}" -w {wrapped}\n'
        return _run(["security", "-i"], order.encode()) is not None and self.find(server) == password

    def find(self, server: str) -> str | None:
        found = _run(["security", "find-generic-password", "-s", "earmark", "-a", server, "-w"])
        try:
            return base64.b64decode(found.strip(), validate=True).decode() if found else None
        except ValueError:
            return None

    def forget(self, server: str) -> None:
        _run(["security", "delete-generic-password", "-s", "earmark", "-a", server])


def _run(command: list[str], given: bytes = b"") -> bytes | None:
    """The command's output; None when it failed."""
    import subprocess

    try:
        ended = subprocess.run(command, input=given, capture_output=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        log.warning("the keyring doesn't answer: %s", error)
        return None
    if ended.returncode:
        log.info("the keyring refuses (%s)", ended.returncode)
        return None
    return ended.stdout
