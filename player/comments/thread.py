"""The replies to a post, read from the API of Mastodon, which Pleroma, Akkoma, GoToSocial and others have as well:
Status, Context and MediaAttachment of docs.joinmastodon.org."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from player.links.urls import host, origin, web_address
from player.text.cleaning import clean_block, clean_line
from player.text.untrusted_json import line_of, moment_of_text, whole_of

MOST = 500
"""The most replies of a thread that are read."""
_LONGEST = 20_000
"""The most characters of a post's HTML."""
_MOST_ATTACHED = 10
_NEVER = datetime.max.replace(tzinfo=UTC)
# `/@user/ID`, `/users/user/statuses/ID`, and the forms of other servers: Pleroma's `/notice/ID`, Misskey's `/notes/ID`,
# Pixelfed's `/p/user/ID`.
_POST = re.compile(
    r"(?:/web|/deck)?/(?:@[^/]+(?:/statuses|/posts)?|(?:ap/)?users/[^/]+/statuses|notice|notes|statuses|p/[^/]+)"
    r"/([A-Za-z0-9_-]{1,64})/?"
)


class Attached(Struct, frozen=True):
    """A file of a post, which is never fetched: its kind (`image`, `video`, `audio` ...), and what its author says of
    it."""

    kind: str
    description: str = ""


class Post(Struct, frozen=True):
    """`name` and `handle` (`@name@host`) are its author's. `html` is its text as the server has it. `depth` is 0 for
    the post itself, 1 for replies to it.

    `warning` is what its author wants to be read before the text. `is_sensitive`: nobody should see what is `attached`
    by accident, nor the descriptions.
    """

    id: str
    name: str
    handle: str
    url: str
    at: datetime | None = None
    html: str = ""
    depth: int = 0
    warning: str = ""
    is_sensitive: bool = False
    attached: tuple[Attached, ...] = ()


class Thread(Struct, frozen=True):
    """The post and its replies, each below what it replies to, the earlier ones first. `more`: the server has, or says
    that it has, further replies."""

    posts: tuple[Post, ...]
    more: bool = False

    @property
    def replies(self) -> int:
        return len(self.posts) - 1


def api_address(post: str) -> str:
    """Where the API of its server has the post at that address; "" if the address contains no ID."""
    try:
        found = _POST.fullmatch(urlsplit(post).path)
    except ValueError:
        return ""
    return f"{origin(post)}/api/v1/statuses/{found[1]}" if found and origin(post) else ""


def read_thread(status: bytes, context: bytes, address: str) -> Thread:
    """The answers for a post, at that address of the API, and for its context. Raises ValueError for anything else."""
    post, around = _object(status), _object(context)
    server = host(address)
    root = _post(post, server)
    found = around.get("descendants")
    if root is None or not isinstance(found, list):
        raise ValueError("not a post with its replies")
    below: dict[str, list[Post]] = {}
    known = {root.id}
    for one in found[:MOST]:
        if isinstance(one, dict) and (reply := _post(one, server)) is not None and reply.id not in known:
            known.add(reply.id)
            below.setdefault(line_of(one.get("in_reply_to_id"), 64), []).append(reply)
    for parent in [one for one in below if one not in known]:  # what it replied to was deleted, or isn't public
        below.setdefault(root.id, []).extend(below.pop(parent))
    posts = _in_order(root, below)
    more = len(found) > MOST or (whole_of(post.get("replies_count")) or 0) > sum(one.depth == 1 for one in posts)
    return Thread(tuple(posts), more)


def _in_order(root: Post, below: Mapping[str, Sequence[Post]]) -> list[Post]:
    """Without replies that only reply to each other."""
    posts: list[Post] = []
    waiting = [root]
    while waiting:
        post = waiting.pop()
        posts.append(post)
        replies = sorted(below.get(post.id, ()), key=lambda one: one.at or _NEVER, reverse=True)
        waiting += [replace(one, depth=post.depth + 1) for one in replies]
    return posts


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _post(status: Mapping[str, Any], server: str) -> Post | None:
    """None for something without an ID."""
    account = status.get("account")
    account = account if isinstance(account, dict) else {}
    name, acct = line_of(account.get("display_name"), 100), line_of(account.get("acct"), 200)
    html, files = status.get("content"), status.get("media_attachments")
    address = web_address(line_of(status.get("url"), 2_000)) or web_address(line_of(status.get("uri"), 2_000))
    post_id = line_of(status.get("id"), 64)
    if not post_id:
        return None
    handle = acct if not acct or "@" in acct else f"{acct}@{server}"
    return Post(
        post_id,
        name or acct.partition("@")[0],
        f"@{handle}" if handle else "",
        address,
        moment_of_text(status.get("created_at")),
        clean_block(html[:_LONGEST], _LONGEST) if isinstance(html, str) else "",
        warning=line_of(status.get("spoiler_text"), 500),
        is_sensitive=status.get("sensitive") is True,
        attached=tuple(_attached(one) for one in files[:_MOST_ATTACHED]) if isinstance(files, list) else (),
    )


def _attached(file: Any) -> Attached:
    if not isinstance(file, dict):
        return Attached("unknown")
    return Attached(clean_line(line_of(file.get("type"), 20)), line_of(file.get("description"), 500))
