"""Names and passwords of servers: typed once, stored in the system's keyring if there is one.

A login belongs to a server (scheme, host and port) and is sent nowhere else. The servers that have a login, and the
names, are stored in a file that only its owner can read (mode 0600); the passwords are stored there only if no keyring
takes them. The keyring is asked through the system's own command (`secret-tool` of libsecret, `security` of macOS): the
package `keyring` would bring in fourteen others, some of them compiled, for something that few listeners need.
"""

import base64
import json
import logging
import os
import shutil
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from player import regular_file
from player.links.urls import origin

log = logging.getLogger(__name__)
_LARGEST = 4_000_000
"""Bytes of the file with the logins."""

Login = tuple[str, str]
"""Name and password."""

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
        """The login of the server at that address, if it has one."""
        server = origin(address)
        with self._lock:
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

    def remember(self, address: str, name: str, password: str) -> None:
        server = origin(address)
        if not server:
            return
        with self._lock:
            self._known[server] = name, password
            in_keyring = self._keyring is not None and self._keyring.store(server, password)
            entry = {"name": name} if in_keyring else {"name": name, "password": password}
            self._write({**self._read(), server: entry})

    def forget(self, address: str) -> None:
        server = origin(address)
        with self._lock:
            self._known.pop(server, None)
            servers = self._read()
            if server in servers:
                if self._keyring and "password" not in servers[server]:
                    self._keyring.forget(server)
                self._write({other: entry for other, entry in servers.items() if other != server})

    # -- with the lock held -------------------------------------------------------------------------------------

    def _read(self) -> dict[str, dict[str, str]]:
        """The file as it is now: another Earmark may have written it."""
        try:
            status = self._path.stat()
            if self._read_at != (status.st_mtime_ns, status.st_ino):
                self._read_at = status.st_mtime_ns, status.st_ino
                self._servers = _servers(json.loads(regular_file.read(self._path, _LARGEST)))
                self._known = {server: login for server, login in self._known.items() if server not in self._servers}
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
