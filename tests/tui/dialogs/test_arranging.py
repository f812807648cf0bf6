"""Tags, title and pin of a podcast, by keys: in the lists and on the podcast's page."""

import pytest

from player.model.episode import EpisodeId
from player.model.filters import ViewName
from player.model.podcast import Podcast
from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.dialogs.podcast_names import TagsScreen, TitleScreen
from tui.screens.about import AboutScreen

SHOW = "PyTorch Developer Podcast"
OTHER = "Unplugged Radio"


def podcast(stage: Stage, title: str = SHOW) -> Podcast:
    return stage.library.podcasts.find(title)


def order(stage: Stage) -> list[str]:
    return [one.title for one in stage.sidebar.podcasts]


async def open_tags(stage: Stage) -> TagsScreen:
    await stage.run("tags")
    await stage.until(lambda: isinstance(stage.app.screen, TagsScreen), "the dialog")
    await stage.settle()
    assert isinstance(stage.app.screen, TagsScreen)
    return stage.app.screen


async def test_tags_are_typed_saved_and_undone() -> None:
    async with stocked() as stage:
        await open_tags(stage)
        assert stage.shows(f"Tags of {SHOW}")
        await stage.press(*"work,long", "space", *"walks", "enter")
        await stage.until(lambda: podcast(stage).tags == ("long walks", "work"), "the tags")
        await stage.until(lambda: stage.news == "Tags: long walks, work · U undoes", "the words")
        await open_tags(stage)
        assert stage.shows("long walks, work, ")
        await stage.press("ctrl+u", "enter")
        await stage.until(lambda: podcast(stage).tags == (), "no tags")
        await stage.until(lambda: stage.news == "No tags · U undoes", "the words")
        await stage.press("U")
        await stage.until(lambda: podcast(stage).tags == ("long walks", "work"), "the tags again")
        await stage.until(lambda: stage.news == f"Undone: changed the tags of “{SHOW}”", "the words")


async def test_known_tags_are_offered_and_completed() -> None:
    async with stocked() as stage:
        stage.library.shelf.set_tags(podcast(stage, OTHER).id, ["network", "news", "Work"])
        await open_tags(stage)
        assert [stage.shows(tag) for tag in ("network", "news", "Work")] == [True] * 3
        await stage.press(*"wo")
        assert not stage.shows("news")
        await stage.press("tab")
        assert stage.shows("Work, ")
        await stage.press("n", "down", "tab", *"NET", "right", "enter")
        await stage.until(lambda: podcast(stage).tags == ("network", "news", "Work"), "the tags")


@pytest.mark.long
async def test_what_is_typed_before_the_dialog_is_there_is_typed_into_it() -> None:
    async with stocked() as stage:
        await stage.run("tags")
        await stage.pilot.press(*"sleep", "enter")
        await stage.until(lambda: podcast(stage).tags == ("sleep",), "the tag")


@pytest.mark.long
async def test_leaving_the_dialogs_changes_nothing() -> None:
    async with stocked() as stage:
        before = podcast(stage)
        await open_tags(stage)
        await stage.press(*"work", "escape")
        await stage.run("rename")
        await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog")
        await stage.press(*"work", "escape")
        await stage.run("rename")
        await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog again")
        await stage.press("enter")
        await stage.settle()
        assert podcast(stage) == before
        assert stage.library.acts.last() is None


async def test_a_podcast_is_renamed_everywhere_and_goes_back_to_its_feeds_title() -> None:
    async with stocked() as stage:
        await stage.run("rename")
        await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog")
        assert stage.shows(f"Its feed calls it “{SHOW}”.")
        await stage.press(*"Zz", "space", *"top", "enter")
        await stage.until(lambda: stage.news == "Now called “Zz top” · U undoes", "the words")
        await stage.until(lambda: "Zz top" in order(stage), "its place in the sidebar")
        await stage.until(lambda: not stage.shows(SHOW), "its title in all places")
        await stage.run("rename")
        await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog")
        await stage.press("backspace", "enter")
        await stage.until(lambda: stage.shows(SHOW) and not stage.shows("Zz top"), "the feed's title")
        await stage.press("U")
        await stage.until(lambda: "Zz top" in order(stage), "the listener's title again")


@pytest.mark.long
async def test_the_rows_of_mixed_lists_and_the_bar_take_the_new_title() -> None:
    async with stocked() as stage:
        await stage.press(*stage.way_to(ViewName.ALL), "l")
        await stage.until(lambda: stage.title and stage.shows("All episodes  "), "all episodes")
        name = stage.library.episodes.get(EpisodeId(stage.episodes.episode_id or 0)).podcast
        await stage.run("rename")
        await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog")
        await stage.press(*"Zz", "enter")
        await stage.until(lambda: stage.shows("Zz") and not stage.shows(name), "the title in all places")


@pytest.mark.parametrize("words", mostly_long(["zz", "pytorch dev"]))
async def test_the_sidebar_finds_a_renamed_podcast_by_either_title(words: str) -> None:
    async with stocked() as stage:
        stage.player.shelf.rename(podcast(stage).id, "Zz top").result(10)
        await stage.until(lambda: "Zz top" in order(stage), "the title")
        await stage.press("h", "h", "slash", *("space" if letter == " " else letter for letter in words))
        await stage.until(lambda: stage.shows("Zz top  ") and not stage.shows("Changelog"), "the podcast")


async def test_a_podcast_is_pinned_and_unpinned_by_the_same_key() -> None:
    async with stocked() as stage:
        await stage.run("pin")
        await stage.until(lambda: stage.news == "Pinned: it stands first · U undoes", "the words")
        await stage.until(lambda: order(stage)[0] == SHOW, "its place")
        assert stage.sidebar.podcast
        assert stage.sidebar.podcast.title == SHOW, "the cursor goes with it"
        await stage.run("pin")
        await stage.until(lambda: stage.news == "No longer pinned · U undoes", "the words")
        await stage.until(lambda: order(stage)[0] != SHOW, "its former place")
        await stage.press("U")
        await stage.until(lambda: order(stage)[0] == SHOW, "the pin again")


@pytest.mark.long
async def test_the_page_of_a_podcast_shows_tags_title_and_pin_as_they_change() -> None:
    async with stocked() as stage:
        await stage.press("i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and stage.shows("Your listening"))
        assert "c settings" in stage.lines()[-1]
        await open_tags(stage)
        await stage.press(*"work", "enter")
        await stage.until(lambda: stage.shows("Tags: work"), "the tags on the page")
        await stage.run("pin")
        await stage.until(lambda: stage.shows("Pinned · Tags: work"), "the pin on the page")
        await stage.run("rename")
        await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog")
        await stage.press(*"Mine", "enter")
        await stage.until(lambda: stage.shows(f"Called “{SHOW}” by its feed"), "the feed's title on the page")
        await stage.press("U", "U", "U")
        await stage.until(lambda: not stage.shows("Tags:") and not stage.shows("Called"), "all of it undone")


async def test_without_a_podcast_the_keys_say_so() -> None:
    async with stocked() as stage:
        stage.library.podcasts.remove(podcast(stage).id)
        await stage.run("tags")
        await stage.until(lambda: stage.shows("This podcast is no longer in the library"), "the sentence")


async def test_the_dialogs_fit_any_screen() -> None:
    async with stocked() as stage:
        stage.library.shelf.set_tags(podcast(stage, OTHER).id, [f"tag {at} {'w' * 70}" for at in range(20)])
        for size in ((120, 40), (80, 24), (50, 15), (40, 12)):
            await stage.resize(*size)
            await open_tags(stage)
            for words in ("Tags of", "tag 0", "Separate tags", "enter save", "tab add", "esc cancel"):
                assert stage.shows(words), (size, words)
            await stage.press("escape")
            await stage.run("rename")
            await stage.until(lambda: isinstance(stage.app.screen, TitleScreen), "the dialog")
            for words in ("Rename the podcast", "Its feed calls it", "enter rename", "esc cancel"):
                assert stage.shows(words), (size, words)
            await stage.press("escape")
