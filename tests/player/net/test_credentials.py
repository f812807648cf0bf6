"""Logins are kept for the server they were given for, in the keyring where there is one, and shown to nobody."""

import json
import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from player.links.urls import origin, redacted, split_login, with_login
from player.net.credentials import Bearer, Credentials, Keyring, SecretService, Tokens, system_keyring

FEED = "https://example.com/members/feed.xml"


class Drawer:
    """A keyring that a test looks into."""

    def __init__(self, *, takes: bool = True) -> None:
        self.passwords: dict[str, str] = {}
        self.asked = 0
        self.takes = takes

    def store(self, server: str, password: str) -> bool:
        if self.takes:
            self.passwords[server] = password
        return self.takes

    def find(self, server: str) -> str | None:
        self.asked += 1
        return self.passwords.get(server)

    def forget(self, server: str) -> None:
        self.passwords.pop(server, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "logins.json"


def test_a_login_is_found_for_every_address_of_its_server_and_no_other(path: Path) -> None:
    credentials = Credentials(path, Drawer())
    credentials.remember(FEED, "me", "sesame")
    assert credentials.find("https://example.com/audio/1.mp3?x=1") == ("me", "sesame")
    assert credentials.find("https://EXAMPLE.com:443/") == ("me", "sesame")
    for other in (
        "http://example.com/feed.xml", "https://example.com:8443/", "https://cdn.example.com/", "https://example.org/",
        "https://example.com.evil.org/", "https://evil.org/https://example.com/", "", "earmark:welcome", "https://[",
    ):  # fmt: skip
        assert credentials.find(other) is None


def test_with_a_keyring_the_password_is_in_no_file(path: Path) -> None:
    drawer = Drawer()
    Credentials(path, drawer).remember(FEED, "me", "sesame")
    assert drawer.passwords == {"https://example.com": "sesame"}
    assert "sesame" not in path.read_text()
    again = Credentials(path, drawer)
    assert again.find(FEED) == again.find(FEED) == ("me", "sesame")
    assert drawer.asked == 1


@pytest.mark.parametrize("keyring", [None, Drawer(takes=False)])
def test_without_one_it_is_in_a_file_for_its_owner_alone(
    path: Path, keyring: Keyring | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.net.credentials.system_keyring", lambda: None)
    Credentials(path, keyring).remember(FEED, "me", "sesame")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Credentials(path, keyring).find(FEED) == ("me", "sesame")


def test_a_new_password_takes_the_place_of_the_old_one_and_can_be_forgotten(path: Path) -> None:
    drawer = Drawer()
    credentials = Credentials(path, drawer)
    credentials.remember(FEED, "me", "old")
    credentials.remember(FEED, "me", "new")
    assert Credentials(path, drawer).find(FEED) == ("me", "new")
    credentials.forget(FEED)
    assert credentials.find(FEED) is None
    assert drawer.passwords == {}
    assert Credentials(path, drawer).find(FEED) is None


def test_what_another_earmark_has_written_is_seen(path: Path) -> None:
    one, other = Credentials(path, Drawer(takes=False)), Credentials(path, Drawer(takes=False))
    assert other.find(FEED) is None
    one.remember(FEED, "me", "sesame")
    assert other.find(FEED) == ("me", "sesame")
    one.remember(FEED, "me", "another")
    assert other.find(FEED) == ("me", "another")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"servers": 3}', '{"servers": {"https://example.com": {"name": 3}}}', "\0"]
)
def test_a_damaged_file_is_as_none(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    credentials = Credentials(path, Drawer(takes=False))
    assert credentials.find(FEED) is None
    credentials.remember(FEED, "me", "sesame")
    assert json.loads(path.read_text())["servers"]


def test_where_nothing_can_be_written_it_holds_until_the_end(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    credentials = Credentials(blocked / "logins.json", Drawer(takes=False))
    credentials.remember(FEED, "me", "sesame")
    assert credentials.find(FEED) == ("me", "sesame")


SECRET_TOOL = """#!/bin/sh
echo "$@" >> "$DRAWER.log"
name=$(echo "$*" | sed 's/.*server //' | tr -c 'a-z\\n' _)
case $1 in
    store) cat > "$DRAWER.$name" ;;
    lookup) cat "$DRAWER.$name" ;;
    clear) rm "$DRAWER.$name" ;;
esac
"""


def test_the_secret_service_is_spoken_to_by_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "secret-tool"
    tool.parent.mkdir()
    tool.write_text(SECRET_TOOL)
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("DRAWER", str(tmp_path / "drawer"))
    monkeypatch.setattr("sys.platform", "linux")
    keyring = system_keyring()
    assert isinstance(keyring, SecretService)
    assert keyring.find("https://example.com") is None
    assert keyring.store("https://example.com", "ses ame\n“ü”")
    assert keyring.find("https://example.com") == "ses ame\n“ü”"
    keyring.forget("https://example.com")
    assert keyring.find("https://example.com") is None
    assert "ame" not in (tmp_path / "drawer.log").read_text()


def test_a_keyring_that_fails_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert not SecretService().store("https://example.com", "sesame")


def test_a_login_is_taken_out_of_an_address_and_put_in() -> None:
    assert split_login("https://me%40home:se%2Fsame@example.com/feed?x=@") == (
        "https://example.com/feed?x=@",
        ("me@home", "se/same"),
    )
    assert split_login(FEED) == (FEED, None)
    assert split_login(with_login(FEED, "me@home", "s/e:s@ame"))[1] == ("me@home", "s/e:s@ame")


def test_an_origin_has_no_usual_port_and_no_login() -> None:
    assert origin("HTTPS://Me:secret@Example.com:443/a") == "https://example.com"
    assert origin("http://[::1]:8080/a") == "http://[::1]:8080"


def test_logs_show_no_login() -> None:
    text = 'GET http://me:secret@example.com/a and https://x:y@z/?q=1 "200 OK" by someone@example.com'
    assert redacted(text) == 'GET http://…@example.com/a and https://…@z/?q=1 "200 OK" by someone@example.com'


def test_tokens_belong_to_a_path_of_their_server_and_are_sent_as_bearer_tokens(path: Path) -> None:
    drawer = Drawer()
    credentials = Credentials(path, drawer)
    credentials.remember("https://example.com/cloud", "me", "sesame")
    credentials.remember_tokens("https://example.com/books", Tokens("ann", "access-1", "refresh-1"))
    credentials.remember_tokens("https://example.com/books/own/", Tokens("bob", "key"))
    found = credentials.find("https://EXAMPLE.com:443/books/api/items?x=1")
    assert found == ("ann", "access-1")
    assert isinstance(found, Bearer)
    assert credentials.find("https://example.com/books/own/api") == ("bob", "key")
    assert credentials.find("https://example.com/booksellers") == ("me", "sesame")
    assert credentials.tokens("https://example.com/cloud") is None
    for other in ("http://example.com/books/", "https://example.org/books/", "https://example.com:8443/books/"):
        assert credentials.find(other) is None
    assert "access-1" not in path.read_text()
    again = Credentials(path, drawer)
    assert again.tokens("https://example.com/books") == Tokens("ann", "access-1", "refresh-1")
    assert again.tokens("https://example.com/books/own") == Tokens("bob", "key")
    again.forget("https://example.com/books/api")
    assert credentials.find("https://example.com/books/api") == ("me", "sesame")
    assert credentials.tokens("https://example.com/books/own") == Tokens("bob", "key")


def test_one_caller_renews_expired_tokens_and_they_are_stored_before_use(path: Path) -> None:
    asked: list[Tokens] = []

    def renew(old: Tokens) -> Tokens:
        asked.append(old)
        return Tokens(old.name, "access-2", "refresh-2")

    server = "https://example.com/books"
    one, other = Credentials(path), Credentials(path)
    one.remember_tokens(server, Tokens("ann", "access-1", "refresh-1"))
    assert other.find(server) == ("ann", "access-1")
    new = Tokens("ann", "access-2", "refresh-2")
    assert one.renewed(server, "access-1", renew) == new
    assert other.renewed(server, "access-1", renew) == new
    assert asked == [Tokens("ann", "access-1", "refresh-1")]
    assert Credentials(path).tokens(server) == new
    assert one.renewed("https://example.org", "access-1", renew) is None


def test_a_failed_renewal_keeps_the_old_tokens(path: Path) -> None:
    def renew(_old: Tokens) -> Tokens:
        raise ValueError("no answer")

    credentials = Credentials(path)
    credentials.remember_tokens("https://example.com", Tokens("ann", "access-1", "refresh-1"))
    with pytest.raises(ValueError, match="no answer"):
        credentials.renewed("https://example.com", "access-1", renew)
    assert Credentials(path).tokens("https://example.com") == Tokens("ann", "access-1", "refresh-1")


def test_logins_written_by_two_at_once_are_all_kept(path: Path) -> None:
    def write(number: int) -> None:
        for part in range(10):
            Credentials(path).remember(f"https://{number}-{part}.example", "me", "sesame")

    threads = [Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads(path.read_text())["servers"]) == 40
