"""What an act was, in words."""

import pytest

from player.library.listening.acts import redone_words, undone_words
from player.model.listening import ActKind


@pytest.mark.parametrize("kind", ActKind)
def test_each_kind_of_act_has_its_words_for_one_and_for_many(kind: ActKind) -> None:
    one, many = undone_words(kind, "Strides", 1), undone_words(kind, "Strides", 1234)
    assert one.startswith("Undone: ")
    assert "Strides" in one or "the queue" in one
    assert "1,234" in many or many == one


def test_words_say_what_was_done() -> None:
    assert undone_words(ActKind.PLAYED, "Strides", 1) == "Undone: marked “Strides” as played"
    assert undone_words(ActKind.QUEUED, "Strides", 3) == "Undone: queued 3 episodes"
    assert redone_words(ActKind.DISMISSED, "{n} braces", 1) == "Redone: dismissed “{n} braces”"
