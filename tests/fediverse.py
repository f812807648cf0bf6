"""A server of the fediverse on loopback, which answers as Mastodon does."""

import json
from typing import Any

from tests.loopback import LoopbackServer

JSON = "application/json; charset=utf-8"


def status(number: int, to: int | None = None, content: str = "<p>Words</p>", **more: Any) -> dict[str, Any]:
    """A post as the API has it, with the fields that Mastodon 4.3 sends."""
    account = {
        "id": "7", "username": "ada", "acct": "ada@other.example", "display_name": "Ada :verified:", "bot": False,
        "url": "https://other.example/@ada", "avatar": "https://files.example/ada.png", "emojis": [],
    }  # fmt: skip
    return {
        "id": str(number), "created_at": f"2026-11-{number % 28 + 1:02}T18:05:12.000Z",
        "in_reply_to_id": None if to is None else str(to), "in_reply_to_account_id": None, "sensitive": False,
        "spoiler_text": "", "visibility": "public", "language": "en", "uri": f"https://other.example/s/{number}",
        "url": f"https://other.example/@ada/{number}", "replies_count": 0, "reblogs_count": 0, "favourites_count": 3,
        "content": content, "reblog": None, "account": account, "media_attachments": [], "mentions": [], "tags": [],
        "emojis": [], "card": None, "poll": None, **more,
    }  # fmt: skip


def by(name: str, acct: str) -> dict[str, Any]:
    """The account of another author; local ones have no host in `acct`."""
    return {"account": {"id": acct, "acct": acct, "display_name": name}}


def serve(server: LoopbackServer, root: dict[str, Any], *replies: Any) -> str:
    """Serves a post and the replies to it; returns the post's address, as a feed has it."""
    api = f"/api/v1/statuses/{root['id']}"
    server.page(api, json.dumps(root).encode(), JSON)
    server.page(f"{api}/context", json.dumps({"ancestors": [], "descendants": replies}).encode(), JSON)
    return server.url(f"/@show/{root['id']}")


def asked(server: LoopbackServer) -> list[str]:
    """The paths that were asked for."""
    return [request.path for request in server.seen]
