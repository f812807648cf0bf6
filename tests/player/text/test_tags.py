"""Tags as people write them."""

from hypothesis import given
from hypothesis import strategies as st

from player.text.cleaning import fold
from player.text.tags import MOST_LETTERS, MOST_TAGS, clean_tag, clean_tags, tags_in


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
