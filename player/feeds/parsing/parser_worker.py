"""A process that parses feeds, so that whatever a feed does to a parser stays here.

Runs as `python -m player.feeds.parsing.parser_worker`. Takes pairs of frames on standard input (how to read, the
bytes), answers each with frames on standard output: the feed without its episodes, the episodes by and by, and an end;
or the FeedError.
"""

import contextlib
import gc
import os
import pickle
import signal
import sys
from typing import Any, BinaryIO

from msgspec.structs import replace

from player.errors import FeedError
from player.paths import Paths
from player.processes.frames import receive, send
from player.text.sentences import speak

MEMORY = 300 * 1024 * 1024
"""Most bytes for the process: three times what the largest known feed (45 MB, 10,000 episodes) takes."""
_EPISODES_AT_ONCE = 500


def main() -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # ctrl+c reaches every process in the terminal; the parent ends this one
    _limit_memory()
    gc.set_threshold(100_000)
    # Anything that a parser prints would be taken for a frame.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    speak(Paths.of().translations)
    _load()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            content_type, url = pickle.loads(receive(sys.stdin.buffer))
            _answer(answers, receive(sys.stdin.buffer), content_type, url)


def _load() -> None:
    """What reading takes: 50 ms that the first feed needn't wait for where a reader was started before it came."""
    from player.feeds.parsing.parse import read_feed

    with contextlib.suppress(FeedError):
        read_feed(b"<rss><channel/></rss>", "", "")


def _answer(answers: BinaryIO, body: bytes, content_type: str, url: str) -> None:
    from player.feeds.parsing.parse import read_feed

    try:
        feed = read_feed(body, content_type, url)
    except FeedError as error:
        _say(answers, error)
        return
    del body
    episodes = feed.episodes
    _say(answers, replace(feed, episodes=()))
    for start in range(0, len(episodes), _EPISODES_AT_ONCE):
        _say(answers, [tuple(one) for one in episodes[start : start + _EPISODES_AT_ONCE]])
    _say(answers, None)


def _say(answers: BinaryIO, value: Any) -> None:
    send(answers, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
