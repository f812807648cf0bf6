"""Files are heard in the order that a listener would put them in."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from player.sources.local.assemble import Place, in_order, natural_key


def ordered(*places: Place) -> list[str]:
    return ["/".join(places[index].parts) for index in in_order(places)]


def test_numbers_count_and_case_and_accents_do_not() -> None:
    names = ["1.mp3", "2.mp3", "10.mp3", "Chapter 2", "chapter 10", "Épilogue", "F 007", "f 8"]
    for some in permutations(names, 3):
        assert sorted(some, key=natural_key) == sorted(some, key=names.index)


@given(st.lists(st.text(max_size=20), max_size=8))
def test_any_names_can_be_sorted(names: list[str]) -> None:
    once = sorted(names, key=natural_key)
    assert [natural_key(name) for name in once] == sorted(map(natural_key, names))


def test_complete_tags_beat_names() -> None:
    places = [Place(("b.mp3",), "Al", None, 1), Place(("a.mp3",), "Al", None, 2)]
    assert ordered(*places) == ["b.mp3", "a.mp3"]


def test_discs_come_one_after_the_other() -> None:
    places = [Place((f"{disc}{track}x{10 - track}.mp3",), "Al", disc, track) for disc in (2, 1) for track in (2, 1)]
    assert ordered(*places) == ["11x9.mp3", "12x8.mp3", "21x9.mp3", "22x8.mp3"]


def test_tags_that_are_incomplete_or_contradict_each_other_leave_the_names_to_decide() -> None:
    for second in (Place(("a.mp3",), "Al"), Place(("a.mp3",), "Al", None, 1), Place(("a.mp3",), "Other", None, 2),
                   Place(("a.mp3",), "Al", 1, 2)):  # fmt: skip
        assert ordered(Place(("b.mp3",), "Al", None, 1), second) == ["a.mp3", "b.mp3"]


def test_a_folder_s_files_come_before_its_subfolders_and_those_in_natural_order() -> None:
    parts = [("Disc 10", "1.mp3"), ("Disc 2", "2.mp3"), ("Disc 2", "1.mp3"), ("zoo.mp3",), ("Disc 2", "extra", "a.mp3")]
    assert ordered(*map(Place, parts)) == [
        "zoo.mp3", "Disc 2/1.mp3", "Disc 2/2.mp3", "Disc 2/extra/a.mp3", "Disc 10/1.mp3",
    ]  # fmt: skip
