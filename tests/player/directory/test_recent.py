from player.directory.answers import RecentAnswers
from player.directory.directory import FoundPodcast


def test_an_answer_is_kept_for_ten_minutes() -> None:
    now = [0.0]
    recent = RecentAnswers(lambda: now[0])
    asked: list[str] = []

    def ask(title: str) -> tuple[FoundPodcast, ...]:
        asked.append(title)
        return (FoundPodcast(title),)

    assert recent.get(("a", 1), lambda: ask("one")) == (FoundPodcast("one"),)
    now[0] = 599
    assert recent.get(("a", 1), lambda: ask("two")) == (FoundPodcast("one"),)
    now[0] = 600
    assert recent.get(("a", 1), lambda: ask("two")) == (FoundPodcast("two"),)
    assert asked == ["one", "two"]


def test_the_oldest_answer_makes_room() -> None:
    recent = RecentAnswers(lambda: 0.0)
    for number in range(65):
        recent.get(number, lambda: ())
    new = (FoundPodcast("new"),)
    assert [recent.get(number, lambda: new) for number in (64, 0)] == [(), new]
