"""Podcasts for a start: shows that developers listen to, available without a network. The first is the show that a new
library starts with."""

from player.directory.directory import FoundPodcast
from player.model.podcast import STARTER_URL
from player.text.sentences import mark, translate

_AI, _PYTHON, _SYSTEMS, _SOFTWARE, _WEB, _LANGUAGES, _DATA, _SECURITY = (
    mark("Machine learning"),
    mark("Python"),
    mark("Systems"),
    mark("Software"),
    mark("Web"),
    mark("Languages"),
    mark("Data"),
    mark("Security"),
)

_STARTERS = (
    (
        "PyTorch Developer Podcast",
        STARTER_URL,
        _AI,
        mark("How PyTorch works inside, one topic in a quarter of an hour."),
    ),
    (
        "The Changelog",
        "https://changelog.com/podcast/feed",
        _SOFTWARE,
        mark("News and long conversations about software and those who make it."),
    ),
    (
        "Talk Python To Me",
        "https://talkpython.fm/episodes/rss",
        _PYTHON,
        mark("Interviews with the people behind Python's libraries and projects."),
    ),
    (
        "Python Bytes",
        "https://pythonbytes.fm/episodes/rss",
        _PYTHON,
        mark("The week's news and tools for Python, briefly."),
    ),
    (
        "The Real Python Podcast",
        "https://realpython.com/podcasts/rpp/feed",
        _PYTHON,
        mark("Tutorials, interviews and career advice for people who write Python."),
    ),
    (
        "Test & Code",
        "https://feeds.fireside.fm/testandcode/rss",
        _PYTHON,
        mark("Testing software, mostly in Python and with pytest."),
    ),
    (
        "Syntax",
        "https://feed.syntax.fm/rss",
        _WEB,
        mark("JavaScript, CSS and everything else in web development."),
    ),
    (
        "CoRecursive",
        "https://corecursive.libsyn.com/feed",
        _SOFTWARE,
        mark("The stories behind pieces of code, told by those who wrote them."),
    ),
    (
        "Software Engineering Radio",
        "https://seradio.libsyn.com/rss",
        _SOFTWARE,
        mark("An hour on one topic of software engineering, since 2006."),
    ),
    (
        "Oxide and Friends",
        "https://feeds.transistor.fm/oxide-and-friends",
        _SYSTEMS,
        mark("Hardware, operating systems and the history of both, by people who build computers."),
    ),
    (
        "Rustacean Station",
        "https://rustacean-station.org/podcast.rss",
        _LANGUAGES,
        mark("Rust: its releases, its libraries and its community."),
    ),
    (
        "Software Engineering Daily",
        "https://softwareengineeringdaily.com/feed/podcast",
        _SOFTWARE,
        mark("Technical interviews about tools, companies and infrastructure."),
    ),
    (
        "Latent Space",
        "https://api.substack.com/feed/podcast/1084089.rss",
        _AI,
        mark("Building software with large language models."),
    ),
    (
        "Signals and Threads",
        "https://feeds.simplecast.com/L9810DOa",
        _SYSTEMS,
        mark("Deep conversations about the engineering at a trading firm, from clocks to compilers."),
    ),
    (
        "Kubernetes Podcast from Google",
        "https://kubernetespodcast.com/feeds/audio.xml",
        _SYSTEMS,
        mark("News and interviews about Kubernetes and cloud-native software."),
    ),
    (
        "Embedded",
        "https://embedded.fm/episodes?format=rss",
        _SYSTEMS,
        mark("Programming small devices, and the engineers who do."),
    ),
    (
        "LINUX Unplugged",
        "https://linuxunplugged.com/rss",
        _SYSTEMS,
        mark("A weekly talk show about Linux and open source."),
    ),
    (
        "ADSP: Algorithms + Data Structures = Programs",
        "https://feeds.buzzsprout.com/1501960.rss",
        _LANGUAGES,
        mark("Algorithms, C++ and other languages, in short conversations."),
    ),
    (
        "The Haskell Interlude",
        "https://feeds.buzzsprout.com/1817535.rss",
        _LANGUAGES,
        mark("Conversations with people who work with and on Haskell."),
    ),
    (
        "Thinking Elixir Podcast",
        "https://podcast.thinkingelixir.com/rss",
        _LANGUAGES,
        mark("Elixir and the BEAM: news, and guests from the community."),
    ),
    (
        "Developer Voices",
        "https://feeds.zencastr.com/f/oSn1i316.rss",
        _LANGUAGES,
        mark("Long interviews about programming languages, databases and new ideas."),
    ),
    (
        "Hanselminutes",
        "https://feeds.simplecast.com/gvtxUiIf",
        _SOFTWARE,
        mark("Fresh voices in technology, half an hour a week, since 2006."),
    ),
    (
        "The Stack Overflow Podcast",
        "https://feeds.simplecast.com/XA_851k3",
        _SOFTWARE,
        mark("How software gets made, and how that changes."),
    ),
    (
        "Soft Skills Engineering",
        "https://softskills.audio/feed.xml",
        _SOFTWARE,
        mark("Advice on everything in the job that isn't code."),
    ),
    (
        "Advent of Computing",
        "https://adventofcomputing.libsyn.com/rss",
        _SOFTWARE,
        mark("The history of computing, one machine or idea at a time."),
    ),
    (
        "Data Engineering Podcast",
        "https://www.dataengineeringpodcast.com/feed/mp3/",
        _DATA,
        mark("Tools and techniques for moving and storing data."),
    ),
    (
        "Postgres FM",
        "https://feeds.transistor.fm/postgres-fm",
        _DATA,
        mark("One topic of PostgreSQL a week, in depth."),
    ),
    (
        "Darknet Diaries",
        "https://podcast.darknetdiaries.com/",
        _SECURITY,
        mark("True stories of hackers, breaches and crime online."),
    ),
    (
        "Security Now",
        "https://feeds.twit.tv/sn.xml",
        _SECURITY,
        mark("The week in security, explained at length."),
    ),
    (
        "Risky Business",
        "https://risky.biz/feeds/risky-business/",
        _SECURITY,
        mark("Weekly news for people who work in security."),
    ),
)


def starter_podcasts() -> tuple[FoundPodcast, ...]:
    """Each has a topic, and a line about it as its description, in the listener's language."""
    return tuple(
        FoundPodcast(title, feed_url=url, description=translate(about), language="en", topics=(translate(topic),))
        for title, url, topic, about in _STARTERS
    )
