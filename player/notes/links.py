"""Addresses in notes: where a link leads, and which stretches of a text are addresses."""

import re

from player.addresses import web_address
from player.text import clean_line

WEB = re.compile(r"https?://[^\s<>\"“”«»、。，）」』】》；！？]++", re.IGNORECASE)
STARTERS = (
    "The|This|That|These|Those|There|Today|Thanks|Thank|Then|They|To|Topics|In|It|If|Is|I|We|What|When|Where|Why|"
    "Who|How|You|Your|Yes|And|An|A|As|At|Also|After|All|Are|Ask|About|But|By|Because|Before|Become|Be|Buy|Both|"
    "Can|Check|Click|Connect|Contact|Chapters|Credits|Do|Does|Don|Download|Each|Every|Email|Enjoy|Episode|Find|"
    "First|Follow|For|From|Further|Get|Go|Guest|Guests|Have|He|Her|Here|His|Hosted|Host|Hosts|Join|Just|Keep|"
    "Learn|Leave|Let|Like|Links|Listen|Longer|Many|Mentioned|More|Music|My|No|Not|Now|Of|On|One|Or|Our|Please|"
    "Produced|Rate|Read|Recorded|References|Resources|See|Send|She|Show|Sign|So|Some|Special|Sponsor|Sponsors|"
    "Sponsored|Subscribe|Support|Timestamps|Try|Twitter|Until|Use|Visit|Want|Watch|With|Write|Der|Die|Das|Wir|"
    "Ich|Und|Im|Ein|Eine|Mehr|Hier|Folgt|Mit|Für|Zu|Werbung|Le|La|Les|Un|Une|Nous|Dans|Et|El|Los|En"
)
"""Words that sentences begin with, as a pattern."""

_BRACKETS = {")": "(", "]": "[", "}": "{"}
_INNER = re.compile(r"(?<=[\w)\]])https?://", re.IGNORECASE)
_WORD = re.compile(rf"(?:(?<=/\d)|(?<=\d\d))[A-Z][a-z]{{2,}}$|(?<=[a-z])(?=[A-Z][a-z]{{2}})(?:{STARTERS})$")


def target(href: str) -> str:
    """Where a link leads that may be followed: http, https or mailto; "" for any other."""
    address = clean_line(href, 2_000)
    if address.lower().startswith("mailto:") and "@" in address and "…" not in address:
        return address.replace(" ", "%20")
    return web_address(href)


def ends(text: str, start: int, end: int) -> list[int]:
    """Where the addresses in `text[start:end]`, which has no space, end: several may have run together."""
    places = [found.start() for found in _INNER.finditer(text, start + 8, end)]
    places = [place for place in places if not _part_of_address(text, start, place)]
    if text[end : end + 1] == " " and (word := _WORD.search(text, max(start, end - 20), end)):
        end = word.start()
    return [*places, end]


def _part_of_address(text: str, start: int, place: int) -> bool:
    """Whether an address within another belongs to it, as in a query."""
    return "?" in text[start:place] and text[place - 1] in "=&"


def without_trailing_marks(url: str) -> str:
    """The end of a sentence and the bracket around an address aren't part of it."""
    for _ in range(20):
        if url[-1] not in ".,;:!?'\"*_)]}>»’":
            break
        if url[-1] in _BRACKETS and url.count(url[-1]) <= url.count(_BRACKETS[url[-1]]):
            break
        url = url[:-1]
    return url
