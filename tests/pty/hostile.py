"""Podcasts as only somebody who means harm, or a broken program, publishes them: served on loopback."""

import json
import random
from html import escape

from tests.loopback import LoopbackServer

ZALGO = "z" + "\u0301\u0327\u0489" * 40 + "algo"
BIDI = "\u202eevil\u202c שלום \u2067abc\u2069 مرحبا"
EMOJI = "👩‍💻👨‍👩‍👧‍👦🏳️‍🌈🇩🇪👍🏽" * 12
CONTROLS = "a\u009bb\u0090c\u009d0;title\u009c\u0085d\u200be\ufefff\u2028g"
WIDE = "日本語の番組" * 40
WORD = "w" * 100_000
TITLES = (
    ZALGO,
    BIDI,
    EMOJI,
    CONTROLS,
    WIDE,
    WORD,
    "",
    "   ",
    "&lt;b&gt;[bold]markup[/bold]",
    "\t\r\n",
    "x" * 300,
    "%s {0} \\ ",
)
NOTES = (
    "<" * 2_000_000,
    f"<p>{WORD}</p><p>{ZALGO * 500}</p>",
    "<ul>" + "<li><ul>" * 3_000 + "deep",
    "<table>" + "<tr>" + "<td>cell</td>" * 400 + "</tr></table>",
    " ".join(f"{minute}:{second:02}" for minute in range(60) for second in range(0, 60, 2)),
    " ".join(f'<a href="https://example.org/{number}?utm_source=x">link {number}</a>' for number in range(1_500)),
    "<pre><code>" + "def f(x):\n    return x\n" * 2_000 + "</code></pre>",
    f"<h1>{BIDI}</h1><blockquote>{EMOJI}</blockquote><img alt='{WIDE}'>",
    "&#27;[31m&#155;2J&#7;&#x9d;52;c;aGk=&#7; \x9b2J",
    "http://" + "a." * 20_000 + " javascript:alert(1) https://[::1 file:///etc/passwd",
    "&amp;" * 50_000,
    "",
)
_NAMESPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
)


def serve(server: LoopbackServer, audio: str, rounds: int = 3) -> list[str]:
    """The addresses of the feeds; `audio` is what all their episodes play. Each kind of title and of notes comes as
    often as there are `rounds`, with others beside it.
    """
    chapters = json.dumps({"chapters": [{"startTime": 7 * at, "title": TITLES[at % len(TITLES)]} for at in range(500)]})
    server.page("/chapters.json", chapters.encode(), "application/json")
    lines = "\n\n".join(
        f"{at // 60:02}:{at % 60:02}.000 --> {at // 60:02}:{at % 60:02}.900\n<v {BIDI}>{_some(at)[:400]}"
        for at in range(600)
    )
    server.page("/words.vtt", f"WEBVTT\n\n{lines}".encode(), "text/vtt")
    items = [_item(server, audio, number) for number in range(len(TITLES) * rounds)]
    feeds = [
        server.page("/all.xml", _feed("Everything at once", items)),
        server.page("/zalgo.xml", _feed(ZALGO * 3, items[4::5])),
        server.page("/nameless.xml", _feed("", items[7:10], description="<" * 500_000)),
        server.page("/wide.xml", _feed(EMOJI + WIDE, items[3:9], description=BIDI * 100)),
        server.page(
            "/many.xml", _feed("Many", [_item(server, audio, number, plain=True) for number in range(250 * rounds)])
        ),
        server.page("/broken.xml", _feed("Broken", items[6:9])[:-40].replace(b"</item>", b"</itm>", 2)),
        server.page("/empty.xml", _feed(BIDI, [])),
    ]
    return [*feeds, server.url("/gone.xml")]


def _feed(title: str, items: list[str], description: str = "") -> bytes:
    head = f"<title>{escape(title)}</title><description>{escape(description)}</description>"
    people = "".join(f"<podcast:person>{escape(name)}</podcast:person>" for name in (ZALGO, BIDI, WIDE, "Ada"))
    return f'<rss version="2.0" {_NAMESPACES}><channel>{head}{people}{"".join(items)}</channel></rss>'.encode()


def _item(server: LoopbackServer, audio: str, number: int, *, plain: bool = False) -> str:
    title = f"Episode {number}" if plain else TITLES[(number + number // len(TITLES)) % len(TITLES)]
    notes = f"<p>Notes of {number}, see 1:0{number % 10}.</p>" if plain else NOTES[number % len(NOTES)]
    more = ""
    if number % 3 == 0:
        more += f'<podcast:chapters url="{server.url("/chapters.json")}" type="application/json+chapters"/>'
        more += f'<podcast:transcript url="{server.url("/words.vtt")}" type="text/vtt"/>'
        more += '<podcast:soundbite startTime="5" duration="3">A bite</podcast:soundbite>'
    duration = ("10:00", "", "-1", "999999999999", "1:00:00:00")[number % 5]
    return (
        f"<item><title>{escape(title)}</title><guid>{number}-{plain}</guid><description>{escape(notes)}</description>"
        f"<pubDate>{1 + number % 28} Jun {2026 - number % 40} 10:00:00 GMT</pubDate>"
        f"<itunes:duration>{duration}</itunes:duration>{more}"
        f'<enclosure url="{audio}?{number}" type="audio/wav" length="1"/></item>'
    )


def _some(seed: int) -> str:
    return random.Random(seed).choice([title for title in TITLES if title.strip()])
