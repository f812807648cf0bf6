"""Tags as people write them."""

from hypothesis import given
from hypothesis import strategies as st

from player.text.cleaning import fold
from player.text.typed_names import MOST_LETTERS, MOST_TAGS, clean_tag, clean_tags, completed, offered, tags_in


def test_commas_part_tags_and_spaces_do_not() -> None:
    assert tags_in(" work, two words ,, Work") == ("work", "two words")
    assert tags_in("") == ()


@given(st.text(max_size=200))
def test_a_clean_tag_is_clean(text: str) -> None:
    tag = clean_tag(text)
    assert clean_tag(tag) == tag
    assert len(tag) <= MOST_LETTERS
    assert not set(tag) & set(',"\n')
    assert tag.strip("/ ") == tag


@given(st.lists(st.text(max_size=20), max_size=100))
def test_tags_are_each_there_once_and_can_be_written_in_one_line(texts: list[str]) -> None:
    tags = clean_tags(texts)
    assert len({fold(tag) for tag in tags}) == len(tags) <= MOST_TAGS
    assert tags_in(", ".join(tags)) == tags


def test_known_tags_are_offered_those_that_begin_so_first() -> None:
    known = ["Écoute", "news", "photo news", "work"]
    assert offered("", known) == tuple(known)
    assert offered("NEW", known) == ("news", "photo news")
    assert offered("work, news, e", known) == ("Écoute", "photo news")
    assert offered("News", known) == ("photo news",), "what is whole is not offered"
    assert offered("nothing like it", known) == ()


def test_a_tag_that_is_completed_is_ready_for_the_next() -> None:
    assert completed("ne", "news") == "news, "
    assert completed("work,ne", "news") == "work, news, "
