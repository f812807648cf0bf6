"""Topics that charts can be asked for: the categories of Apple Podcasts, which most feeds name as well."""

from msgspec import Struct

from player.text.cleaning import fold
from player.text.sentences import mark, translate


class Topic(Struct, frozen=True):
    """`genre` is Apple's number for it."""

    id: str
    marked: str
    genre: int

    @property
    def name(self) -> str:
        return translate(self.marked)


TOPICS = (
    Topic("technology", mark("Technology"), 1318),
    Topic("science", mark("Science"), 1533),
    Topic("education", mark("Education"), 1304),
    Topic("news", mark("News"), 1489),
    Topic("business", mark("Business"), 1321),
    Topic("society", mark("Society and culture"), 1324),
    Topic("history", mark("History"), 1487),
    Topic("comedy", mark("Comedy"), 1303),
    Topic("arts", mark("Arts"), 1301),
    Topic("fiction", mark("Fiction"), 1483),
    Topic("music", mark("Music"), 1310),
    Topic("tv-film", mark("TV and film"), 1309),
    Topic("true-crime", mark("True crime"), 1488),
    Topic("sports", mark("Sports"), 1545),
    Topic("leisure", mark("Leisure"), 1502),
    Topic("health", mark("Health and fitness"), 1512),
    Topic("kids", mark("Kids and family"), 1305),
    Topic("religion", mark("Religion and spirituality"), 1314),
    Topic("government", mark("Government"), 1511),
)


def topic_of(words: str) -> Topic | None:
    """The topic by its id or its name, in any case."""
    wanted = fold(words.strip())
    return next((topic for topic in TOPICS if wanted in (topic.id, fold(topic.marked), fold(topic.name))), None)
