"""Every screen and dialog in every language: what English shows whole isn't cut, and no key is missing."""

import re
import string
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from gettext import NullTranslations
from typing import Any

import pytest

from player.paths import Paths
from player.player import Player
from player.settings import Settings
from player.text import catalogues, sentences
from tests.translating import languages
from tests.tui.dialogs.gallery import gallery
from tests.tui.stage import QUIET, Stage, opened, stocked_player
from tests.tui.test_gallery import OTHERS, SCREENS, cells, each_screen, player_of_a_day
from tui.dialogs.dialog import Dialog
from tui.dialogs.podcast_names import TitleScreen
from tui.dialogs.sleep import SleepScreen
from tui.drawing import episode_rows
from tui.drawing.general_fields import general_groups
from tui.widgets.choices import Frame
from tui.widgets.footer import KeyFooter

SIZES = ("80x24", "40x12")
_ROOMY = 20
"""Lines of a terminal on which dialogs show all their keys."""
_LEAST = 3
"""The fewest letters before an ellipsis by which a sentence is known."""
Forms = tuple[str, ...]


class Listening(NullTranslations):
    """The sentences of a catalogue; `asked` are those that were asked for, in English."""

    def __init__(self, catalogue: NullTranslations) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.asked: dict[Forms, None] = {}

    def gettext(self, message: str) -> str:
        self.asked[message,] = None
        return self.catalogue.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        self.asked[msgid1, msgid2] = None
        return self.catalogue.ngettext(msgid1, msgid2, n)

    def translated(self, forms: Forms) -> Forms:
        if len(forms) == 1:
            return (self.catalogue.gettext(*forms),)
        one, many = forms
        return self.catalogue.ngettext(one, many, 1), self.catalogue.ngettext(one, many, 2)


class Scene:
    """What a screen shows: the text of each of its widgets and lines, with every gap as one space; and the sentences
    that were `asked` for it."""

    def __init__(self, stage: Stage) -> None:
        self.lines = lines = stage.lines()
        boxes = [widget.region for widget in stage.app.screen._compositor.visible_widgets]
        parts = [" ".join(line[box.x : box.right] for line in lines[box.y : box.bottom]) for box in boxes]
        self.texts = [_plain(text) for text in {*lines, *parts}]
        screen = stage.app.screen
        self.is_dialog = bool(screen.query(Frame))
        placed = [choice for frame in screen.query(Frame) for _column, choice in frame.placed]
        hints = [hint for footer in screen.query(KeyFooter) for _column, hint in footer._placed()[0]]
        self.keys = {one.answer: one.words for one in placed} | {one.action_id: one.word for one in hints}
        """The word beside each key, by the action."""
        self.asked: Sequence[Forms] = ()
        if isinstance(listening := sentences._catalogue, Listening):
            self.asked, listening.asked = tuple(listening.asked), {}

    def has(self, sentence: str) -> bool:
        """Whether all that a sentence says, whatever its fields are, stands in one place."""
        words = [re.compile(rf"(?<!\w){re.escape(piece)}(?!\w)") for piece in _pieces(sentence)]
        return bool(words) and any(all(word.search(text) for word in words) for text in self.texts)

    def cuts(self, sentence: str) -> bool:
        """Whether a part of it stands before an ellipsis; its beginning, where lines or columns begin."""
        starts = "|".join(re.escape(piece[:end].rstrip()) for piece in _pieces(sentence) for end in _ends(piece))
        begins = "" if sentence.startswith("{") else r"(?:^|[^\w ] ?|  )"
        return bool(starts) and any(re.search(f"{begins}(?:{starts})…", line.casefold()) for line in self.lines)


def _plain(text: str) -> str:
    return " ".join(text.replace("│", " ").split()).casefold()


def _ends(piece: str) -> range:
    return range(_LEAST, len(piece))


def _pieces(sentence: str) -> list[str]:
    """What stands between the fields of a sentence."""
    try:
        parts = [text for text, *_field in string.Formatter().parse(sentence)]
    except ValueError:
        parts = [sentence]
    return [plain for part in parts if sum(map(str.isalpha, plain := _plain(part))) > 1]


@contextmanager
def speaking(language: NullTranslations) -> Iterator[Listening]:
    listening = Listening(language)
    back = sentences.use(listening)
    episode_rows._groups.cache_clear()
    try:
        yield listening
    finally:
        back()
        episode_rows._groups.cache_clear()


Scenes = Callable[[], AsyncIterator[tuple[str, Scene]]]


def screens(size: str, names: Iterable[str] = SCREENS) -> Scenes:
    async def each() -> AsyncIterator[tuple[str, Scene]]:
        async with opened(player_of_a_day(), cells(size)) as stage:
            async for name in each_screen(stage, names):
                yield name, Scene(stage)

    return each


def dialog(kind: type[Dialog[Any]]) -> Scenes:
    """A dialog at each of SIZES."""

    async def each() -> AsyncIterator[tuple[str, Scene]]:
        async with opened(stocked_player(), (120, 40)) as stage:
            Scene(stage)
            stage.app.push_screen(gallery(stage.player)[kind]())
            asked: Sequence[Forms] = ()
            for size in SIZES:
                await stage.resize(*cells(size))
                scene = Scene(stage)
                scene.asked = asked = (*asked, *scene.asked)
                yield size, scene

    return each


def faults(before: Scene, after: Scene, spoken: Listening) -> Iterator[str]:
    """What another language has spoiled: sentences that are cut, though English shows all of them, and keys that are
    missing. The least important one of a screen's footer may be, and of a dialog on a small terminal."""
    for forms in before.asked:
        for sentence, translated in zip(forms, spoken.translated(forms), strict=True):
            if before.has(sentence) and not after.has(translated) and after.cuts(translated):
                yield f"{sentence!r} is cut: {translated!r}"
    lost = [f"{key} {word}" for key, word in before.keys.items() if word and not after.keys.get(key)]
    if len(lost) > (0 if before.is_dialog and len(before.lines) >= _ROOMY else 1):
        yield f"no room for {lost} beside {after.keys}"
    if bare := [key for key, word in after.keys.items() if before.keys.get(key) and not word]:
        yield f"no room for the words of {bare}"


async def spoiled(scenes: Scenes, language: NullTranslations) -> dict[str, list[str]]:
    """The faults of a language, by the name of the scene."""
    with speaking(NullTranslations()):
        before = {name: scene async for name, scene in scenes()}
    with speaking(language) as spoken:
        return {name: found async for name, scene in scenes() if (found := list(faults(before[name], scene, spoken)))}


def catalogue(language: str) -> catalogues.Catalogue:
    found = catalogues.read(language, (catalogues.BUNDLED,))
    assert found is not None
    return found


@pytest.mark.parametrize("size", SIZES)
async def test_no_word_is_cut_on_a_few_screens(size: str) -> None:
    assert await spoiled(screens(size, ("main", "links", "settings")), catalogue("de")) == {}


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", languages())
async def test_no_word_is_cut_on_any_screen(language: str, size: str) -> None:
    assert await spoiled(screens(size), catalogue(language)) == {}


@pytest.mark.long
@pytest.mark.parametrize("kind", OTHERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("language", languages())
async def test_no_word_is_cut_in_any_dialog(language: str, kind: type[Dialog[Any]]) -> None:
    assert await spoiled(dialog(kind), catalogue(language)) == {}


@pytest.mark.parametrize(("language", "says"), [("de", True), ("en", False), ("", False)])
async def test_the_built_in_episodes_say_that_they_are_in_english(
    language: str, says: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentences, "_spoken", language)
    player = Player(Paths.of(), QUIET)
    player.open()
    async with opened(player) as stage:
        await stage.until(lambda: stage.shows("Press play") and stage.filled, "the first episode")
        assert stage.shows("in English") is says
        await stage.press("i")
        await stage.until(lambda: stage.shows("Last refreshed"), "its page")
        assert stage.shows("Its episodes are in English.") is says


async def test_the_settings_call_languages_what_their_speakers_do() -> None:
    with speaking(NullTranslations()):
        fields = {field.name: field for group in general_groups(()) for field in group.fields}
        chosen, shown = Settings(), []
        for _step in sentences.languages():
            chosen = fields["appearance.language"].stepped(chosen, 1)  # type: ignore[misc]
            shown.append(fields["appearance.language"].shown(chosen))
        assert shown == ["English", "Deutsch", "Español", "Français"]
        assert "restarted" in fields["appearance.language"].about
    with speaking(catalogue("de")):
        fields = {field.name: field for group in general_groups(()) for field in group.fields}
        assert "JSON" in (about := fields["appearance.language"].about)
        assert "of the app" not in about


class Long(NullTranslations):
    """A language with a few words that are far too long."""

    def gettext(self, message: str) -> str:
        return {"Sleep timer": "Schlafzeitschaltuhreinstellung" * 3, "cancel": "abbrechen" * 9}.get(message, message)


async def test_a_word_that_is_too_long_is_found() -> None:
    found = await spoiled(dialog(SleepScreen), Long())
    assert "'Sleep timer' is cut" in found["80x24"][0]
    found = await spoiled(dialog(TitleScreen), Long())
    assert "no room for" in found["80x24"][-1]
