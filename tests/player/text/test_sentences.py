"""Sentences can be translated: each that is marked is found, whole, and said in the listener's language."""

import string
from gettext import NullTranslations

import pytest

from player.text.sentences import _, mark, plural, translate, use
from tests.translating import Marked, marked, sentences


class Backwards(NullTranslations):
    """A language in which the words come the other way round."""

    def gettext(self, message: str) -> str:
        return " ".join(reversed(message.split()))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def test_a_sentence_is_said_as_it_is_written() -> None:
    assert _("{host} refused the connection", host="a.test") == "a.test refused the connection"
    assert _('Send {"command": "status"}.') == 'Send {"command": "status"}.'


@pytest.mark.parametrize(("number", "sentence"), [(0, "0 feeds"), (1, "1 feed"), (2, "2 feeds"), (1200, "1,200 feeds")])
def test_a_sentence_has_a_form_for_one_and_a_form_for_many(number: int, sentence: str) -> None:
    assert plural(number, "{n:,} feed", "{n:,} feeds") == sentence


def test_a_sentence_is_said_in_the_language_of_a_catalogue() -> None:
    back = use(Backwards())
    try:
        assert _("{host} refused the connection", host="a.test") == "connection the refused a.test"
        assert plural(2, "{n} feed in {file}", "{n} feeds in {file}", file="x.opml") == "x.opml in feeds 2"
    finally:
        back()
    assert _("{n} feeds", n=2) == "2 feeds"


def test_what_is_marked_at_import_is_translated_when_it_is_shown() -> None:
    title = mark("Jump back")
    assert translate(title) == title == "Jump back"
    back = use(Backwards())
    try:
        assert translate(title) == "back Jump"
    finally:
        back()


def test_nothing_is_translated_as_nothing() -> None:
    class WithHeader(NullTranslations):
        def gettext(self, message: str) -> str:
            return message or "Content-Type: text/plain"

    back = use(WithHeader())
    try:
        assert translate("") == ""
    finally:
        back()


def test_what_a_feed_says_is_never_taken_for_a_field() -> None:
    assert _("“{title}” is gone", title="{0.__class__} {host}") == "“{0.__class__} {host}” is gone"


def lacks_fields(one: Marked) -> bool:
    """Whether a sentence names fields that it isn't given."""
    parsed = [part for form in one.forms for part in string.Formatter().parse(form)]
    named = {name.partition(".")[0] for _text, name, *_rest in parsed if name is not None}
    return bool(one.fields) and "**" not in one.fields and not named <= one.fields


def test_each_marked_sentence_is_a_constant_with_all_its_fields() -> None:
    found = marked()
    assert len(found) > 1000
    assert [one.where for one in found if not one.forms] == [], "a translator can't find what isn't a constant"
    assert [one.where for one in found if lacks_fields(one)] == []


def test_translators_find_every_sentence_once_with_the_files_that_say_it() -> None:
    found = sentences()
    assert len({forms[0] for forms in found}) == len(found) > 1000, (
        "gettext has one entry for a sentence and its plural"
    )
    for words in ("Undo the last jump", "{key} does nothing here", "seek", "Podcasts", "couldn't be refreshed"):
        assert (words,) in found
    assert found[("{server} refused the connection",)] == ["player/net/failures.py"]
    assert ("Empty: none.",) not in found
    assert "player/settings.py" in found[("Whether to check for new episodes when the app opens.",)]
