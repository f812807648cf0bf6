"""A library to look at: real titles of developer podcasts, scripts of several widths, every state a row can have.

The day is 20 November 2026; nothing here depends on the clock.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from player.feeds.check import decide
from player.library import Library
from player.model.episode import Episode, EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.model.podcast import STARTER_URL, PodcastId

TODAY = date(2026, 11, 20)

NOTES = """<p>The post-grad passes run once the graph has been made functional and split into forward and backward, so
they may assume there are no mutations left, but for a few on the inputs at its end.</p>
<h3>Further reading</h3><ul>
<li><a href="https://github.com/pytorch/pytorch/pull/130935">Pull request #130935</a></li>
<li><a href="https://github.com/pytorch/xla">Lowering guide</a></li>
<li><a href="https://github.com/pytorch/pytorch/tree/main/torch/_inductor/fx_passes">Where passes live</a></li></ul>
<h3>Timestamps</h3><p>0:00 What a pass may assume<br>6:41 Pattern matcher<br>14:05 Reinplacing</p>
<pre><code>torch._inductor.config.post_grad_custom_pre_pass = p</code></pre>"""

_PYTORCH = (
    ("Compiler collectives", (2026, 11, 20), 16), ("TORCH_TRACE and tlparse", (2026, 11, 19), 15),
    ("Higher order operators", (2026, 11, 16), 17), ("Inductor - Post-grad FX passes", (2026, 10, 12), 24),
    ("CUDA graph trees", (2026, 9, 24), 20), ("Min-cut partitioner", (2026, 8, 17), 15),
    ("AOTInductor", (2026, 3, 2), 17),
    ("Tensor subclasses and PT2", (2026, 2, 24), 13), ("Compiled autograd", (2025, 12, 19), 18),
    ("PT2 extension points", (2025, 12, 5), 15), ("Inductor - Define-by-run IR", (2025, 11, 24), 12),
    ("Unsigned integers", (2025, 1, 17), 13), ("Inductor - IR", (2025, 1, 16), 18),
    ("Dynamo - VariableTracker", (2025, 1, 12), 15), ("Unbacked SymInts", (2024, 2, 21), 21),
    ("Zero-one specialization", (2024, 2, 20), 21), ("torchdynamo", (2023, 12, 6), 25),
    ("PyTorch 2.0", (2023, 12, 4), 17),
    ("History of functorch", (2023, 11, 7), 19), ("Learning rate schedulers", (2022, 6, 13), 19),
    ("Weak references", (2022, 6, 6), 16), ("Strides", (2022, 5, 30), 20), ("AOTAutograd", (2022, 5, 9), 19),
    ("Dispatcher questions with Sherlock", (2022, 5, 2), 18), ("New CI", (2022, 4, 25), 16),
    ("Python exceptions", (2022, 4, 17), 14), ("Torch vs ATen APIs", (2022, 4, 11), 15),
    ("All about NVIDIA GPUs", (2021, 9, 27), 19),
    ("Tensor subclasses and Liskov substitution principle", (2021, 9, 16), 19), ("Half precision", (2021, 9, 10), 18),
    ("DataLoader with multiple workers leaks memory", (2021, 9, 1), 16), ("Batching", (2021, 8, 18), 13),
    ("Multiple dispatch in __torch_function__", (2021, 8, 10), 14), ("Multithreading", (2021, 8, 3), 18),
    ("Asynchronous versus synchronous execution", (2021, 7, 27), 15), ("gradcheck", (2021, 7, 21), 16),
)  # fmt: skip
_SCRIPTS = (
    ("🎙 Interview: shipping 🚀 on a Friday 👩‍💻", (2026, 11, 18), 61),
    ("터미널에서 듣는 팟캐스트 이야기", (2026, 11, 11), 42),
    ("עברית בשורת הפקודה: מה מיושר ומה לא", (2026, 11, 4), 38),
    ("端末で聴くポッドキャスト、その仕組み", (2026, 10, 28), 55),
    ("Façade, naïve, Ærøskøbing: accents combined and not", (2026, 10, 21), 72),
    ("❤️ Thanks, 1️⃣00 episodes 🇩🇪🇰🇷", (2026, 10, 14), 125),
)
_OTHERS = (
    ("Changelog", 9, 74), ("CoRecursive", 7, 46), ("Oxide and Friends", 31, 93), ("Talk Python To Me", 12, 66),
    ("פודקאסט עברי", 5, 33), ("테크 토크", 2, 58),
)  # fmt: skip


def stock(library: Library) -> dict[str, PodcastId]:
    """Fills a new library, beside the built-in podcast; the podcasts by title."""
    made: dict[str, PodcastId] = {}
    pytorch = library.podcasts.add(STARTER_URL).id
    made["PyTorch Developer Podcast"] = _read(library, pytorch, "PyTorch Developer Podcast", _PYTORCH)
    for title, count, minutes in _OTHERS:
        episodes = [(f"{title} {number}", (2026, 6, 1 + number % 28), minutes) for number in range(count, 0, -1)]
        made[title] = _add(library, title, episodes)
    made["Signs & scripts"] = _add(library, "Signs & scripts", _SCRIPTS)
    made["Unplugged Radio"] = library.podcasts.add("https://unplugged.example/feed", "Unplugged Radio").id
    library.podcasts.refresh_failed(made["CoRecursive"], "corecursive.example doesn't answer. r tries again.")
    _mark(library, made["PyTorch Developer Podcast"])
    _mark_scripts(library, made["Signs & scripts"])
    return made


def episodes_of(library: Library, podcast_id: PodcastId) -> Sequence[Episode]:
    ids = library.episodes.ids(View.of(ViewName.PODCAST, podcast_id))
    return library.episodes.rows([EpisodeId(one) for one in ids])


def _add(library: Library, title: str, episodes: Sequence[tuple[str, tuple[int, int, int], int]]) -> PodcastId:
    podcast = library.podcasts.add(f"https://{len(title)}.{title.encode().hex()}.example/feed", title)
    return _read(library, podcast.id, title, episodes)


def _read(
    library: Library, podcast_id: PodcastId, title: str, episodes: Sequence[tuple[str, tuple[int, int, int], int]]
) -> PodcastId:
    items = tuple(
        FeedEpisode(
            guid=f"{title}/{name}",
            title=name,
            url=f"https://media.example/{title}/{number}.mp3",
            media_type="audio/mpeg",
            published=datetime(*day, 12, tzinfo=UTC),
            duration_ms=minutes * 60_000,
            notes=NOTES if number == 3 else f"<p>Notes of {name}.</p>",
        )
        for number, (name, day, minutes) in enumerate(episodes)
    )
    library.podcasts.apply(podcast_id, Feed(title=title, episodes=items), FeedState(), decide)
    return podcast_id


def _mark(library: Library, pytorch: PodcastId) -> None:
    rows = {row.title: row.id for row in episodes_of(library, pytorch)}
    library.episodes.set_played([rows["CUDA graph trees"], rows["Min-cut partitioner"], rows["torchdynamo"]], True)
    starred = ("AOTInductor", "Inductor - Post-grad FX passes", "torchdynamo")
    library.episodes.set_starred([rows[title] for title in starred], True)
    at = datetime(2026, 11, 19, 20, tzinfo=UTC)
    library.progress.save(rows["Compiled autograd"], 14 * 60_000, 18 * 60_000, at)
    library.progress.start(rows["Inductor - Post-grad FX passes"])
    library.progress.save(rows["Inductor - Post-grad FX passes"], 492_000, 24 * 60_000, at)


def _mark_scripts(library: Library, podcast_id: PodcastId) -> None:
    rows = episodes_of(library, podcast_id)
    library.episodes.set_starred([row.id for row in rows[::2]], True)
    at = datetime(2026, 11, 18, 20, tzinfo=UTC)
    for row in rows[2:]:
        library.progress.save(row.id, (row.duration_ms or 0) // 3, None, at)
